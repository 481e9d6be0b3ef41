# SPDX-License-Identifier: Apache-2.0
"""Runs programs that take long: a trainer, which it follows and stops where the user does, and the compiler."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Callable, List, Optional, Sequence, Tuple

from ._errors import RunError

# The interval in seconds at which the trainer's progress is read.
_INTERVAL = 0.1
_MESSAGE = re.compile(r"(error|note|warning): ")


def tell(line: str) -> None:
    """Shows a note or a warning of a trainer to the user."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def tell_messages(text: str) -> None:
    """Shows the warnings and notes among the lines of a trainer that has ended well."""
    for line in text.splitlines():
        if line.startswith(("warning: ", "note: ")):
            tell(line)


class _Lines:
    """Collects the lines of a pipe in a thread, so that the process that writes to it never blocks."""

    def __init__(self, pipe: Optional[IO[str]]) -> None:
        self._lines: List[str] = []
        self._pipe = pipe
        self._taken = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._pipe or ():
            self._lines.append(line.rstrip("\n"))

    def new(self) -> List[str]:
        """Returns the lines that were read since the last call."""
        found = self._lines[self._taken :]
        self._taken += len(found)
        return found

    def finish(self) -> List[str]:
        self._thread.join()
        return self._lines


def compile_watched(command: Sequence[str]) -> Tuple[int, str]:
    """Runs ingotc, and returns its exit code and stderr. Its lines about a compilation that takes long are shown at once."""
    said = []
    with subprocess.Popen([*command, "--progress"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stderr or ():
            if line.startswith("progress: "):
                tell(line.rstrip("\n"))
            else:
                said.append(line)
    return process.returncode, "".join(said)


def watch(command: Sequence[str], follow: Callable[[List[str]], None], shows: Callable[[str], bool]) -> None:
    """Runs a trainer until it ends. Ctrl-C makes it save a checkpoint and end, and is raised again afterwards.

    `follow` is called ten times a second with the new lines of its output. Its notes and warnings are shown to the user
    at once if `shows` returns true for them. Raises RunError, with the trainer's messages, if it fails.
    """
    with subprocess.Popen(list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        out, err = _Lines(process.stdout), _Lines(process.stderr)
        interrupted = False

        def pass_on() -> None:
            follow(out.new())
            for line in err.new():
                if line.startswith(("warning: ", "note: ")) and shows(line):
                    tell(line)

        while process.poll() is None:
            try:
                time.sleep(_INTERVAL)
                pass_on()
            except KeyboardInterrupt:
                # Send SIGTERM, as Ctrl-C does not reach the trainer in a notebook. It then saves a checkpoint and ends.
                if not interrupted and process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                interrupted = True
        out.finish()
        lines = err.finish()
        pass_on()
    if interrupted:
        raise KeyboardInterrupt
    if process.returncode:
        # A message may continue in indented lines, such as the list of variables that a checkpoint lacks.
        complaint = [line for line in lines if _MESSAGE.match(line) or line.startswith("  ")]
        raise RunError("\n".join(complaint) or f"{command[1]} failed with exit code {process.returncode}", process.returncode)
