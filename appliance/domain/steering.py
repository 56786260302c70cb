"""What people say to a run while it works, and what their words are taken to mean."""

from __future__ import annotations

from enum import StrEnum

from appliance.domain.identity import RunId, Struct
from appliance.domain.retrieval import Filters, Strategy
from appliance.domain.understanding import TimeRange


class SteerKind(StrEnum):
    """What a person wants of a run."""

    GUIDE = "guide"
    """Words about where to look: ``look in the 2023 report``, 不要看新闻."""
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"


class SteerRow(Struct, frozen=True, kw_only=True):
    """One wish as stored: rows are never changed but for what became of them, and never removed."""

    id: int
    run_id: RunId
    kind: SteerKind
    text: str = ""
    user: str
    at: str
    """UTC, ISO 8601."""
    taken_at: str | None = None
    """None: it waits for the next step boundary."""
    step: int | None = None
    """The last finished step when it was taken up."""
    outcome: str = ""
    """``taken``, or why it was not."""


class WishAim(StrEnum):
    """How binding a piece of guidance is."""

    ONLY = "only"
    """Nothing else may be read: ``only``, 只看."""
    PREFER = "prefer"
    """Looked into first; the rest stays in reach."""
    AVOID = "avoid"
    """Left out: ``ignore``, 不要看."""


Way = tuple[Filters, ...]
"""One meaning of a few words: what meets any of these."""


class Wish(Struct, frozen=True, kw_only=True):
    """One thing that guidance points at, as conditions on documents and passages.

    Wishes of one clause (the same ``text``) are alternatives: ``only the policy and the annual report``.
    """

    aim: WishAim
    text: str
    """The clause it was read from."""
    ways: tuple[Way, ...]
    """What the words may mean, the likeliest first: the first that any readable document meets holds."""
    undated: tuple[Way, ...] = ()
    """The same without its days, where it names more than days."""
    times: tuple[TimeRange, ...] = ()
    """The days that it speaks of; empty: of none."""
    names: tuple[str, ...] = ()
    """What it names besides times: titles, kinds of documents, sections."""


class Guidance(Struct, frozen=True, kw_only=True):
    """A person's words read: wishes, words to search with, and what could not be taken as said."""

    text: str
    wishes: tuple[Wish, ...] = ()
    terms: tuple[str, ...] = ()
    """Words that searches take along: names and key words of hints that point at no document."""
    collections: tuple[str, ...] = ()
    """Collections named as the place to look in. A run searches one: others are told, not searched."""
    avoided_collections: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether searches go on as before."""
        return not self.wishes and not self.terms


class RunOptions(Struct, frozen=True, kw_only=True):
    """What was asked for besides the question; stored with the run, so a resumed one keeps it."""

    max_steps: int | None = None
    strategy: Strategy = Strategy.AUTO
    fresh: bool = False
    """Worked on anew, whatever earlier runs have left."""


class ForkPoint(Struct, frozen=True, kw_only=True):
    """Where a run left the one that it was forked from."""

    step: int
    checkpoint: str
    event_seq: int
    """The last event that it shares with its parent."""


class Spent(Struct, frozen=True, kw_only=True):
    """What questions cost in a span of time."""

    seconds: float = 0.0
    llm_tokens: int = 0
    """Prompt and reply together."""
    retrievals: int = 0


class ChainReport(Struct, frozen=True, kw_only=True):
    """Whether a run's stored steps are those that were written: each carries the digest of all before it."""

    steps: int
    holds: bool
    head: str = ""
    """Digest of the newest step: whoever wrote it down elsewhere can prove all the others with it."""
    broken_at: int | None = None
    """The first step that does not fit."""
    reason: str = ""
