# sb in fish: completions, a key, two functions. In ~/.config/fish/config.fish: sb init fish | source

# The key puts the line that resumes a session on an empty command line, a session's id into any other.
# SB_KEY_OPTS are options of sb pick for it.
function __sb_insert
    set -l what way
    string match -qr '\S' -- (commandline -b); and set what id
    set -lx SB_PICK_OPTS "--height 60% $SB_PICK_OPTS $SB_KEY_OPTS"
    set -lx SHELL (status fish-path)
    set -l chosen (@SB@ pick --no-stdin --print $what </dev/tty | string collect)
    test -n "$chosen"; and commandline -i -- $chosen
    commandline -f repaint
end
if status is-interactive; and test -n @KEY@
    bind @BIND@ __sb_insert
    bind -M insert @BIND@ __sb_insert 2>/dev/null
end

function sbgo --description 'Resume a session that is chosen'
    set -lx SHELL (status fish-path)
    set -l line (@SB@ pick $argv | string collect)
    test -n "$line"; or return
    set -e SHELL
    eval $line
end

function sbcd --description 'Go to the directory of a session that is chosen'
    set -l folder (@SB@ pick --print cwd $argv | string collect)
    test -n "$folder"; and cd -- $folder
end

function __sb_complete
    set -l words (commandline -opc) (commandline -ct)
    @SB@ init --shell fish complete -- -- $words 2>/dev/null
end
complete -c sb -f -a '(__sb_complete)' -k
