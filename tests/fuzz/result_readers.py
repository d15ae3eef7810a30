"""What reads the results of measurements, each with a small text that it understands."""

import json
from collections.abc import Callable

from tests.cases import table
from tests.fuzz.reader import Reader

from poolwright.bench.own_profiles import read_own
from poolwright.bench.running.monitoring import RunnerOutput
from poolwright.machine.bonnie import read_bonnie
from poolwright.machine.dd import read_dd
from poolwright.machine.fio.log import read_fio_log
from poolwright.machine.fio.results import read_fio_json, read_fio_text
from poolwright.machine.sampler import SamplerReader, read_kstat, read_sampler
from poolwright.machine.sysstat import read_sadf_json, read_sar_text
from poolwright.machine.zdb import read_zdb_block_sum, read_zdb_blocks, read_zdb_dedup, read_zdb_metaslabs
from poolwright.machine.zpool.iostat import measured_list, read_zpool_iostat
from poolwright.store.read_results import read_result


def _of(reader: Callable[..., object], where: str = "text") -> Callable[[str], object]:
    def read(text: str) -> object:
        return reader(text.encode("utf-8", errors="replace"), where=where)

    return read


def _live(text: str) -> object:
    """Return what is heard of a text that comes in pieces."""
    data = text.encode("utf-8", errors="replace")
    output, sampler = RunnerOutput(), SamplerReader()
    for at in range(0, len(data), 997):
        output.feed(data[at : at + 997])
        sampler.feed(data[at : at + 997])
    return output.files(), output.text, output.copied


FIO = json.dumps(
    {
        "fio version": "fio-3.33",
        "timestamp": 1700000000,
        "jobs": [
            {
                "jobname": "j", "error": 0, "job options": {"bs": "4k", "rw": "read"},
                "read": {"io_bytes": 4096, "bw_bytes": 4096, "iops": 1, "runtime": 1000, "total_ios": 1,
                         "clat_ns": {"min": 1, "max": 2, "mean": 1.5, "N": 1, "percentile": {"99.000000": 2},
                                     "bins": {"1": 1}}},
            }
        ],
    },
    indent=1,
)  # fmt: skip
FIO_TEXT: str = table(__file__, "fio_text")
FIO_LOG = "500, 100, 0, 4096, 0\n1000, 110, 1, 4096, 0\n"
KSTAT: str = table(__file__, "kstat")
BONNIE = """Version 1.03d       ------Sequential Output------ --Sequential Input- --Random-
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
box            300M 40000  90 90000  20 50000  20 +++++ +++ 90000  10  2000   5
"""
DD = """dd if=/dev/zero of=data bs=1M count=8
8+0 records in
8+0 records out
8388608 bytes (8.4 MB) copied, 0.02 s, 1 GB/s
"""


def _sysstat(**statistics: object) -> str:
    return json.dumps({"sysstat": {"hosts": [{"nodename": "a", "statistics": [statistics]}]}})


SADF = _sysstat(
    timestamp={"date": "2026-11-24", "time": "10:00:01", "utc": 1},
    **{"cpu-load": [{"cpu": "all", "user": 1.0, "idle": 90.0, "iowait": 2.0}]},
)
SAR: str = table(__file__, "sar")
ZDB_DEDUP: str = table(__file__, "zdb_dedup")
ZDB_SPACE = "        metaslab      0   offset            0   spacemap    123   free    1.9G\n"
ZDB_SUM = """        bp count:                  1234
        ganged count:                 0
        bp logical:            12345678      avg:  10000
        bp allocated:           2345678      avg:   1900     compression:   5.26
"""
ZDB_BLOCKS = """Dataset tank [ZPL], ID 54, cr_txg 1, 24K, 6 objects
Indirect blocks:
               0 L0 0:4c000:2000 20000L/2000P F=1 B=10/10
           20000 L0 0:4e000:2000 20000L/2000P F=1 B=10/10
"""
ZPOOL_IOSTAT: str = table(__file__, "zpool_iostat")
ZPOOL_LIST = """NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
tank   960M   100M   860M        -         -     1%    10%  1.00x    ONLINE  -
"""
SAMPLES = "@stat - 1700000000.1 10.0\ncpu  1 2 3 4\n@stat - 1700000001.1 11.0\ncpu  2 3 4 9\n"
RUNNER = '{\n "jobs": []\n}\n\n@file log_bw.1.log 4\nabcd\n@end 0\n\r123 bytes (1 kB) copied, 1 s, 1 kB/s'
OWN = "[global]\nbs=4k\n\n[one]\nrw=read\nsize=1G\n"

RESULT_READERS = (
    Reader(name="any result", read=_of(read_result), seeds=(FIO_LOG, DD)),
    Reader(name="fio json", read=_of(read_fio_json), seeds=(FIO,), corpus=("fio_json",)),
    Reader(name="fio text", read=_of(read_fio_text), seeds=(FIO_TEXT,), corpus=("fio_text",)),
    Reader(name="fio log", read=_of(read_fio_log, "x_bw.1.log"), seeds=(FIO_LOG,), corpus=("fio_logs",)),
    Reader(name="kstat", read=_of(read_kstat), seeds=(KSTAT,), corpus=("zfs_kstat",)),
    Reader(name="bonnie++", read=_of(read_bonnie), seeds=(BONNIE,), corpus=("bonnie",)),
    Reader(name="dd", read=_of(read_dd), seeds=(DD,), corpus=("dd",)),
    Reader(name="sadf json", read=_of(read_sadf_json), seeds=(SADF,), corpus=("sadf_json",)),
    Reader(name="sar", read=_of(read_sar_text), seeds=(SAR,), corpus=("sar_text",)),
    Reader(name="zdb dedup result", read=_of(read_zdb_dedup), seeds=(ZDB_DEDUP,), corpus=("zdb_S", "zdb_DD")),
    Reader(name="zdb metaslabs", read=_of(read_zdb_metaslabs), seeds=(ZDB_SPACE,), corpus=("zdb",)),
    Reader(name="zdb block sum", read=_of(read_zdb_block_sum), seeds=(ZDB_SUM,), corpus=("zdb",)),
    Reader(name="zdb fragmentation", read=_of(read_zdb_blocks), seeds=(ZDB_BLOCKS,), corpus=("zdb",)),
    Reader(name="zpool iostat", read=_of(read_zpool_iostat), seeds=(ZPOOL_IOSTAT,), corpus=("zpool_iostat",)),
    Reader(name="zpool list result", read=_of(measured_list), seeds=(ZPOOL_LIST,), corpus=("zpool_list",)),
    Reader(name="samples", read=_of(read_sampler), seeds=(SAMPLES,)),
    Reader(name="runner's output", read=_live, seeds=(RUNNER,)),
    Reader(name="own job", read=lambda text: read_own(text, where="own.fio"), seeds=(OWN,)),
)
