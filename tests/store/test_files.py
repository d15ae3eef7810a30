"""Files that are written anew keep what their owner chose for them."""

import os
from pathlib import Path

import pytest

from poolwright.domain.errors import EnvironmentFailure
from poolwright.store.files import SCRIPT_MODE, write_bytes, write_text


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_that_a_file_that_is_there_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "design.json"
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert mode_of(path) == mode


def test_that_a_new_file_has_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "design.json", "text")
        write_text(tmp_path / "create.sh", "text", mode=SCRIPT_MODE)
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "design.json") == 0o640
    assert mode_of(tmp_path / "create.sh") == 0o750


def test_that_a_private_file_that_becomes_a_script_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "create.sh"
    path.write_text("old")
    path.chmod(0o600)
    write_text(path, "new", mode=SCRIPT_MODE)
    assert mode_of(path) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_that_a_file_that_is_there_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "design.json"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_that_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure):
        write_bytes(tmp_path / "no folder" / "design.json", b"text")
    assert list(tmp_path.iterdir()) == []
