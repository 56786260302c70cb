"""What sub-questions came to, kept: a later run that asks the same of the same documents need not look again.

Arrives: a sub-question as it is asked, results of earlier ones filled in. Leaves: its finding, with citations
that were read again. Only what was found and proven is kept: that something was not found may be the fault of
one try.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import msgspec

from appliance.caching.keys import Keys, plain
from appliance.caching.proof import Verify, not_doubted, stand
from appliance.domain import Finding, Scope, Tool
from appliance.ports import PassageReader
from appliance.store.cache_counts import Kind
from appliance.store.tiers import Key, Tiers


class Conclusions:
    """For one run: what it may use, and what it leaves. Safe to share between threads.

    What a run puts in is bound to the state of the collection with which the run began: if that changed
    meanwhile, no one finds it.
    """

    def __init__(
        self,
        tiers: Tiers | None,
        keys: Keys,
        reader: PassageReader,
        scope: Scope,
        *,
        as_of: str,
        verify: Verify,
    ) -> None:
        """``tiers`` None: nothing is found and nothing is kept."""
        self._tiers, self._keys, self._reader = tiers, keys, reader
        self._scope, self._as_of, self._verify = scope, as_of, verify
        self._epoch = keys.epoch(scope)
        self._keeping = True

    def stop_keeping(self) -> None:
        """From now on the run finds otherwise than others would: a person guides it, or it is resumed."""
        self._keeping = False

    def stop(self) -> None:
        """Neither use nor keep anything from now on."""
        self._tiers = None

    def get(self, asked: str, tool: Tool = Tool.DOCUMENTS, *, task_id: int) -> Finding | None:
        """The finding, as this task's; None where the sub-question has to be looked into."""
        key = self._key(asked, tool)
        if self._tiers is None or key is None or (content := self._tiers.get(key)) is None:
            return None
        try:
            finding = msgspec.json.decode(content, type=Finding)
        except msgspec.MsgspecError:
            self._tiers.refuse(key)
            return None
        if not stand(finding.claims, self._reader, self._scope, self._verify):
            self._tiers.refuse(key)
            return None
        return msgspec.structs.replace(finding, task_id=task_id, question=asked)

    def put(self, finding: Finding, tool: Tool = Tool.DOCUMENTS) -> None:
        """Keep what was found under the question that the finding names."""
        key = self._key(finding.question, tool) if finding.found and finding.claims else None
        if self._tiers is None or not self._keeping or key is None:
            return
        # Looked at after the key was made: equal epochs mean that the key has the one of the beginning.
        if self._keys.epoch(self._scope) == self._epoch:
            self._tiers.put(key, msgspec.json.encode(finding))

    def _key(self, asked: str, tool: Tool) -> Key | None:
        if tool is not Tool.DOCUMENTS:
            return None  # a calculation costs nothing, and another tool's sources change unseen
        return self._keys.of(Kind.CONCLUSION, self._scope, plain(asked), self._as_of)


class ConclusionCache:
    """Opens a run's view of the kept conclusions."""

    def __init__(
        self,
        tiers: Tiers | None,
        keys: Keys,
        reader: PassageReader,
        *,
        verify: Verify = not_doubted,
        today: Callable[[], date] = date.today,
    ) -> None:
        """``verify``: asked of each fact before it is used again; ``tiers`` None: switched off."""
        self._tiers, self._keys, self._reader = tiers, keys, reader
        self._verify, self._today = verify, today

    def session(self, scope: Scope, *, as_of: str = "") -> Conclusions:
        """For a run that begins now. Call ``stop_keeping`` at once for one that goes on after a break."""
        return Conclusions(
            self._tiers,
            self._keys,
            self._reader,
            scope,
            as_of=as_of or self._today().isoformat(),
            verify=self._verify,
        )
