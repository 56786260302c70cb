"""Two statements that deny each other: one says that something is so, the other that it is not.

Arrives: two frames. Leaves: the axis on which they point opposite ways, with the features by which it
is judged;
None where they do not.
"""

from __future__ import annotations

from appliance.domain import Struct
from appliance.evidence.alike import likeness, same_period
from appliance.evidence.differing_figures import like_features
from appliance.evidence.frames import Frame
from appliance.evidence.polarity import negated_words, negations
from appliance.evidence.topics import overlap, said_of, words_of

FEATURES = (
    "cover", "jaccard", "shared names", "strange", "residue", "headings", "headings apart",
    "leads apart", "softly", "narrowed", "across", "close", "close across", "close known",
    "concepts same", "concepts other", "heads clash", "axes opposed", "axes alike", "negation",
    "negated cover", "period same", "period one", "about one", "about both", "length", "figures agree",
)  # fmt: skip
NEGATION = "negation"
"""The axis of a plain "not"."""


class Opposed(Struct, frozen=True, kw_only=True):
    """Where two statements point opposite ways, and what speaks for their being about the same."""

    axis: str
    features: tuple[float, ...]
    """In the order of :data:`FEATURES`."""


def opposed(
    one: Frame, other: Frame, *, close: float = 0.0, about: frozenset[str] = frozenset()
) -> Opposed | None:
    """The axis on which the two point opposite ways; None: they do not, or in different periods or scopes."""
    shared = one.signs.keys() & other.signs.keys()
    against = sorted(axis for axis in shared if one.signs[axis] != other.signs[axis])
    covered = _negated_cover(one, other)
    if not against and not covered:
        return None
    like = likeness(one, other, close)
    if like is None or _other_times(one, other):
        return None
    times = bool(one.moments and other.moments)
    asked = [
        overlap(about, frame.topic.words | frame.heading.words) if about else 0.0 for frame in (one, other)
    ]
    lengths = sorted(max(1, len(frame.topic.words)) for frame in (one, other))
    features = (
        *like_features(like),
        float(min(2, len(against))),
        float(min(2, len(shared) - len(against))),
        float(covered > 0),
        covered,
        float(times),
        float(bool(one.moments) != bool(other.moments)),
        min(asked),
        max(asked),
        lengths[0] / lengths[1],
        float(_agree(one, other)),
    )
    return Opposed(axis=against[0] if against else NEGATION, features=features)


def _negated_cover(one: Frame, other: Frame) -> float:
    """The share of what one side denies that the other side says without denying.

    0 where both or none deny.
    """
    texts = [said_of(frame.statement.text) for frame in (one, other)]
    denied = [negations(text) for text in texts]
    if bool(denied[0]) == bool(denied[1]):
        return 0.0
    text, asserted = (texts[0], other) if denied[0] else (texts[1], one)
    return overlap(words_of(negated_words(text)), asserted.topic.words)


def _other_times(one: Frame, other: Frame) -> bool:
    """Whether both give moments and none of them is the same."""
    if not one.moments or not other.moments:
        return False
    return not any(same_period(mine, theirs) for mine in one.moments for theirs in other.moments)


def _agree(one: Frame, other: Frame) -> bool:
    mine, theirs = ({each.quantity.value for each in frame.figures} for frame in (one, other))
    return bool(mine & theirs)
