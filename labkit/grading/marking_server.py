"""A page to mark in, served to this machine's browser alone.

A server and not a file, because each mark is on disk as soon as it is given: nothing has to be downloaded, and a closed
window loses nothing. Its address holds a secret, so that no other user and no other page reaches it; no page runs a script.
"""

import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from .marking import MarkingDesk

LARGEST = 100_000  # bytes of what is typed
PATIENCE = 60.0  # seconds for one request
HEADERS = {
    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'self'; frame-ancestors 'none'",
}  # fmt: skip


class MarkingServer(ThreadingHTTPServer):
    """Serves a desk at `url` on a free port of this machine.

    Each connection has a thread: browsers open some ahead, on which they may never say anything.
    """

    def __init__(self, desk: MarkingDesk) -> None:
        self.desk, self.secret = desk, secrets.token_urlsafe(18)
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Where the first page is."""
        return f"http://127.0.0.1:{self.server_port}/{self.secret}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a window that was closed before it had its page."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: Any
    timeout = PATIENCE

    def do_GET(self) -> None:
        place = self._place()
        if place is None:
            self._send(HTTPStatus.NOT_FOUND, "There is no such page.")
        elif place == "":
            self._go_on(-1)
        elif place == "end":
            self._send(HTTPStatus.OK, self.server.desk.end_page())
        else:
            self._send(HTTPStatus.OK, self.server.desk.page(int(place)))

    def do_POST(self) -> None:
        place, length = self._place(), self.headers.get("Content-Length", "")
        if not place or place == "end" or self.headers.get("Origin", self._home()) not in (self._home(), "null"):
            self._send(HTTPStatus.NOT_FOUND, "There is no such page.")
        elif not length.isdecimal() or int(length) > LARGEST:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "That is too much.")
        else:
            text = self.rfile.read(int(length)).decode("utf-8", "replace")
            typed = {key: values[-1] for key, values in parse_qs(text, keep_blank_values=True).items()}
            self._save(int(place), typed)

    def _save(self, place: int, typed: dict[str, str]) -> None:
        try:
            problem = self.server.desk.save(place, typed)
        except (OSError, ValueError) as error:
            problem = f"The mark is not kept: {error}"
        if problem:
            page = self.server.desk.page(place, problem, typed)
            self._send(HTTPStatus.UNPROCESSABLE_ENTITY, page)
        elif typed.get("points", "").strip():
            self._go_on(place)
        else:  # left out: to the one behind it, marked or not
            self._redirect(str(place + 1) if place + 1 < len(self.server.desk.items) else "")

    def _home(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def _place(self) -> str | None:
        """What comes behind the secret: "", "end", or the number of an answer; None for anything else."""
        here = self.headers.get("Host") == f"127.0.0.1:{self.server.server_port}"  # not by another name of this machine
        _, secret, *rest = [*self.path.partition("?")[0].split("/"), ""]
        if not here or not secrets.compare_digest(secret.encode(), self.server.secret.encode()):
            return None
        place = rest[0]
        known = place.isdecimal() and len(place) < 9 and int(place) < len(self.server.desk.items)
        return place if place in ("", "end") or known else None

    def _go_on(self, place: int) -> None:
        after = self.server.desk.next_open(place)
        self._redirect("end" if after is None else str(after))

    def _redirect(self, page: str) -> None:
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", f"/{self.server.secret}/{page}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: HTTPStatus, page: str) -> None:
        data = page.encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""
