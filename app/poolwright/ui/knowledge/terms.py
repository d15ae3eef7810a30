"""The terms of the field, explained in a sentence or two; the words are those of the manual pages."""

from dataclasses import dataclass

from poolwright.texts import marked, tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term, what it means, and the manual page that says more (empty where none does)."""

    name: str
    meaning: str
    manual: str = ""


_CONCEPTS, _PROPERTIES = "zpoolconcepts(7)", "zfsprops(7)"
# Term, meaning, manual page.
_TERMS = (
    ("vdev", marked("Disks with redundancy of their own. A pool spreads its data over its vdevs."), _CONCEPTS),
    ("pool", marked("All vdevs together. When one data vdev is lost, the whole pool is lost."), _CONCEPTS),
    ("mirror", marked("Each disk of the vdev holds all of its data. It survives while one is left."), _CONCEPTS),
    (
        marked("raidz1, raidz2, raidz3"),
        marked("1, 2 or 3 disks of parity a vdev. It survives that many failures."),
        _CONCEPTS,
    ),
    ("dRAID", marked("raidz with spare space spread over all disks, so that many take part in a rebuild."), _CONCEPTS),
    ("stripe", marked("Disks without redundancy. The first failure loses the pool."), _CONCEPTS),
    ("spare", marked("A disk that waits in the pool and takes over by itself when another one fails."), _CONCEPTS),
    ("log (SLOG)", marked("A fast device for synchronous writes until they are in the pool."), _CONCEPTS),
    ("cache (L2ARC)", marked("A second level of the read cache behind RAM. It may fail without loss."), _CONCEPTS),
    ("special", marked("A vdev for metadata and small blocks. The pool is lost without it."), _CONCEPTS),
    ("resilver", marked("The rebuild of a disk’s content from the others after it was replaced."), "zpool-resilver(8)"),
    ("scrub", marked("Reading everything once to find and mend what the disks got wrong."), "zpool-scrub(8)"),
    (
        marked("failures survived"),
        marked("This many disks may fail at once, whichever they are. The weakest vdev counts."),
        "",
    ),
    (marked("TiB and TB"), marked("1 TiB is 1024⁴ bytes, 10 % more than 1 TB of 1000⁴, in which drives are sold."), ""),
    (marked("raw and usable"), marked("Raw: the disks. Usable: zfs list on the new, empty pool."), "zfs-list(8)"),
    (marked("plan for 80 %"), marked("A fuller pool becomes slow: its free space lies in small pieces."), ""),
    (marked("slop space"), marked("What ZFS keeps back to delete with: 1/32 of the pool, at most 128 GiB."), ""),
    ("metaslab", marked("The pieces in which a vdev hands out its space. What does not fill one is not used."), ""),
    ("padding", marked("raidz rounds blocks up to multiples of parity + 1 sectors. Small blocks lose most."), ""),
    (marked("deduplication"), marked("Equal blocks are stored once. Their table must fit in RAM."), "zfsconcepts(7)"),
    ("ashift", marked("A vdev’s smallest block as a power of two: 12 is 4096 bytes. For good."), "zpoolprops(7)"),
    ("512e, 512n, 4Kn", marked("How a disk is addressed and writes: 512 over 4096 bytes, both 512, both 4096."), ""),
    (marked("by-id name"), marked("A name with model and serial, which stays when disks are plugged elsewhere."), ""),
    (
        marked("SMART verdict"),
        marked("What the drive says of itself. Believe a failing one; a good one is no promise."),
        "",
    ),
    ("SMR", marked("Shingled disks rewrite whole zones: they stall under a resilver."), ""),
    ("ARC", marked("The read cache in RAM. What fits in it is not read from the disks again."), ""),
    ("recordsize", marked("The largest block of a file: large for large files, a database’s page size."), _PROPERTIES),
    ("volblocksize", marked("The block of a volume (zvol). It cannot be changed later."), _PROPERTIES),
    ("compression", marked("lz4 costs next to nothing and gives up early on what does not shrink."), _PROPERTIES),
    ("atime", marked("Whether each read writes down when it happened. Off saves those writes."), _PROPERTIES),
    ("sync", marked("Whether writes that ask for it wait until safe. Off loses seconds in a crash."), _PROPERTIES),
    ("checksum", marked("What finds silent errors. Never turn it off."), _PROPERTIES),
    ("AFR", marked("Annualised failure rate: failures of a hundred disks of a model in a year."), ""),
    (marked("band"), marked("Low and high end of a prediction, wider far from what was measured."), ""),
    (
        marked("calibration"),
        marked("Pools measured on your host: they adapt the predicted speeds and narrow the band."),
        "",
    ),
    (marked("correlation"), marked("How much more often a vdev’s other disks fail while one is down; 1: no more."), ""),
    (
        marked("loss a year"),
        marked("How likely a vdev loses more disks at a time than it survives, within a year."),
        "",
    ),
    (
        marked("left-out error"),
        marked("How far a model misses a row it was not fitted to. Bands are made from this."),
        "",
    ),
)


def terms() -> tuple[Term, ...]:
    made = (Term(name=tell(name), meaning=tell(meaning), manual=manual) for name, meaning, manual in _TERMS)
    return tuple(sorted(made, key=lambda term: term.name.casefold()))


def matching(text: str) -> tuple[Term, ...]:
    """Return the terms that hold every word of ``text``."""
    words = text.casefold().split()
    return tuple(t for t in terms() if all(word in f"{t.name} {t.meaning}".casefold() for word in words))
