"""A run steered while it works: what people said, read and held against the question, taken up between steps.

Beside research. Arrives: rows of the steering store and the question. Leaves: guidance to search by, or a
PausedError or CancelledError at a step boundary. All of it is read from SQLite each time, so that a run that
was killed goes on under the same guidance, and no row is taken up twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from appliance.domain import Guidance, PassageId, Reading, Retrieval, Scope, SteerRow, Strategy
from appliance.errors import CancelledError, PausedError
from appliance.ports import PassageFilter
from appliance.retrieval.guided import Search, admitted, search_guided
from appliance.store.runs import RunRecord
from appliance.store.steering import Steering
from appliance.understanding.guidance import read_guidance
from appliance.understanding.guidance_fit import fitted, together


class Read(Protocol):
    """The reader of questions."""

    def __call__(self, question: str, *, as_of: str = "") -> Reading:
        """The reading; relative days (``last year``) are counted from ``as_of`` (ISO)."""
        ...


class Steered:
    """One run's steering. Not shared between runs; safe to ask from several threads."""

    def __init__(self, run: RunRecord, steering: Steering, read: Read, by: PassageFilter) -> None:
        """Bind the run to its wishes; ``by`` finds the documents that they mean."""
        self._run, self._steering, self._read, self._by = run, steering, read, by

    def boundary(self, step: int | None = None) -> bool:
        """Between two steps: take up what waits, and tell it; whether there was new guidance.

        ``step`` is the last finished one; None: the newest that is stored.

        Raises PausedError, CancelledError: all before them is stored, the run goes on from here.
        """
        heeded = self._steering.heed(self._run.id, step, self._described)
        if heeded.cancel:
            raise CancelledError(
                f"the run was cancelled by {heeded.cancel.user}",
                hint=f"assay runs resume {self._run.id} goes on from here",
            )
        if heeded.pause:
            raise PausedError(
                f"the run was paused by {heeded.pause.user}",
                hint=f"assay runs resume {self._run.id} goes on from here",
            )
        return bool(heeded.fresh)

    def guided(self) -> bool:
        """Whether any guidance was taken up so far."""
        return bool(self._steering.guidance(self._run.id))

    def guidance(self) -> Guidance:
        """All guidance taken up so far as one, where the question leaves room for it."""
        rows = self._steering.guidance(self._run.id)
        if not rows:
            return Guidance(text="")
        given = together([self._understood(row) for row in rows])
        return fitted(given, self._read(self._run.question)).guidance

    def search(
        self,
        search: Search,
        question: str,
        scope: Scope,
        *,
        k: int,
        strategy: Strategy = Strategy.AUTO,
    ) -> Retrieval:
        """``search`` under the guidance."""
        return search_guided(
            search, question, scope, k=k, guidance=self.guidance(), by=self._by, strategy=strategy
        )

    def admitted(self, passages: Sequence[PassageId], scope: Scope) -> tuple[PassageId, ...]:
        """Those that the guidance lets be read: also passages found before it was given."""
        return admitted(passages, scope, guidance=self.guidance(), by=self._by)

    def stopped(self) -> None:
        """The run was stopped in the midst of a step: a wish to stop it has been met."""
        self._steering.close(self._run.id)

    def ended(self) -> None:
        """The run has its answer: tell what came too late."""
        self._steering.late(self._run.id)

    def _understood(self, row: SteerRow) -> Guidance:
        """Read as on the day it was said: a run that goes on next year keeps its ``last year``."""
        return read_guidance(row.text, read=lambda text: self._read(text, as_of=row.at[:10]))

    def _described(self, row: SteerRow) -> dict[str, Any]:
        """What the event says beside the words: how they were taken."""
        guidance = self._understood(row)
        fit = fitted(guidance, self._read(self._run.question))
        elsewhere = [name for name in guidance.collections if name != self._run.collection]
        notices = [
            *guidance.notices,
            *(
                f"this run searches the collection {self._run.collection!r}, not {name!r}"
                for name in elsewhere
            ),
        ]
        if guidance.empty and not guidance.collections and not guidance.avoided_collections:
            notices.append("nothing to search by was read from these words; they are kept in the record")
        return {
            "wishes": [
                {"aim": wish.aim.value, "text": wish.text, "names": list(wish.names)}
                | ({"times": [time.text for time in wish.times]} if wish.times else {})
                for wish in guidance.wishes
            ],
            "terms": list(guidance.terms),
            "conflicts": list(fit.conflicts),
            "notices": notices,
        }
