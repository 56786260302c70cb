"""What earlier runs found out shortens later ones: the knowledge graph in front of a look-up.

Beside research, above the rooms. Arrives: a sub-question. Leaves: the finding that an edge holds, its
citations read again and its facts checked again; or nothing, and then it is looked up as ever. Never by
likeness: the same subject, the same words asked of it, the same period, the same documents to be seen, and no
document changed since that may be naming the subject.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from appliance.caching.proof import Verify, not_doubted, passages_of, stand
from appliance.domain import ClaimKind, Finding, Reading, RunId, Scope, citations_of
from appliance.ports import PassageReader
from appliance.reasoning.relations import Asked, asked_about
from appliance.store.epochs import Epochs
from appliance.store.folding import fold
from appliance.store.knowledge import Edges, NewEdge
from appliance.store.title_keys import name_key

Read = Callable[[str, str], Reading]
"""A question and the day (ISO; empty: today) from which its relative dates count."""


class KnowledgeGraph:
    """Opens a run's view of the graph."""

    def __init__(
        self,
        edges: Edges,
        epochs: Epochs,
        reader: PassageReader,
        read: Read,
        *,
        verify: Verify = not_doubted,
        enabled: bool = True,
    ) -> None:
        """``verify``: asked of each fact before it is used again."""
        self.edges = edges
        self._epochs, self._reader, self._read = epochs, reader, read
        self._verify, self._enabled = verify, enabled

    def session(self, scope: Scope, *, as_of: str = "") -> KnowledgeSession:
        """For a run that begins now. Call ``stop_keeping`` at once for one that goes on after a break."""
        opened = KnowledgeSession(
            self.edges, self._epochs, self._reader, self._read, scope, as_of=as_of, verify=self._verify
        )
        if not self._enabled:
            opened.stop()
        return opened


class KnowledgeSession:
    """For one run: what it may use, and what it leaves. Safe to share between threads."""

    def __init__(
        self,
        edges: Edges,
        epochs: Epochs,
        reader: PassageReader,
        read: Read,
        scope: Scope,
        *,
        as_of: str,
        verify: Verify,
    ) -> None:
        self._edges, self._epochs, self._reader, self._read = edges, epochs, reader, read
        self._scope, self._as_of, self._verify = scope, as_of, verify
        self._begun = epochs.of(scope)
        self._seq = edges.latest_change(scope.collection or "")
        self._using = self._keeping = self._begun is not None

    def stop_keeping(self) -> None:
        """From now on the run finds otherwise than others would: a person guides it, or it is resumed."""
        self._keeping = False

    def stop(self) -> None:
        """Neither use nor learn anything from now on."""
        self._using = self._keeping = False

    def recall(self, asked: str, *, task_id: int) -> Finding | None:
        """The finding that is known; None where it has to be looked up, also where two edges disagree."""
        now, about = self._epochs.of(self._scope), self._about(asked) if self._using else None
        if now is None or about is None:
            return None
        known = self._edges.asked(
            self._scope, about.subject_key, about.relation_key, about.period, now.visible_as
        )
        if not known or len({fold(edge.object) for edge in known}) > 1:
            return None
        best = known[0]
        if self._edges.overtaken(self._scope, about.subject_key, best.seq):
            return None
        if not stand(best.finding.claims, self._reader, self._scope, self._verify):
            return None
        return msgspec.structs.replace(best.finding, task_id=task_id, question=asked)

    def learn(self, finding: Finding, *, run_id: RunId, confidence: float = 1.0) -> bool:
        """Keep a verified finding as an edge; whether it was one: found, stated as fact, about a name."""
        if not self._keeping or self._begun is None or not finding.found or not finding.answer.strip():
            return False
        sources = citations_of(finding.claims)
        about = self._about(finding.question)
        facts = all(claim.kind is ClaimKind.FACT and claim.citations for claim in finding.claims)
        if about is None or not sources or not facts:
            return False
        if passages_of(sources, self._reader, self._scope) is None:
            return False
        made = NewEdge(
            subject=about.subject,
            subject_key=about.subject_key,
            relation=about.relation,
            relation_key=about.relation_key,
            object=finding.answer,
            period=about.period,
            finding=finding,
            run_id=run_id,
            confidence=max(0.0, min(1.0, confidence)),
            visible_as=self._begun.visible_as,
            seq=self._seq,
        )
        self._edges.add(self._scope.collection or "", made, sources)
        return True

    def _about(self, question: str) -> Asked | None:
        return asked_about(self._read(question, self._as_of), fold=fold, name_key=name_key)
