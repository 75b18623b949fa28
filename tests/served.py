"""A web server of the test's own, and catalogue entries whose files it serves."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from w2v.data.catalog import Entry
from w2v.data.download import Archive, Download

TEXT = b"cup\tmug\t9.5\ncup\tcoffee\t6\ncup\tobject\t3\n" * 400


@dataclass
class Server:
    """What it answers, by path; `paths` are those asked for.

    `broken` ones end after half the bytes they promise, `endless` ones do not end, `stalled` ones stop after half
    until `stop` is set.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    endless: set[str] = field(default_factory=set)
    stalled: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)
    half_sent: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port of this machine."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.paths.append(self.path)
            data = state.files.get(self.path)
            if data is None:
                self.send_error(404)
                return
            self.send_response(200)
            if self.path in state.endless:
                self.end_headers()
                self._send_for_ever(data)
                return
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            if self.path in state.stalled:
                state.half_sent.set()
                state.stop.wait(60)
            if self.path not in state.broken:
                self.wfile.write(data[len(data) // 2 :])

        def _send_for_ever(self, data: bytes) -> None:
            try:
                while not state.stop.is_set():
                    self.wfile.write(data)
            except OSError:
                state.half_sent.set()  # the other side has enough

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield state
    finally:
        state.stop.set()
        server.shutdown()
        thread.join()
        server.server_close()


def sha256(data: bytes) -> str:
    """A checksum as the catalogue writes it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def entry(url: str, data: bytes = TEXT, archive: Archive | None = None) -> Entry:
    """An entry whose file holds `data`."""
    source = Download(url, sha256(data), len(data), archive)
    return Entry("cups", "Cups", "similarity", "en", "as published", "nobody", download=source)


def zipped(**members: bytes) -> bytes:
    """A zip file; `__` in a name stands for `../`."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in members.items():
            opened.writestr(name.replace("__", "../"), data)
    return file.getvalue()
