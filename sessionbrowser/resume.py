"""The way back into a session as a line for a shell, and what to do when its directory is gone. Nothing is run here."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser.model import Resume, Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import ODD

POSIX, FISH, POWERSHELL, CMD = "posix", "fish", "powershell", "cmd"

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_PLAIN_WINDOWS = re.compile(r"[A-Za-z0-9_+=:./\\-]+\Z")


def shell_of(env: Environment) -> str:
    """Which kind of shell this person uses."""
    name = os.path.basename(env.get("SHELL")).removesuffix(".exe").lower()
    if name in ("fish", "pwsh", "powershell"):
        return FISH if name == "fish" else POWERSHELL
    if env.platform == "win32" and not name:
        return POWERSHELL if env.get("PSModulePath") else CMD
    return POSIX


def quote(word: str, shell: str = POSIX) -> str:
    """`word` as one word of a command line, whatever is in it; on one line, and nothing in it that can't be seen.

    What acts on a terminal or is invisible there is written as the shell writes it, so that the word stays the same;
    cmd.exe has no way to, and gets blanks.
    """
    if shell in (POWERSHELL, CMD):
        if _PLAIN_WINDOWS.match(word) and not word.startswith("-@"):
            return word
        return _powershell(word) if shell == POWERSHELL else '"' + ODD.sub(" ", word).replace('"', '""').replace("%", "%%") + '"'
    if _PLAIN.match(word):
        return word
    if shell == FISH:
        return "".join(_fish(piece) for piece in re.split(f"({ODD.pattern}+)", word) if piece) or "''"
    if ODD.search(word):
        return "$'" + "".join(_ansi_c(char) for char in word) + "'"
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _fish(piece: str) -> str:
    if ODD.match(piece):
        return "".join(f"\\x{byte:02x}" if byte < 128 else f"\\X{byte:02x}" for byte in _bytes(piece))
    return "'" + piece.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _ansi_c(char: str) -> str:
    if char in "\\'":
        return "\\" + char
    if not ODD.match(char):
        return char
    return "".join(f"\\{byte:03o}" for byte in _bytes(char))  # \x takes more digits than two in some shells


def _bytes(text: str) -> bytes:
    """The bytes that names with this text in them have, whatever they were read from."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _powershell(word: str) -> str:
    """In quotes; with what can't be seen as numbers, which a number beyond 16 bits is two of."""
    pieces = [piece for piece in re.split(f"({ODD.pattern}+)", word) if piece]
    made = []
    for piece in pieces or [""]:
        if ODD.match(piece):
            units = piece.encode("utf-16-be", "surrogatepass")
            made += [f"[char]0x{units[at : at + 2].hex()}" for at in range(0, len(units), 2)]
        else:
            made.append("'" + piece.replace("'", "''") + "'")
    return made[0] if len(made) == 1 and made[0][0] == "'" else "('' + " + " + ".join(made) + ")"


def join(argv: Sequence[str], shell: str = POSIX) -> str:
    """An argument list as one line."""
    line = " ".join(quote(word, shell) for word in argv)
    return f"& {line}" if shell == POWERSHELL and line.startswith("'") else line


def command(resume: Resume, env: Environment) -> str:
    """The line a person pastes into their shell: what has to run before, the directory, the agent."""
    shell = shell_of(env)
    runs = [join(argv, shell) for argv in resume.before]
    if resume.cwd:
        runs.append(_change(resume.cwd, shell))
    runs.append(join(resume.argv, shell))
    if shell != POWERSHELL:
        return " && ".join(runs)
    line = runs.pop()  # Windows PowerShell 5 has no &&
    while runs:
        line = f"{runs.pop()}; if ($?) {{ {line} }}"
    return line


def _change(folder: str, shell: str) -> str:
    if shell == POWERSHELL:
        return f"Set-Location -LiteralPath {quote(folder, shell)}"
    if shell == CMD:
        return f"cd /d {quote(folder, shell)}"
    return f"cd {'-- ' if folder.startswith('-') else ''}{quote(folder, shell)}"


class Way(NamedTuple):
    """Another way in when the directory is gone: where, after which commands, in a few words for eyes."""

    words: str
    cwd: str
    before: tuple[tuple[str, ...], ...] = ()


def is_gone(resume: Resume) -> bool:
    """Whether the directory of a resume command is no longer there."""
    return bool(resume.cwd) and not os.path.isdir(resume.cwd or "")


def ways(cwd: str, session: Session, env: Environment) -> list[Way]:
    """What can be done when `cwd` is gone: recreate the worktree, its repository, the nearest folder above it.

    Where nothing but the root of the file system is left above it, that and the home: an agent is better off there.
    """
    found: list[Way] = []
    repository = owner(cwd)
    if repository:
        if session.branch:
            again = _worktree(repository, cwd, session.branch)
            found.append(Way(f"recreate the worktree from {session.branch}", cwd, (again,)))
        found.append(Way(f"the repository, {shown(repository, env.home)}", repository))
    above = nearest(cwd)
    if above and above != repository:
        found.append(Way(f"the nearest folder that is left, {shown(above, env.home)}", above))
    if not found:
        if env.home and os.path.isdir(env.home):
            found.append(Way("your home", env.home))
        if top := _top(cwd):
            found.append(Way(f"the nearest folder that is left, {shown(top)}", top))
    return found


def through(resume: Resume, way: Way) -> Resume:
    """`resume` by another way."""
    return in_folder(resume, way.cwd)._replace(before=(*way.before, *resume.before))


def in_folder(resume: Resume, folder: str) -> Resume:
    """`resume` in another directory; an argument that names the old one names the new one."""
    return resume._replace(cwd=folder, argv=tuple(folder if word == resume.cwd else word for word in resume.argv))


def nearest(cwd: str) -> str:
    """The nearest ancestor of `cwd` that exists, "" when only the root of the file system is left."""
    folder = cwd
    while True:
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        if os.path.isdir(parent) and os.path.dirname(parent) != parent:
            return parent
        folder = parent


def _top(cwd: str) -> str:
    """The root of the file system that `cwd` is in, "" when there is none."""
    top = os.path.splitdrive(cwd)[0] + os.sep
    return top if os.path.isabs(cwd) and os.path.isdir(top) else ""


def owner(cwd: str) -> str:
    """The main worktree of the repository that the missing `cwd` was a worktree of, "" when it can't be told."""
    above = nearest(cwd)
    folder = above
    while folder:
        if os.path.isdir(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        folder = "" if parent == folder else parent
    return _registered_near(cwd, above)


def _registered_near(cwd: str, folder: str) -> str:
    """A repository in `folder` that still has `cwd` on its list of worktrees."""
    if not folder:
        return ""
    try:
        names = sorted(os.listdir(folder))[:500]
    except OSError:
        return ""
    for name in names:
        repository = os.path.join(folder, name)
        if _registration(repository, cwd):
            return repository
    return ""


def _registration(repository: str, cwd: str) -> bool:
    """Whether `repository` has `cwd` on its list of worktrees."""
    listed = os.path.join(repository, ".git", "worktrees")
    try:
        names = os.listdir(listed)
    except OSError:
        return False
    for name in names[:500]:
        try:
            with open(os.path.join(listed, name, "gitdir"), encoding="utf-8", errors="surrogateescape") as file:
                if os.path.normpath(os.path.dirname(file.read(4096).strip())) == os.path.normpath(cwd):
                    return True
        except OSError:
            continue
    return False


def _worktree(repository: str, cwd: str, branch: str) -> tuple[str, ...]:
    force = ("--force",) if _registration(repository, cwd) else ()  # else git says that it is already registered
    if _has_branch(repository, branch):
        return ("git", "-C", repository, "worktree", "add", *force, "--", cwd, branch)
    return ("git", "-C", repository, "worktree", "add", *force, "-b", branch, "--", cwd)


def _has_branch(repository: str, branch: str) -> bool:
    git = os.path.join(repository, ".git")
    if os.path.isfile(os.path.join(git, "refs", "heads", *branch.split("/"))):
        return True
    try:
        with open(os.path.join(git, "packed-refs"), encoding="utf-8", errors="replace") as file:
            return any(line.rstrip("\n").endswith(f" refs/heads/{branch}") for line in file)
    except OSError:
        return False


def program_of(resume: Resume, env: Environment) -> str:
    """Where the program that resumes is, "" when it is not installed."""
    from shutil import which

    return which(resume.argv[0], path=env.get("PATH") or os.defpath) or ""
