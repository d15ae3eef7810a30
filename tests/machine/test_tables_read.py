"""Tables: a catalogue's cells one by one, rows of lsblk that lost their columns, remarks that are joined."""

from decimal import Decimal

import pytest
from tests.cases import cases

from poolwright.domain.catalogue import Product, planned_disks
from poolwright.domain.disk import Disk, Media, NoteLevel
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.money import money
from poolwright.domain.shown import cell_text as spreadsheet_cell
from poolwright.domain.shown import cell_value, csv_rows
from poolwright.domain.steps import at_once
from poolwright.domain.units import parse_record_size
from poolwright.machine.catalogue import COLUMNS, MOST_PRODUCTS, cell_text, parse_cell, product_key, read_catalogue
from poolwright.machine.json_values import positive
from poolwright.machine.lsblk.read import read_lsblk
from poolwright.machine.remarks import OddFact, about, joined
from poolwright.machine.zpool.status import read_zpool_status

ORIGIN = Origin(kind=OriginKind.READ, source="lsblk")


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("media", "NVMe", Media.NVME), ("size_bytes", "6TB", 6001175126016), ("logical_sector_bytes", "512", 512),
        ("physical_sector_bytes", "999999999", 999999999), ("rotation_rpm", " 7200 ", 7200), ("smr", "Yes", True),
        ("smr", "0", False), ("power_loss_protection", "true", True), ("sold", "no", False),
        ("afr_percent", "1,5", 1.5),
        ("watts", "0", 0.0), ("priced_on", "2026-11", "2026-11"), ("priced_on", "2026", "2026"),
        ("price", "5 EUR", money(5, "EUR")),
        ("currency", "eur", "EUR"), ("vendor", "", ""), ("source", "", ""), ("priced_on", "", ""), ("watts", "", None),
        ("model", "ST6000", "ST6000"), ("transport", "sas", "sas"),
    ],
)  # fmt: skip
def test_that_a_cell_of_the_catalogue_is_read(column: str, text: str, value: object) -> None:
    assert parse_cell(column, text) == value


@pytest.mark.parametrize(("column", "text", "words"), cases(__file__, "unread"))
def test_that_a_cell_that_cannot_be_read_says_why(column: str, text: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_cell(column, text)
    assert words in refused.value.text


PRODUCT = Product(
    key="k", vendor="V", model="M", media=Media.SSD, size_bytes=10**12, logical_sector_bytes=512,
    physical_sector_bytes=4096, rotation_rpm=0, smr=False, transport="sata", power_loss_protection=True,
    price=money(Decimal("99.90"), "EUR"), priced_on="2026-11-20", afr_percent=0.5, watts=3.0, source="shop", sold=True,
)  # fmt: skip


def test_that_a_planned_disk_has_all_that_the_catalogue_knows_with_its_origin() -> None:
    first, second = planned_disks(PRODUCT, 2, first=9)
    assert (first.key, second.key) == ("buy-k-09", "buy-k-10")
    sectors = ("logical_sector_bytes", "physical_sector_bytes")
    told = ("vendor", "model", "media", "size_bytes", *sectors, "rotation_rpm", "smr", "transport")
    for name in (*told, "power_loss_protection", "price", "afr_percent", "watts"):
        assert getattr(first, name) == getattr(PRODUCT, name), name
        if name not in ("vendor", "model"):
            assert str(first.origin_of(name)).startswith("catalogue: shop"), name
    assert first.planned
    assert first.origins[0][1].when == "2026-11-20"
    bare = Product(key="k", model="M", media=Media.HDD, size_bytes=1)
    (disk,) = planned_disks(bare, 1)
    assert (disk.key, disk.vendor, disk.origin_of("smr")) == ("buy-k-01", None, None)
    assert disk.origins[0][1].source == "catalogue: M"


def test_that_cells_are_written_as_they_are_read() -> None:
    for column in COLUMNS:
        value = money(Decimal("99.90"), "EUR").currency if column == "currency" else getattr(PRODUCT, column)
        if column != "price":
            assert parse_cell(column, cell_text(PRODUCT, column)) == value, column
    assert [cell_text(PRODUCT, column) for column in ("price", "sold", "smr")] == ["99.90", "yes", "no"]
    assert [product_key(model) for model in ("WD Red Plus!", "äöü", "")] == ["wd-red-plus", "disk", "disk"]


HEAD = "model,media,size_bytes"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model,media\nM,hdd\n", "missing, unknown or there twice: size_bytes"),
        (f"{HEAD},colour\nM,hdd,6TB,red\n", "there twice: colour"),
        (f"{HEAD},model\nM,hdd,6TB,M\n", "there twice: model"),
        (f"{HEAD}\nM,hdd\n", "Line 2 has another number of columns than the header"),
        (f"{HEAD}\n,hdd,6TB\n", "line 2, model: “model” is missing"),
        (f"{HEAD}\nM,tape,6TB\n", "line 2, media: “tape” must look like"),
        (f"{HEAD}\nM,hdd,6TB\nM,hdd,6TB\n", "line 3, key: “m” is taken already, in line 2"),
        (f"{HEAD},price\nM,hdd,6TB,x\n", "line 2, price: “x” is not understood"),
        (f"{HEAD},price,currency\nM,hdd,6TB,5 USD,EUR\n", "names another currency than EUR"),
        (HEAD + "\nM,hdd,6TB" * (MOST_PRODUCTS + 1), "“10001” is out of range"),
    ],
)
def test_that_what_is_wrong_in_a_catalogue_is_told_with_its_line(text: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        read_catalogue(text, where="file")
    assert words in refused.value.what
    assert refused.value.where == "file"


def test_that_a_catalogue_may_leave_out_and_mix_columns() -> None:
    text = "\ufeffSize_Bytes; MODEL ;media;price;currency\n\n6TB;M 1;HDD;289,90;EUR\n;;;;\n8TB;N;ssd;;EUR\n"
    first, second = read_catalogue(text).products
    assert (first.key, first.size_bytes, first.media) == ("m-1", 6001175126016, Media.HDD)
    assert first.price == money("289.90", "EUR")
    assert (second.key, second.price, second.sold) == ("n", None, None)


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1", "'=1"), ("-5", "-5"), ("-", "-"), ("@x", "'@x"), (" +x", "' +x"), ("a=b", "a=b"), ("1e5", "1e5"),
    ("'=1", "''=1")],
)  # fmt: skip
def test_that_no_cell_becomes_a_formula(text: str, cell: str) -> None:
    assert spreadsheet_cell(text) == cell
    assert cell_value(cell) == text


def test_that_rows_know_their_line() -> None:
    assert list(csv_rows('a,b\r\n"c\nd",e\n')) == [(1, ["a", "b"]), (3, ["c\nd", "e"])]
    with pytest.raises(UserError, match="not a CSV file") as refused:
        list(csv_rows("a\n" + "x" * 200_000))
    assert refused.value.where == "line 2"


@pytest.mark.parametrize(
    "text",
    [
        "NAME TYPE SIZE\nsda disk 5G\nsdb disk 7G\n",
        "NAME   TYPE  SIZE\nsda    disk    5G\nsdb    disk    7G\n",
        "The NAME and SIZE of disks:\nNAME TYPE SIZE\nsda disk 5G\nsdb disk 7G\n",
        "$ lsblk\nNAME TYPE SIZE\nsda disk 5G\nsdb disk 7G\nroot@box:~# \nsdc disk 9G\n",
        "NAME TYPE SIZE\nsda disk 5G\n\nNAME TYPE SIZE\nsdb disk 7G\n",
        "NAME TYPE SIZE\nsda disk 5G\nlsblk: x\nNAME TYPE SIZE\nsdb disk 7G\n",
        'NAME="sda" TYPE="disk" SIZE="5G"\nhello\nNAME="sdb" TYPE="disk" SIZE="7G"\n',
    ],
)
def test_that_a_table_is_found_however_it_was_pasted(text: str) -> None:
    assert [(disk.path, disk.size_bytes) for disk in at_once(read_lsblk(text, ORIGIN)).disks] == [
        ("/dev/sda", 5 << 30),
        ("/dev/sdb", 7 << 30),
    ]


def test_that_remarks_of_one_kind_become_one() -> None:
    def told(count: int, kind: str = "disks") -> list[str]:
        return [
            n.text
            for n in joined(about(f"/dev/sd{x}", f"no answer of /dev/sd{x}", kind=kind) for x in "abcdefgh"[:count])
        ]

    assert told(1) == ["no answer of /dev/sda"]
    assert told(2)[0].startswith("no answer of ")
    assert told(5, "files") == ["no answer of 5 files (sda, sdb, sdc, … sde)"]
    assert [n.text for n in joined([about("sda", "sda1 is odd")])] == ["sda: sda1 is odd"]
    assert about("x", "x!", level=NoteLevel.NOTE).level is NoteLevel.NOTE
    mixed = (
        OddFact(before="a", subject="x"),
        OddFact(before="a", subject="x"),
        OddFact(before="a", subject="y", level=NoteLevel.NOTE),
    )
    assert [(n.text, n.level) for n in joined(mixed)] == [("ax", NoteLevel.WARN), ("ay", NoteLevel.NOTE)]
    many = (OddFact(before="left out ", subject=name, kind="sections") for name in "abcde")
    assert [n.text for n in joined(many)] == ["left out 5 sections (a, b, c, … e)"]


def test_that_small_things_are_handed_on() -> None:
    assert [positive({"a": n}, "a") for n in (0, 1)] == [None, 1]
    assert [positive({"a": "0" * n + "7"}, "a") for n in (38, 39)] == [7, None]
    with pytest.raises(UserError, match="“x” is not understood"):
        parse_record_size("x")
    lost = '{"pools": {"tank": {"vdevs": {"sda": {"vdev_type": "disk", "was": "/dev/sdb1", "aux": "OPEN_FAILED"}}}}}'
    (pool,) = read_zpool_status(lost)
    assert pool.vdevs[0].note == "was /dev/sdb1, cannot open"
    assert Disk(key="k").origin_of("size_bytes") is None
