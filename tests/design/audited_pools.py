"""What `audit` is to find on pools made wrong on purpose and on good ones, as `tests/zfs_vm/test_audit.py` makes them.

What the collector printed of that machine is the recording ``existing/audited.capture``; that test writes it anew where
POOLWRIGHT_RECORDINGS names a folder.
"""

PAIR = "redundancy.one-failure-of-few"
PAIRS = "redundancy.pair-for-safety"
ONE_FAILURE = "redundancy.one-failure-for-safety"
NEVER = "existing.never-scrubbed"
OF_MACHINE = {"expected.little-ram", "members.one-delivery"}
FAULTS = {
    "good": {PAIR},
    "fine": set[str](),
    "dra": {ONE_FAILURE},
    "mixed": {"existing.ashift-mixed", PAIRS},
    # What lies on files has ashift 9 here, the disk 12.
    "lone": {"redundancy.special-bare", "special.not-flash", "existing.ashift-mixed", PAIR},
    "sd": {"existing.unstable-names", "datasets.sync-disabled", PAIR},
    "err": {"existing.errors", "existing.scrub-repaired", PAIR},
    "hurt": {"existing.not-online", "existing.spare-in-use", NEVER},
    "edge": {"existing.not-online", "existing.no-redundancy-left", PAIR},
    "full": {"existing.full", PAIR},
    "marked": {"existing.checkpoint", PAIR, NEVER},
    "rem": {"existing.removal-mapping", "redundancy.none-for-safety"},
    "exp": {"existing.expanded", ONE_FAILURE},
    "old": {"existing.legacy-version", PAIR, NEVER},
    "plain": {"existing.features-disabled", PAIR, NEVER},
    "odd": {
        "existing.failmode-panic", "existing.cachefile-none", "existing.quota-near", "existing.key-inside", PAIR,
        NEVER,
    },
    "dup": {"existing.dedup-in-vain", PAIR, NEVER},
    "uneven": {"existing.uneven-fill", PAIRS, NEVER},
    "twins": {PAIR, NEVER},
    "twice": {"datasets.dedup", PAIR, NEVER},
    "strand": {"existing.stranded", PAIR, NEVER},
}  # fmt: skip


def without_machine(found: set[str]) -> set[str]:
    """Return the rules that say something of the pool; what the emulated machine lacks is left out."""
    return found - OF_MACHINE
