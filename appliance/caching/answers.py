"""Whole answers of questions that are asked again: no plan, no search, no model.

Arrives: a question, who asks, of which documents. Leaves: the answer as it was given, every citation read
again with the asker's permissions, and the run that gave it. Only a complete answer is kept: one that lacked
something deserves another try.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import msgspec

from appliance.caching.keys import Keys, plain
from appliance.caching.proof import Verify, not_doubted, passages_of, stand
from appliance.domain import Answer, RunId, RunStatus, Scope, Struct
from appliance.ports import PassageReader
from appliance.store.cache_counts import Kind, Outcome
from appliance.store.tiers import Key, Tiers


class KeptAnswer(Struct, frozen=True, kw_only=True):
    """An answer, and where it comes from."""

    answer: Answer
    run_id: RunId
    """The run that gave it. It may be another person's: show its id, not the run."""
    asked_at: str = ""
    """When that run was asked; UTC, ISO 8601."""


class AnswerCache:
    """Keeps answers. Safe to share between threads."""

    def __init__(
        self,
        tiers: Tiers | None,
        keys: Keys,
        reader: PassageReader,
        *,
        verify: Verify = not_doubted,
        today: Callable[[], date] = date.today,
    ) -> None:
        """``verify``: asked of each fact before it is told again; ``tiers`` None: switched off."""
        self._tiers, self._keys, self._reader = tiers, keys, reader
        self._verify, self._today = verify, today

    def key(self, question: str, scope: Scope, *options: object, as_of: str = "") -> Key | None:
        """What the answer will be kept under: ask for it before the work begins, and hand it to ``put``.

        ``options``: what else the answer depends on, such as the number of steps. None: not to be kept.
        """
        if self._tiers is None:
            return None
        day = as_of or self._today().isoformat()
        return self._keys.of(Kind.ANSWER, scope, plain(question), day, options)

    def get(self, key: Key | None, scope: Scope) -> KeptAnswer | None:
        """The answer; None where the question has to be worked on."""
        if self._tiers is None or key is None or (content := self._tiers.get(key)) is None:
            return None
        try:
            kept = msgspec.json.decode(content, type=KeptAnswer)
        except msgspec.MsgspecError:
            kept = None
        if kept is None or not self._stands(kept.answer, scope):
            self._tiers.refuse(key)
            return None
        return kept

    def put(
        self, key: Key | None, answer: Answer, run_id: RunId, *, asked_at: str = "", complete: bool = True
    ) -> bool:
        """Keep it; whether it was. ``complete``: nothing was degraded and no limit cut the work short."""
        if self._tiers is None or key is None:
            return False
        if not complete or answer.status is not RunStatus.ANSWERED or answer.missing:
            self._tiers.counts.add(Kind.ANSWER, Outcome.UNFIT)
            return False
        self._tiers.put(key, msgspec.json.encode(KeptAnswer(answer=answer, run_id=run_id, asked_at=asked_at)))
        return True

    def _stands(self, answer: Answer, scope: Scope) -> bool:
        claims = [*answer.claims, *(claim for each in answer.contradictions for claim in each.sides)]
        return (
            stand(claims, self._reader, scope, self._verify)
            and passages_of(answer.evidence, self._reader, scope) is not None
        )
