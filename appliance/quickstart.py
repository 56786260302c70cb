"""Assay from Python, in four lines.

::

    from appliance import DeepThinkingRAG

    with DeepThinkingRAG(data_dir="./data", collection="reports") as rag:
        rag.ingest(["reports/"])
        answer = rag.run("Which supplier did the board replace, and why?", max_steps=5)

The same use-cases as the command line: what one of them ingests the other finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from appliance.config import load_config
from appliance.domain import (
    DEFAULT_COLLECTION,
    Answer,
    Fingerprint,
    IngestReport,
    Passage,
    Principal,
    Retrieval,
)
from appliance.wiring import Appliance


class DeepThinkingRAG:
    """One data folder and one collection, opened by this process."""

    def __init__(
        self,
        *,
        data_dir: str | Path | None = None,
        collection: str = DEFAULT_COLLECTION,
        model: str | None = None,
        config: str | Path | None = None,
    ) -> None:
        """``model`` names a language model of the manifest; ``config`` is a TOML file.

        Raises ConfigError, BusyError (another process has the data folder).
        """
        flags: dict[str, object] = {}
        if data_dir is not None:
            flags["paths.data"] = str(data_dir)
        if model is not None:
            flags["llm.model"] = model
        self.collection = collection
        self.appliance = Appliance(
            load_config(*([Path(config)] if config else []), flags=flags), command="python"
        )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the data folder."""
        self.close()

    def close(self) -> None:
        """Give the data folder back; harmless twice."""
        self.appliance.close()

    def ingest(self, paths: str | Path | Iterable[str | Path]) -> IngestReport:
        """What was taken in and what was refused. Raises UserError for a missing path."""
        named = [paths] if isinstance(paths, str | Path) else paths
        return self.appliance.ingestor.ingest([Path(path) for path in named], self.collection)

    def search(self, query: str, *, k: int = 10) -> Retrieval:
        """The ``k`` best passages. Raises NotFoundError (nothing was ingested into the collection)."""
        return self.appliance.search(query, collection=self.collection, k=k)

    def run(self, question: str, *, max_steps: int = 5) -> Answer:
        """The answer: claims with citations, what is missing. Raises UserError, NotFoundError."""
        run = self.appliance.researcher.start(question, principal=Principal(), collection=self.collection)
        finished = self.appliance.researcher.work(run, max_steps=max_steps)
        assert finished.answer is not None, "a finished run has an answer"
        return finished.answer

    def passage(self, fingerprint: str) -> Passage:
        """The passage behind a citation. Raises NotFoundError."""
        return self.appliance.passages.by_fingerprint(Fingerprint(fingerprint), self.appliance.scope())
