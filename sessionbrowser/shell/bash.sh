# sb in bash: completions, a key, two functions. In ~/.bashrc: eval "$(sb init bash)"

# The key puts the line that resumes a session on an empty command line, a session's id into any other.
# SB_KEY_OPTS are options of sb pick for it.
__sb_insert() {
  local what=way chosen
  [[ $READLINE_LINE =~ [^[:space:]] ]] && what=id
  chosen=$(SB_PICK_OPTS="--height 60% ${SB_PICK_OPTS-} ${SB_KEY_OPTS-}" SHELL="$BASH" @SB@ pick --no-stdin --print "$what" </dev/tty) || return 0
  READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$chosen${READLINE_LINE:READLINE_POINT}
  READLINE_POINT=$((READLINE_POINT + ${#chosen}))
}
if [[ $- == *i* && @KEY@ != '' ]]; then
  bind -m emacs-standard -x @BIND@
  bind -m vi-insert -x @BIND@
  bind -m vi-command -x @BIND@
fi

# Resume a session that is chosen: sbgo [options of sb pick]
sbgo() {
  local line
  line=$(SHELL="$BASH" @SB@ pick "$@") || return
  history -s -- "$line"
  eval "$line"
}

# Go to the directory of a session that is chosen: sbcd [options of sb pick]
sbcd() {
  local folder
  folder=$(@SB@ pick --print cwd "$@") || return
  cd -- "$folder"
}

__sb_complete() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(@SB@ init --shell bash --breaks "$COMP_WORDBREAKS" complete -- -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o nosort -F __sb_complete sb 2>/dev/null || complete -F __sb_complete sb
