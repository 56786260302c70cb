"""A small collection with real SQLite, real BM25 and a brute-force dense index, to be changed at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from store_fakes import CountingEmbedder, new_document, parsed

from appliance.caching import CachedSearcher, Keys, SearchCache
from appliance.config import Retrieval as Settings
from appliance.domain import (
    DocumentId,
    MetadataChange,
    Passage,
    PassageId,
    Principal,
    Reading,
    Scope,
    Scored,
    scope_of,
)
from appliance.ports import Vectors
from appliance.retrieval.parts import SearchParts
from appliance.retrieval.search import Searcher
from appliance.store.analysis import fold, title_terms
from appliance.store.bm25 import Bm25Index
from appliance.store.cache_counts import CacheCounts, Kind, KindCounts
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.epochs import Epochs
from appliance.store.erasure import Erasure
from appliance.store.index_queue import IndexQueue
from appliance.store.passages import Passages
from appliance.store.selecting import Selector
from appliance.store.sqlite import Database
from appliance.store.tiers import Tiers
from appliance.store.titles import Titles

SYSTEM = Scope(collection="c", groups=("everyone", "staff", "board"))
ASKERS = {
    name: scope_of(Principal(user=name, groups=groups), collection="c")
    for name, groups in {"ann": ("staff",), "bob": ("board", "chess"), "kim": (), "lee": ("chess",)}.items()
}
WORDS = "fares tram harbour bridge tide gauge ledger price 票价 电车 港口 大桥 潮位".split()


class BruteDense:
    """Every vector compared; permissions as the passages had them when they were written."""

    def __init__(self) -> None:
        self.rows: dict[PassageId, tuple[Passage, Vectors]] = {}

    def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        self.rows.update({p.id: (p, v) for p, v in zip(passages, vectors, strict=True)})

    def delete(self, ids: Iterable[PassageId]) -> None:
        for number in ids:
            self.rows.pop(number, None)

    def search(self, vectors: Vectors, k: int, scope: Scope) -> list[list[Scored]]:
        seen = [
            (number, vector)
            for number, (passage, vector) in self.rows.items()
            if set(passage.groups) & set(scope.groups) and not set(passage.denied) & set(scope.denied_as())
        ]
        found: list[list[Scored]] = []
        for query in vectors:
            scores = [Scored(passage_id=n, score=round(float(np.dot(query, v)), 6)) for n, v in seen]
            found.append(sorted(scores, key=lambda one: (-one.score, one.passage_id))[:k])
        return found

    def count(self) -> int:
        return len(self.rows)


def read(question: str) -> Reading:
    zh = any(ord(character) > 0x3000 for character in question)
    return Reading(
        text=question, language="zh" if zh else "en", simple=True, as_of="2026-03-01", keywords=(question,)
    )


class World:
    """The collection ``c``, a searcher with a cache and one without."""

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self.dice = random.Random(seed)
        self.database = Database(folder / "assay.db")
        Collections(self.database).ensure("c", "counting")
        self.documents, self.queue = Documents(self.database), IndexQueue(self.database)
        self.reader = Passages(self.database)
        self.lexical, self.dense = Bm25Index.build(folder / "bm25", ()), BruteDense()
        self.tiers = Tiers(None, CacheCounts(self.database), memory_entries=1000, ttl_s=3600)
        self.keys = Keys(Epochs(self.database), lambda _: "this program")
        self.plain = Searcher(self.parts())
        self.cached = CachedSearcher(self.parts(), SearchCache(self.tiers, self.keys, self.reader))
        self.records = 0

    def parts(self, **changed: object) -> SearchParts:
        return SearchParts(
            **{  # type: ignore[arg-type]
                "dense": self.dense,
                "lexical": self.lexical,
                "reader": self.reader,
                "passage_filter": Selector(self.database),
                "titles": Titles(self.database),
                "embedder": CountingEmbedder(),
                "rerankers": [],
                "settings": Settings(),
                "read": read,
                "terms": title_terms,
                "fold": fold,
                **changed,
            }
        )

    def close(self) -> None:
        self.lexical.close()
        self.database.close()

    def counts(self, kind: Kind = Kind.SEARCH) -> KindCounts:
        return next(one for one in self.tiers.counts.read() if one.kind is kind)

    # ------------------------------------------------------------ what can happen to it
    def text(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=8)) + "."

    def add(self, *texts: str, record: str = "", **fields: object) -> DocumentId:
        self.records += 1
        named = record or f"{self.records}.txt"
        title = " ".join(self.dice.choices(WORDS, k=2)).title()
        made = new_document(
            *(texts or (self.text(), self.text())), record=named, **{"parsed": parsed(title), **fields}
        )
        return self.documents.add(made).document_id

    def settle(self) -> None:
        """The indexes learn and forget what they have to."""
        while claimed := self.queue.claim("c", 100):
            self.write(claimed)
            self.queue.mark_indexed(one.id for one in claimed)
        leaving = self.queue.leaving("c", 1000)
        self.queue.begin(leaving)
        self.lexical.delete(leaving)
        self.dense.delete(leaving)
        self.queue.mark_removed(leaving)

    def write(self, passages: Sequence[Passage]) -> None:
        self.lexical.upsert(passages)
        vectors = CountingEmbedder().embed_passages([one.indexed_text() for one in passages])
        self.dense.upsert(passages, vectors)

    def some(self) -> DocumentId | None:
        row = self.database.query("SELECT id FROM documents ORDER BY id")
        return DocumentId(self.dice.choice(row)[0]) if row else None

    def describe(self, document: DocumentId, **said: object) -> None:
        with self.database.transaction():
            everyone = Scope(collection="c", groups=("everyone", "staff", "board", "nobody"))
            self.documents.describe(document, MetadataChange(**said), everyone)  # type: ignore[arg-type]

    def mutate(self) -> str:  # noqa: C901 - a list of what can happen
        """One change at random; its name."""
        kind = self.dice.choice(
            "add add revise groups deny date authority delete erase half settle settle settle nothing".split()
        )
        document = self.some()
        if kind == "settle":
            self.settle()
        elif kind == "half" and (claimed := self.queue.claim("c", 1)):
            self.write(claimed)  # and killed before it could say so
        elif kind == "add" or document is None:
            self.add()
        elif kind == "revise":
            row = self.database.one("SELECT record_id FROM documents WHERE id = ?", (document,))
            assert row is not None
            self.add(record=str(row[0]))
        elif kind == "groups":
            self.describe(document, groups=self.dice.choice([("everyone",), ("staff",), ("board", "nobody")]))
        elif kind == "deny":
            self.describe(document, deny=self.dice.choice([(), ("user:ann",), ("chess",), ("user:kim",)]))
        elif kind == "date":
            self.describe(document, published=f"20{self.dice.randint(10, 25)}-01-01")
        elif kind == "authority":
            self.describe(document, authority=self.dice.choice(["official", "draft"]))
        elif kind == "delete":
            with self.database.transaction() as connection:
                connection.execute(
                    "INSERT INTO removed_passages SELECT id, collection FROM passages WHERE document_id = ?",
                    (document,),
                )
                connection.execute("DELETE FROM documents WHERE id = ?", (document,))
        elif kind == "erase":
            rows = Erasure(self.database)
            rows.erase(document, rows.traces(document))
            self.tiers.forget(collection="c")
        return kind
