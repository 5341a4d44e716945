"""A small real service for supervision tests: answers HTTP, notes what happens to it, and misbehaves on request."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--events", type=Path, required=True)
    parser.add_argument("--stubborn", action="store_true", help="ignore SIGTERM")
    parser.add_argument("--grandchild", action="store_true", help="start a process of its own that ignores SIGTERM")
    parser.add_argument("--crash", action="store_true", help="end with status 3 at once")
    parser.add_argument("--mute", type=Path, help="while this file exists, answer nothing")
    options = parser.parse_args()
    note(options.events, f"{options.name} started {os.getpid()}")
    if options.crash:
        print("crashing as told", flush=True)
        sys.exit(3)
    if options.grandchild:
        sleep = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        grandchild = subprocess.Popen([sys.executable, "-c", sleep])
        note(options.events, f"{options.name} grandchild {grandchild.pid}")

    def end(number: int, frame: object) -> None:
        note(options.events, f"{options.name} {signal.Signals(number).name}")
        if not options.stubborn:
            os._exit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    if options.port:
        serve(options.port, options.mute)
    while True:
        signal.pause()


def serve(port: int, mute: Path | None) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(503 if mute is not None and mute.exists() else 200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            return

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def note(events: Path, line: str) -> None:
    with events.open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")


if __name__ == "__main__":
    main()
