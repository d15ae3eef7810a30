"""The properties of a pool as they are in force, and how they are changed."""

from dataclasses import replace

from tests.rules.machines import design, disks, mirror

from poolwright.domain.design import FurtherPool, Setting
from poolwright.domain.inheritance import SettingSource
from poolwright.domain.pool_settings import (
    autoexpands,
    effective_pool_settings,
    pool_properties,
    pool_value_problem,
    with_proposed,
    with_setting,
    without_setting,
)
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion

TYPED = Setting(name="comment", value="backup")
PROPOSED = Setting(name="autoexpand", value="on", reason="grows", rule_id="property.autoexpand")
TWO = disks(2)
POOL = replace(design(mirror(*TWO), of=TWO), pool_settings=(PROPOSED, TYPED))


def test_that_every_known_property_is_shown_with_its_default_and_what_is_set() -> None:
    rows = {row.name: row for row in effective_pool_settings(POOL)}
    assert {"autoexpand", "autoreplace", "failmode", "comment"} <= rows.keys()
    assert (rows["autoexpand"].value, rows["autoexpand"].default_value, rows["autoexpand"].changed) == (
        "on",
        "off",
        True,
    )
    assert rows["autoexpand"].reason == "grows"
    assert (rows["failmode"].value, rows["failmode"].source) == ("wait", SettingSource.DEFAULT)
    assert rows["comment"].source is SettingSource.LOCAL


def test_that_every_word_offered_is_one_that_openzfs_takes() -> None:
    for version in (ZfsVersion(2, 1, 0), DEFAULT_VERSION):
        for known in pool_properties(version):
            assert [w for w in known.words if pool_value_problem(known.name, w, version)] == []


def test_that_properties_a_version_lacks_are_not_shown() -> None:
    names = {known.name for known in pool_properties(ZfsVersion(2, 0, 7))}
    assert not {"compatibility", "dedup_table_quota"} & names


def test_that_a_property_is_set_once_whatever_its_other_name() -> None:
    settings = with_setting((Setting(name="listsnaps", value="on"),), Setting(name="listsnapshots", value="off"))
    assert [(s.name, s.value) for s in settings] == [("listsnapshots", "off")]
    assert without_setting(settings, "listsnapshots") == ()


def test_that_proposals_take_the_place_of_older_ones_and_leave_what_was_typed() -> None:
    newer = replace(PROPOSED, value="off")
    other = Setting(name="comment", value="proposed", rule_id="r")
    assert with_proposed(POOL.pool_settings, (newer, other)) == (newer, TYPED)


def test_that_of_three_pools_only_the_one_that_is_meant_is_changed() -> None:
    second, third = (FurtherPool(pool_name=name, vdevs=POOL.vdevs) for name in ("second", "third"))
    three = replace(POOL, further_pools=(second, third))
    for pool in (1, 2):
        changed = three.with_pool(pool, pool_settings=(TYPED,)).pools()
        others = [number for number in range(3) if number != pool]
        assert changed[pool].pool_settings == (TYPED,)
        assert [changed[n].pool_settings for n in others] == [three.pools()[n].pool_settings for n in others]


def test_that_a_design_says_whether_its_pool_grows_with_its_disks() -> None:
    assert autoexpands(POOL) is True
    assert autoexpands(replace(POOL, pool_settings=())) is None
    assert autoexpands(replace(POOL, pool_settings=(replace(PROPOSED, value="off"),))) is False
