"""Files of measurements: found, unpacked, refused."""

import gzip
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from poolwright.domain.errors import UserError
from poolwright.store import tool_files as files
from poolwright.store.read_results import open_results, read_result
from poolwright.store.tool_files import RESULTS, files_below, plain_name, unpacked, unpacked_bytes_of


def test_that_a_folder_gives_its_files_in_order_and_nothing_hidden(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", ".hidden", "deeper/c.json", ".git/d.json"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("{}")
    assert [str(file.relative_to(tmp_path)) for file in files_below(tmp_path, RESULTS)] == [
        "a.json",
        "b.json",
        "deeper/c.json",
    ]


def test_that_packed_files_are_unpacked_by_their_suffix(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"first") + gzip.compress(b" second"))
    (tmp_path / "a.xz").write_bytes(lzma.compress(b"third"))
    assert unpacked_bytes_of(tmp_path / "a.gz") == (b"first second", True)
    assert unpacked_bytes_of(tmp_path / "a.xz") == (b"third", True)
    assert plain_name("a_bw.1.log.gz") == "a_bw.1.log"


@pytest.mark.parametrize(("name", "pack"), [("a.gz", gzip.compress), ("a.xz", lzma.compress)])
def test_that_a_cut_packed_file_keeps_what_came_before_the_cut(name: str, pack: Callable[[bytes], bytes]) -> None:
    whole = b"".join(b"%d, 2, 0, 0\n" % at for at in range(100_000))
    packed = pack(whole)
    kept, is_whole = unpacked(packed[: len(packed) * 9 // 10], name)
    assert not is_whole
    assert len(kept) > len(whole) // 2
    assert whole.startswith(kept)


def test_that_what_a_cut_packed_file_tells_says_that_it_was_cut(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(b"%d, 2, 0, 0\n" % at for at in range(100_000)))
    (tmp_path / "a_lat.1.log.gz").write_bytes(packed[: len(packed) * 9 // 10])
    (recorded,) = open_results([tmp_path / "a_lat.1.log.gz"]).recorded
    assert "The output is cut off: what is missing is unknown." in recorded.notes


@pytest.mark.parametrize("name", ["a.gz", "a.xz"])
def test_that_a_file_that_is_not_packed_as_its_name_says_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="unpacked"):
        unpacked(b"this is plain text", name)


def test_that_a_packed_file_may_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "RESULTS", replace(RESULTS, bytes=1 << 20))
    with pytest.raises(UserError, match="larger than 1 MiB"):
        unpacked(gzip.compress(bytes(1 << 23)), "bomb.gz")


def test_that_a_path_with_nothing_at_it_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing\.json"):
        open_results([tmp_path / "missing.json"])
    with pytest.raises(UserError, match="not a path"):
        open_results([Path("a\0b")])


def test_that_an_empty_file_and_one_of_no_known_tool_are_refused() -> None:
    with pytest.raises(UserError, match="empty"):
        read_result(b" \n", "a")
    with pytest.raises(UserError, match="not output of a tool"):
        read_result(b"hello", "a")


def test_that_files_of_which_none_can_be_read_are_told_once_what_can_be(tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("dear diary\n")
    with pytest.raises(UserError) as refused:
        open_results([tmp_path])
    assert refused.value.text.count("Poolwright reads") == 1
    assert "None of the 2 files" in refused.value.text
    assert "one.txt" in refused.value.text
