"""Drives Debian's Chromium: a page as its reader has it, by Chromium's own protocol over two pipes.

Nothing to install but the browser: no driver program, no port.  Every name resolves to nothing, so that a
page that asks for anything gets an error, and `Browser.requests` says what it asked for.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking"),
)
PATIENCE_S = 60.0


class Browser:
    """A browser with one page."""

    def __init__(self) -> None:
        assert PROGRAM
        self._folder = tempfile.TemporaryDirectory()
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()

        def third_and_fourth() -> None:
            """Where it expects them; first away from there, as they may be each other's place."""
            high = os.dup2(commands, 63), os.dup2(answers, 64)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [PROGRAM, *SWITCHES, f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=third_and_fourth,
            close_fds=False,
            env={**os.environ, "TMPDIR": self._folder.name},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._number, self._read, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = ""
        os.write(self._commands, b'{"id": 0, "method": "Browser.close"}\0')
        try:
            self._process.wait(PATIENCE_S)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._commands)
            os.close(self._answers)
            self._folder.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol, and its result."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (found := self._next()).get("id") != self._number:
            self.events.append(found)
        assert "error" not in found, (method, found["error"])
        result: dict[str, Any] = found["result"]
        return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            piece = os.read(self._answers, 1 << 20)
            assert piece, "Chromium ended"
            self._read += piece
        message, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def script(self, text: str) -> Any:
        """The value of an expression in the page; of a promise, when it is there."""
        found = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, (text, found["exceptionDetails"])
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until an expression is true."""
        until = time.monotonic() + PATIENCE_S
        while not self.script(condition):
            assert time.monotonic() < until, (condition, self.complaints())
            time.sleep(0.02)

    def show(
        self, file: Path, *, width: int = 1280, height: int = 900, dark: bool = False, at: str = ""
    ) -> None:
        """Open a file in a window of that size; at: the part of the address after the #."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=file.as_uri() + at)
        self.wait('document.documentElement?.dataset.ready === ""')

    def complaints(self) -> list[str]:
        """What the console has said, and dialogs that were opened."""
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        wanted = (*kinds, "Page.javascriptDialogOpening")
        return [json.dumps(each["params"]) for each in self.events if each["method"] in wanted]

    def requests(self) -> list[str]:
        """The addresses that the page asked for, its own left out."""
        sent = (each for each in self.events if each["method"] == "Network.requestWillBeSent")
        return [each["params"]["request"]["url"] for each in sent][1:]

    def picture(self, target: Path) -> None:
        """What the window shows, as PNG."""
        target.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
