"""The terms of the field, explained in a sentence or two; the words are those of the manual pages."""

from typing import NamedTuple

from poolwright.texts import N_, _


class Term(NamedTuple):
    """A term of the field, what it means, and the manual page that says more (empty where none does)."""

    name: str
    meaning: str
    manual: str


_CONCEPTS, _PROPERTIES = "zpoolconcepts(7)", "zfsprops(7)"
_TERMS = (
    ("vdev", N_("Disks with redundancy of their own. A pool spreads its data over its vdevs."), _CONCEPTS),
    ("pool", N_("All vdevs together. When one data vdev is lost, the whole pool is lost."), _CONCEPTS),
    ("mirror", N_("Each disk of the vdev holds all of its data. It survives while one is left."), _CONCEPTS),
    (N_("raidz1, raidz2, raidz3"), N_("1, 2 or 3 disks of parity a vdev. It survives that many failures."), _CONCEPTS),
    ("dRAID", N_("raidz with spare space spread over all disks, so that many take part in a rebuild."), _CONCEPTS),
    ("stripe", N_("Disks without redundancy. The first failure loses the pool."), _CONCEPTS),
    ("spare", N_("A disk that waits in the pool and takes over by itself when another one fails."), _CONCEPTS),
    ("log (SLOG)", N_("A fast device for synchronous writes until they are in the pool."), _CONCEPTS),
    ("cache (L2ARC)", N_("A second level of the read cache behind RAM. It may fail without loss."), _CONCEPTS),
    ("special", N_("A vdev for metadata and small blocks. The pool is lost without it."), _CONCEPTS),
    ("resilver", N_("The rebuild of a disk’s content from the others after it was replaced."), "zpool-resilver(8)"),
    ("scrub", N_("Reading everything once to find and repair what the disks got wrong."), "zpool-scrub(8)"),
    (N_("failures survived"), N_("This many disks may fail at once, whichever they are. The weakest vdev counts."), ""),
    (N_("TiB and TB"), N_("1 TiB is 1024⁴ bytes, 10 % more than 1 TB of 1000⁴, in which drives are sold."), ""),
    (N_("raw and usable"), N_("Raw: the disks. Usable: zfs list on the new, empty pool."), "zfs-list(8)"),
    (N_("plan for 80 %"), N_("A fuller pool becomes slow: its free space lies in small pieces."), ""),
    (N_("slop space"), N_("What ZFS keeps back to delete with: 1/32 of the pool, at most 128 GiB."), ""),
    ("metaslab", N_("The pieces in which a vdev hands out its space. What does not fill one is not used."), ""),
    ("padding", N_("raidz rounds blocks up to multiples of parity + 1 sectors. Small blocks lose most."), ""),
    (N_("deduplication"), N_("Equal blocks are stored once. Their table must fit in RAM."), "zfsconcepts(7)"),
    ("ashift", N_("A vdev’s smallest block as a power of two: 12 is 4096 bytes. For good."), "zpoolprops(7)"),
    ("512e, 512n, 4Kn", N_("Logical and physical sectors: 512 and 4096, 512 and 512, 4096 and 4096 bytes."), ""),
    (N_("by-id name"), N_("A name with model and serial, which stays when disks are plugged elsewhere."), ""),
    (N_("SMART verdict"), N_("What the drive says of itself. Believe a failing one; a good one is no promise."), ""),
    ("SMR", N_("Shingled disks rewrite whole zones: they stall under a resilver."), ""),
    ("ARC", N_("The read cache in RAM. What fits in it is not read from the disks again."), ""),
    ("recordsize", N_("The largest block of a file: large for large files, a database’s page size."), _PROPERTIES),
    ("volblocksize", N_("The block of a volume (zvol). It cannot be changed later."), _PROPERTIES),
    ("compression", N_("lz4 costs next to nothing and gives up early on what does not shrink."), _PROPERTIES),
    ("atime", N_("Whether each read writes down when it happened. Off saves those writes."), _PROPERTIES),
    ("sync", N_("Whether writes that ask for it wait until safe. Off loses seconds in a crash."), _PROPERTIES),
    ("checksum", N_("What finds silent errors. Never turn it off."), _PROPERTIES),
    ("AFR", N_("Annualised failure rate: failures of a hundred disks of a model in a year."), ""),
    (N_("band"), N_("Low and high end of a prediction, wider far from what was measured."), ""),
    (N_("calibration"), N_("Pools measured on your host: they adapt the predicted speeds and narrow the band."), ""),
    (N_("correlation"), N_("How much more often a vdev’s other disks fail while one is down; 1: no more."), ""),
    (N_("loss a year"), N_("How likely a vdev loses more disks at a time than it survives, per year."), ""),
    (N_("left-out error"), N_("How far a model misses a row it was not fitted to. Bands are made from this."), ""),
)


def terms() -> tuple[Term, ...]:
    made = (Term(_(name), _(meaning), manual) for name, meaning, manual in _TERMS)
    return tuple(sorted(made, key=lambda term: term.name.casefold()))
