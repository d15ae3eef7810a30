"""The machine with the disks of the small design, on which most scripts are tried."""

from pathlib import Path

import pytest
from tests.emit.pretend import Machine, machine_for, small_design


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_for(small_design(), tmp_path / "machine")
