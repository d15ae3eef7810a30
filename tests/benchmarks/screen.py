"""A screen in memory whose pixels can be looked at from outside, without asking its programs or the server.

Xvfb keeps its frame buffer in a file (``-fbdir``), an image as xwd writes it: a header of 25 numbers, the colours, the
pixels of 32 bits row by row (X11/XWDFile.h).
"""

import mmap
import os
import signal
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 1280, 800
_NUMBERS = struct.Struct(">25I")
_HEADER_BYTES, _COLOURS, _BYTES_OF_COLOUR = 0, 19, 12
_LEAST_PIXELS = 20_000  # a fiftieth of the screen; no cursor, no window that is not drawn yet
_LEAST_COLOURS = 16  # text is smooth: an empty window has one, a frame a few
_LOOK_SECONDS = 0.004
MOST_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """``display`` is its number as in DISPLAY, ``pixels`` what is on it now; nothing is on it at first."""

    display: str
    pixels: NDArray[np.uint32]

    def shows_something(self) -> bool:
        """Tell whether a window with more than a ground is on it."""
        rows = self.pixels[::4]
        return 4 * int(np.count_nonzero(rows)) > _LEAST_PIXELS and len(np.unique(rows)) > _LEAST_COLOURS

    def seconds_to_paint(self, command: Sequence[str], environment: Mapping[str, str]) -> float:
        """Return the time from starting a program to its first window with a content; then end it.

        Raises TimeoutError where it shows none.
        """
        began = time.monotonic()
        with subprocess.Popen(
            command,
            env={**environment, "DISPLAY": self.display},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as program:
            try:
                return self._wait(began, shown=True)
            finally:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()
                self._wait(time.monotonic(), shown=False)

    def _wait(self, began: float, *, shown: bool) -> float:
        while (waited := time.monotonic() - began) < MOST_SECONDS:
            if self.shows_something() if shown else not self.pixels.any():
                return waited
            time.sleep(_LOOK_SECONDS)
        raise TimeoutError("no window is on the screen" if shown else "the window of an ended program stays")


@contextmanager
def screen(folder: Path) -> Iterator[Screen]:
    """Start a screen of 1280 by 800 pixels that keeps its file in ``folder``; it ends with the block."""
    read, write = os.pipe()
    words = ["-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", str(folder)]
    command = ["Xvfb", *words, "-nolisten", "tcp", "-nocursor", "-br"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:
        try:
            os.close(write)
            with os.fdopen(read) as told:
                number = told.readline().strip()
            assert number, "Xvfb did not start"
            with (folder / "Xvfb_screen0").open("rb") as file:
                memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            header = _NUMBERS.unpack_from(memory)
            start = header[_HEADER_BYTES] + header[_COLOURS] * _BYTES_OF_COLOUR
            pixels = np.frombuffer(memory, dtype=np.uint32, count=WIDTH * HEIGHT, offset=start)
            yield Screen(display=f":{number}", pixels=pixels.reshape(HEIGHT, WIDTH))
        finally:
            server.terminate()
            server.wait()
