"""Rows of Cursor's sessions, and the directories they belong to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sessionbrowser.model import Handle, Session
from sessionbrowser.paths import project_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.cursor import editor, places
from sessionbrowser.sources.cursor.reading import Reading
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.numbered import Data, Record, load_or_none
from sessionbrowser.sources.pieces import Assembly, items, mapping, session, string
from sessionbrowser.sources.sqlite import stamp
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    from sessionbrowser.sources.cursor import store
else:
    (store,) = lazily("sessionbrowser.sources.cursor", "store")

WHOLE = 1 << 20  # bytes; a longer transcript is read at its ends for its row
END = 256 << 10
EDITOR_ONLY = "Chats of the editor open in the editor; nothing resumes them from a shell"
OTHER_PROGRAM = "Another program drives this chat (ACP); only that program goes on with it"
_WORKSPACE = re.compile(r"Workspace Path: (\S[^\n]*)")
_UNNAMED = ("", "New Agent", "New Chat", "Untitled")


class Rows(Reading):
    """What the list shows of a session, from its ends."""

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        if not handle.path.endswith((".db", ".vscdb")):
            return self._row_of_transcript(handle)
        with self._databases.open(handle.path):  # once for all that follows
            return self._row_of_editor(handle) if handle.key else self._row_of_store(handle)

    def _row_of_transcript(self, handle: Handle) -> Session:
        if handle.size <= WHOLE or handle.path.endswith(".txt"):
            whole = Assembly()
            self.assemble(handle, whole)
            row = session(handle, whole, whole, whole=True, damaged=len(whole.builder.damage))
        else:
            head, tail = Assembly(), Assembly()
            self._take_all(head, self._of_transcript(jsonl.head(handle.path, END), handle, []), handle)
            self._take_all(tail, self._of_transcript(jsonl.tail(handle.path, END)[0], handle, []), handle)
            row = session(handle, head, tail, whole=False)
        slug = _project_folder(handle.path)
        cwd = self._named_directory(handle, slug)
        return row._replace(
            cwd=cwd, project=project_of(cwd) if cwd else one_line(slug.rsplit("-", 1)[-1], 80) if slug != "empty-window" else "",
            updated=self._last_change(handle, row.updated), created=row.created,
            origin="subagent" if handle.parent else row.origin,
            facts={**row.facts, "no_resume": "only its readable transcript is here, not the chat itself"},
        )  # fmt: skip

    def _last_change(self, handle: Handle, said: float | None) -> float:
        """When a transcript changed: by its file, except that a copy's may tell when it was copied; only prompts have times."""
        changed = min(handle.mtime_ns / 1e9, self.environment.now())
        return max(said or 0.0, changed) if handle.root.live or said is None else said

    def _named_directory(self, handle: Handle, slug: str) -> str | None:
        """The directory of a project's folder: the trust given to it names it, else its own name tells, below the home."""
        if not slug:
            return None
        folder = handle.path[: handle.path.index(os.sep + "agent-transcripts" + os.sep)]
        trusted = string((load_or_none(os.path.join(folder, ".workspace-trusted")) or {}).get("workspacePath"))
        if os.path.isabs(trusted):
            return trusted
        return None if handle.root.label else places.named_as(slug, self.environment.home)

    def _take_all(self, state: Assembly, records: Iterable[Record], handle: Handle) -> None:
        for record in records:
            self.take(state, record, handle)

    def _row_of_store(self, handle: Handle) -> Session:
        beside = load_or_none(os.path.join(os.path.dirname(handle.path), "meta.json")) or {}
        with self._databases.open(handle.path) as connection:
            meta = store.meta(connection)
        order = self._order(handle)
        head, tail = Assembly(), Assembly()
        if order.ids:
            for record in self._of_store(handle, order, head.builder.damage, range(min(len(order.ids), 12))):
                self.take(head, record, handle)
                if head.first:
                    break
            self._take_all(tail, self._of_store(handle, order, tail.builder.damage, range(max(0, len(order.ids) - 4), len(order.ids))), handle)
        elif transcript := self._transcript(handle):
            self._take_all(head, self._of_transcript(jsonl.head(transcript, END), handle, []), handle)
            self._take_all(tail, self._of_transcript(jsonl.tail(transcript, END)[0], handle, []), handle)
        row = session(handle, head, tail, whole=False, damaged=len(tail.builder.damage))
        named = one_line(string(beside.get("title")) or string(meta.get("name")))
        cwd = self._directory(handle, string(beside.get("cwd")) or places.path_of(order.workspace), order)
        child = bool(beside.get("isSubagent") or meta.get("subagentInfo"))
        hidden = row.hidden or ("subagent" if child else "empty" if head.is_empty and tail.is_empty else "")
        title = (named, "ai") if named not in _UNNAMED else (row.title, row.title_from)
        return row._replace(
            title=title[0], title_from=title[1], cwd=cwd, project=project_of(cwd) if cwd else "", branch=one_line(order.branch, 120) or None,
            created=parse_time(beside.get("createdAtMs")) or parse_time(meta.get("createdAt")) or row.created,
            updated=parse_time(beside.get("updatedAtMs")) or min(handle.mtime_ns / 1e9, self.environment.now()),
            model=row.model or one_line(string(meta.get("lastUsedModel")), 80) or None, hidden=hidden,
            origin="subagent" if hidden == "subagent" else row.origin, resume_cwd=cwd,
            facts={**row.facts, **({"mode": one_line(string(meta.get("mode")), 40)} if meta.get("mode") else {}),
                   **({"no_resume": OTHER_PROGRAM} if places.is_others(handle.path) else {})},
        )  # fmt: skip

    def _directory(self, handle: Handle, recorded: str, order: store.Order) -> str | None:
        """The workspace of a chat: as recorded, else the directory that its folder's name is the hash of."""
        if os.path.isabs(recorded):
            return recorded
        said = [found[1].strip() for text in self._first_words(handle, order) if (found := _WORKSPACE.search(text))]
        name = os.path.basename(os.path.dirname(os.path.dirname(handle.path)))
        known = (path for path, _ in places.workspaces(os.path.join(self.environment.app_support(), "Cursor", "User")))
        near = places.hashed_as(name, [*said, self.environment.cwd]) or places.hashed_as(name, known)
        return near or (said[0] if said and os.path.isabs(said[0]) else None)

    def _first_words(self, handle: Handle, order: store.Order) -> Iterator[str]:
        for record in self._of_store(handle, order, [], range(min(len(order.ids), 4))):
            for piece in self.pieces(record.data, handle):
                if piece.what == "injected":
                    yield piece.text[:20_000]

    def _row_of_editor(self, handle: Handle) -> Session:
        with self._databases.open(handle.path) as connection:
            chat = editor.composer(connection, handle.key)
            listed = editor.head(connection, handle.key)
            if chat is None:
                raise SourceError("the chat is no longer in the database, or damaged")
            chat = {**listed, **{name: value for name, value in chat.items() if value is not None}}
            count = editor.length(connection, handle.key, chat)
        head, tail = Assembly(), Assembly()
        first = list(self._of_editor(handle, [], range(min(count, 4))))
        self._take_all(head, first, handle)
        self._take_all(tail, self._of_editor(handle, [], range(max(0, count - 4), count)), handle)
        row = session(handle, head, tail, whole=False)
        named = one_line(string(chat.get("name")))
        cwd = self._folder_of(handle, chat, first)
        parent = handle.parent or string(mapping(chat.get("subagentInfo")).get("parentComposerId")) or None
        tail_of = _tail(string(chat.get("status")), row)
        return row._replace(
            title=named or row.title, title_from="ai" if named else row.title_from, cwd=cwd, project=project_of(cwd) if cwd else "",
            branch=_branch(chat), created=parse_time(chat.get("createdAt")) or row.created,
            updated=parse_time(chat.get("lastUpdatedAt")) or row.updated or parse_time(chat.get("createdAt")),
            model=row.model or one_line(string(mapping(chat.get("modelConfig")).get("modelName")), 80) or None,
            tail=tail_of[0], tail_why=tail_of[1], parent=parent, size=0, archived=bool(chat.get("isArchived")),
            origin="subagent" if handle.hidden == "subagent" else "interactive",
            hidden=handle.hidden or ("archived" if chat.get("isArchived") else "empty" if head.is_empty and tail.is_empty else ""),
            facts={**row.facts, "place": "editor", "no_resume": EDITOR_ONLY, **_facts(chat)},
        )  # fmt: skip

    def _folder_of(self, handle: Handle, chat: Data, first: list[Record]) -> str | None:
        address = mapping(mapping(chat.get("workspaceIdentifier")).get("uri"))
        found = string(address.get("fsPath")) or places.path_of(string(address.get("external")))
        for record in first:
            bubble = mapping(record.data.get("bubble"))
            uris = bubble.get("workspaceUris")
            said = [string(bubble.get("workspaceProjectDir")), *(uri for uri in (uris if isinstance(uris, list) else ()) if isinstance(uri, str))]
            found = found or next((path for address in said if (path := places.path_of(address))), "")
        return found or self._listed_folders(handle).get(handle.key) or None

    def _listed_folders(self, handle: Handle) -> dict[str, str]:
        """The directory of each chat that a workspace lists; the lists are read again when a chat or a workspace was added."""
        user = os.path.dirname(os.path.dirname(handle.path))
        try:
            now: object = (os.stat(os.path.join(user, "workspaceStorage")).st_mtime_ns, stamp(handle.path))
        except OSError:
            return {}
        kept = self._folders.get(user)
        if kept is not None and kept[0] == now:
            return kept[1]
        found: dict[str, str] = {}
        for path, database in places.workspaces(user):
            try:
                with self._databases.open(database) as connection:
                    found.update(dict.fromkeys(editor.composers_of(connection), path))
            except (OSError, SourceError):
                continue  # that workspace's chats have no directory
        self._folders[user] = (now, found)
        return found


def _project_folder(transcript: str) -> str:
    """The name of the project's folder above a transcript; "" when it lies elsewhere."""
    parts = transcript.split(os.sep)
    if "agent-transcripts" not in parts:
        return ""
    at = len(parts) - 1 - parts[::-1].index("agent-transcripts")
    return parts[at - 1] if at else ""


def _tail(status: str, row: Session) -> tuple[str, str]:
    if status == "aborted":
        return "interrupted", "stopped by the person"
    if status == "generating":
        return "working", "the editor was writing an answer"
    return row.tail, row.tail_why


def _branch(chat: Data) -> str | None:
    for repository in items(chat.get("trackedGitRepos")):
        for branch in items(repository.get("branches")):
            if name := one_line(string(branch.get("branchName")), 120):
                return name
    return None


def _facts(chat: Data) -> dict[str, object]:
    found = {
        "mode": one_line(string(chat.get("unifiedMode")), 40),
        "lines_added": chat.get("totalLinesAdded"),
        "lines_removed": chat.get("totalLinesRemoved"),
        "context_tokens": chat.get("contextTokensUsed"),
    }
    return {name: value for name, value in found.items() if isinstance(value, int | str) and value}
