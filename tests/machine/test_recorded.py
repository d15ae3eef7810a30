"""Captures on disk: told by content, bounded, good files among bad ones, the collector's single file."""

import io
import os
import sys
from pathlib import Path

import pytest
from tests.machines.writing import block, by_id, lsblk, smartctl, zpool_status

from poolwright.domain.errors import UserError
from poolwright.domain.host import Inventory
from poolwright.store.capture_files import open_captures
from poolwright.store.tool_files import CAPTURES

CAPTURE = (
    "### poolwright-capture 1\n### file: hostname\nbox\n### status: 0\n### file: lsblk\n{lsblk}\n### status: 0\n"
    "### file: zpool-status\n### status: 127\n### file: smartctl/sda\n{smart}\n### status: 64\n### end\n"
)


def capture() -> str:
    return CAPTURE.format(lsblk=lsblk(block("sda")), smart=smartctl("/dev/sda", device=None))


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(text, encoding="utf-8")
    return folder


def warnings(inventory: Inventory) -> str:
    return "\n".join(n.text for n in inventory.notes)


def test_that_a_folder_is_read_by_content_whatever_its_files_are_called(tmp_path: Path) -> None:
    write(tmp_path, a=lsblk(block("sda"), block("sdb")), b__log=smartctl("/dev/sda"), c=by_id(sda="ata-X_SERsda"),
          d=zpool_status("tank", "sdb"), e="MemTotal:       16307280 kB\nMemFree: 1 kB\n")  # fmt: skip
    box = open_captures([tmp_path])
    assert [(d.path, d.by_id_name, d.rotation_rpm, d.in_use) for d in box.disks] == [
        ("/dev/sda", "ata-X_SERsda", 7200, False), ("/dev/sdb", None, None, True),
    ]  # fmt: skip
    assert box.host.ram_bytes == 16307280 * 1024


def test_that_folders_inside_folders_are_read_and_hidden_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "host1" / "smart").mkdir(parents=True)
    write(tmp_path, __hidden="not for us")
    write(tmp_path / "host1" / "smart", sda__json=smartctl("/dev/sda"))
    box = open_captures([tmp_path])
    assert len(box.disks) == 1
    assert "hidden" not in warnings(box)


def test_that_a_good_file_among_bad_ones_loses_nothing(tmp_path: Path) -> None:
    write(tmp_path, good=smartctl("/dev/sda"), cut=smartctl("/dev/sdb")[:-40], other="just a letter\n", empty="")
    (tmp_path / "picture").write_bytes(b"\x89PNG\0\0\0")
    box = open_captures([tmp_path])
    assert [d.path for d in box.disks] == ["/dev/sda"]
    for name in ("cut", "other", "empty", "picture"):
        assert f"left out: {name}: " in warnings(box)


def refusal(*paths: Path) -> str:
    with pytest.raises(UserError) as caught:
        open_captures(paths)
    assert caught.value.exit_status == 2
    return str(caught.value)


def test_that_a_truncated_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    write(tmp_path, sda__json=smartctl("/dev/sda")[:-40])
    said = refusal(tmp_path / "sda.json")
    assert "sda.json" in said
    assert "cut off or damaged" in said
    assert "again" in said


def test_that_a_file_that_is_no_tools_output_is_refused(tmp_path: Path) -> None:
    write(tmp_path, letter="Dear disks,\n", json='{"hello": "world"}')
    assert "not output of a tool that is known" in refusal(tmp_path / "letter")
    assert "not output of a tool that is known" in refusal(tmp_path / "json")


def test_that_a_binary_and_an_empty_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "bin").write_bytes(b"\x7fELF\0\0\0\0")
    write(tmp_path, empty="\n")
    assert "binary" in refusal(tmp_path / "bin")
    assert "empty" in refusal(tmp_path / "empty")


def test_that_a_two_gibibyte_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    said = refusal(path)
    assert "larger than 64 MiB" in said
    assert f"{CAPTURES.bytes >> 20} MiB" in said


def test_that_a_missing_path_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "nothere") in refusal(tmp_path / "nothere")


def test_that_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert "no file" in refusal(tmp_path)


def test_that_a_folder_of_strange_files_alone_is_refused_with_their_number(tmp_path: Path) -> None:
    write(tmp_path, a="one\n", b="two\n")
    assert "None of the 2 files" in refusal(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_that_a_file_without_permission_is_named(tmp_path: Path) -> None:
    write(tmp_path, secret=smartctl("/dev/sda"))
    (tmp_path / "secret").chmod(0)
    assert "no permission" in refusal(tmp_path / "secret")


def test_that_a_fifo_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not an ordinary file" in refusal(tmp_path / "pipe")


def test_that_outputs_appended_to_one_file_are_all_read(tmp_path: Path) -> None:
    text = f"{lsblk(block('sda'), block('sdb'))}\n{smartctl('/dev/sda')}\nsdb:\n{smartctl('/dev/sdb')}\n"
    write(tmp_path, all=text, cut=text[:-30])
    assert [d.rotation_rpm for d in open_captures([tmp_path / "all"]).disks] == [7200, 7200]
    cut = open_captures([tmp_path / "cut"])
    assert [d.rotation_rpm for d in cut.disks] == [7200, None]
    assert "left out a part" in warnings(cut)


def test_that_smartctl_texts_appended_to_one_file_are_all_read(tmp_path: Path) -> None:
    one = (
        "# smartctl -i /dev/sd{0}\nsmartctl 7.4 2023\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     X{0}\n"
    )
    write(tmp_path, all=one.format("a") + one.format("b"))
    assert [(d.path, d.model) for d in open_captures([tmp_path / "all"]).disks] == [
        ("/dev/sda", "Xa"),
        ("/dev/sdb", "Xb"),
    ]


def test_that_a_byte_order_mark_and_utf_16_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(smartctl("/dev/sda").encode("utf-8-sig"))
    (tmp_path / "b.json").write_bytes(smartctl("/dev/sdb").encode("utf-16"))
    assert len(open_captures([tmp_path]).disks) == 2


def test_that_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(smartctl("/dev/sda").encode())))
    assert [d.path for d in open_captures([Path("-")]).disks] == ["/dev/sda"]


def test_that_a_collectors_capture_is_a_whole_machine(tmp_path: Path) -> None:
    write(tmp_path, box__capture=capture())
    box = open_captures([tmp_path / "box.capture"])
    assert box.name == "box"
    assert [(d.path, d.rotation_rpm) for d in box.disks] == [("/dev/sda", 7200)]
    assert "zpool is not installed on that machine" in warnings(box)
    assert "cut off" not in warnings(box)


def test_that_a_cut_off_capture_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path) -> None:
    write(tmp_path, box__capture=capture().rpartition("### file: smartctl")[0])
    box = open_captures([tmp_path / "box.capture"])
    assert len(box.disks) == 1
    assert "was cut off" in warnings(box)


def test_that_a_capture_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    write(tmp_path, box__capture=capture().replace("capture 1", "capture 9"))
    assert "newer Poolwright" in refusal(tmp_path / "box.capture")


def test_that_a_failing_tool_in_a_capture_speaks_in_its_own_words(tmp_path: Path) -> None:
    failing = "### file: zpool-status\nThe ZFS modules are not loaded.\nTry running modprobe.\n### status: 1\n### end\n"
    write(tmp_path, box__capture=capture().replace("### end\n", failing))
    assert "The ZFS modules are not loaded" in warnings(open_captures([tmp_path / "box.capture"]))


CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_that_disks_of_many_machines_in_one_folder_are_not_mixed() -> None:
    box = open_captures([CORPUS / "smartctl_json"])
    together = {(d.model, d.size_bytes) for d in box.disks}
    alone = set()
    for file in sorted((CORPUS / "smartctl_json").iterdir()):
        disks = open_captures([file]).disks
        alone |= {(d.model, d.size_bytes) for d in disks if d.model and d.model != "REDACTED" and d.size_bytes}
    assert len(alone) > 60
    assert alone <= together


def test_that_an_inventory_of_several_files_names_the_first_and_how_many_more(tmp_path: Path) -> None:
    files = [tmp_path / "sda.json", tmp_path / "sdb.json", tmp_path / "sdc.json"]
    for file in files:
        file.write_text(smartctl(f"/dev/{file.stem}"))
    assert open_captures(files[:1]).origin.source == f"capture {files[0]}"
    assert open_captures(files).origin.source == f"capture {files[0]} and 2 more"
    assert open_captures(files).name == "sda.json"
