# sb with fzf, in bash or zsh: eval "$(sb init fzf)"

# Choose a session with fzf and resume it: sbf [QUERY and options of sb list]
# enter resumes, ctrl-y copies the id, alt-c the command, alt-d the directory, alt-s the SpecStory path.
sbf() {
  local id line
  id=$(
    @SB@ list --tsv "$@" |
      fzf --delimiter '\t' --with-nth 1,2,4,5 --tiebreak index --preview-window 'right,55%,border-left' \
        --preview '@INNER@ show --preview --color always -- {3}' \
        --bind 'ctrl-o:toggle-preview' \
        --bind 'ctrl-y:execute-silent(@INNER@ pick --no-stdin -f id:{3} --print id --copy)' \
        --bind 'alt-c:execute-silent(@INNER@ pick --no-stdin -f id:{3} --print command --copy)' \
        --bind 'alt-d:execute-silent(@INNER@ pick --no-stdin -f id:{3} --print cwd --copy)' \
        --bind 'alt-s:execute-silent(@INNER@ pick --no-stdin -f id:{3} --print specstory --copy)' |
      cut -f 3
  )
  [ -n "$id" ] || return 130
  line=$(SHELL=/bin/sh @SB@ resume --print -- "$id") || return
  eval "$line"
}
