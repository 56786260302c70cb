"""What the credibility head sees of one sentence, beside its vector.

Arrives: a sentence, sentences of what it cites, the field. Leaves: numbers in a fixed order (:data:`NAMES`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from appliance.governance import cues as cueing
from appliance.governance.cues import Cue, overlap

FIELDS = ("finance", "legal", "medical")
"""Fields with cautions of their own: names of domain packs."""
_ATTRIBUTED = re.compile(
    r"\b(?:according to|states?|stated|says?|reports?|reported|describes?|lists?|recommends?)\b"
    r"|根据|依据|据|称|载明|规定|报告|指出|说明|推荐",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|about|approximately|likely|expects?)\b|可能|或许|大约|约|预计", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:not|no|never|cannot|nothing|without)\b|n't|不|未|没有|无法|并非|无")
_ORDERS = re.compile(
    r"^(?:take|give|buy|sell|put|move|sign|plead|let|double|borrow|do not|don't|just|stop|sue|invest)\b"
    r"|^(?:把|给|请|别|尽量|现在|签|认罪|现在吃)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;，；、]\s*|\s(?=and |but |so )")
_SECOND = re.compile(r"\byou(?:r|rs)?\b|您|你", re.IGNORECASE)
_HAN = re.compile(r"[一-鿿]")
NAMES = (
    *(f"{name}, no source" for name in cueing.NAMES),
    *(f"{name}, a source says so" for name in cueing.NAMES),
    "said by a source",
    "least said of its clauses",
    "cited",
    "attributed",
    "hedged",
    "denies",
    "orders",
    "second person",
    "digits",
    "chinese",
    *FIELDS,
)


def vector_of(
    sentence: str, sources: Sequence[str], field: str, found: Sequence[Cue] | None = None
) -> NDArray[np.float32]:
    """``(len(NAMES),) float32``; ``found``: the sentence's cues where they are known already."""
    told = cueing.cues(sentence, sources) if found is None else found
    loose = {cue.family for cue in told if not cue.held}
    held = {cue.family for cue in told if cue.held}
    said = max((overlap(sentence, one) for one in sources), default=0.0)
    clauses = [part for part in _CLAUSE.split(sentence) if len(part) > 1]
    values = [
        *(float(name in loose) for name in cueing.NAMES),
        *(float(name in held) for name in cueing.NAMES),
        said,
        min((max((overlap(part, one) for one in sources), default=0.0) for part in clauses), default=said),
        float(bool(sources)),
        float(bool(_ATTRIBUTED.search(sentence))),
        float(bool(_HEDGED.search(sentence))),
        float(bool(_DENIES.search(sentence))),
        float(bool(_ORDERS.search(sentence))),
        float(bool(_SECOND.search(sentence))),
        float(any(letter.isdigit() for letter in sentence)),
        float(bool(_HAN.search(sentence))),
        *(float(field == name) for name in FIELDS),
    ]
    return np.array(values, np.float32)
