"""Chromium without a window, driven through its debugging pipe: enough to ask a page how it
looks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
TROUBLE = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


def found() -> str | None:
    """Return a Chromium on this machine, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One Chromium; `with Browser(folder) as browser` ends it."""

    def __init__(self, folder: Path):
        (to_read, self._to_write), (self._to_listen, to_say) = os.pipe(), os.pipe()
        command = [found(), *OPTIONS, f"--user-data-dir={folder}", "about:blank"]
        shell = f'exec "$@" 3<&{to_read} 4>&{to_say}'  # Chromium reads from 3 and writes to 4
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", *command], pass_fds=(to_read, to_say), **quiet
        )
        os.close(to_read)
        os.close(to_say)
        self._rest, self._count = b"", 0
        self.events: list[dict] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable", here=True)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._to_write)
        os.close(self._to_listen)

    def call(self, method: str, *, here: bool = False, **params) -> dict:
        """Ask for something and wait for the answer; `here`: of the open page."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        os.write(
            self._to_write,
            json.dumps(message | ({"sessionId": self._session} if here else {})).encode() + b"\0",
        )
        while True:
            said = self._listen()
            if said.get("id") == self._count:
                assert "error" not in said, said
                return said["result"]
            self.events.append(said)

    def show(self, page: Path, *, width: int, dark: bool = False) -> None:
        """Open a page at a width."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            here=True,
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", here=True, features=[scheme])
        self.call("Page.navigate", here=True, url=page.absolute().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._listen())

    def ask(self, expression: str, *, wait: bool = False):
        """Return the value of an expression in the page; wait: for the promise that it is."""
        text = f"({expression}).then(JSON.stringify)" if wait else f"JSON.stringify({expression})"
        asked = {"here": True, "expression": text, "awaitPromise": wait}
        result = self.call("Runtime.evaluate", **asked)["result"]
        return json.loads(result["value"]) if "value" in result else None

    @property
    def trouble(self) -> list[dict]:
        """What the console got to hear since the page was opened."""
        return [event for event in self.events if event.get("method") in TROUBLE]

    def _listen(self) -> dict:
        while b"\0" not in self._rest:
            more = os.read(self._to_listen, 1 << 16)
            assert more, "Chromium ended"
            self._rest += more
        said, self._rest = self._rest.split(b"\0", 1)
        return json.loads(said)
