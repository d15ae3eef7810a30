"""Requests that no command can answer: status, one reason in words, and the same reason as JSON."""

import json
import shlex

import pytest
from tests.changes.existing_machines import FOLDER
from tests.command_line import poolwright

MACHINES = {name: FOLDER / f"{name.lower()}.capture" for name in ("GOOD", "WRONG")}
# What is typed, the status, and what is said; “…” stands between two parts of it.
REFUSED = """\
capacity --vdev raidz2:2x6TB => 1: at least 3
capacity --vdev mirror:2x1MB => 1: 64 MiB
capacity --vdev raidz9:3x6TB => 2: raidz9
capacity --vdev raidz2:8x6TB --ashift 8 => 2: 9 to 16
capacity --vdev raidz2:8x6TB --zfs new => 2: OpenZFS version
capacity --vdev raidz2:8x6TB --recordsize 100K => 2: powers of two
capacity --vdev raidz2:8x6TB --zfs 0.5 => 2: 0.6 to 2.4
capacity --vdev raidz2:8x6TB --zfs 9.9 => 2: 0.6 to 2.4
capacity --vdev raidz2:8x6TB --zfs 2.3x => 2: OpenZFS version
capacity => 2: No vdev
capacity --batch /tmp => 2: folder
capacity --batch /nonexistent/file => 2: no such file
predict => 2: No vdev
predict --vdev raidz9:3x6TB => 2: raidz9
predict --vdev raidz2:2x6TB => 1: no room
predict --vdev log/mirror:2x6TB => 2: no data vdev
predict --vdev mirror:2x6TB --disk-read 160 => 2: unit
predict --vdev mirror:2x6TB --disk-iops many => 2: not a number
predict --vdev mirror:2x6TB --clients 0 => 2: whole number
predict --vdev mirror:2x6TB --recordsize 100K => 2: powers of two
predict --vdev mirror:2x6TB --calibrate /nonexistent/runs.csv => 2: no such file
predict --batch /nonexistent/file => 2: no such file
risk => 2: No vdev
risk --vdev special/mirror:2x960GB => 1: data vdev
risk --vdev mirror:1x6TB => 2: at least 2
risk --vdev draid2:8d:2s:11x6TB => 2: at least 12
risk --vdev raidz2:8x6TB --afr many => 2: afr
risk --vdev raidz2:8x6TB --afr -1 => 2: failure rate
risk --vdev raidz2:8x6TB --afr 100.5 => 2: 0 to 100
risk --vdev raidz2:8x6TB --support-afr 1e9 => 2: 0 to 100
risk --vdev raidz2:8x6TB --afr nan => 2: does not fit
risk --vdev raidz2:8x6TB --rebuild-hours 0 => 2: rebuild
risk --vdev raidz2:8x6TB --simulate 0 => 2: --simulate
risk --vdev raidz2:8x6TB --correlation 0.1 => 2: correlation
risk --vdev raidz2:8x6TB --fill 120 => 2: full
recommend --disks 4x6TB --goal safety --capacity 100TB => 1: 90.9 TiB wanted
recommend --disks '1 x 6TB' --goal safety => 1: first disk to fail
recommend --disks 4x6TB --goal safety --money 100 => 2: price
recommend --disks 4x6TB --goal safety --survive -1 => 2: does not fit --survive
recommend --disks 'four disks' --goal safety => 2: four disks
recommend --disks 4x6TB --goal safety --top 0 => 2: --top
recommend --example nothing --goal safety => 2: nothing
recommend --from /nonexistent --goal safety => 2: /nonexistent
recommend --disks 4x6TB --goal safety --pool mirror --save-design /dev/null => 2: mirror
recommend --disks 4x6TB --goal safety --risk -1 => 2
recommend --disks 4x6TB --goal safety --risk 101 => 2
recommend --disks 4x6TB --goal safety --rebuild-hours soon => 2
recommend --disks 4x6TB --goal safety --read 900 => 2
recommend --disks 4x6TB --goal safety --clients 0 => 2
recommend --disks 4x6TB --goal safety --network fast => 2
recommend --disks 4x6TB --goal safety --sync-percent 101 => 2
capacity --vdev raidz2:6x6TB --zfs 2.2 --then attach:6TB => 1: needs OpenZFS 2.3
capacity --vdev draid1:3d:6x6TB --zfs 2.4 --then attach:6TB => 1: cannot be widened
capacity --vdev raidz2:6x6TB --zfs 2.3 --then attach:5TB => 1: too small
capacity --vdev mirror:2x6TB --zfs 2.3 --then replace:5TB => 1: too small
capacity --vdev raidz2:6x6TB --zfs 2.3 --then detach => 2: open which
capacity --vdev mirror:2x6TB --zfs 2.3 --then remove => 1: the only data vdev
outage => 2: No design is named … --layout
outage tank.json --layout raidz2:6x6TB => 2: tank.json
outage --layout raidz9:6x6TB => 2: raidz9 … not a vdev type
outage --layout raidz2:6x16TB --disks '4 x 16TB' => 1: not enough … needs 6 disks of 16 TB
outage --layout raidz2:2x16TB => 1: takes 3 to 255 disks
usage --disks '4 x 16TB' => 2: imported pool
usage --disks '4 x 16TB' --ram 8GiB => 2: --ram goes with --layout
usage --goal speed => 2: --goal goes with --layout
usage --preset nfs => 2: --preset goes with --layout
growth --volume vm=1TiB => 2: --volume goes with --layout
compare --layout raidz2:6x6TB => 2: 2 to 6 designs, not 1
usage --layout raidz2:6x6TB --volume vm => 2: vm1=200GiB
usage --layout raidz2:6x6TB --volume vm1=200GiB, => 2: not a volume with its size
usage --layout raidz2:6x6TB --volume vm1=200GiB,12K => 2: volblocksize
usage --layout raidz2:6x6TB --volume a/b=1TiB --volume a/b=1TiB => 2: there already
recommend --disks 4x6TB --goal safety -O quota=100 => 2: no unit
recommend --disks 4x6TB --goal safety --dataset home recordsize=1MB => 2: power of two
recommend --disks 4x6TB --goal safety -o autotrim=yes => 2: it takes on, off
recommend --disks 4x6TB --goal safety -O compresion=zstd => 2: no property “compresion”
recommend --disks 4x6TB --goal safety -O compression=best => 2: cannot be “best”
recommend --disks 4x6TB --goal safety -O compression => 2: not a property with its value
recommend --disks 4x6TB --goal safety -O mountpoint=/x => 2: --mountpoint
recommend --disks 4x6TB --goal safety -o ashift=13 => 2: --ashift
recommend --disks 4x6TB --goal safety -o autotrim=maybe => 2: autotrim cannot be
recommend --disks 4x6TB --goal safety -o guid=5 => 2: guid
recommend --disks 4x6TB --goal safety -o tank.json => 2: --save-design FILE
recommend --disks 4x6TB --goal safety -O encryption=on => 2: keyformat
recommend --disks 4x6TB --goal safety --mountpoint somewhere => 2: mountpoint
recommend --disks 4x6TB --goal safety --dataset 'a\tb' => 2: a dataset name
recommend --disks 4x6TB --goal safety --dataset home quota=much => 2: no amount of space
recommend --disks 4x6TB --goal safety --dataset home --dataset home/vm volsize=nothing => 2: size of the volume
recommend --disks 4x6TB --goal safety --then hope => 2: not a step of growth
recommend --disks 4x6TB --goal safety --pool 'tank; rm -rf /' => 2: pool name
recommend --disks 4x6TB --goal safety --layout raidz2:4x6TB --take 2 => 2: two layouts
recommend --disks 6x6TB --goal safety --read 900GB/s => 1: Ask for a lower rate of reading, or add disks.
recommend --disks 6x6TB --goal safety --capacity 900TB => 1: Ask for less capacity, or add disks.
recommend --disks 6x6TB --goal safety --risk 0.0000000000001 => 1: Ask for a higher risk, or add disks.
recommend --disks 6x6TB --goal safety --bays 1 => 1: Add disks (and bays).
synclog --volumes 0 => 2
synclog --block 128K => 2
synclog --block cake => 2
synclog --requests -3 => 2
synclog --requests 0 => 2
synclog --seed -1 => 2
synclog --zfs x => 2
synclog --paper --volumes 3 => 2
recommend --disks 8x6TB --goal safety --capacity 100 => 2: 100 TB, 100 TiB or 100 GB
recommend --disks 8x6TB --goal safety --ram 64 => 2: 64 GiB
recommend --disks 8x6TB --goal safety --network 1000 => 2: 1000 Mbit/s
recommend --disks 8x6TB --goal safety --network 10 => 2: 10 Gbit/s
recommend --disks 8x6TB --goal safety --read 800 => 2: 800 MB/s
recommend --disks 8x6TB --goal safety --io-size 128 => 2: 128K
recommend --disks 8x6TB --goal safety --working-set 500 => 2: 500 GB
usage --layout raidz2:6x6TB --data nothing=1T => 2: no dataset nothing
usage --layout raidz2:6x6TB --data home => 2: not a dataset with a size
usage --layout raidz2:6x6TB --pool x --data y=1T => 2: no dataset y
usage --layout raidz2:6x6TB --growth -5 => 2: does not fit --growth
usage --layout raidz2:6x6TB --compress-ratio 0.5 => 2: from 1 to 1,000
growth --layout raidz2:6x6TB --years 0 => 2: --years
growth --layout raidz2:6x6TB --begin soon => 2: not a date
growth --layout raidz2:6x6TB --price-falls 100 => 2: --price-falls
growth --layout raidz2:6x6TB --then attach => 2: “” is not a disk size
roles --layout raidz2:6x6TB --small-blocks 32K => 2: no limit for a dataset
roles --layout raidz2:6x6TB --ingest-seconds 0 => 2: does not fit --ingest-seconds
roles --layout raidz2:6x6TB --files /nowhere => 2: Cannot read the file
roles --layout raidz2:6x6TB -o x.json => 2: nothing to write
outage --layout raidz2:6x6TB --lose nowhere => 2: no disk, enclosure or controller “nowhere”
capacity --vdev raidz2:6x4TB --reserve esp --members file => 2: goes with whole disks
capacity --vdev raidz2:6x4TB --reserve esp --then attach:4TB@1 => 2: goes with whole disks
capacity --vdev raidz2:6x4TB --reserve esp@2 => 2: names disks
recommend --disks 4x6TB --goal safety --take 9999 => 2: The list has no layout 9999
recommend --disks 4x6TB --goal safety --import-on zol-9 => 2: grub2 … freebsd-14
recommend --disks 8x4TB --goal safety --allow magic => 2: Known are: partitions, kinds, smr-parity, wide-raidz.
rules --explain no.such-rule => 2: `poolwright rules` lists them
improve --from WRONG --money 2000 => 2: without a currency
improve --from WRONG --pool none => 2: full, mixed, old, rem and tank
improve --from WRONG => 2: has several pools
improve --from WRONG --take 2 => 2: --take goes with --save-design
migrate --from GOOD --layout mirror:2x1TB => 2: --pool fast or tank
migrate --from GOOD --pool fast => 2: No new layout
migrate --from GOOD --pool none --layout mirror:2x1TB => 2: has no imported pool none
migrate --example thesis --layout mirror:2x6TB => 2: has no imported pool
migrate --from GOOD --now mirror:2x1TB --layout mirror:2x1TB => 2: --now stands for a machine
"""


@pytest.mark.parametrize("row", REFUSED.splitlines())
def test_that_a_bad_request_ends_with_its_status_and_a_reason(row: str) -> None:
    line, _, expected = row.partition(" => ")
    status, _, said = expected.partition(": ")
    words = [str(MACHINES.get(word, word)) for word in shlex.split(line)]
    done = poolwright(*words, "--json")
    assert done.returncode == int(status), done.stderr
    answer = json.loads(done.stdout)
    told = " ".join((answer["error"], *answer.get("reasons", ())))
    for part in said.split(" … "):
        assert part in done.stderr
        assert part in told
