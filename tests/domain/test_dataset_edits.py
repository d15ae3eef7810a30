"""Edits of the datasets of a pool."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from poolwright.domain.dataset_edits import (
    add,
    change,
    find,
    in_whole_blocks,
    inherit,
    propose,
    remove,
    rename,
    set_property,
)
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.errors import UserError

TREE = (
    *(Dataset(name=""), Dataset(name="a"), Dataset(name="a/b"), Dataset(name="ab")),
    Dataset(name="v", volume_bytes=1 << 20),
)


def names(datasets: tuple[Dataset, ...]) -> list[str]:
    return [d.name for d in datasets]


def found(datasets: tuple[Dataset, ...], name: str) -> Dataset:
    one = find(datasets, name)
    assert one is not None
    return one


def test_that_a_renamed_dataset_takes_along_what_lies_below_it() -> None:
    assert names(rename(TREE, "a", "x/y")) == ["", "x/y", "x/y/b", "ab", "v"]


def test_that_a_removed_dataset_takes_along_what_lies_below_it_and_nothing_else() -> None:
    assert names(remove(TREE, "a")) == ["", "ab", "v"]


@pytest.mark.parametrize(
    ("new", "why"), [("ab", "already"), ("a/b/c", "below itself"), ("v/a", "is a volume"), ("", "needs a name")]
)
def test_that_a_name_that_cannot_be_is_refused(new: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        rename(TREE, "a", new)


def test_that_the_root_is_neither_renamed_nor_removed() -> None:
    with pytest.raises(UserError, match="pool's name"):
        rename(TREE, "", "x")
    with pytest.raises(UserError, match="cannot be removed"):
        remove(TREE, "")


def test_that_nothing_is_added_below_a_volume_or_in_the_place_of_another() -> None:
    with pytest.raises(UserError, match="is a volume"):
        add(TREE, Dataset(name="v/x"))
    with pytest.raises(UserError, match="already"):
        add(TREE, Dataset(name="a"))
    # a parent that nobody wrote down is there as well
    with pytest.raises(UserError, match="already"):
        add((Dataset(name="p/q"),), Dataset(name="p"))


def test_that_a_volume_can_not_come_above_a_dataset_by_renaming() -> None:
    with pytest.raises(UserError, match="already"):
        rename((Dataset(name="p/q"), Dataset(name="v", volume_bytes=1)), "v", "p")


def test_that_a_property_is_set_in_its_place_and_taken_back() -> None:
    first = set_property(TREE, "a", Setting(name="atime", value="off"))
    second = set_property(first, "a", Setting(name="copies", value="2"))
    third = set_property(second, "a", Setting(name="atime", value="on"))
    assert [(s.name, s.value) for s in found(third, "a").settings] == [("atime", "on"), ("copies", "2")]
    assert [s.name for s in found(inherit(third, "a", "atime"), "a").settings] == ["copies"]


def test_that_a_setting_on_a_parent_nobody_wrote_down_writes_it_down() -> None:
    made = set_property((Dataset(name="p/q"),), "p", Setting(name="atime", value="off"))
    assert names(made) == ["p/q", "p"]
    assert names(set_property((Dataset(name="p"),), "", Setting(name="atime", value="off"))) == ["", "p"]


def test_that_new_proposals_replace_old_ones_and_keep_what_was_typed() -> None:
    dataset = Dataset(
        name="a",
        settings=(
            Setting(name="recordsize", value="16K", rule_id="r1"),
            Setting(name="atime", value="on"),
            Setting(name="sync", value="always", rule_id="r2"),
        ),
    )
    proposed = (Setting(name="recordsize", value="1M", rule_id="r3"), Setting(name="atime", value="off", rule_id="r4"))
    assert [(s.name, s.value) for s in propose(dataset, proposed).settings] == [("recordsize", "1M"), ("atime", "on")]


def test_that_a_change_replaces_the_dataset_of_its_name() -> None:
    made = change(TREE, Dataset(name="a", logical_bytes=5))
    assert names(made) == names(TREE)
    assert find(made, "a") == Dataset(name="a", logical_bytes=5)


NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@given(st.sets(NAMES, min_size=1, max_size=8), st.data(), NAMES)
def test_that_renaming_forth_and_back_changes_nothing(tree: set[str], data: st.DataObject, new: str) -> None:
    datasets = tuple(Dataset(name=name) for name in sorted(tree))
    old = data.draw(st.sampled_from(sorted(tree)))
    try:
        moved = rename(datasets, old, new)
    except UserError:
        assume(False)
    assert len(set(names(moved))) == len(datasets)
    try:
        back = rename(moved, new, old)
    except UserError:
        # Only where the new place lies around the old one, such as a/b moved to a.
        assert old.startswith(f"{new}/")
        return
    assert names(back) == names(datasets)


def test_that_a_volume_has_whole_blocks_as_zfs_create_makes_it() -> None:
    made = found(add((), Dataset(name="v", volume_bytes=2 * 10**12)), "v")
    assert made.volume_bytes == 2_000_000_008_192
    wider = found(set_property((made,), "v", Setting(name="volblocksize", value="64K")), "v")
    assert wider.volume_bytes == 2_000_000_057_344
    assert in_whole_blocks(wider) == wider
    assert in_whole_blocks(Dataset(name="a")) == Dataset(name="a")
