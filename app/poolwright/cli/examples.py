"""What the help of each command says beside its options: examples that run as they stand, and how values are written.

Those that name tank.json or wide.json need what the examples of `recommend` save.
"""

import argparse

from poolwright.texts import marked, tell

EXAMPLES: dict[str, tuple[str, ...]] = {
    "inventory": (
        "poolwright inventory --example thesis",
        'poolwright inventory --disks "12 x 16TB CMR SATA" "2 x 960GB nvme" --json',
        'poolwright inventory --disks "12 x 16TB shelf=1 read=250MB/s" "12 x 16TB shelf=2" "2 x 960GB nvme PLP"',
    ),
    "recommend": (
        "poolwright recommend --example thesis --goal safety --capacity 80TB --save-design tank.json",
        "poolwright recommend --example thesis --goal safety --take 2 --title wide --save-design wide.json",
        'poolwright recommend --disks "6 x 16TB" --goal safety -O compression=zstd --dataset home quota=2T',
        'poolwright recommend --disks "6 x 16TB" --goal concurrent --volume vm1=200GiB,16K',
        'poolwright recommend --disks "4 x 8TB, 4 x 4TB" --goal safety --allow partitions',
        'poolwright recommend --disks "6 x 16TB" --goal safety --layout raidz2:5x16TB spare/stripe:1x16TB',
    ),
    "buy": ('poolwright buy --money "4000 USD" --bays 8 --capacity 40TB', "poolwright buy --write-catalogue"),
    "capacity": (
        "poolwright capacity --vdev raidz2:6x16TB --vdev raidz2:6x16TB --recordsize 16K",
        "poolwright capacity --layout raidz2:8x6TB --volblocksizes",
        'poolwright capacity --vdev raidz2:8x6TB special/mirror:2x960GB --then "attach:6TB@1"',
    ),
    "usage": (
        "poolwright usage tank.json --data tank=40TiB --growth 20",
        "poolwright usage --layout raidz2:6x16TB --volume vm1=2TiB,16K --data vm1=1TiB",
    ),
    "growth": (
        "poolwright growth tank.json --used 40TiB --growth 20",
        'poolwright growth tank.json --then "add:raidz2:8x6TB on 2028-03" --commands',
        'poolwright growth --layout raidz2:6x16TB --used 20TiB --growth 30 --then "attach:16TB@1 at 80%"',
    ),
    "outage": ("poolwright outage tank.json", "poolwright outage --layout raidz2:8x6TB raidz2:8x6TB --example thesis"),
    "risk": (
        "poolwright risk --vdev raidz2:8x6TB --afr 1.5",
        "poolwright risk --vdev raidz2:8x6TB --vdev spare/stripe:1x6TB --same-batch --simulate 100000",
    ),
    "predict": (
        "poolwright predict --vdev raidz2:8x6TB --vdev raidz2:8x6TB --disk-read 180MB/s --clients 20",
        "poolwright predict --vdev mirror:2x6TB --example thesis",
    ),
    "roles": (
        "poolwright roles tank.json --working-set 500G",
        'poolwright roles --layout raidz2:6x16TB --disks "6 x 16TB" "2 x 960GB nvme plp" --preset nfs --ram 64GiB',
    ),
    "audit": (
        "poolwright audit --example thesis",
        "poolwright audit --example thesis --goal concurrent --sizes --json",
        "poolwright audit --example thesis --design tank.json --format html -o audit.html",
    ),
    "improve": (
        'poolwright improve --example thesis --money "2000 USD"',
        "poolwright improve --example thesis --goal concurrent --preset vm-images --json",
    ),
    "migrate": (
        'poolwright migrate --now mirror:2x6TB --stored 3TB --buy "2 x 6TB hdd" --layout raidz2:4x6TB',
        'poolwright migrate --now raidz1:3x6TB --stored 3TB --buy "3 x 6TB hdd" --layout raidz2:6x6TB --backup-exists',
    ),
    "script": (
        "poolwright script tank.json -o create-tank.sh",
        "poolwright script tank.json --format undo -o destroy-tank.sh",
        "poolwright script --layout raidz2:8x6TB raidz2:8x6TB --example thesis",
        "poolwright script --fixed-part",
    ),
    "bind": ("poolwright bind tank.json --example thesis", "poolwright bind tank.json --example thesis -o bound.json"),
    "schema": ("poolwright schema",),
    "collector": ("poolwright collector",),
    "synclog": ("poolwright synclog --volumes 4 --fsync 1 --log-device nvme", "poolwright synclog --paper"),
    "compare": (
        "poolwright compare tank.json wide.json --differences",
        "poolwright compare tank.json --md-raid6",
        "poolwright compare --layout raidz2:8x6TB --layout raidz3:8x6TB --differences",
    ),
    "report": ("poolwright report tank.json -o tank.html",),
    "bench": (
        "poolwright bench --list",
        "poolwright bench --profile sanity --directory . --yes --design tank.json --repeats 1 --seconds 1 -o run.zip",
        "poolwright bench --verdict run.zip tank.json",
        "poolwright bench --paper-volumes tank -o volumes.sh",
    ),
    "rules": ("poolwright rules --explain redundancy.none-for-safety", "poolwright rules --check"),
}  # for machines
_WRITTEN = {
    "SIZE": marked("SIZE is a number with its unit: 16TB, 500GB, 4TiB, 128K."),
    "RATE": marked("RATE is an amount a second with its unit: 800MB/s, 10Gbit/s."),
    "PERCENT": marked("PERCENT is a number of per cent: 20, 0.01."),
    "SPEC": marked(
        "SPEC of a vdev is TYPE:NxSIZE, such as raidz2:8x6TB; before it may stand special/, log/, cache/, spare/."
    ),
    "AMOUNT": marked("AMOUNT is money with its currency: 4000 EUR."),
    "STEP": marked("STEP is add:SPEC, attach:SIZE, replace:SIZE, expand, detach or remove; @2 is the second vdev."),
}


def add_examples(parser: argparse.ArgumentParser, command: str) -> None:
    """Give the help of ``command`` its examples, and say how the values of its options are written."""
    used = {action.metavar for action in parser._actions if isinstance(action.metavar, str)}
    if any(action.option_strings == ["--disks"] and action.nargs == "+" for action in parser._actions):
        used.discard("SPEC")
        if {"--vdev", "--layout"} & {name for action in parser._actions for name in action.option_strings}:
            used.add("SPEC")
    written = [tell(text) for word, text in _WRITTEN.items() if word in used]
    notes = [parser.epilog] if parser.epilog else []
    blocks = [*notes, "\n".join(written), "\n".join((tell("examples:"), *(f"  {line}" for line in EXAMPLES[command])))]
    parser.epilog = "\n\n".join(block for block in blocks if block)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
