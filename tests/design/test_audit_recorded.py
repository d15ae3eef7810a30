"""The machine of pools made wrong on purpose, as real OpenZFS printed it: each fault is found, and nothing else."""

import pytest
from tests.changes.existing_machines import audits, rules_of
from tests.design.audited_pools import FAULTS, without_machine


def test_that_every_pool_of_the_recording_is_audited() -> None:
    assert audits("audited").keys() == FAULTS.keys()


@pytest.mark.parametrize("pool", sorted(FAULTS))
def test_that_each_fault_is_found_in_the_recording_and_nothing_else(pool: str) -> None:
    assert without_machine(rules_of(audits("audited")[pool])) == FAULTS[pool]


def test_that_the_sizes_of_the_recording_are_explained_to_the_byte() -> None:
    rests: dict[str, list[int]] = {}
    for name, audit in audits("audited").items():
        assert audit.sizes is not None
        assert audit.sizes.size is not None
        assert audit.sizes.available is not None
        rests[name] = [audit.sizes.size.rest_bytes, audit.sizes.available.rest_bytes]
    assert rests == {pool: [0, 0] for pool in FAULTS}
