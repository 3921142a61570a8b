"""What is known of a rollout while it is read, and the rule that prompts come from one kind of record only.

The same prompt, answer or thought stands in a file in up to three forms. Each has a rank; the best form that a file
holds is the one that is read. When a better form turns up after a lesser one was taken, reading starts again with that
knowledge (`Better`): in practice within the first lines.
"""

from __future__ import annotations

from sessionbrowser.model import Block, Place, Transcript, Usage
from sessionbrowser.sources.build import Builder
from sessionbrowser.sources.codex.records import Item, Payload, whole, within, words
from sessionbrowser.text import for_eyes, plural

PROMPT_RANKS = {"item:message": 1, "event:user_message": 2, "done:UserMessage": 3}
ANSWER_RANKS = {"item:message": 1, "event:agent_message": 2, "done:AgentMessage": 3}
THINKING_RANKS = {"encrypted": 1, "event": 2, "done": 3, "summary": 4}


class Better(Exception):
    """A better form of what was read already has turned up."""

    def __init__(self, role: str, rank: int) -> None:
        super().__init__(role)
        self.role = role
        self.rank = rank


class Total:
    """Tokens by model, from a count that only ever grows until it starts again."""

    def __init__(self) -> None:
        self.last = Usage()
        self.by_model: dict[str, Usage] = {}

    def says(self, usage: Usage, model: str) -> None:
        """The count is at `usage`: what came since the last word belongs to `model`."""
        again = usage.total < self.last.total
        grown = usage if again else Usage(*(max(0, a - b) for a, b in zip(usage, self.last, strict=True)))
        self.last = usage
        if grown.total:
            self.by_model[model] = self.by_model.get(model, Usage()).plus(grown)


class State:
    """A reading in progress; carried from one outline to the next."""

    def __init__(self, ranks: dict[str, int] | None = None) -> None:
        self.builder = Builder()
        self.ranks = ranks if ranks is not None else {}
        self.taken: set[str] = set()  # roles of which something was taken at the present rank
        self.offset = 0
        self.number = 0  # lines read so far
        self.stamp = (0, 0, 0)  # inode, size and time of the file when it was read
        self.check = (0, 0, 0)  # start, length and checksum of the last line read
        self.meta: Payload = {}
        self.subagent = False
        self.first_ordinal = 0  # records before it are a copy of the parent's
        self.copied_until = 0  # bytes at the head that are a copy of the fork's source
        self.model = ""
        self.settings: dict[str, object] = {}  # of the last turn: model, effort, approval, sandbox
        self.counted = Total()
        self.recorded = Total()
        self.branches = 0
        self.notes: dict[str, int] = {}  # where the last note of a kind stands
        self.loose: list[tuple[str, Place, Item]] = []  # words in the user's name that no prompt repeats so far
        self.last_prompt = ""
        self.injected: set[int] = set()  # checksums of the instructions noted so far
        self.turns = False  # a turn is open, in a file that marks where turns begin and end
        self.prompted = False  # the open turn has its prompt: another one was typed while the agent was at work
        self.exits: dict[str, int] = {}  # exit codes that came before the output of their call
        self.nameless: list[str] = []  # open calls of writers that number nothing
        self.children: dict[str, str] = {}  # ids of subagents, and the calls that started them
        self.patches: set[str] = set()  # open calls that change files
        self.seen: dict[str, dict[str, int]] = {}  # facts that are counted: hooks that ran, skills and plugins that were used

    def saw(self, fact: str, name: str) -> None:
        """Something that is counted was met once more."""
        counts = self.seen.setdefault(fact, {})
        counts[name] = counts.get(name, 0) + 1

    def choose(self, role: str, rank: int) -> bool:
        """Whether a record of this rank is the one to read. Raises Better when it outdoes what was taken before."""
        known = self.ranks.get(role, 0)
        if rank > known:
            if role in self.taken:
                raise Better(role, rank)
            self.ranks[role] = rank
        elif rank < known:
            return False
        self.taken.add(role)
        return True

    def begin_own(self) -> None:
        """What was read so far is the source of the fork: shown, marked as copied, its tokens not this session's."""
        self.builder.blocks = [block._replace(copied=True) for block in self.builder.blocks]
        self.counted.by_model.clear()
        self.recorded.by_model.clear()
        self.seen.clear()

    def merge_note(self, what: str, text: str, place: Place, item: Item, title: str) -> None:
        """A note that several records tell: one block, with the longest text, as long as nothing was said between."""
        blocks = self.builder.blocks
        known = self.notes.get(what)
        if known is not None and all(block.kind in ("note", "thinking") for block in blocks[known + 1 :]):
            if len(text) > blocks[known].size:
                lines = text.count("\n") + 1
                blocks[known] = blocks[known]._replace(place=place, size=len(text), lines=lines)
            return
        self.notes[what] = len(blocks)
        self.builder.note(what, text, place, time=item.time, title=title)

    def roll_back(self, turns: int, place: Place, item: Item) -> None:
        """The last prompts and everything after them stand on a branch of their own."""
        blocks = self.builder.blocks
        prompts = [index for index, block in enumerate(blocks) if block.kind == "prompt" and not block.branch]
        if turns > 0 and prompts:
            self.branches += 1
            for index in range(prompts[-min(turns, len(prompts))], len(blocks)):
                if not blocks[index].branch:
                    blocks[index] = blocks[index]._replace(branch=self.branches)
        self.builder.note("branch", f"Rolled back {plural(turns, 'turn')}", place, time=item.time)

    def leave(self, begin: int) -> None:
        """What stands from block `begin` on is on a branch of its own: the conversation goes on from before it."""
        blocks = self.builder.blocks
        if len(blocks) > begin:
            self.branches += 1
            blocks[begin:] = [block if block.branch else block._replace(branch=self.branches) for block in blocks[begin:]]
        self.notes.clear()
        self.loose.clear()
        self.turns = self.prompted = False

    def add_nested(self, block: Block) -> None:
        """Something a call did that is no call of the model itself: shown, not counted."""
        self.builder.blocks.append(block._replace(kind="tool", turn=self.builder.turn, via="event"))

    def child(self, id: str, call: str = "") -> None:
        """A subagent became known."""
        if id and (call or id not in self.children):
            self.children[id] = call

    def transcript(self, facts: dict[str, object], restarted: bool) -> Transcript:
        by_model = self.recorded.by_model or self.counted.by_model
        tokens = Usage()
        for usage in by_model.values():
            tokens = tokens.plus(usage)
        made = self.builder.transcript(self.offset, state=self, facts=facts, restarted=restarted)
        return made._replace(tokens=tokens, tokens_by_model=dict(by_model))


def usage_of(counted: Payload) -> Usage:
    """Codex's input includes what was cached; here each token stands once."""

    def count(name: str) -> int:
        return max(0, whole(counted, name) or 0)

    cached, written = count("cached_input_tokens"), count("cache_write_input_tokens")
    return Usage(max(0, count("input_tokens") - cached - written), count("output_tokens"), cached, written)


def total_in(item: Item) -> Usage | None:
    """The count of tokens so far that a record tells."""
    if item.kind == "usage":
        total = within(item.payload, "thread_token_usage")
    elif item.kind == "event:token_count":
        total = within(item.payload, "info", "total_token_usage")
    else:
        return None
    return usage_of(total) if total else None


def settings_of(item: Item) -> dict[str, object]:
    """What a `turn_context` says of model, effort and permissions, for eyes."""
    payload = item.payload
    collaboration = within(payload, "collaboration_mode", "settings")
    sandbox = payload.get("sandbox_policy")
    mode = within(payload, "sandbox_policy")
    found = {
        "model": words(payload, "model"),
        "effort": words(payload, "effort") or words(payload, "reasoning_effort") or words(collaboration, "reasoning_effort"),
        "approval": words(payload, "approval_policy"),
        "sandbox": sandbox if isinstance(sandbox, str) else words(mode, "type") or words(mode, "mode"),
    }
    return {name: for_eyes(value) for name, value in found.items() if value}
