"""What the tries of a run retrieve: by their tactic, under what people say, versions set side by side.

Beside steps. Arrives: tries in hand. Leaves: the tries with what they read, and what was brought.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec

from appliance.answers.instructing import admitted
from appliance.domain import (
    Comparison,
    Condition,
    FilterField,
    Passage,
    PassageId,
    Retrieval,
    Scope,
    Strategy,
    Tool,
)
from appliance.reasoning.gathering import DEEPER_TIMES, looking, reading_list, standing_of
from appliance.reasoning.state import Gathered, Standing, State, Tactic, Try, planned
from appliance.recalling import Recalling
from appliance.retrieval.fuse import log_odds
from appliance.run_parts import ResearchParts
from appliance.steering import Steered
from appliance.tooling import Tell, Tools

OTHER_LANGUAGE = {"zh": "en", "en": "zh"}
BESIDE = 4
"""Passages in the other language that a deeper look reads."""


class Retriever:
    """Retrieves for the tries of one run."""

    def __init__(
        self,
        parts: ResearchParts,
        scope: Scope,
        strategy: Strategy,
        *,
        steered: Steered,
        recalling: Recalling,
        tools: Tools,
        tell: Tell,
    ) -> None:
        """``scope``: what the asker may read; ``strategy``: how the asker wants to be searched."""
        self._parts, self._scope, self._strategy = parts, scope, strategy
        self._steered, self._recalling, self._tools, self._tell = steered, recalling, tools, tell

    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        """Retrieve for every try, at the same time; a calculation needs nothing."""
        for one in hand:
            self._announce(one)
        hand = self._recalling.recalled(hand, planned(state), self._tell)
        looked = looking(hand, state["gathered"])
        with ThreadPoolExecutor(max_workers=max(1, len(looked))) as pool:
            found = list(pool.map(self._retrieve, looked))
        seen = {passage for each in state["gathered"] for passage in each.passages}
        brought: list[Gathered] = []
        for one, (passages, standing) in zip(looked, found, strict=True):
            fresh = len(set(passages) - seen)
            brought.append(
                Gathered(
                    attempt=one.attempt,
                    task_id=one.task.id,
                    number=one.number,
                    asked=one.asked,
                    tactic=one.tactic,
                    passages=passages,
                    fresh=fresh,
                    standing=standing,
                )
            )
        history = (*state["gathered"], *brought)
        tries = tuple(self._with_passages(one, history) for one in hand if one.task.id)
        return tries, tuple(brought)

    def _with_passages(self, one: Try, history: tuple[Gathered, ...]) -> Try:
        """The try with what it reads: code looks through twice as many tables as a model reads passages."""
        if one.task.tool is Tool.CALC or one.recalled is not None:
            return one
        most = self._parts.settings.passages_per_task * (2 if one.task.tool is Tool.TABLE else 1)
        return msgspec.structs.replace(one, passages=self._readable(reading_list(one, history, most)))

    def _readable(self, passages: tuple[PassageId, ...]) -> tuple[PassageId, ...]:
        return self._steered.admitted(passages, self._scope)

    def _announce(self, one: Try) -> None:
        if not one.task.id:
            return
        if not one.number:
            self._tell("task.started", task=one.task.id, question=one.asked, tool=one.task.tool.value)
        else:
            self._tell("strategy.changed", task=one.task.id, question=one.asked, tactic=one.tactic.value)

    def _retrieve(self, one: Try) -> tuple[tuple[PassageId, ...], Standing]:
        parts, most = self._parts, self._parts.settings.passages_per_task
        query, k, strategy = one.asked, most * 2, self._strategy
        if one.tactic is Tactic.DEEPER:
            k = most * DEEPER_TIMES
        elif one.tactic is Tactic.REWORDED:
            query = self._reworded(one.asked)
            strategy = Strategy.LEXICAL if strategy is Strategy.AUTO else strategy
        retrieval = self._steered.search(parts.searcher.search, query, self._scope, k=k, strategy=strategy)
        self._recalling.searched(retrieval)
        found = (*self._compared(one, retrieval), *(hit.passage.id for hit in retrieval.hits))
        if one.tactic is Tactic.DEEPER:
            beside = (*self._in_other_language(one.asked), *parts.neighbours(found[:2], self._scope))
            found = (*found[:most], *beside, *found[most:])
        shown = [
            {
                "fingerprint": hit.passage.fingerprint,
                "title": hit.passage.title,
                "section": hit.passage.section_path,
            }
            for hit in retrieval.hits[:most]
        ]
        told: dict[str, object] = {"passages": shown, "degraded": list(retrieval.degraded)}
        if guided := [step for step in retrieval.filters if step.origin == "guidance"]:
            told["guided"] = [{"by": step.condition, "kept": step.kept, "of": step.of} for step in guided]
        if notices := [each for each in retrieval.notices if each.startswith("guidance")]:
            told["notices"] = notices
        self._tell("passages.found", task=one.task.id, tactic=one.tactic.value, **told)
        return tuple(dict.fromkeys(found)), standing_of(retrieval.hits, most * (one.number + 1), log_odds)

    def _compared(self, one: Try, retrieval: Retrieval) -> tuple[PassageId, ...]:
        """Passages of the two versions that a task compares, where it does; they are told as found."""
        documents = [hit.passage.document_id for hit in retrieval.hits]
        if name := self._tools.name_of(one, documents):
            k = self._parts.settings.passages_per_task * DEEPER_TIMES
            more = self._steered.search(self._parts.searcher.search, name, self._scope, k=k)
            documents += [hit.passage.document_id for hit in more.hits]
        difference = self._tools.compare(one, tuple(dict.fromkeys(documents)))
        if difference is None:
            return ()
        cited = [each for change in difference.changes for each in (*change.before, *change.after)]
        return tuple(dict.fromkeys(each.id for each in (*cited, *difference.section)))

    def _in_other_language(self, asked: str) -> tuple[PassageId, ...]:
        """The best passages in the language that the question is not in: those in its own crowd them out."""
        other = OTHER_LANGUAGE.get(self._parts.read(asked).language)
        if other is None:
            return ()
        only = (Condition(field=FilterField.LANGUAGE, comparison=Comparison.IS, values=(other,)),)
        search = partial(self._parts.searcher.search, filters=only)
        found = self._steered.search(search, asked, self._scope, k=BESIDE, strategy=self._strategy)
        self._recalling.searched(found)
        return tuple(hit.passage.id for hit in found.hits)

    def _reworded(self, asked: str) -> str:
        """The words that carry the question."""
        reading = self._parts.read(asked)
        named = [entity.text for entity in reading.entities]
        forms = [form for term in reading.terms for form in term.forms[:2]]
        return " ".join(dict.fromkeys((*named, *reading.keywords, *forms))) or asked

    def further(self, query: str) -> list[Passage]:
        """What one more look finds, without what gives orders to a machine."""
        k, search = self._parts.settings.passages_per_task, self._parts.searcher.search
        found = self._steered.search(search, query, self._scope, k=k, strategy=self._strategy)
        self._recalling.searched(found)
        return admitted([hit.passage for hit in found.hits], self._parts.split, lambda _, __: None)
