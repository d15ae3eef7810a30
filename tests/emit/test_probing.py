"""A disk that holds something where no tool sees it is read, and told before anything is changed."""

from pathlib import Path

import pytest
from tests.emit.pretend import machine_for, script_for, small_design

pytestmark = pytest.mark.slow

MIB = 1 << 20


@pytest.mark.parametrize(("at", "told"), [(0, 0), (65 * MIB, 65 * MIB)])
def test_that_a_byte_that_no_tool_sees_is_found(tmp_path: Path, at: int, told: int) -> None:
    machine = machine_for(small_design(), tmp_path / "machine")
    with (machine.root / "dev/sdb").open("r+b") as disk:
        disk.seek(at)
        disk.write(b"\x01")
    result = machine.run(script_for(small_design(), machine), "--check")
    assert "1 of 3 disks" in result.text
    assert f"the first at byte {told}" in result.text
    assert result.changes() == []
