"""A real Milvus server for the contract suite: nothing in, its URI out, until Ctrl-C or end of input.

    python tests/contracts/milvus_server.py FOLDER          # prints the URI once it answers
    ASSAY_TEST_MILVUS_URI=http://127.0.0.1:PORT python -m pytest tests/contracts/test_dense_index.py

The PyPI package ``milvus`` 2.3.5 holds the server's binary (no Docker). Its pymilvus range is not ours, so it
gets a virtual environment of its own, ``FOLDER/venv``, made at the first run; data lie in ``FOLDER/data``.
For tests only: nobody signs in, and parts of Milvus listen on every address of the machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PACKAGE = "milvus==2.3.5"
START_S = 180.0
_SERVE = """
import sys
from milvus import MilvusServer, MilvusServerConfig
server = MilvusServer(MilvusServerConfig(data_dir=sys.argv[1], proxy_port=int(sys.argv[2])))
server.config.set("proxy.ip", "127.0.0.1")
server.start()
print("ready", server.server_proc.pid, flush=True)
sys.stdin.read()
server.stop()
"""


def environment(folder: Path) -> Path:
    """The Python of ``folder/venv``, with the package in it."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    here = subprocess.run([python, "-c", "import milvus"], capture_output=True, check=False)
    if here.returncode:
        uv = shutil.which("uv")
        install = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
        subprocess.run([*install, "--quiet", PACKAGE], check=True)
    return python


def start(folder: Path, port: int = 0) -> tuple[subprocess.Popen[str], str]:
    """The running server (it ends with its standard input) and its URI. Raises TimeoutError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    port = port or _free_port()
    process = subprocess.Popen(
        [environment(folder), "-c", _SERVE, folder / "data", str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"PATH": os.defpath, "HOME": str(folder), "GOMAXPROCS": str(os.cpu_count() or 1)},
    )
    assert process.stdout
    if not process.stdout.readline().startswith("ready"):
        raise TimeoutError(f"Milvus did not start: see {folder / 'data' / 'logs'}")
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process, f"http://127.0.0.1:{port}"
        time.sleep(0.2)
    raise TimeoutError(f"Milvus does not answer: see {folder / 'data' / 'logs'}")


def stop(process: subprocess.Popen[str]) -> None:
    """End the server; its data stay."""
    assert process.stdin
    process.stdin.close()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Serve until told to end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    chosen = parser.parse_args()
    process, uri = start(chosen.folder.absolute(), chosen.port)
    print(uri, flush=True)
    assert process.stdin
    signal.signal(signal.SIGTERM, lambda *_: process.stdin.close())
    try:
        process.wait()
    except KeyboardInterrupt:
        stop(process)


if __name__ == "__main__":
    main()
