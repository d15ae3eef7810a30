"""The example machines: complete, honest about what their documents do not say."""

import tomllib
from pathlib import Path

import pytest

from poolwright.domain.disk import Disk, Media, NoteLevel
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.domain.host import Inventory
from poolwright.machine.examples import EXAMPLES, example_file, load_example
from poolwright.paths import resources_folder


def example(name: str) -> Inventory:
    return load_example(name, (resources_folder() / "machines" / example_file(name)).read_text(encoding="utf-8"))


def kind(disk: Disk, field: str) -> OriginKind | None:
    origin = disk.origin_of(field)
    return origin.kind if origin else None


@pytest.mark.parametrize("name", EXAMPLES)
def test_that_each_example_has_free_disks_with_names_and_made_up_serials(name: str) -> None:
    machine = example(name)
    assert machine.name == name
    assert len({d.key for d in machine.disks}) == len(machine.disks) > 0
    for disk in machine.disks:
        assert disk.serial is not None
        assert disk.serial.startswith("EXAMPLE")
        assert disk.by_id_name is not None
        assert disk.by_id_name.endswith(f"_{disk.serial}")
        assert disk.refusals() == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_that_an_example_is_what_its_file_says(name: str) -> None:
    machine = example(name)
    file = tomllib.loads((resources_folder() / "machines" / example_file(name)).read_text(encoding="utf-8"))
    host = file["host"]
    for fact in ("name", "ram_bytes", "cores", "kernel", "os_name", "network_bytes_per_second"):
        assert getattr(machine.host, fact) == host.get(fact), fact
    told = [(c["name"], c.get("bytes_per_second")) for c in file.get("controllers", ())]
    assert [(c.name, c.bytes_per_second) for c in machine.host.controllers] == told
    facts = ("vendor", "model", "size_bytes", "logical_sector_bytes", "physical_sector_bytes", "media", "rotation_rpm")
    entries = [entry for entry in file["disks"] for _ in range(entry.get("count", 1))]
    assert len(entries) == len(machine.disks)
    for disk, entry in zip(machine.disks, entries, strict=True):
        for fact in (*facts, "smr", "transport", "controller"):
            assert getattr(disk, fact) == entry.get(fact), fact
        warned = [note.text for note in disk.notes if note.level is NoteLevel.WARN]
        assert warned == entry.get("warnings", [])


@pytest.mark.parametrize("name", EXAMPLES)
def test_that_every_fact_of_an_example_tells_where_it_comes_from(name: str) -> None:
    sizes = ["size_bytes", "logical_sector_bytes", "physical_sector_bytes"]
    fields = [*sizes, "model", "media", "rotation_rpm", "smr", "transport"]
    for disk in example(name).disks:
        known = {f for f in fields if getattr(disk, f) is not None}
        assert known == {f for f in known if disk.origin_of(f) is not None}


def test_that_the_thesis_machine_is_the_one_of_its_table() -> None:
    thesis = example("thesis")
    large = [d for d in thesis.disks if d.size_bytes == 6001175126016]
    assert len(large) == 44
    assert {(d.logical_sector_bytes, d.physical_sector_bytes, d.rotation_rpm, d.transport) for d in large} == {
        (512, 4096, 7200, "sas")
    }
    assert sorted(d.size_bytes or 0 for d in thesis.disks if d.media is Media.SSD) == [100030242816, 800166076416]
    assert (thesis.host.ram_bytes, thesis.host.cores) == (256 << 30, 8)
    assert [c.bytes_per_second for c in thesis.host.controllers] == [9_600_000_000]


def test_that_the_blogs_old_disks_have_the_sectors_they_have_and_not_those_they_report() -> None:
    disks = example("macblog").disks
    assert [(d.model, d.physical_sector_bytes) for d in disks] == [
        ("WDC WD30EZRS", 4096), ("WDC WD30EZRS", 4096), ("WDC WD20EADS", 512), ("WDC WD20EADS", 512),
        ("WDC WD20EARS", 4096),
    ]  # fmt: skip
    assert [n.level for n in disks[0].notes] == [NoteLevel.WARN]


def test_that_what_the_paper_does_not_say_is_unknown_or_assumed() -> None:
    disk = example("paper").disks[0]
    assert (disk.model, disk.physical_sector_bytes) == (None, None)
    assert kind(disk, "logical_sector_bytes") is OriginKind.ASSUMED
    assert kind(disk, "rotation_rpm") is OriginKind.READ
    assert kind(disk, "size_bytes") is OriginKind.COMPUTED


def test_that_the_wikibooks_disks_are_marked_as_assumed() -> None:
    disks = example("wikibook").disks
    assert len(disks) == 40
    assert {kind(d, "size_bytes") for d in disks} == {OriginKind.ASSUMED}


def test_that_the_tunables_machine_has_its_mirrors_and_its_cache() -> None:
    machine = example("tunables")
    assert [d.media for d in machine.disks] == [Media.HDD] * 4 + [Media.NVME] * 2
    assert machine.host.ram_bytes is None


def test_that_every_file_of_example_machines_is_listed() -> None:
    files = {p.stem for p in Path(resources_folder() / "machines").glob("*.toml")}
    assert files == set(EXAMPLES)


def test_that_an_unknown_example_is_refused_with_the_list() -> None:
    with pytest.raises(UserError, match="thesis, paper"):
        example_file("nothere")


def test_that_a_damaged_example_is_told_of() -> None:
    with pytest.raises(UserError, match="is damaged"):
        load_example("thesis", "title = ")


def test_that_title_and_notes_of_an_example_are_its_notes_and_what_it_leaves_out_is_none() -> None:
    noted = load_example("one", 'title = "A server"\ndocument = "a page"\nnotes = ["old", 3, "loud"]\n')
    assert [note.text for note in noted.notes] == ["A server", "old", "loud"]
    assert noted.origin is not None
    assert noted.origin.source == "example machine “one” (a page)"
    silent = load_example("two", "[host]\n")
    assert (silent.notes, silent.disks, silent.host.controllers) == ((), (), ())
    assert silent.origin is not None
    assert silent.origin.source == "example machine “two” (two)"


def test_that_disks_of_one_entry_are_numbered_and_share_their_notes_warnings_first() -> None:
    text = (
        '[[disks]]\ncount = 2\nserial = "EXAMPLEX"\nby_id = "ata-X"\nnotes = ["grey"]\nwarnings = ["slow"]\n[[disks]]\n'
    )
    first, second, third = load_example("one", text).disks
    assert [disk.serial for disk in (first, second, third)] == ["EXAMPLEX01", "EXAMPLEX02", "EXAMPLE01"]
    assert (first.by_id, third.by_id) == (("ata-X_EXAMPLEX01",), ())
    assert [(note.text, note.level) for note in second.notes] == [("slow", NoteLevel.WARN), ("grey", NoteLevel.NOTE)]
