# sb in zsh: completions, a key, two functions. In ~/.zshrc, after compinit: eval "$(sb init zsh)"

# The key puts the line that resumes a session on an empty command line, a session's id into any other.
# SB_KEY_OPTS are options of sb pick for it.
__sb_insert() {
  setopt localoptions pipefail no_aliases 2>/dev/null
  local what=way chosen said
  [[ -n ${BUFFER//[[:space:]]/} ]] && what=id
  () {
    chosen=$(SB_PICK_OPTS="--height 60% ${SB_PICK_OPTS-} ${SB_KEY_OPTS-}" SHELL=zsh @SB@ pick --no-stdin --print "$what" </dev/tty 2>"$1")
    said=$(<"$1")
  } =(:)
  LBUFFER+=$chosen
  zle reset-prompt
  [[ -n $said ]] && zle -M -- "$said"
  return 0
}
if [[ -o interactive && @KEY@ != '' ]]; then
  zle -N __sb_insert
  bindkey -M emacs @BIND@ __sb_insert
  bindkey -M viins @BIND@ __sb_insert
  bindkey -M vicmd @BIND@ __sb_insert
fi

# Resume a session that is chosen: sbgo [options of sb pick]
sbgo() {
  local line
  line=$(SHELL=zsh @SB@ pick "$@") || return
  print -s -r -- "$line"
  eval "$line"
}

# Go to the directory of a session that is chosen: sbcd [options of sb pick]
sbcd() {
  local folder
  folder=$(@SB@ pick --print cwd "$@") || return
  cd -- "$folder"
}

_sb() {
  local word help
  local -a whole wholes open opens
  while IFS=$'\t' read -r word help; do
    if [[ $word == *[:/] ]]; then
      open+=("$word") opens+=("${word}${help:+  $help}")
    else
      whole+=("$word") wholes+=("${word}${help:+  $help}")
    fi
  done < <(@SB@ init --shell zsh complete -- -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)
  (( $#open )) && compadd -U -V sb -l -S '' -d opens -a open
  (( $#whole )) && compadd -U -V sb -l -d wholes -a whole
  (( $#open + $#whole ))
}
if (( $+functions[compdef] )); then
  compdef _sb sb
fi
