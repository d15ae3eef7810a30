"""A library on disk, and one that is open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from poolwright.store.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "library.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with Database.open(path) as opened:
        yield opened
