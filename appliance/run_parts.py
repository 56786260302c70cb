"""What a run works with, built once by wiring: models, readers, heads, prompts, settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.answers.verifier import Verifier
from appliance.caching import ConclusionCache
from appliance.comparing import Comparer
from appliance.config import Reasoning
from appliance.domain import PassageId, Reading, Scope
from appliance.evidence.locate import Analyse, Split
from appliance.governance.credibility import Evaluator
from appliance.knowing import KnowledgeGraph
from appliance.planning import PlanningParts
from appliance.ports import Embedder, LanguageModel, PassageReader
from appliance.prompts import Prompts
from appliance.reasoning.continuing import Continuing
from appliance.retrieval.search import Searcher
from appliance.tooling import External

Preceding = Callable[[Sequence[PassageId], Scope], dict[PassageId, PassageId]]


class ResearchParts:
    """What a run works with: the models, the readers and the prompts. Built once by wiring."""

    def __init__(
        self,
        *,
        searcher: Searcher,
        reader: PassageReader,
        embedder: Embedder,
        model: LanguageModel,
        prompts: Prompts,
        settings: Reasoning,
        analyse: Analyse,
        split: Split,
        read: Callable[[str], Reading],
        neighbours: Callable[[Sequence[PassageId], Scope], list[PassageId]],
        continuing: Continuing,
        conclusions: ConclusionCache,
        knowledge: KnowledgeGraph,
        verifier: Verifier,
        planning: PlanningParts = PlanningParts(),  # noqa: B008 - a frozen value
        comparer: Comparer | None = None,
        external: External | None = None,
        evaluator: Evaluator | None = None,
        preceding: Preceding | None = None,
    ) -> None:
        """Hold the parts; ``comparer`` and ``external`` None: the tools that need them are not there.

        ``evaluator`` None: answers are not judged.
        ``preceding``: the passage just before each, for the header of a table that was cut in two.
        """
        self.searcher, self.reader, self.embedder, self.model = searcher, reader, embedder, model
        self.prompts, self.settings = prompts, settings
        self.analyse, self.split, self.read, self.neighbours = analyse, split, read, neighbours
        self.continuing, self.planning = continuing, planning
        self.comparer, self.external, self.evaluator = comparer, external, evaluator
        self.conclusions, self.knowledge, self.verifier = conclusions, knowledge, verifier
        self.preceding = preceding
