"""``assay demo``: the sample library, one three-hop question, every citation looked up.

Arrives: an open appliance. Leaves: the streamed run on stdout and whether it proved what it should.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from appliance.config import REPOSITORY
from appliance.errors import NotFoundError, UserError

if TYPE_CHECKING:
    from appliance.wiring import Appliance

LIBRARY = REPOSITORY / "tests" / "data" / "library"
COLLECTION = "sample"
QUESTION = (
    "Which medal was given in 2023 to the leader of the project that developed the calibration software "
    "of second-generation Tidemark sensors?"
)
CLAIMS_MIN = 3


def run_demo(appliance: Appliance, cancelled: Callable[[], bool]) -> bool:
    """Whether there are at least three claims and every citation of theirs resolves."""
    from appliance.cli.asking import finish, follow
    from appliance.cli.output import say
    from appliance.cli.transcript import print_event, source_line
    from appliance.domain import Principal, citations_of

    load_library(appliance, cancelled)
    run = appliance.researcher.start(QUESTION, principal=Principal(), collection=COLLECTION)
    run = follow(appliance, run, max_steps=None, cancelled=cancelled, show=print_event)
    finish(appliance, run, json=False)
    claims = run.answer.claims if run.answer else ()
    broken = 0
    say("\nevery citation, looked up again:")
    for citation in citations_of(claims):
        try:
            passage = appliance.passages.by_fingerprint(citation, appliance.scope())
            say(f"  ok  {source_line(passage)}")
        except NotFoundError as error:
            broken += 1
            say(f"  FAIL  {error}")
    proven = len(claims) >= CLAIMS_MIN and not broken and all(claim.citations for claim in claims)
    verdict = "demo passed" if proven else f"demo failed: at least {CLAIMS_MIN} cited claims are needed"
    say(f"{verdict}: {len(claims)} claims, {broken} citations that do not resolve")
    return proven


def load_library(appliance: Appliance, cancelled: Callable[[], bool]) -> None:
    """Ingest the sample library unless it is there already. Raises UserError where it is not shipped."""
    from appliance.cli.output import say
    from appliance.cli.progress import IngestDisplay

    known = {
        collection.name: collection.documents for collection in appliance.repositories.collections.list()
    }
    if known.get(COLLECTION):
        return
    if not LIBRARY.is_dir():
        raise UserError(f"no sample library at {LIBRARY}", hint="run the demo from a clone of the repository")
    with IngestDisplay() as display:
        report = appliance.ingestor.ingest([LIBRARY], COLLECTION, tell=display.tell, cancelled=cancelled)
    say(f"sample library: {report.documents} documents, {report.passages} passages, {report.seconds:.0f} s")
