"""Every word and family of disks, by what makers say of it; every kind of text, by what it shows."""

import pytest
from tests.cases import cases, table

from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.machine.drive_words import said_by_code
from poolwright.machine.recognition import (
    device_in_name,
    documents_of,
    is_capture,
    is_complete,
    kind_of,
    sections_of,
    unquoted,
)
from poolwright.machine.smartctl.read import looks_like_smartctl
from poolwright.machine.zdb import read_block_count
from poolwright.machine.zpool.status import kind_of as vdev_kind
from poolwright.machine.zpool.status import read_zpool_status

HDD, SSD, NVME = Media.HDD, Media.SSD, Media.NVME


@pytest.mark.parametrize(
    ("code", "media", "transport", "smr"),
    [
        ("st16000nm001g", HDD, None, False), ("WD40EFRX", HDD, None, False), ("WUH721816ALE6L4", HDD, None, False),
        ("MG08ACA16TE", HDD, None, False), ("HDWD130", HDD, None, None), ("DT01ACA300", HDD, None, None),
        ("WD40EFAX", HDD, None, True), ("MZ7LH960HAJR", SSD, "sata", None), ("SSDSC2KB960G8", SSD, "sata", None),
        ("MZQL2960HCJR", NVME, "nvme", None), ("SSDPE2KX010T8", NVME, "nvme", None),
    ],
)  # fmt: skip
def test_that_a_makers_number_says_what_it_is(code: str, media: Media, transport: str | None, smr: bool | None) -> None:
    said = said_by_code(code)
    assert said is not None
    assert (said.media, said.transport, said.smr) == (media, transport, smr)
    flash = said_by_code("MTFDDAK960TDS")
    assert flash is not None
    assert (flash.flash, said_by_code("HELLO")) == (True, None)


@pytest.mark.parametrize(("text", "name", "kind"), cases(__file__, "texts"))
def test_that_a_text_tells_which_tool_printed_it(text: str, name: str, kind: str | None) -> None:
    assert kind_of(text, name) == kind


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("host1_sda.json", "/dev/sda"), ("dir/sdb/nvme0n1.txt", "/dev/nvme0n1"), ("smart-nvme0", "/dev/nvme0"),
        ("vda.txt", "/dev/vda"), ("a_sda_sdb.txt", "/dev/sdb"), ("sdabcd.txt", None), ("notes.txt", None),
        ("wwn-0x5000c500.json", "/dev/disk/by-id/wwn-0x5000c500"), ("dir\\ata-X_1.log", "/dev/disk/by-id/ata-X_1"),
    ],
)  # fmt: skip
def test_that_a_file_name_names_its_device(name: str, device: str | None) -> None:
    assert device_in_name(name) == device


def test_that_quoted_mail_and_indented_pages_are_read_as_they_were_printed() -> None:
    assert unquoted("> > a\n> >  b\n\n") == "a\n b\n\n"
    assert unquoted("  a\n   b\n") == "a\n b\n"
    assert unquoted("a\n> b\n") == "a\n> b\n"
    assert unquoted("> a\nb\n") == "> a\nb\n"


def test_that_outputs_one_after_another_are_cut_apart() -> None:
    two = "# smartctl -a /dev/sda\nsmartctl 7.3\nA\n# smartctl -a /dev/sdb\nsmartctl 7.3\nB\n"
    assert documents_of(two) == (
        "# smartctl -a /dev/sda\nsmartctl 7.3\nA\n",
        "# smartctl -a /dev/sdb\nsmartctl 7.3\nB\n",
    )
    assert documents_of("smartctl 7.3\nA\n\nsmartctl 7.3\nB\n") == ("smartctl 7.3\nA\n\n", "smartctl 7.3\nB\n")
    assert documents_of("smartctl 7.3\nA\n") == ("smartctl 7.3\nA\n",)
    drives = '[{"model_name": "X", "rotation_rate": 0}, {"model_name": "Y", "rotation_rate": 1}]'
    assert len(documents_of(drives)) == 2
    assert len(documents_of('[{"model_name": "X", "rotation_rate": 0}, {"other": 1}]')) == 1


def test_that_a_capture_is_cut_into_its_sections() -> None:
    text = "### poolwright-capture 1\n### file: lsblk\na\nb\n### status: 0\n"
    text += "### file: zpool-status\n### status: 127\n### end\n"
    assert [(s.name, s.text, s.status) for s in sections_of(text, "x")] == [
        ("lsblk", "a\nb\n", 0),
        ("zpool-status", "\n", 127),
    ]
    assert [(s.name, s.status) for s in sections_of(text[: text.index("### status: 0")], "x")] == [("lsblk", None)]
    assert (is_capture(text), is_capture("\ufeff" + text), is_capture("x" + text)) == (True, True, False)
    assert (is_complete(text), is_complete(text.replace("### end", ""))) == (True, False)
    odd = text.replace("status: 0", "status: 12345")
    assert sections_of(odd, "x")[0].status is None
    with pytest.raises(UserError, match="reads up to 1") as refused:
        sections_of(text.replace("capture 1", "capture 2"), "here")
    assert refused.value.where == "here"


@pytest.mark.parametrize(
    ("name", "children", "kind"),
    [
        ("raidz2-0", True, "raidz2"), ("raidz-1", True, "raidz1"), ("mirror-3", True, "mirror"),
        ("spare-0", True, "spare"),
        ("draid1:4d:8c:1s-0", True, "draid1:4d:8c:1s"), ("draid1-0-0", False, "dspare"), ("sda", False, "disk"),
        ("/dev/sda", False, "disk"), ("/files/a.img", False, "file"), ("replacing-1", True, "replacing"),
        ("odd", True, "odd"),
    ],
)  # fmt: skip
def test_that_a_line_of_a_pool_is_a_vdev_or_a_device(name: str, children: bool, kind: str) -> None:
    assert vdev_kind(name, has_children=children) == kind


ZDB: str = table(__file__, "zdb")


def test_that_zdbs_table_is_added_up_by_type_and_level() -> None:
    count = read_block_count(ZDB)
    # All types but data, and the indirect blocks of data.
    assert (count.metadata_blocks, count.metadata_physical_bytes, count.metadata_bytes) == (5, 72 << 10, 152 << 10)
    # Level 0 of files, and the volumes, whose levels are not told apart.
    assert count.data_logical_bytes == (4 << 20) + (512 << 10)
    assert [(c.size_bytes, c.count, c.physical_bytes) for c in count.classes] == [(128 << 10, 20, 5 << 19)]
    told = ZDB.replace("object directory", "Metadata Total")
    assert read_block_count(told).metadata_blocks == 2
    for text in (
        ZDB.partition("Block Size")[0],
        ZDB.partition("Block Size")[2],
        "Block Size Histogram\n  128K: 1 1 1\n",
    ):
        with pytest.raises(UserError) as refused:
            read_block_count(text)
        assert refused.value.todo == "Save what zdb -Lbbbs POOL prints."


@pytest.mark.parametrize(
    ("letter", "shift"), [("", 0), ("K", 10), ("M", 20), ("G", 30), ("T", 40), ("P", 50), ("E", 60)]
)
def test_that_each_letter_of_zdb_counts_in_1024s(letter: str, shift: int) -> None:
    row = f"2  1{letter}  1{letter}  1{letter}  1K  1.00  0.10  object directory\n"
    count = read_block_count(f"{row}Block Size Histogram\n 1{letter}: 3 1{letter} 1{letter}\n")
    assert (count.metadata_bytes, count.metadata_physical_bytes, count.classes[0].size_bytes) == (1 << shift,) * 3


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ('{"smartctl": {}, "json_format_version": [1, 0]}', True), ('{"smartctl": {"exit_status": 0}}', True),
        ('{"smartctl": {}}', False), ('{"json_format_version": [1, 0]}', False), ("smartctl 7.3 2022", True),
        ("=== START OF SMART DATA SECTION ===", True), ("x" * 4000 + "smartctl 7.3", False), ("hello", False),
    ],
)  # fmt: skip
def test_that_smartctls_output_is_known_by_its_signs(text: str, looks: bool) -> None:
    assert looks_like_smartctl(text) is looks


@pytest.mark.parametrize(
    ("row", "state", "counts", "note"),
    [
        ("sda ONLINE 1 2 3", "ONLINE", (1, 2, 3), None),
        ("sda ONLINE 0 0 0 was /dev/sdb1", "ONLINE", (0, 0, 0), "was /dev/sdb1"),
        ("sda UNAVAIL cannot open", "UNAVAIL", (None, None, None), "cannot open"),
        ("sda ONLINE - - -", "ONLINE", (None, None, None), None),
        ("sda AVAIL", "AVAIL", (None, None, None), None), ("sda ONLINE 1K 0 2", "ONLINE", (1024, 0, 2), None),
    ],
)  # fmt: skip
def test_that_a_row_of_a_pool_has_its_counts_and_its_note(
    row: str, state: str, counts: tuple[int | None, ...], note: str | None
) -> None:
    text = f"  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  {row}\n"
    (node,) = read_zpool_status(text)[0].vdevs
    assert (node.name, node.state, node.note) == ("sda", state, note)
    assert (node.read_errors, node.write_errors, node.checksum_errors) == counts
