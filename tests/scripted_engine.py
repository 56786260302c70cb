"""The command line with a scripted language model and made-up vectors: ``python scripted_engine.py ask …``.

Everything else is real: SQLite, indexes, the loop, the graph. For tests that need a process of their own
(killed, paused, steered from another one) and the same answer every time. Each prompt is noted in the file
SCRIPTED_LOG when it is sent and again when it is answered; answering takes SCRIPTED_PAUSE_S seconds.

``python scripted_engine.py --forking`` imports everything once and then runs each command line that it reads
as JSON (``{"arguments", "environment", "out", "err"}``) in a process forked from it: it writes the process's
id, waits for its end and writes how it ended. Thirty kills then need no thirty starts of an interpreter.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from appliance.domain import Completion, Prompt, Usage
from appliance.errors import CancelledError
from appliance.ports import LanguageModel, Vectors

if TYPE_CHECKING:
    from appliance.wiring import Appliance

QUESTION = "Where was the founder of the company that makes the Tidemark sensor born?"
"""Three hops, unfolded by rules: the maker, its founder, the founder's birthplace."""
LIBRARY = {
    "sensor.md": "# Sensors\n\nLarkfield Instruments is the company that makes the Tidemark sensor.\n",
    "company.md": "# Larkfield Instruments\n\nThe founder of Larkfield Instruments is Edda Voss.\n",
    "founder.txt": "Edda Voss, an engineer, was born in the town of Brannholm in 1951.\n",
    "news.md": "# News of 2023\n\nNews: Edda Voss was born in Harwick, readers say.\n",
}
SCRIPT = (
    (
        r"^Which company makes the Tidemark sensor",
        "Larkfield Instruments",
        "is the company that makes the Tidemark",
    ),
    (r"founder of Larkfield", "Edda Voss", "The founder of Larkfield Instruments is"),
    (r"Edda Voss born", "Brannholm", "was born in the town of Brannholm"),
    (r"Edda Voss born", "Harwick", "was born in Harwick"),
)
"""(what the question says, the answer, what the line that states it holds), the first that fits."""


class HashEmbedder:
    """Vectors that mean nothing: the lexical index finds."""

    name, digest, dim = "multilingual-e5-small", "1" * 64, 32

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised."""
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dim) - 127.5
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    embed_queries = embed_passages

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words."""
        return [len(text.split()) for text in texts]


class ScriptedReader:
    """Answers what its lines say, by :data:`SCRIPT`."""

    name, digest = "scripted", "2" * 64

    def __init__(self, log: Path | None = None, pause_s: float = 0.0) -> None:
        self.log, self.pause_s = log, pause_s
        self.before: Callable[[Prompt], None] = lambda prompt: None
        """Called before each reply: a test's chance to do something meanwhile."""
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        """Words."""
        return len(text.split())

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """The reply to a reader's prompt; it takes its time and can be cancelled meanwhile."""
        self._note("sent", prompt)
        self.before(prompt)
        self.asked.append(prompt.user.rsplit("Q: ", 1)[-1])
        until = time.monotonic() + self.pause_s
        while time.monotonic() < until:
            if cancelled and cancelled():
                raise CancelledError("cancelled")
            time.sleep(0.005)
        fields = getattr(schema, "__struct_fields__", ())
        reply = self.reply(prompt)
        text = json.dumps({key: value for key, value in reply.items() if key in fields}, ensure_ascii=False)
        self._note("paid", prompt)
        usage = Usage(
            calls=1,
            prompt_tokens=self.count_tokens(prompt.user),
            completion_tokens=self.count_tokens(text),
        )
        return Completion(text=text, usage=usage)

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """What is said to a prompt, more than its schema may ask for: for a reader of another kind to say."""
        return reply_to(prompt.user)

    def _note(self, what: str, prompt: Prompt) -> None:
        if self.log is not None:
            key = hashlib.sha256(f"{prompt.system}\0{prompt.user}".encode()).hexdigest()[:16]
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"{what} {key} {prompt.user.rsplit('Q: ', 1)[-1]}\n")


def reply_to(user: str) -> dict[str, Any]:
    """A finding, or none."""
    lines, _, question = user.rpartition("Q: ")
    for asked, answer, stated in SCRIPT:
        if re.search(asked, question):
            for line in lines.splitlines():
                if stated in line:
                    return {"found": True, "answer": answer, "statement": line.removeprefix("- ")}
    return {"found": False, "answer": "", "statement": ""}


@contextmanager
def scripted_appliance(
    folder: Path, library: Path, model: LanguageModel, flags: dict[str, object] | None = None
) -> Iterator[Appliance]:
    """An open appliance whose data lies in ``folder``, with ``library`` in it.

    Only vectors and replies are made up, and no cross-encoder judges. ``flags``: configuration keys.
    """
    from appliance.config import load_config
    from appliance.wiring import Appliance

    plain: dict[str, object] = {"reranking.model": "", "reranking.model_zh": ""}
    config = load_config(environ={}, flags={"paths.data": str(folder / "data"), **plain, **(flags or {})})
    with (
        patch.object(Appliance, "_open_embedder", lambda self, name: HashEmbedder()),
        Appliance(config) as opened,
    ):
        opened.__dict__["model"] = model
        opened.ingestor.ingest([library], "default")
        yield opened


def write_library(folder: Path) -> Path:
    """The folder with the sample documents."""
    folder.mkdir()
    for name, text in LIBRARY.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def main() -> int:
    """Run ``assay`` with the arguments of this process."""
    if sys.argv[1:] == ["--forking"]:
        return forking()
    return assay(sys.argv[1:])


def forking() -> int:
    """Run what stdin says, one after the other, each in a process of its own."""
    from appliance import branches, forking, research, wiring  # the heavy imports, once

    assert branches, (forking, research, wiring)
    for line in sys.stdin:
        told = json.loads(line)
        pid = os.fork()
        if pid == 0:
            for number, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(told[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
            os.environ.update(told["environment"])
            code = 70
            try:
                code = assay(told["arguments"])
                sys.stdout.flush()
            finally:
                os._exit(code)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    return 0


def assay(arguments: list[str]) -> int:
    """Run one command line of ``assay``."""
    from appliance.cli.application import run
    from appliance.wiring import Appliance

    log = os.environ.get("SCRIPTED_LOG")
    model = ScriptedReader(Path(log) if log else None, float(os.environ.get("SCRIPTED_PAUSE_S", "0")))
    os.environ["ASSAY__RERANKING__MODEL"] = os.environ["ASSAY__RERANKING__MODEL_ZH"] = ""
    parts: Any = Appliance
    parts._open_embedder = lambda self, name: HashEmbedder()
    parts.model = model
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
