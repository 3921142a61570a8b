"""Prompts, answers, thinking, and what Codex says in the user's name: from records to blocks."""

from __future__ import annotations

from zlib import crc32

from sessionbrowser.model import Place
from sessionbrowser.sources.codex import injected
from sessionbrowser.sources.codex.records import Item, parts, picture_of, text_of, words
from sessionbrowser.sources.codex.state import ANSWER_RANKS, PROMPT_RANKS, THINKING_RANKS, State
from sessionbrowser.text import one_line

_LOOSE = 50
_STANDING = frozenset(("AGENTS.md", "instructions", "environment"))


def message(state: State, item: Item, place: Place) -> None:
    """A message of the conversation as the model sees it."""
    role = item.payload.get("role")
    if role == "assistant":
        if state.choose("answer", ANSWER_RANKS["item:message"]):
            _answer(state, text_of(item.payload.get("content")), item, place)
    elif role == "user":
        _user_message(state, item, place)
    elif (text := text_of(item.payload.get("content"))) and not _repeats(state, text):
        title = "developer instructions" if role == "developer" else f"{role} message"
        state.builder.note("injected", text, place, time=item.time, title=title)


def _user_message(state: State, item: Item, place: Place) -> None:
    mine: list[str] = []
    pictures: list[str] = []
    for said in injected.said(item.payload):
        if said.picture:
            pictures.append(said.picture)
        elif said.label:
            _injected(state, said, item, place)
        else:
            mine.append(said.text)
    if not mine and not pictures:
        return
    text = injected.typed("\n".join(mine), pictures)
    if state.choose("prompt", PROMPT_RANKS["item:message"]):
        prompt(state, text, pictures, item, place)
    elif text and text.strip() != state.last_prompt:
        state.loose.append((text.strip(), place, item))
        del state.loose[:-_LOOSE]


def _injected(state: State, said: injected.Said, item: Item, place: Place) -> None:
    place = place._replace(part=f"content:{said.number}")
    if said.label in injected.COUNTED:
        state.saw(injected.COUNTED[said.label], injected.name_of(said.text))
    if said.label == "turn aborted":
        state.merge_note("interrupt", "", place, item, "Interrupted")
    elif said.label == "shell command" and (shell := injected.shell_of(said.text)):
        state.builder.prompt("bash", "row", shell.command, place, time=item.time)
    elif said.label not in _STANDING or not _repeats(state, said.text):
        state.builder.note("injected", said.text, place, time=item.time, title=said.label)


def _repeats(state: State, text: str) -> bool:
    """Whether these instructions stand in the file already: Codex writes them again after every resume."""
    mark = crc32(text.encode("utf-8", "replace"))
    if mark in state.injected:
        return True
    state.injected.add(mark)
    return False


def settle(state: State) -> None:
    """The agent went on: words in the user's name that no prompt repeated were not typed by a person."""
    for text, place, item in state.loose:
        state.builder.note("injected", text, place, time=item.time)
    state.loose.clear()


def event_prompt(state: State, item: Item, place: Place) -> None:
    text = injected.event_prompt(item.payload)
    if text is not None and state.choose("prompt", PROMPT_RANKS["event:user_message"]):
        prompt(state, text, injected.images_of(item.payload), item, place)


def done_prompt(state: State, item: Item, place: Place) -> None:
    if injected.done_label(item.payload) or not state.choose("prompt", PROMPT_RANKS["done:UserMessage"]):
        return
    pictures = [found for _, part in parts(item.payload.get("content")) if (found := picture_of(part))]
    prompt(state, injected.done_prompt(item.payload), pictures, item, place)


def prompt(state: State, text: str, pictures: list[str], item: Item, place: Place) -> None:
    """What a person entered, or the task that another agent gave."""
    state.last_prompt = text.strip()
    state.loose = [entry for entry in state.loose if entry[0] != state.last_prompt]
    settle(state)
    kind = "subagent" if state.subagent else "queued" if state.prompted else "typed"
    state.prompted = state.turns
    state.builder.prompt(kind, "row", text, place, time=item.time, key=words(item.payload, "id"))
    for index, address in enumerate(pictures):
        name = "image" if address.startswith("data:") else one_line(address, 120)
        size = len(address) * 3 // 4 if address.startswith("data:") else 0
        state.builder.image(name, place._replace(part=f"image:{index}"), time=item.time, size=size)


# ── answers ──


def event_answer(state: State, item: Item, place: Place) -> None:
    if state.choose("answer", ANSWER_RANKS["event:agent_message"]):
        _answer(state, words(item.payload, "message"), item, place)


def done_answer(state: State, item: Item, place: Place) -> None:
    if state.choose("answer", ANSWER_RANKS["done:AgentMessage"]):
        _answer(state, text_of(item.payload.get("content")), item, place)


def _answer(state: State, text: str, item: Item, place: Place) -> None:
    settle(state)
    state.builder.answer(f"{place.path}:{place.start}:{place.part}")
    if text.strip():
        state.builder.text(text, place, time=item.time, model=state.model, key=words(item.payload, "id"))


# ── thinking ──


def reasoning(state: State, item: Item, place: Place) -> None:
    """Thinking as the model keeps it: a summary when there is one, beside a content that only the model can read."""
    text = reasoning_text(item)
    if text:
        if state.choose("thinking", THINKING_RANKS["summary"]):
            state.builder.thinking(text, place, time=item.time, model=state.model)
    elif state.ranks.get("thinking") in (None, THINKING_RANKS["encrypted"], THINKING_RANKS["summary"]):
        if state.ranks.get("thinking") is None:
            state.choose("thinking", THINKING_RANKS["encrypted"])
        what = "encrypted" if item.payload.get("encrypted_content") else "empty"
        state.builder.thinking("", place, time=item.time, model=state.model, what=what)


def event_reasoning(state: State, item: Item, place: Place) -> None:
    text = reasoning_text(item)
    if text and state.choose("thinking", THINKING_RANKS["event"]):
        state.builder.thinking(text, place, time=item.time, model=state.model)


def done_reasoning(state: State, item: Item, place: Place) -> None:
    text = reasoning_text(item)
    if text and state.choose("thinking", THINKING_RANKS["done"]):
        state.builder.thinking(text, place, time=item.time, model=state.model)


def reasoning_text(item: Item) -> str:
    """What can be read of a thought in any of its three forms; encrypted content never."""
    payload = item.payload
    if item.kind.startswith("event:"):
        return words(payload, "text")
    pieces = [text_of(payload.get(name)) for name in ("summary", "summary_text", "content", "raw_content")]
    return "\n\n".join(piece for piece in pieces if piece)


# ── messages between agents ──


def agent_message(state: State, item: Item, place: Place) -> None:
    """A message from one agent to another: a subagent's task, or a note."""
    text = text_of(item.payload.get("content"))
    task = "Message Type: NEW_TASK" in text[:400]
    if task and state.subagent:
        payload = text.partition("Payload:")[2].strip()
        prompt(state, payload or text, [], item, place)
        return
    author = one_line(words(item.payload, "author"), 60) or "an agent"
    what = "task" if task else "answer" if "FINAL_ANSWER" in text[:400] else "message"
    state.builder.note("agent", text, place, time=item.time, title=f"{what} from {author}")
