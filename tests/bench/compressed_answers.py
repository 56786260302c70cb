"""Same questions, passages, model: answers from whole passages, their beginnings, or what is kept of them.

    python -m tests.bench.compressed_answers FOLDER… --data DATA --out FILE --mode full head ours [--limit 30]

FOLDER and ``NAME=FOLDER`` as in :mod:`tests.bench.compression`; the passages of a question are the same in
all modes. ``full``: each passage as one line; ``head``: its first 500 characters; ``ours``: located lines.
The product's own instructions for reading are used, and its reply is judged as it stands, before any guard: a
reply that quotes what is not there counts by what it says. Answers go to FILE as they are made, one a line;
a second run with the same FILE goes on where the first one stopped. One table is printed at the end:

- ``right``: the gold answer's figures are all in the reply (to 1 %, scale words resolved), or, for a gold
  answer without figures, at least half of its words; a gold yes or no has to be said. By code, no model.
- ``tokens``: of the prompt without the fixed instructions, by the model's own tokenizer.

A long prompt is cut to the model's context (``cut`` counts how often): only ``full`` ever needs that.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from appliance.answers.find import FIND_TOKENS, render
from appliance.answers.guards import FindingReply
from appliance.config import load_config
from appliance.domain import Passage, Prompt
from appliance.evidence.locate import Line
from appliance.store.analysis import analyse
from appliance.wiring import Appliance
from tests.bench.compression import plain, questions
from tests.bench.located import Locator

HEAD_CHARS = 500
RESERVED_TOKENS = 1100
"""Instructions and reply: what of the context is not for passages."""
WORDS_MIN = 0.5
MEANS = ("right", "found", "tokens", "seconds")


def shown(
    mode: str, locator: Locator, query: dict[str, Any], passages: list[Passage], budget: int
) -> list[Line]:
    """The lines that the model reads."""
    if mode == "ours":
        return locator.lines(query, passages, budget)
    chars = HEAD_CHARS if mode == "head" else None
    ordered = list(reversed(passages))  # the best last, as everywhere
    return [
        Line(number=number, shown=one.text[:chars], raw=one.text[:chars], passage=one)
        for number, one in enumerate(ordered, start=1)
    ]


def right(query: dict[str, Any], reply: FindingReply) -> bool:
    """Whether the reply has what the gold answer says."""
    said = f"{reply.answer} {reply.statement}"
    if not reply.found:
        return False
    for gold in (query["answer"], *query.get("answer_aliases", ())):
        text = re.sub(r"(?m)^\s*\d{1,2}[、.)](?!\d)", " ", str(gold))
        first = re.match(r"\W*(yes|no)\b", text, re.IGNORECASE)
        if first and not re.match(rf"\W*{first[1]}\b", said, re.IGNORECASE):
            continue
        figures = {float(one) for one in plain(text)}
        if figures:
            held = {float(one) for one in plain(said)}
            if all(any(same(one, other) for other in held) for one in figures):
                return True
            continue
        wanted = set(analyse(text))
        if wanted and len(wanted & set(analyse(said))) / len(wanted) >= WORDS_MIN:
            return True
    return False


def same(gold: float, said: float) -> bool:
    """Whether two figures agree to 1 %, in whatever scale of thousands."""
    return any(abs(said * scale - gold) <= 0.01 * abs(gold) for scale in (1, 1e3, 1e-3, 1e6, 1e-6))


def answer(appliance: Appliance, query: dict[str, Any], lines: Sequence[Line]) -> dict[str, Any]:
    """One reply of the model, with what it read and how long it took."""
    model, room = appliance.model, appliance.config.llm.context_tokens - RESERVED_TOKENS
    language = appliance.questions.read(query["question"]).language
    text, cut = render(lines), False
    while model.count_tokens(text) > room:
        text, cut = text[: int(len(text) * 0.9)], True
    user = f"{text}\nQ: {query['question']}"
    begun = perf_counter()
    completion = model.complete(
        Prompt(system=appliance.prompts.text("find", language), user=user),
        max_tokens=FIND_TOKENS,
        schema=FindingReply,
    )
    try:
        reply = msgspec.json.decode(completion.text, type=FindingReply)
    except msgspec.MsgspecError:
        reply = FindingReply(found=False, answer="", statement="")
    return {
        "right": right(query, reply),
        "found": reply.found,
        "answer": reply.answer,
        "statement": reply.statement,
        "tokens": model.count_tokens(user),
        "seconds": round(perf_counter() - begun, 2),
        "cut": cut,
    }


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """One line for each mode and set, over the questions that every mode has answered."""
    modes = sorted({row["mode"] for row in rows})
    done = [{(row["set"], row["id"]) for row in rows if row["mode"] == mode} for mode in modes]
    common = set.intersection(*done) if done else set[tuple[str, str]]()
    made = [
        f"{'set':16}{'mode':8}{'n':>4}{'right':>8}{'said':>8}{'tokens':>9}{'p95':>7}{'seconds':>9}{'cut':>5}"
    ]
    for name in [*sorted({each for each, _ in common}), ""]:
        for mode in modes:
            own = [
                row
                for row in rows
                if row["mode"] == mode and (row["set"], row["id"]) in common and name in ("", row["set"])
            ]
            if not own:
                continue
            sizes = sorted(row["tokens"] for row in own)
            share = {key: sum(row[key] for row in own) / len(own) for key in MEANS}
            p95 = sizes[int(0.95 * (len(sizes) - 1))]
            made.append(
                f"{name or 'all':16}{mode:8}{len(own):>4}{share['right']:>8.3f}{share['found']:>8.3f}"
                f"{share['tokens']:>9.0f}{p95:>7}{share['seconds']:>9.1f}{sum(row['cut'] for row in own):>5}"
            )
    return made


def main() -> None:
    """Ask, keep every answer, print the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("folders", nargs="+")
    asked.add_argument("--data", required=True)
    asked.add_argument("--out", type=Path, required=True)
    asked.add_argument(
        "--mode", nargs="+", default=["full", "head", "ours"], choices=("full", "head", "ours")
    )
    asked.add_argument("--limit", type=int, default=30, help="questions of each set")
    asked.add_argument("--budget", type=int, default=0, help="tokens; 0: as configured")
    asked.add_argument("--passages", type=Path)
    given = asked.parse_args()
    read = given.out.read_text("utf-8").splitlines() if given.out.is_file() else []
    rows: list[dict[str, Any]] = [json.loads(line) for line in read]
    done = {(row["set"], row["id"], row["mode"]) for row in rows}
    with Appliance(load_config(flags={"paths.data": given.data})) as appliance, given.out.open("a") as stream:
        budget = given.budget or appliance.config.reasoning.evidence_tokens
        for named in given.folders:
            name, _, path = named.rpartition("=")
            name = name or Path(path).name
            locator = Locator(appliance, name, given.passages)
            for query in questions(Path(path))[: given.limit]:
                passages = locator.passages(query)
                for mode in given.mode:
                    if (name, query["id"], mode) in done:
                        continue
                    made = answer(appliance, query, shown(mode, locator, query, passages, budget))
                    rows.append({"set": name, "id": query["id"], "mode": mode, **made})
                    stream.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
                    stream.flush()
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
