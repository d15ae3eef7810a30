"""The terms of the field, explained in a sentence or two; the words are those of the manual pages."""

from dataclasses import dataclass

from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term, what it means, and the manual page that says more (empty where none does)."""

    name: str
    meaning: str
    manual: str = ""


def terms() -> tuple[Term, ...]:
    """Return every term that is explained, in the order of the alphabet."""
    made = (*_of_layouts(), *_of_space(), *_of_disks(), *_of_settings(), *_of_predictions())
    return tuple(sorted(made, key=lambda term: term.name.casefold()))


def matching(text: str) -> tuple[Term, ...]:
    """Return the terms that hold every word of ``text``."""
    words = text.casefold().split()
    return tuple(t for t in terms() if all(word in f"{t.name} {t.meaning}".casefold() for word in words))


def _term(name: str, meaning: str, manual: str = "") -> Term:
    return Term(name=name, meaning=meaning, manual=manual)


def _of_layouts() -> tuple[Term, ...]:
    concepts = "zpoolconcepts(7)"
    return (
        _term(
            "vdev",
            tell("A group of disks with redundancy of its own. A pool spreads its data over all of its vdevs."),
            concepts,
        ),
        _term("pool", tell("All vdevs together. When one data vdev is lost, the whole pool is lost."), concepts),
        _term(
            "mirror",
            tell("Each disk of the vdev holds all of its data. It survives as long as one disk is left."),
            concepts,
        ),
        _term(
            tell("raidz1, raidz2, raidz3"),
            tell("1, 2 or 3 disks’ worth of parity, spread over the vdev. It survives that many failures."),
            concepts,
        ),
        _term(
            "dRAID",
            tell("raidz with spare space spread over all disks, so that many of them take part in a rebuild."),
            concepts,
        ),
        _term("stripe", tell("Disks without redundancy. The first failure loses the pool."), concepts),
        _term(
            "spare", tell("A disk that waits in the pool and takes over by itself when another one fails."), concepts
        ),
        _term(
            "log (SLOG)",
            tell("A fast device that keeps synchronous writes until they are in the pool. Only such writes gain."),
            concepts,
        ),
        _term(
            "cache (L2ARC)", tell("A second level of the read cache behind RAM. It may fail without loss."), concepts
        ),
        _term(
            "special", tell("A vdev for metadata and, on request, small blocks. The pool is lost without it."), concepts
        ),
        _term(
            "resilver",
            tell("The rebuild of a disk’s content from the others after it was replaced."),
            "zpool-resilver(8)",
        ),
        _term("scrub", tell("Reading everything once to find and mend what the disks got wrong."), "zpool-scrub(8)"),
        _term(
            tell("failures survived"),
            tell("So many disks may fail at once, whichever they are, and nothing is lost. The weakest vdev counts."),
        ),
    )


def _of_space() -> tuple[Term, ...]:
    return (
        _term(
            tell("TiB and TB"),
            tell("1 TiB is 1024⁴ bytes, about 10 % more than 1 TB of 1000⁴ bytes, in which drives are sold."),
        ),
        _term(
            tell("raw and usable"),
            tell("Raw is the size of the disks. Usable is what zfs list shows on the new, empty pool."),
            "zfs-list(8)",
        ),
        _term(
            tell("plan for 80 %"), tell("A pool that is fuller becomes slow, because free space lies in small pieces.")
        ),
        _term(
            tell("slop space"),
            tell("What ZFS keeps back, 1/32 of the pool but at most 128 GiB, so that it can always delete."),
        ),
        _term("metaslab", tell("The pieces in which a vdev hands out its space. What does not fill one is not used.")),
        _term(
            "padding",
            tell("raidz rounds each block up to a multiple of its parity + 1 sectors. Small blocks lose most."),
        ),
        _term(
            "deduplication",
            tell("Equal blocks are stored once. The table of blocks has to fit in RAM."),
            "zfsconcepts(7)",
        ),
    )


def _of_disks() -> tuple[Term, ...]:
    return (
        _term(
            "ashift",
            tell("The smallest block of a vdev as a power of two: 12 is 4096 bytes. It can never be changed."),
            "zpoolprops(7)",
        ),
        _term(
            "512e, 512n, 4Kn",
            tell("How a disk is addressed and how it writes: 512 over 4096 bytes, both 512, or both 4096."),
        ),
        _term(
            tell("by-id name"),
            tell("A name that holds model and serial, so that it stays when disks are plugged elsewhere."),
        ),
        _term(
            tell("SMART verdict"),
            tell("What the drive says of itself. A good verdict is no promise, a failing one is to be believed."),
        ),
        _term(
            "SMR", tell("Shingled disks rewrite whole zones. They stall under a resilver and suit no redundant pool.")
        ),
        _term("ARC", tell("The read cache in RAM. What fits in it is not read from the disks again.")),
    )


def _of_settings() -> tuple[Term, ...]:
    properties = "zfsprops(7)"
    return (
        _term(
            "recordsize",
            tell("The largest block of a file. Large for large files, as large as its pages for a database."),
            properties,
        ),
        _term("volblocksize", tell("The block of a volume (zvol). It cannot be changed later."), properties),
        _term(
            "compression",
            tell("lz4 costs next to nothing and gives up early on what cannot be made smaller."),
            properties,
        ),
        _term("atime", tell("Whether each read writes down when it happened. Off saves those writes."), properties),
        _term(
            "sync",
            tell("Whether writes that ask for it wait until they are safe. Off loses the last seconds in a crash."),
            properties,
        ),
        _term("checksum", tell("What finds silent errors. Never turn it off."), properties),
    )


def _of_predictions() -> tuple[Term, ...]:
    return (
        _term("AFR", tell("Annualised failure rate: failures of a hundred disks of a model in a year.")),
        _term(
            "band",
            tell(
                "Low and high end of a prediction. What was never measured near your pool has a wider one, and says so."
            ),
        ),
        _term(
            "calibration",
            tell("Measured pools on your own host, as a table: they adapt the predicted speeds and narrow the band."),
        ),
        _term(
            "correlation",
            tell("How much more often the other disks of a vdev fail while one is down. 1 means independent of it."),
        ),
        _term(
            tell("loss a year"),
            tell("How likely more disks of one vdev fail at a time than it survives, within a year."),
        ),
        _term(
            tell("left-out error"),
            tell("By how much a model misses a measured row that it was not fitted to. Bands are made from this."),
        ),
    )
