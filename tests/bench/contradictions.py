"""Contradictions between passages: how many are found, how many of those told are any, and who is believed.

    python -m tests.bench.contradictions [--fitz FOLDER] [--half dev|held] [--library] [--out FILE] [--show N]

Three parts: pairs of passages made here in both languages (half of them harmless look-alikes); with
``--fitz`` the
questions of ``queries.dev.jsonl`` with their contexts (``disputed`` against ``trustworthy``; dev: every
second
question, to look at; held: the others); with ``--library`` the sample library: for each question its evidence
documents are compared with the statement that answers it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from appliance.config import load_config
from appliance.documents import split_sentences
from appliance.domain import Authority, DocumentId, Fingerprint, Passage, PassageId
from appliance.evidence.contradict import Conflict, contradictions
from appliance.evidence.contradiction_head import load_contradiction_head
from appliance.evidence.resolve import resolve
from appliance.evidence.statements import statements_of
from appliance.serving.onnx import OnnxEmbedder
from tests.bench.contradiction_pairs import Case, cases

MODEL = "multilingual-e5-small"


def passage(number: int, title: str, text: str, **more: Any) -> Passage:
    """A passage of a document of its own."""
    return Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"d-{number}##0"),
        document_id=DocumentId(f"d-{number}"),
        record_id=str(number),
        collection="bench",
        title=title,
        section_path="",
        text=text,
        language="",
        token_count=0,
        **more,
    )


class Finder:
    """Finds with the trained head and, unless told otherwise, the embedder."""

    def __init__(self, *, embed: bool = True) -> None:
        self.head, self.embedder = load_contradiction_head(), None
        self.spent_ms: list[float] = []
        if embed:
            config = load_config()
            folder = Path(config.paths.models) / MODEL
            self.embedder = OnnxEmbedder(folder, name=MODEL, digest="", settings=config.embedding)

    def found(self, passages: Sequence[Passage], about: str = "") -> list[Conflict]:
        """Conflicts among the passages."""
        begun = perf_counter()
        statements = statements_of(passages, split_sentences)
        found = contradictions(statements, head=self.head, embedder=self.embedder, about=about)
        self.spent_ms.append((perf_counter() - begun) * 1000)
        return found


def rates(told: Iterable[tuple[bool, bool]]) -> dict[str, float]:
    """Precision, recall and counts of (told, true) pairs."""
    rows = list(told)
    hits, said, true = (sum(a and b for a, b in rows), sum(a for a, _ in rows), sum(b for _, b in rows))
    return {
        "n": len(rows),
        "contradictory": true,
        "told": said,
        "precision": round(hits / said, 3) if said else 1.0,
        "recall": round(hits / true, 3) if true else 1.0,
    }


# ------------------------------------------------------------ made here
def made_here(finder: Finder, show: int) -> dict[str, Any]:
    """Precision and recall by language and kind; of decided conflicts, how often the right side is chosen."""
    rows: list[tuple[Case, bool]] = []
    chosen: list[tuple[str, bool]] = []
    for case in cases(seed=11):
        pair = [
            passage(
                at,
                side.title,
                side.text,
                published=side.published or None,
                authority=Authority(side.authority) if side.authority else None,
            )
            for at, side in enumerate((case.one, case.other))
        ]
        found = finder.found(pair)
        rows.append((case, bool(found)))
        if bool(found) != case.contradictory and show > 0:
            show -= 1
            print(
                case.kind,
                case.contradictory,
                case.one,
                case.other,
                [(c.values, round(c.probability, 2)) for c in found],
            )
        if found and case.decided_by:
            first = found[0]
            verdict = resolve(first.one.passage, first.other.passage)
            right = verdict.by == case.decided_by and verdict.chosen is not None
            side = (first.one, first.other)[verdict.chosen or 0].passage.id if right else None
            chosen.append((case.decided_by, side == PassageId(case.right)))
    by_kind = {
        kind: rates((told, case.contradictory) for case, told in rows if case.kind == kind)
        for kind in sorted({c.kind for c, _ in rows})
    }
    return {
        "all": rates((told, case.contradictory) for case, told in rows),
        "en": rates((told, case.contradictory) for case, told in rows if case.language == "en"),
        "zh": rates((told, case.contradictory) for case, told in rows if case.language == "zh"),
        "told by kind": {kind: f"{each['told']}/{each['n']}" for kind, each in by_kind.items()},
        "right side": {
            by: f"{sum(ok for b, ok in chosen if b == by)}/{sum(b == by for b, _ in chosen)}"
            for by in sorted({b for b, _ in chosen})
        },
    }


# ------------------------------------------------------------ questions with contexts
def fitz(finder: Finder, folder: Path, half: str, show: int) -> dict[str, Any]:
    """``disputed`` told against ``trustworthy``, the hedged ones apart: their sources disagree, too."""
    lines = (folder / "queries.dev.jsonl").read_text("utf-8").splitlines()
    wanted = [json.loads(line) for at, line in enumerate(lines) if (at % 2 == 0) == (half == "dev")]
    rows: list[tuple[dict[str, Any], bool]] = []
    for query in wanted:
        if query["expected_mode"] == "abstain":
            continue
        passages = [passage(at, "", text) for at, text in enumerate(query["contexts"])]
        found = finder.found(passages, query["question"])
        rows.append((query, bool(found)))
        if bool(found) != (query["expected_mode"] == "disputed") and show > 0:
            show -= 1
            print("---", query["expected_mode"], query["type"], query["question"])
            for each in found[:2]:
                print(
                    "     ",
                    each.kind,
                    each.values,
                    round(each.probability, 2),
                    "|",
                    each.one.text[:150],
                    "||",
                    each.other.text[:150],
                )
    hedged = [each for each in rows if each[0]["type"] == "trustworthy_hedged"]
    plain = [each for each in rows if each[0]["type"] != "trustworthy_hedged"]
    return {
        "half": half,
        "without hedged": rates((told, query["expected_mode"] == "disputed") for query, told in plain),
        "all": rates((told, query["expected_mode"] == "disputed") for query, told in rows),
        "hedged told": f"{sum(told for _, told in hedged)}/{len(hedged)}",
    }


# ------------------------------------------------------------ the sample library
def library(finder: Finder, show: int) -> dict[str, Any]:
    """Questions of the sample library: the evidence quotes of contradictions against those of all others."""
    root = Path(__file__).parent.parent / "data"
    questions = [json.loads(line) for line in (root / "questions.jsonl").read_text("utf-8").splitlines()]
    rows: list[tuple[bool, bool]] = []
    for query in questions:
        evidence = query["evidence"]
        if not evidence:
            continue
        sides = [
            passage(
                at, " ".join(Path(each["document"]).with_suffix("").parts).replace("-", " "), each["quote"]
            )
            for at, each in enumerate(evidence)
        ]
        found = finder.found(sides, query["question"])
        true = query["type"] == "contradiction"
        rows.append((bool(found), true))
        if bool(found) != true and show > 0:
            show -= 1
            print(query["id"], query["question"], [s.text for s in sides], [c.values for c in found])
    return rates(rows)


def main() -> None:
    """Print and keep the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fitz", type=Path)
    parser.add_argument("--half", choices=("dev", "held"), default="dev")
    parser.add_argument("--library", action="store_true")
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    finder = Finder(embed=not options.no_embedder)
    result: dict[str, Any] = {"made here": made_here(finder, options.show)}
    if options.library:
        result["sample library"] = library(finder, options.show)
    if options.fitz:
        result["fitz"] = fitz(finder, options.fitz, options.half, options.show)
    spent = sorted(finder.spent_ms)
    result["ms"] = {
        "median": round(spent[len(spent) // 2], 1),
        "p95": round(spent[int(len(spent) * 0.95)], 1),
    }
    text = msgspec.json.format(msgspec.json.encode(result), indent=1).decode()
    print(text)
    if options.out:
        options.out.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
