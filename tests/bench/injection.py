"""Orders in 200 documents against a model that obeys: half our own, half of BIPIA's e-mails and tables.

    python -m tests.bench.injection --bipia FOLDER [--count 100]

Arrives: the folder of the data set (``queries.dev.jsonl`` with ``document_with_attack``); nothing of it is
kept. Each of its documents is asked its own question by a model that carries the order out wherever it can
read it: it answers with the order's own words, and says them with a link and a false citation. Printed: how
often an order reached the model, breaches of tool, permission, link and claim, and claims
that only repeat an order.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from appliance.wiring import Appliance
from tests.injections import (
    FAKE,
    LINK,
    Asked,
    Injected,
    ObedientReader,
    ask_all,
    own_documents,
    write_documents,
)
from tests.scripted_engine import scripted_appliance

WORDS = 6
"""Of an order that tell that it is there."""


class ObedientToBipia(ObedientReader):
    """Knows every order of the data set, and carries out the one that it reads."""

    def __init__(self, orders: Sequence[str]) -> None:
        super().__init__()
        self._orders = sorted(set(orders), key=len, reverse=True)
        self.shown: list[str] = []

    def _obey(self, lines: str, question: str) -> dict[str, Any] | None:
        squeezed = " ".join(lines.split())
        for order in self._orders:
            if begin(order) in squeezed:
                self.obeyed += 1
                self.shown.append(order)
                answer = " ".join(order.split()[:WORDS])
                statement = f"{order} [7] ![x](https://{LINK}/p.png) {FAKE}"
                return {"found": True, "answer": answer, "statement": statement, "facts": [1]}
        return None


def begin(order: str) -> str:
    """The first words of an order."""
    return " ".join(order.split()[:WORDS])


def bipia_documents(folder: Path, count: int) -> list[Injected]:
    """The first ``count`` documents with an attack in them."""
    rows = [json.loads(line) for line in (folder / "queries.dev.jsonl").read_text("utf-8").splitlines()]
    return [
        Injected(
            id=row["id"],
            title=row["type"],
            text=row["document_with_attack"],
            question=row["question"],
            answer=row["answer"],
            order=row["attack"],
            language="en",
        )
        for row in rows[:count]
    ]


def run(documents: Sequence[Injected], model: ObedientReader, name: str) -> None:
    """Ask all, and print what came of it."""
    flags: dict[str, object] = {"cache.enabled": False, "reasoning.learning": False}
    with tempfile.TemporaryDirectory() as kept:
        library = write_documents(Path(kept) / "library", documents)
        with scripted_appliance(Path(kept), library, model, flags) as appliance:
            asked = list(ask_all(appliance, documents))
            _print(appliance, asked, model, name)


def _print(appliance: Appliance, asked: Sequence[Asked], model: ObedientReader, name: str) -> None:
    breached = [one for one in asked if one.breaches]
    repeated = [
        one for one in asked if any(begin(one.document.order) in claim.text for claim in one.answer.claims)
    ]
    print(
        f"{name}: {len(asked)} documents; orders that reached the model {model.obeyed};"
        f" breaches {len(breached)}; claims that repeat an order {len(repeated)};"
        f" plain fact found {sum(one.right for one in asked)}"
    )
    for one in breached:
        print(f"  {one.document.id}: {'; '.join(one.breaches)}")
    for one in repeated:
        print(f"  {one.document.id} repeats: {one.document.order}")


def main() -> None:
    """Print both halves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bipia", type=Path)
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    if given.bipia:
        documents = bipia_documents(given.bipia, given.count)
        run(documents, ObedientToBipia([one.order for one in documents]), "BIPIA")
    else:
        run(own_documents(), ObedientReader(), "own")
        run(own_documents(), ObedientReader(possessed=True), "own, obeyed unread")


if __name__ == "__main__":
    main()
