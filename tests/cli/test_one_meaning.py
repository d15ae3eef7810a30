"""A size means the same in every command: a disk is the one that is sold so, an amount of data is exact."""

from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused, written

from poolwright.cli.main import run
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.units import parse_drive_size
from poolwright.domain.vdev import VdevKind, parse_spec
from poolwright.machine.catalogue import read_catalogue
from poolwright.store.design_file import to_json

DRIVES = {
    "6TB": 6_001_175_126_016,
    "6 tb": 6_001_175_126_016,
    "960GB": 960_197_124_096,
    "3.84 TB": 3_840_755_982_336,
    "16TB": 16_000_900_661_248,
    "5.5TiB": 6_047_313_952_768,
    "16T": 16 << 40,
    "6001175126016": 6_001_175_126_016,
    "6000000000000": 6_000_000_000_000,
    "32GB": 32_000_000_000,
}
BARE = ("6", "960")


@pytest.mark.parametrize(("text", "size"), DRIVES.items())
def test_that_a_disk_has_the_same_bytes_wherever_it_is_typed(text: str, size: int) -> None:
    spec = f"raidz2:6x{text}"
    asked = {command: answer_of(command, "--vdev", spec)["vdev"] for command in ("capacity", "predict", "risk")}
    assert set(map(str, asked.values())) == {f"['raidz2:6x{size}']"}
    assert {disk["size_bytes"] for disk in answer_of("inventory", "--disks", f"6 x {text}")["disks"]} == {size}
    assert answer_of("predict", "--vdev", spec, "--disks", f"6 x {text}")["vdev"] == [f"raidz2:6x{size}"]
    product = read_catalogue(f"model,media,size_bytes\nA,hdd,{text}\n").products[0]
    assert product.size_bytes == size


@pytest.mark.parametrize("text", BARE)
def test_that_a_bare_number_is_no_disk_anywhere(capsys: pytest.CaptureFixture[str], text: str) -> None:
    for command in (
        ("capacity", "--vdev", f"mirror:2x{text}"),
        ("predict", "--vdev", f"mirror:2x{text}"),
        ("risk", "--vdev", f"mirror:2x{text}"),
        ("inventory", "--disks", f"2 x {text}"),
        ("recommend", "--disks", f"2x{text}", "--goal", "safety"),
        ("capacity", "--vdev", "mirror:2x6TB", "--then", f"replace:{text}"),
    ):
        assert run(list(command)) == 2, command
        told = capsys.readouterr().err
        assert f"{text} GB" in told, told
        assert f"{text} GiB" in told or f"{text} TiB" in told, told


@pytest.mark.parametrize(
    ("options", "offer"),
    [
        (("--capacity", "100"), "100 TB, 100 TiB or 100 GB"),
        (("--ram", "64"), "64 GiB"),
        (("--network", "1000"), "1000 Mbit/s"),
        (("--network", "10"), "10 Gbit/s"),
        (("--read", "800"), "800 MB/s"),
        (("--io-size", "128"), "128K"),
        (("--working-set", "500"), "500 GB"),
    ],
)
def test_that_a_bare_number_is_refused_with_what_is_likely_meant(options: tuple[str, ...], offer: str) -> None:
    assert offer in refused("recommend", "--disks", "8 x 6TB", "--goal", "safety", *options)


def test_that_files_have_the_size_that_is_written() -> None:
    found = answer_of("capacity", "--vdev", "raidz2:6x6TB", "--members", "file")
    assert found["vdev"] == ["raidz2:6x6000000000000"]
    assert answer_of("capacity", "--vdev", "raidz2:6x6000000000000", "--members", "file") == found


def test_that_the_examples_of_the_help_can_be_done(tmp_path: Path) -> None:
    six = parse_drive_size("6TB")
    disks = tuple(Disk(key=f"d{n}", by_id=(f"ata-X_{n}",), size_bytes=six) for n in range(8))
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=d.key) for d in disks))
    design = Design(key="k", name="Office", pool_name="tank", disks=disks, vdevs=(vdev,))
    path = written(tmp_path / "design.json", to_json(design))
    steps = ("--then", "attach:6TB@1 at 80%", "--then", "add:raidz2:8x6TB on 2048-03")
    found = answer_of("growth", str(path), "--used", "12TiB", "--growth", "20", *steps)
    assert found["problem"] is None
    assert found["stages"][-1]["layout"] == [f"raidz2:9x{six}", f"raidz2:8x{six}"]
    assert parse_spec("raidz2:8x6TB").sizes == (six,) * 8


@pytest.mark.slow
def test_that_what_was_understood_is_told() -> None:
    asked = ("recommend", "--disks", "8 x 6TB", "--goal", "safety", "--network", "10G", "--capacity", "10 TB")
    found = answer_of(*asked)["understood"]
    assert (found["network_bytes_per_second"], found["least_usable_bytes"]) == (1_250_000_000, 10**13)
    assert "6,001,175,126,016 bytes" in found["disks"][0]
    assert "understood: --network 10G: 10 Gbit/s = 1.25 GB/s" in printed(*asked)
    assert "members of 6 TB (6,001,175,126,016 bytes)" in printed("capacity", "--vdev", "raidz2:8x6TB")
