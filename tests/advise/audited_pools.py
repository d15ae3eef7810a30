"""What `audit` is to find on pools made wrong on purpose and on good ones, as `tests/zfs_vm/test_audit.py` makes them.

What the collector printed of that machine is the recording ``existing/audited.capture``; that test writes it anew where
POOLWRIGHT_RECORDINGS names a folder.
"""

ONE_FAILURE = "redundancy.one-failure-for-safety"
NEVER = "existing.never-scrubbed"
OF_MACHINE = {"expected.little-ram", "members.one-delivery"}
FAULTS = {
    "good": {ONE_FAILURE},
    "fine": set[str](),
    "dra": {ONE_FAILURE},
    "mixed": {"existing.ashift-mixed", ONE_FAILURE},
    # What lies on files has ashift 9 here, the disk 12.
    "lone": {"redundancy.special-bare", "special.not-flash", "existing.ashift-mixed", ONE_FAILURE},
    "sd": {"existing.unstable-names", "datasets.sync-disabled", ONE_FAILURE},
    "err": {"existing.errors", "existing.scrub-repaired", ONE_FAILURE},
    "hurt": {"existing.not-online", "existing.spare-in-use", NEVER},
    "edge": {"existing.not-online", "existing.no-redundancy-left"},
    "full": {"existing.full", ONE_FAILURE},
    "marked": {"existing.checkpoint", ONE_FAILURE, NEVER},
    "rem": {"existing.removal-mapping", "redundancy.none-for-safety"},
    "exp": {"existing.expanded", ONE_FAILURE},
    "old": {"existing.legacy-version", ONE_FAILURE, NEVER},
    "plain": {"existing.features-disabled", ONE_FAILURE, NEVER},
    "odd": {
        "existing.failmode-panic", "existing.cachefile-none", "existing.quota-near", "existing.key-inside", ONE_FAILURE,
        NEVER,
    },
    "dup": {"existing.dedup-in-vain", ONE_FAILURE, NEVER},
    "uneven": {"existing.uneven-fill", ONE_FAILURE, NEVER},
    "twins": {ONE_FAILURE, NEVER},
    "twice": {ONE_FAILURE, NEVER},
    "strand": {"existing.stranded", ONE_FAILURE, NEVER},
}  # fmt: skip


def without_machine(found: set[str]) -> set[str]:
    """Return the rules that say something of the pool; what the emulated machine lacks is left out."""
    return found - OF_MACHINE
