"""``assay search --explain`` for people: what was read and asked, and why each result stands where it does.

Arrives: a retrieval. Leaves: lines on stdout; every figure that the JSON has is named here too.
"""

from __future__ import annotations

from appliance.cli.output import say
from appliance.domain import FilterStep, Found, Hit, Reading, Retrieval


def print_head(found: Retrieval) -> None:
    """What is the same for all results: reading, rewrites, weights, filters, notices and time."""
    if found.reading is not None:
        _line("reading", _labels(found.reading))
    for number, rewrite in enumerate(found.rewrites):
        routes = " ".join(name for name in ("dense", "lexical") if getattr(rewrite, name))
        _line(f"query {number}", f"{rewrite.text}  [{rewrite.kind}; {routes}]")
    if (weights := found.weights) is not None:
        _line(
            "weights",
            f"dense {weights.dense:.2f} · lexical {weights.lexical:.2f} · depth {weights.depth}"
            f" · strictness {weights.strictness:.2f} · from {weights.origin}"
            + (f": {weights.reason}" if weights.reason else ""),
        )
    _line("strategy", str(found.strategy))
    for step in found.filters:
        _line("filter", _step(step))
    for notice in found.notices:
        _line("notice", notice)
    for part in found.degraded:
        _line("degraded", part)
    _line("ms", " · ".join(f"{name} {value:.1f}" for name, value in found.timings_ms.items()))
    say()


def print_trace(found: Retrieval, hit: Hit) -> None:
    """Routes, factors and stability of one result, under its lines."""
    trace = hit.trace
    for each in trace.found:
        say(f"   ← {_found(found, each)}", style="dim")
    factors = {"freshness": trace.freshness, "authority": trace.authority, **trace.boosts}
    _detail(" · ".join(f"{name} ×{value:.2f}" for name, value in factors.items()))
    if trace.rerank_by_rewrite:
        scores = ", ".join(f"{score:.3f}" for score in trace.rerank_by_rewrite)
        _detail(f"cross-encoder by query: {scores}")
    if trace.stability is not None:
        _detail(f"stability: standard deviation {trace.stability:.3f}")


def _found(found: Retrieval, each: Found) -> str:
    kind = found.rewrites[each.rewrite].kind if each.rewrite < len(found.rewrites) else "query"
    return f"{each.route} #{each.rank} ({each.score:.3f}) by query {each.rewrite} ({kind})"


def _labels(reading: Reading) -> str:
    labels: dict[str, object] = {
        "language": reading.language,
        "kind": reading.kind,
        "domain": f"{reading.domain} ({reading.domain_confidence:.2f})" if reading.domain else "",
        "as of": reading.as_of,
        "entities": ", ".join(entity.text for entity in reading.entities),
        "constraints": ", ".join(f"{each.text} ({each.kind})" for each in reading.constraints),
        "terms": ", ".join(term.name for term in reading.terms),
        "times": ", ".join(f"{time.text} = {time.start or ''}…{time.end or ''}" for time in reading.times),
        "keywords": ", ".join(reading.keywords),
        "wants": ", ".join(name for name in ("recency", "comparison", "removal") if getattr(reading, name)),
    }
    return " · ".join(f"{name} {value}" for name, value in labels.items() if value)


def _step(step: FilterStep) -> str:
    relaxed = ", relaxed to a preference" if step.relaxed else ""
    return f"{step.condition} ({step.origin}): {step.kept} of {step.of} candidates{relaxed}"


def _line(name: str, text: str) -> None:
    say(f"{name}: {text}", style="dim")


def _detail(text: str) -> None:
    say(f"     {text}", style="dim")
