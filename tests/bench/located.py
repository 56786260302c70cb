"""What the benches of compression share: a question's passages by the product's search, and their lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from appliance.documents.sentences import split_sentences
from appliance.domain import Passage, PassageId
from appliance.evidence.locate import Line, locate
from appliance.steps import above
from appliance.wiring import Appliance, analyse

PASSAGES = 5


class Locator:
    """One collection."""

    def __init__(self, appliance: Appliance, collection: str, kept: Path | None = None) -> None:
        """``kept``: a file of passages found before, by question; what is found is added to it."""
        self._appliance, self._collection, self._file = appliance, collection, kept
        self._scope = appliance.scope(collection=collection)
        self._searcher = appliance.cached_searcher(collection)
        self._found: dict[str, list[int]] = (
            json.loads(kept.read_text("utf-8")) if kept and kept.is_file() else {}
        )

    def passages(self, query: dict[str, Any]) -> list[Passage]:
        """The first five found; a judged document's, cut to two, in place of the last where none is there."""
        key = f"{self._collection}/{query['id']}"
        if key not in self._found:
            hits = self._searcher.search(query["question"], self._scope, k=PASSAGES).hits
            chosen = [hit.passage for hit in hits]
            judged = set(query["judged"])
            if not judged & {one.record_id for one in chosen}:
                more = self._judged(query)
                chosen = [*chosen[: PASSAGES - len(more)], *more]
            self._found[key] = [int(one.id) for one in chosen]
            if self._file:
                self._file.write_text(json.dumps(self._found), encoding="utf-8")
        ids = [PassageId(number) for number in self._found[key]]
        return self._appliance.passages.passages(ids, self._scope)

    def _judged(self, query: dict[str, Any]) -> list[Passage]:
        ids: list[PassageId] = []
        for row in self._appliance.database.query(
            "SELECT p.id, d.record_id FROM passages p JOIN documents d ON d.id = p.document_id"
            " WHERE p.collection = ? AND p.current AND d.record_id IN (SELECT value FROM json_each(?))"
            " ORDER BY p.id",
            (self._collection, json.dumps(query["judged"])),
        ):
            ids.append(PassageId(row["id"]))
        held = self._appliance.passages.passages(ids, self._scope)
        scores = self._searcher.judge(query["question"], [one.text for one in held]) or [0.0] * len(held)
        best = sorted(range(len(held)), key=lambda i: -scores[i])[:2]
        return [held[i] for i in sorted(best)]

    def lines(self, query: dict[str, Any], passages: list[Passage], budget_tokens: int) -> list[Line]:
        """What the reader model is shown of them."""
        return locate(
            query["question"],
            passages,
            embedder=self._appliance.embedder(),
            analyse=analyse,
            split=split_sentences,
            judge=self._searcher.judge,
            budget_tokens=budget_tokens,
            reading=self._appliance.questions.read(query["question"]),
            above=above(passages, self._appliance.passages.preceding, self._appliance.passages, self._scope),
        )
