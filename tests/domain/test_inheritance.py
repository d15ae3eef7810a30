"""Which value is in force on a dataset: held against `zfs get` of a real machine, and against any tree."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.dataset_properties import dataset_properties, meaning
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.inheritance import Effective, SettingSource, all_datasets, ancestors, effective_settings
from poolwright.domain.version import ZfsVersion

V232 = ZfsVersion(2, 3, 2)
MIB = 1 << 20
PRINTED = [
    line.split("\t")
    for line in Path(__file__).with_name("zfs-get-of-our-machine.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def dataset(name: str, volume_bytes: int | None = None, **values: str) -> Dataset:
    settings = tuple(Setting(name=key, value=value) for key, value in values.items())
    return Dataset(name=name, volume_bytes=volume_bytes, settings=settings)


def design(*datasets: Dataset, version: ZfsVersion = V232) -> Design:
    return Design(key="d", name="d", pool_name="rz", datasets=datasets, version=version)


# What was typed on that machine.
MACHINE = design(
    dataset("", compression="off", atime="off"),
    Dataset(
        name="in",
        settings=tuple(
            Setting(name=name, value=value)
            for name, value in (
                ("recordsize", "64K"), ("compression", "zstd"), ("quota", "100G"), ("reservation", "1M"),
                ("canmount", "noauto"), ("atime", "off"), ("refquota", "90G"), ("special_small_blocks", "16K"),
                ("snapdir", "visible"), ("filesystem_limit", "100"), ("casesensitivity", "mixed"), ("utf8only", "on"),
                ("normalization", "formD"), ("com.example:owner", "alice"),
            )
        ),
    ),
    dataset("in/child"),
    dataset("in/child/grand", recordsize="1M", compression="off"),
    dataset("in/vol", 64 * MIB, refreservation="none"),
    dataset("in/child/vol2", 64 * MIB, volblocksize="64K", compression="lz4", refreservation="none"),
    dataset("enc", encryption="on", keyformat="passphrase", keylocation="file:///dev/shm/pw"),
    dataset("enc/below"),
    dataset("mp", mountpoint="/srv/x"),
    dataset("mp/a"),
    dataset("mp/b", mountpoint="none"),
    dataset("mp/b/c"),
)  # fmt: skip


def in_force(of: Design, name: str) -> dict[str, Effective]:
    found = next(d for d in all_datasets(of) if d.name == name)
    return {item.name: item for item in effective_settings(of, found)}


@pytest.mark.parametrize(("full", "name", "value", "source"), PRINTED, ids=[f"{r[0]} {r[1]}" for r in PRINTED])
def test_that_value_and_source_are_what_zfs_get_prints(full: str, name: str, value: str, source: str) -> None:
    found = in_force(MACHINE, full.removeprefix("rz/"))[name]
    if name == "pbkdf2iters" and value == "350000":
        return  # what `zfs create` fills in for a passphrase
    assert meaning(name, found.value, V232) == meaning(name, value, V232)
    if source == "-":  # what is given once when a dataset is made has no source
        assert found.fixed
    elif source.startswith("inherited from"):
        assert (found.source, f"rz/{found.inherited_from}") == (
            SettingSource.INHERITED,
            source.removeprefix("inherited from "),
        )
    elif not (name == "refreservation" and found.value == "none"):  # a sparse volume was made with -s
        assert found.source.value == source


def test_that_every_property_that_the_machine_has_is_known_and_no_other() -> None:
    for full, volume in (("rz/in/child", False), ("rz/in/vol", True)):
        printed = {row[1] for row in PRINTED if row[0] == full and ":" not in row[1]}
        known = {name for name, item in dataset_properties(V232).items() if item.applies(volume=volume)}
        assert printed == known


def test_that_a_changed_default_is_told_from_another_spelling_of_it() -> None:
    made = design(dataset("a", compression="lz4", recordsize="131072", checksum="sha256", acltype="noacl"))
    found = in_force(made, "a")
    assert not found["compression"].changed
    assert not found["recordsize"].changed
    assert found["checksum"].changed
    assert not found["acltype"].changed
    assert found["compression"].source is SettingSource.LOCAL


def test_that_the_reason_comes_along_with_an_inherited_value() -> None:
    setting = Setting(name="recordsize", value="1M", reason="large files", rule_id="r1")
    found = in_force(design(Dataset(name="a", settings=(setting,)), dataset("a/b/c")), "a/b/c")["recordsize"]
    assert (found.value, found.inherited_from, found.reason, found.rule_id) == ("1M", "a", "large files", "r1")


def test_that_parents_nobody_wrote_down_are_there_and_children_follow_them() -> None:
    names = [d.name for d in all_datasets(design(dataset("b/x/y"), dataset("a"), dataset("b")))]
    assert names == ["", "b", "b/x", "b/x/y", "a"]  # siblings as they were written
    for place, name in enumerate(names):
        assert all(names.index(above) < place for above in ancestors(name))


PART = st.sampled_from(["a", "b", "c"])
NAMES = st.lists(PART, min_size=0, max_size=4).map("/".join)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "recordsize": st.sampled_from(["16K", "128K", "1M"]),
        "compression": st.sampled_from(["on", "off", "lz4", "zstd"]),
        "quota": st.sampled_from(["1G", "none"]),
        "canmount": st.sampled_from(["on", "noauto"]),
        "com.example:x": st.sampled_from(["1", "2"]),
    },
)
TREES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=8)


@given(TREES)
def test_that_every_value_is_its_own_the_nearest_parents_or_the_default(tree: dict[str, dict[str, str]]) -> None:
    made = design(
        *(Dataset(name=n, settings=tuple(Setting(name=k, value=v) for k, v in s.items())) for n, s in tree.items())
    )
    for one in all_datasets(made):
        for item in effective_settings(made, one):
            known = dataset_properties(V232).get(item.name)
            inherits = known is None or known.inherits
            path = one.name
            expected: str | None = None
            # The definition once more, walking up by cutting the name.
            while True:
                if item.name in tree.get(path, {}) and (inherits or path == one.name):
                    expected = tree[path][item.name]
                    break
                if not path:
                    break
                path = path.rpartition("/")[0]
            if expected is None:
                assert item.source is SettingSource.DEFAULT
                assert item.value == item.default_value
                assert not item.changed
            else:
                assert item.value == expected
                assert item.source is (SettingSource.LOCAL if path == one.name else SettingSource.INHERITED)
                assert item.inherited_from == (None if path == one.name else path)
