"""Calculation measured on questions with gold derivations (TAT-QA in the form of queries and passages).

    python tests/bench/calc_tables.py FOLDER [--show]

(a) the gold derivation computed by the tool: share of gold answers, at their scale and rounding;
(b) question and gold passages read with no model: answered share, exact match and F1 of the answered.
Reads the folder, copies nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from appliance.errors import UserError
from appliance.reasoning.tools.interpret import Expression
from appliance.reasoning.tools.rounding import rounded
from appliance.reasoning.tools.scales import factor
from appliance.reasoning.tools.table_reader import TableResult, compute_over_table
from appliance.reasoning.tools.values import Value


def lines(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def shown(value: Value, scale: str, gold: str, *, scaled: bool) -> Fraction:
    """The value at the gold's scale, rounded to two decimals as the gold is."""
    number = value.number
    if scale == "percent" and value.ratio:
        number *= 100
    elif scale in ("thousand", "million", "billion") and (value.scale or scaled):
        number /= factor(scale)
    return rounded(number, max(2, len(gold.partition(".")[2])))


def derivation_result(query: dict[str, Any]) -> tuple[bool, str]:
    """Whether the tool computes the gold answer from the gold derivation, and what it computes."""
    try:
        value = Expression(query["derivation"], constants=False).compute({})
    except UserError as error:
        return False, str(error)
    if not isinstance(value, Value):
        return False, str(value)
    gold = Fraction(query["answer"].replace(",", ""))
    scaled = bool(re.search(r"\d (?:thousand|million|billion)", query["derivation"]))
    candidates = {shown(value, query["scale"], query["answer"], scaled=scaled)}
    percent = query["scale"] == "percent"
    if percent and not value.unit:  # the gold writes a share with or without ``* 100``, a mean without
        candidates |= {rounded(value.number, 2), rounded(value.number * 100, 2)}
    return gold in candidates, " or ".join(str(float(one)) for one in candidates)


def table_result(query: dict[str, Any], table: str, around: str) -> tuple[bool, bool, TableResult | None]:
    """Whether the reader's value is the gold's, whether its scale is too, and what it read."""
    made = compute_over_table(query["question"], table, around=around)
    if made is None:
        return False, False, None
    scale = "percent" if made.value.unit == "percent" else made.value.scale.lower().removesuffix("s")
    number = made.value.number / (factor(made.value.scale) if made.value.scale else 1)
    gold = Fraction(query["answer"].replace(",", ""))
    value_right = rounded(number, 2) == rounded(gold, 2)
    return value_right, value_right and scale == query["scale"], made


def main() -> None:
    """Print both measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print every miss")
    given = parser.parse_args()
    queries = [q for q in lines(given.folder / "queries.dev.jsonl") if q["type"] == "arithmetic"]
    passages: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for record in lines(given.folder / "corpus.jsonl"):
        passages[record["meta"]["context"]][record["meta"]["kind"]].append(record["text"])
    right = 0
    for query in queries:
        good, computed = derivation_result(query)
        right += good
        if not good:
            print(f"(a) {query['derivation']} = {computed}, gold {query['answer']} {query['scale']}")
    print(f"(a) derivations right: {right} of {len(queries)}")
    answered = exact = exact_scaled = 0
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    start = time.perf_counter()
    for query in queries:
        context = passages[query["context"]]
        table = context["table"][0] if context["table"] else ""
        around = " ".join(
            re.findall(r"[^.]*\bin (?:thousands|millions|billions)\b[^.]*", " ".join(context["paragraph"]))
        )
        good, scaled, made = table_result(query, table, around)
        answered += made is not None
        exact += good
        exact_scaled += scaled
        if made is not None:
            kinds[made.derivation.operation.value][0] += good
            kinds[made.derivation.operation.value][1] += 1
        if given.show and not scaled:
            said = f"{made.line} ({made.derivation.operation})" if made else "no answer"
            print(
                f"(b) {query['question']}\n    gold {query['derivation']} = {query['answer']} "
                f"{query['scale']}; {said}"
            )
    seconds = time.perf_counter() - start
    print(
        f"(b) answered {answered} of {len(queries)} ({answered / len(queries):.1%}), {seconds:.2f} s in all"
    )
    # a numeric answer is one token: its F1 is 1 where it is exact, else 0
    for name, count in (("value", exact), ("value and scale", exact_scaled)):
        print(
            f"(b) {name}: EM = F1 = {count / max(1, answered):.1%} of the answered, "
            f"{count / len(queries):.1%} of all"
        )
    print("(b) by operation:", {kind: f"{good}/{n}" for kind, (good, n) in sorted(kinds.items())})


if __name__ == "__main__":
    main()
