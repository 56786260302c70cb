"""A real HTTP server on loopback that plays a search service, well and badly behaved.

The first part of the path chooses how it answers; what it was asked is kept. ``good`` answers with the JSON
that the test has put into ``answer``.
"""

from __future__ import annotations

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

CHUNK = b"x" * 65_536
HUGE = 50_000_000
PATIENCE_S = 30
"""How long a hanging answer hangs when no test ends it."""


class Asked:
    """One request as it came."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        parts = urlsplit(path)
        self.method, self.path, self.headers, self.body = method, parts.path, headers, body
        self.params = dict(parse_qsl(parts.query))

    def json(self) -> Any:
        return json.loads(self.body)


class SearchServer:
    """Use as a context manager; ``url("good")`` is an address that answers properly."""

    def __init__(self, certificate: str = "") -> None:
        self.answer: object = {}
        self.raw = b""
        self.location = ""
        self.asked: list[Asked] = []
        self.sent_bytes = 0
        self.hanging, self.end = threading.Event(), threading.Event()
        self._server = _Quiet(("127.0.0.1", 0), _Handler)
        self._server.play = self
        self.scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, manner: str, host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}/{manner}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    play: SearchServer

    def handle_error(self, request: object, client_address: object) -> None:
        """The client left in the middle of an answer: that is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def play(self) -> SearchServer:
        assert isinstance(self.server, _Quiet)
        return self.server.play

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self.play.asked.append(Asked(self.command, self.path, dict(self.headers), self.rfile.read(length)))
        manner = urlsplit(self.path).path.split("/")[1]
        self.close_connection = True
        getattr(self, manner.replace("-", "_"))()

    do_POST = do_GET

    def head(self, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def whole(self, body: bytes, status: int = 200, kind: str = "application/json", **more: str) -> None:
        self.head(status, kind, Content_Length=str(len(body)), **more)
        self.wfile.write(body)

    def good(self) -> None:
        self.whole(json.dumps(self.play.answer).encode())

    def raw(self) -> None:
        self.whole(self.play.raw)

    def gbk(self) -> None:
        body = json.dumps(self.play.answer, ensure_ascii=False).encode("gbk")
        self.whole(body, kind="application/json; charset=GBK")

    def odd_charset(self) -> None:
        self.whole(b"{}", kind="application/json; charset=klingon")

    def html(self) -> None:
        self.whole(b"<html><body>Please sign in</body></html>", kind="text/html; charset=utf-8")

    def picture(self) -> None:
        self.whole(b"\x89PNG", kind="image/png")

    def gzip(self) -> None:
        self.whole(b"\x1f\x8b", Content_Encoding="gzip")

    def status_500(self) -> None:
        self.whole(b"Traceback (most recent call last): secret", status=500, kind="text/plain")

    def status_429(self) -> None:
        self.whole(b"{}", status=429, Retry_After="17")

    def status_401(self) -> None:
        self.whole(b'{"error":"bad key"}', status=401)

    def status_404(self) -> None:
        self.whole(b"{}", status=404)

    def announced(self) -> None:
        self.head(Content_Length=str(HUGE))
        self._pour()

    def promised(self) -> None:
        self.head(Content_Length=str(HUGE))
        self._wait()

    def stream(self) -> None:
        self.head()
        self._pour()

    def _pour(self) -> None:
        while self.play.sent_bytes < HUGE:
            self.wfile.write(CHUNK)
            self.play.sent_bytes += len(CHUNK)

    def hang(self) -> None:
        self._wait()

    def stall(self) -> None:
        self.head(Content_Length="100")
        self.wfile.write(b'{"results": [')
        self._wait()

    def drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        self.play.hanging.set()
        for _ in range(PATIENCE_S * 50):
            if self.play.end.wait(0.02):
                return
            self.wfile.write(b"x")

    def _wait(self) -> None:
        self.play.hanging.set()
        self.play.end.wait(PATIENCE_S)

    def cut(self) -> None:
        self.head(Content_Length="1000")
        self.wfile.write(b"{")

    def nonsense(self) -> None:
        self.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")

    def elsewhere(self) -> None:
        self.whole(b"", status=307, Location=self.play.location)

    def moved(self) -> None:
        self.whole(b"", status=307, Location=self.path.replace("/moved", "/good", 1))

    def circle(self) -> None:
        self.whole(b"", status=307, Location=self.path)
