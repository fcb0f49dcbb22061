"""A web server with data files, for all tests of studies."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest


@pytest.fixture
def server():
    """A web server whose pages are a dictionary; a page may be cut off in the middle."""
    pages: dict[str, bytes] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = pages.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header(
                "Content-Length", str(len(body) * (2 if self.path.startswith("/cut/") else 1))
            )
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    running.pages, running.asked = pages, asked
    running.address = f"http://127.0.0.1:{running.server_port}"
    yield running
    running.shutdown()
    running.server_close()
