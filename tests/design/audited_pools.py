"""What `audit` is to find on pools made wrong on purpose and on good ones, as `tests/zfs_vm/test_audit.py` makes them.

What the collector printed of that machine is the recording ``existing/audited.capture``; that test writes it anew where
POOLWRIGHT_RECORDINGS names a folder.
"""

from tests.cases import table

OF_MACHINE = {"expected.little-ram", "members.one-delivery"}
FAULTS = {pool: set(rules) for pool, rules in table(__file__, "faults").items()}


def without_machine(found: set[str]) -> set[str]:
    """Return the rules that say something of the pool; what the emulated machine lacks is left out."""
    return found - OF_MACHINE
