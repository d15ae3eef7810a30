"""A folder in which whoever writes is held by the kernel, as by a disk that no longer answers."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_TOOLS = ("mkfs.ext2", "mount", "umount", "fsfreeze")


@contextmanager
def frozen_folder(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a frozen file system; skip the test where it cannot be made."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    if os.geteuid() != 0 or any(shutil.which(tool, path=path) is None for tool in _TOOLS):
        pytest.skip("needs root, mkfs.ext2 and fsfreeze")
    image, folder = tmp_path / "image", tmp_path / "frozen"
    folder.mkdir()
    image.touch()
    os.truncate(image, 4 << 20)
    _run(path, "mkfs.ext2", "-q", str(image))
    if subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=False, capture_output=True).returncode:
        pytest.skip("no loop device can be mounted here")
    try:
        _run(path, "fsfreeze", "-f", str(folder))
        try:
            yield folder
        finally:
            _run(path, "fsfreeze", "-u", str(folder))
    finally:
        for _ in range(50):
            if subprocess.run(["umount", str(folder)], check=False, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)


def _run(path: str, *argv: str) -> None:
    subprocess.run(argv, check=True, env={**os.environ, "PATH": path})
