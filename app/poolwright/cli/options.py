"""Every option of the command line, declared once; a command names those that it takes, in the order of its help."""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from poolwright.design import amounts
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import CURRENCY_HELP, Money, parse_currency, parse_money
from poolwright.domain.rates import parse_disk_rate, parse_link_rate
from poolwright.domain.retention import parse_change, parse_retention
from poolwright.domain.units import parse_block_size, parse_capacity, parse_memory, parse_record_size, parse_size
from poolwright.domain.version import DEFAULT_VERSION, read_zfs
from poolwright.domain.workload import Goal, Sharing
from poolwright.texts import N_, _, marked, numeral

_MOST_SHOWN = 40
_FROM_TO = N_("Write a number from {least} to {most}.")
# A comma with three digits behind it may be a separator of thousands, so that it is not taken as a decimal sign.
_COMMA = re.compile(r"^([0-9]+),([0-9]{1,2})$")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")


def unfit(text: str, option: str, todo: str) -> UserError:
    return UserError(_("“{text}” does not fit {option}", text=shown(text), option=option), todo=todo)


def split_pair(text: str, option: str, example: str) -> tuple[str, str]:
    """Return what stands before and behind the first “=”; raises UserError where one of them is missing."""
    name, __, value = (part.strip() for part in text.partition("="))
    if not name or not value:
        raise unfit(text, option, _("Write {example}.", example=example))
    return name, value


def without_none(given: dict[str, Any]) -> dict[str, Any]:
    """Return what was told; the rest is as it would be without the options."""
    return {name: value for name, value in given.items() if value is not None}


# What reads the value of an option: from its name and what was typed.
_Reader = Callable[[str, str], Any]


def _whole(least: int, most: int) -> _Reader:
    """Return what reads a whole number from ``least`` to ``most``; raises UserError."""

    def read(option: str, text: str) -> int:
        number = int(text) if _WHOLE.match(text.strip()) else None
        if number is None or not least <= number <= most:
            raise unfit(
                text, option, _("Write a whole number from {least} to {most}.", least=least, most=numeral(most))
            )
        return number

    return read


def _real(*, least: float = 0.0, most: float = 1e12, above: bool = False, unit: str = "") -> _Reader:
    """Return what reads a number, with or without its unit; ``above``: greater than ``least``. Raises UserError."""

    def read(option: str, text: str) -> float:
        try:
            found = float(_COMMA.sub(r"\1.\2", marked(text.strip().removesuffix(unit or " ").strip())))
        except ValueError:
            found = math.nan
        if not (math.isfinite(found) and least <= found <= most and not (above and found == least)):
            todo = N_("Write a number above {least}, {most} at most.") if above else _FROM_TO
            raise unfit(text, option, _(todo, least=numeral(least, "g"), most=numeral(most, ",.15g", unit)))
        return found

    return read


_NUMBER_OF_HOURS = _real()


def _hours(option: str, text: str) -> float:
    words = text.strip()[-1:].isalpha()
    return amounts.parse_hours(text, zero=True) if words else _NUMBER_OF_HOURS(option, text)


def by(parse: Callable[[str], Any]) -> _Reader:
    """Return what reads a value as `domain.units` and its like do, and names the option in a refusal."""

    def read(option: str, text: str) -> object:
        try:
            return parse(text)
        except UserError as error:
            raise UserError(error.what, where=error.where or option, todo=error.todo) from None

    return read


def typed(args: argparse.Namespace, option: str) -> str | None:
    """Return what was typed as the value of an option; None where it was not named."""
    found = None
    for word, following in pairwise((*args.argv, "")):
        if word == option:
            found = following
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found


def shown(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"


def _property(_option: str, text: str) -> str:
    if "=" not in text:
        raise no_property(text)
    return text


def no_property(text: str) -> UserError:
    """Return the error of -o where it names a file, or the command sets no property."""
    if "=" in text:
        return UserError(_("-o sets a property, and this command sets none"), where=text, todo=_("-w writes a file."))
    todo = _("Write -o NAME=VALUE, or -w {name} for a file.", name=shown(text) or "FILE")
    return UserError(_("-o sets a property of the pool"), todo=todo)


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise UserError(_("“” is no file or folder"), where="--from", todo=_("Name a capture, or - to paste it."))
    return Path(text)


def options(parser: argparse._ActionsContainer, names: str, **own: dict[str, Any]) -> None:
    """Add the options of these names. What stands behind a colon tells those apart that share a flag.

    ``own`` has, by the name of the option, what only the command knows: values of the help, choices, a default.
    """
    # Later options take the place of earlier ones.
    parser.conflict_handler = getattr(parser, "_optionals", parser).conflict_handler = "resolve"
    for name in names.split():
        flags = name.partition(":")[0].split("|")
        given = own.get(max(flags, key=len).lstrip("-").replace("-", "_"), {})
        found = {**_TABLE[name], **{key: value for key, value in given.items() if key in _OF_ARGPARSE}}
        if reader := found.pop("reads", None):
            found["type"] = partial(reader, flags[-1])
        parser.add_argument(*flags, **{**found, "help": _(found["help"], version=DEFAULT_VERSION, **given)})


# What a command takes whose answer is a report as well.
REPORT_FORMS = ("md", "html", "pdf")
COVER = "--customer --author --logo"
REPORT = "--why --all --format -w|--output --force --color --json"
_OF_ARGPARSE = ("choices", "default", "const", "help", "nargs")
_Option = dict[str, Any]  # what add_argument takes


def _value(metavar: str | tuple[str, ...], words: str, **more: object) -> _Option:
    return {"metavar": metavar, "help": words, **more}


def _flag(words: str, **more: object) -> _Option:
    return {"action": "store_true", "help": words, **more}


def _several(metavar: str, words: str, **more: object) -> _Option:
    return {"metavar": metavar, "help": words, "action": "append", "default": [], **more}


def _more(metavar: str, words: str, **more: object) -> _Option:
    """Return an option of several words, which may be repeated as well."""
    return {"metavar": metavar, "help": words, "action": "extend", "nargs": "+", **more}


def _one_of(choices: Sequence[str], words: str, **more: object) -> _Option:
    return {"choices": [str(choice) for choice in choices], "help": words, **more}


_FILE = {"type": lambda text: None if text == "-" else text}
_SHARE = _real(most=100, unit="%")
_SECONDS = _real(most=3600, above=True, unit="s")
# fmt: off
_TABLE: dict[str, _Option] = {
    "--add": _value("ROLE", N_("write the design with this role ({roles}); may be repeated"), action="append"),
    "--afr": _value("PERCENT", N_("failures per hundred disk years (default: of --model)"), reads=_SHARE),
    "--against": _value("RUN", N_("another run, or other results, to compare with")),
    "answers_of": _one_of((), N_("which JSON to describe (default: design files)"), metavar="COMMAND", nargs="?"),
    "--aged": _flag(N_("the pool has aged by changes and deletions: with --fill"), default=None),
    "--all": _flag(N_("every row, column, finding and disk")),
    "--allow": _value("WHAT", N_("recommended only where it is wished, several with commas: {words}")),
    "--ashift": _value("N", N_("9 to 16 (default: from the physical sector size, else 12)"), reads=_whole(9, 16)),
    "--author": _value("TEXT", N_("who wrote the report")),
    "--autoexpand": _one_of(("on", "off"), N_("whether larger disks grow a vdev (default: as designed, else on)")),
    "--backup-exists": _flag(N_("a backup can be read: ways without redundancy for a while are allowed")),
    "--backup-to": _more("SPEC", N_("the other machine: disks to lay out (“8 x 12TB”), or a layout (raidz2:8x12TB)")),
    "--batch": _value("FILE", N_("many requests, a JSON object a line with the same options; - reads standard "
        "input. Prints one JSON document a line; status 0 where any line was answered")),
    "--bays": _value("N", N_("slots for disks"), reads=_whole(0, 100000)),
    "--begin": _value("DATE", N_("the day the pool is created (default today)")),
    "--block": _value("SIZE", N_("size of a request (default 4K)"), dest="block_bytes", reads=by(parse_block_size)),
    "--blocks": _value("FILE", N_("output of zdb -Lbbbs of a pool with such data")),
    "--buy": _more("SPEC", N_("disks that will come: “2 x 6TB”; their names follow")),
    "--buy-most": _value("N", N_("most disks to buy"), reads=_whole(0, 100000)),
    "--calibrate": _several("RUNS", N_("measured runs: of bench (.zip), or CSV: vdevs,metric,value"), default=None),
    "--capacity": _value("SIZE", N_("least usable capacity"), reads=by(parse_capacity)),
    "--catalogue": _value("FILE", N_("CSV of disks, or - (default: the shipped one)"), type=Path),
    "--change": _value("CHANGE", N_("what is written over or deleted a day: 1%%, 200GB"), reads=by(parse_change)),
    "--changes": _flag(N_("also tell which change of the wishes or disks leads to another first choice")),
    "--check": _value("FILE", N_("check the shipped rules and these with their examples"), nargs="*", type=Path),
    "--checksum": _one_of((), N_("the property of the root dataset (default on)")),
    "--color": _one_of(("auto", "always", "never"), N_("colors of states (default auto: on a terminal, NO_COLOR off)")),
    "--clients": _value("N", N_("number of clients"), reads=by(partial(amounts.parse_count, least=1))),
    "--commands": _flag(N_("also print the commands of each step")),
    "--compare": _flag(N_("show the usual ways to grow side by side")),
    "--compress-ratio": _value("RATIO", N_("of data that compress"), reads=_real(least=1, most=1000, unit="x")),
    "--compressible": _one_of(("yes", "no"), N_("compressibility of the data")),
    "--compression": _one_of((), N_("the property of the root dataset (default on)")),
    "--controller": _value("NAME", N_("controller of the disks where no capture names it, such as “PERC H730”")),
    "--cores": _value("N", N_("processor cores of the host"), reads=_whole(1, 4096)),
    "--correlation": _value("X", N_("failure rate of the others beside a failed one (1)"), reads=_real(least=1)),
    "--csv": _value("FILE", N_("write all values as CSV, in base units")),
    "--currency": _value("CODE", N_("currency of amounts without one, and of sums: EUR, USD…")),
    "--customer": _value("TEXT", N_("whom the report is for")),
    "--data": _value("NAME=SIZE", N_("what lies in a dataset: home=4TiB; repeatable"), action="append", default=[]),
    "--dataset": _several("WORD", N_("a dataset and its properties: --dataset home quota=2T; with volsize=SIZE a "
        "volume"), dest="datasets", nargs="+"),
    "--depth": _value("N", N_("requests handed over at once (default {depth})"), reads=_whole(1, 1000)),
    "--design": _value("FILE", N_("a design: tell which disks are not where it says, by serial number")),
    "design": _value("DESIGN", N_("design file (JSON), name in the library, or - for standard input"), nargs="?"),
    "designs": _value("DESIGN", N_("designs: files (JSON) or names, the first is the reference"), nargs="*"),
    "--design:bench": _value("DESIGN", N_("the design that the pool was built by")),
    "--differences": _flag(N_("print only the rows that differ")),
    "--directory": _value("DIR", N_("where to measure: a mounted dataset")),
    "--disk": _one_of((), N_("disks answer from their cache (default, as the paper's), after a flush, or as SSDs")),
    "--disk-iops": _value("N", N_("random operations a second of one disk, queue full"), reads=_real(above=True)),
    "--disk-read": _value("RATE", N_("sequential rate of one disk: 180MB/s"), reads=by(parse_disk_rate)),
    "--disk-write": _value("RATE", N_("sequential rate of one disk: 180MB/s"), reads=by(parse_disk_rate)),
    "--disks:synclog": _value("N", N_("disks of the pool (default {disks})"), reads=_whole(1, 64)),
    "--disks": _more("SPEC", N_("disks that are not there yet: “12 x 16TB CMR SATA shelf=1 read=250MB/s” “2 x "
        "960GB nvme PLP model=NAME”")),
    "--duplicates": _value("X", N_("how often a block is stored, on average"), reads=by(amounts.parse_factor)),
    "--encryption": _one_of(("on", "off"), N_("native encryption, AES-256-GCM (default off)")),
    "--example": _value("NAME", N_("an example machine: {examples}")),
    "--explain": _value("ID", N_("tell all about one rule")),
    "--file-size": _value("SIZE", N_("typical file size"), reads=by(parse_block_size)),
    "--failures:show": _flag(N_("what survives when disks, a shelf or a controller fail")),
    "--files": _value("FILE", N_("sizes of existing files, one a line: find DIR -type f -printf '%%s\\n'")),
    "--fill": _value("PERCENT", N_("fill the pool so far first; emptied again at the end"), reads=_whole(1, 90)),
    "--fill:predict": _value("N", N_("how full, in per cent (default: as read, else new)"), reads=_real(unit="%")),
    "--fill:risk": _value("PERCENT", N_("how full the pool is (default {percent})"), reads=_real(unit="%")),
    "--fill:show": _flag(N_("what the data take, and when the pool is full")),
    "--fixed-part": _flag(N_("print what is the same in every script (with --format undo or rehearsal, of those)")),
    "--force": _flag(N_("write over files that are there already")),
    "--format": _one_of(REPORT_FORMS, N_("write a report in this form (default: by the ending, else md)")),
    "--format:script": _value("FORMAT", ""),
    "--from": _more("PATH", N_("captures: files or folders of lsblk, smartctl, nvme, zpool or collector output; "
        "- is standard input"), dest="from_paths", type=_path),
    "--fsync": _value("N", N_("requests between two syncs (default 5)"), reads=_whole(1, 1000),
        dest="requests_per_sync"),
    "--goal": _one_of([*Goal], N_("what the pools are for; without it, what only one goal asks for weighs less")),
    "--goal:wishes": _one_of([*Goal], N_("what the pool is for (default: concurrent for random I/O, else safety)")),
    "--growth": _value("PERCENT", N_("growth a year (default: the design's)"), reads=_real(most=1000, unit="%")),
    "--growth:wishes": _value("PERCENT", N_("growth of the data in a year"), reads=by(amounts.parse_growth)),
    "--hba": _value("RATE", N_("rate of all links to the disks, such as 9.6GB/s"), reads=by(parse_disk_rate)),
    "--host": _value("HOST", N_("measure on another machine, as ssh reaches it")),
    "--host:sources": _value("H", N_("a machine over SSH, as ssh takes its name; only read"), action="append"),
    "--import-on": _value("SYSTEM", N_("oldest system that must import the pool: {systems}")),
    "--ingest-seconds": _value("N", N_("seconds of writes a log must hold (default {seconds})"), reads=_SECONDS),
    "--io-size": _value("SIZE", N_("typical I/O size"), reads=by(parse_block_size)),
    "--json": _flag(N_("print one JSON document")),
    "--keep": _flag(N_("with --own: keep it, so that --profile finds it by its name")),
    "--keep-there": _value("KEEP", N_("the same for the copy (default: as --keep)"), reads=by(parse_retention)),
    "--keep:snapshots": _value("KEEP", N_("snapshots to keep: “24h 30d 8w 12m 2y”"), reads=by(parse_retention)),
    "--layout": _more("SPEC", N_("instead of a file: 2*raidz2:6x16TB special/mirror:2x960GB, “2 x raidz2 of 6”")),
    "--layout:several": _several("SPEC", N_("a layout instead of a file, each a design"), nargs="+", default=None),
    "--vdev|--layout": _more("SPEC", N_("vdevs such as raidz2:8x6TB (disks sold as 6 TB; also bytes, 5.5TiB)")),
    "--layout:design": _more("SPEC", N_("a layout of your own instead of the list's: 2*raidz2:6x16TB "
        "special/mirror:2x960GB spare/stripe:1x16TB, or “2 x raidz2 of 6, 1 spare”")),
    "--line": _value("RATE", N_("line between the machines, such as 1Gbit/s"), reads=by(parse_link_rate)),
    "--list": _flag(N_("list the profiles with time and bytes at most")),
    "--live": _flag(N_("hold one design against the pool on the machine of --from or --host (default: this one)")),
    "--load": _value("PERCENT", N_("share of the disks’ time that users take (default 0)"), reads=_real(unit="%")),
    "--log-device": _one_of((), N_("with a separate log device (default ssd)"), nargs="?"),
    "--logical-sector": _value("BYTES", N_("512 (default) or 4096, of whole disks"), reads=_whole(0, 4096)),
    "--logo": _value("FILE", N_("a picture above the report: PNG or JPEG"), type=Path),
    "--lose": _several("WHAT", N_("a disk, an enclosure or a controller (default: each in turn)"), default=None),
    "--max-bytes": _value("SIZE", N_("end the run at this limit"), reads=by(parse_size)),
    "--max-celsius": _value("N", N_("end the run at this limit"), reads=_real(least=20, most=120)),
    "--max-seconds": _value("N", N_("end the run at this limit"), reads=_real(least=1, most=10000000.0)),
    "--md-raid6": _flag(N_("add Linux software RAID 6 of the first design's disks as a column")),
    "--media": _one_of([*Media], N_("class of the disks (default: as far as it is known, else hdd)")),
    "--members": _one_of((), N_("whole disks (default) or files")),
    "--model": _value("NAME", N_("drive model: takes its rate from the drive statistics")),
    "--money": _value("AMOUNT", N_("most to spend, such as “2000 USD”")),
    "--mountpoint": _value("PATH", N_("where the pool is mounted; none or legacy")),
    "--network": _value("RATE", N_("network speed"), reads=by(parse_link_rate)),
    "--no-dataset": _flag(N_("measure in the dataset that is there, instead of one made for the run")),
    "--no-keep": _flag(N_("do not keep the run in the library")),
    "--now": _more("SPEC", N_("instead of a machine: the layout that is there, such as mirror:2x6TB")),
    "--one-line": _flag(N_("print one line to paste into a shell on that machine")),
    "-w|--output": _value("FILE", N_("write to FILE instead of standard output"), **_FILE),
    "-w|--output:bench": _value("FILE", N_("write the run (.zip), script or report to FILE, not the library"), **_FILE),
    "--own": _value("FILE", N_("measure with a fio job file of your own")),
    "--pair": _more("PLANNED=REAL", N_("which real disk, by any of its names; PLANNED= leaves it open")),
    "--paper": _flag(N_("the paper's rows beside those of the model")),
    "--paper-volumes": _value("POOL", N_("write the script that makes the volumes of the profile “paper”")),
    "--partly": _flag(N_("write the design although places are left without a disk")),
    "--pool": _value("NAME", N_("which pool is meant, where there are several")),
    "-o|--pool-property": _several("NAME=VALUE", N_("a property as zpool create takes it"), dest="pool_properties",
        reads=_property),
    "--pool:design": _value("NAME", N_("the pool's name ({pool})"), default="tank"),
    "--preset": _one_of((), N_("kind of data, fills in details; given again, the hardest counts"), action="append"),
    "--price": _value("AMOUNT", N_("price of a disk without a known one, such as “289.90 EUR”")),
    "--profile": _value("NAME", N_("measure in --directory with this profile")),
    "--properties": _flag(N_("also print what is set on each dataset, and why")),
    "--ram": _value("SIZE", N_("RAM"), reads=by(parse_memory)),
    "--rate": _value("N", N_("what 1 of the catalogue's currency is in yours today: 0.92"),
        reads=by(amounts.parse_rate)),
    "--read": _more("FILE", N_("read results of fio, bonnie++, dd, sar, zpool, zdb")),
    "--read-error-rate": _value("P", N_("unreadable bits per bit read, such as 1e-15"), reads=_real(most=1)),
    "--read-percent": _value("N", N_("share of reads"), reads=by(amounts.parse_percent)),
    "--read:wishes": _value("RATE", N_("least sequential rate, such as 800MB/s"), reads=by(parse_disk_rate)),
    "--rebuild-hours": _value("H", N_("from a failure to full redundancy (default: predicted)"), reads=_hours),
    "--rebuild-hours:wishes": _value("H", N_("most hours that the rebuild of a disk may take"),
        reads=by(amounts.parse_hours)),
    "--recordsize": _value("SIZE", N_("also tell the cost of one record of this size"),
        reads=by(parse_record_size)),
    "--recordsize:predict": _value("SIZE", N_("size of records (default 128K)"), reads=by(parse_record_size)),
    "--redact": _flag(N_("with --one-line: replace serials, world-wide names and the host name over there")),
    "--redact-pools": _flag(N_("replace the names of pools and datasets as well")),
    "--redact-to": _value("FILE", N_("write the capture of --from so to FILE; it opens as the other does")),
    "--redact:inventory": _flag(N_("with --json: serial numbers and host names replaced, still distinct")),
    "--repeat": _value("RUN", N_("measure again, by the same tests, what a run that was kept measured")),
    "--repeats": _value("N", N_("repeats of each test"), reads=_whole(1, 100)),
    "--replace-hours": _value("H", N_("until a failed disk is replaced (default {hours:g})"), reads=_hours),
    "--requests": _value("N", N_("how many are simulated (default {requests})"), reads=_whole(1, 1000000)),
    "--reserve": _more("PURPOSE=SIZE", N_("space to reserve on each data disk, such as esp=512MiB swap=2GiB")),
    "--reserve:design": _more("PURPOSE=SIZE", N_("space to reserve on each data disk: bios, esp, boot, swap, "
        "truenas, raid, bare; esp=1GiB@2 on the first 2, swap=8GiB:last at their end"), default=[]),
    "--risk": _value("PERCENT", N_("most yearly risk of a loss by any cause, such as 0.01"),
        reads=by(amounts.parse_risk)),
    "--risk:show": _flag(N_("probability of losing a pool per year, and why"), default=None),  # no wish
    "-O|--root-property": _several("NAME=VALUE", N_("a property of the root dataset"), dest="root_properties"),
    "--runs": _value("WORD", N_("list the runs that were kept, or those with all these words"), nargs="*"),
    "--same-batch": _flag(N_("the disks come from one batch: correlation {correlation:g}"), default=None),
    "--save-cheapest": _value("FILE", N_("save the cheapest offer's design")),
    "--save-design": _value("FILE", N_("save the design for script, report, compare and the window")),
    "--search": _value("WORD", N_("only rules with this word")),
    "--seconds": _value("N", N_("how long one repeat of a timed test runs"), reads=_real(least=0.1, most=86400)),
    "--seed": _value("N", N_("seed of the simulation (default {seed})"), reads=_whole(0, 10**18)),
    "--sequential-percent": _value("N", N_("share of sequential I/O"), reads=by(amounts.parse_percent)),
    "--sharing": _one_of([*Sharing], N_("how clients reach the data")),
    "--simulate": _value("N", N_("also play N years of such pools"), reads=_whole(1, 10**9)),
    "--sizes": _flag(N_("tell every step of the sizes that are explained")),
    "--slack": _flag(N_("leave 2 GiB at the end of each disk, for a slightly smaller replacement")),
    "--small-blocks": _several("DATASET=SIZE", N_("special_small_blocks of a dataset (no name: the root)")),
    "--smaller": _flag(N_("take disks smaller than planned; the pool is smaller then")),
    "--space:show": _flag(N_("space to the byte, as OpenZFS will report it")),
    "--spares": _value("N", N_("hot spares"), reads=_whole(0, 100000)),
    "--speed:show": _flag(N_("throughput and IOPS, and what limits them")),
    "--steps": _flag(N_("also the tests before which you run a command as root")),
    "--stored": _value("SIZE", N_("how much is stored, where it cannot be read"), reads=by(parse_size)),
    "--support-afr": _value("PERCENT", N_("the same for special and dedup vdevs"), reads=_SHARE),
    "--support-model": _value("NAME", N_("the same for special and dedup vdevs")),
    "--survive": _value("N", N_("disk failures to survive, whichever they are"), reads=_whole(0, 100000)),
    "--sync-percent": _value("N", N_("share of synchronous writes"), reads=by(amounts.parse_percent)),
    "--take": _value("N", N_("number of the list (default 1, the first choice)"), reads=_whole(1, 1_000_000)),
    "--then": _several("STEP", N_("a later step: add:SPEC, attach:SIZE, replace:SIZE, expand …"), default=None),
    "--then:design": _several("STEP", N_("a step of growth: “attach:16TB@1 at 80%%”")),
    "--title": _value("TEXT", N_("title of the reports"), default=""),
    "--title:design": _value("TEXT", N_("what the design is called (default: inventory and goal)")),
    "--top": _value("N", N_("layouts shown ({count})"), reads=_whole(1, 1_000_000)),
    "--ups": _one_of(("yes", "no"), N_("uninterruptible power supply")),
    "--used": _value("SIZE", N_("what is stored at the beginning, such as 12TiB"), reads=by(parse_size)),
    "--verdict": _value(("RUN", "DESIGN"), N_("judge a run by a design, or one --against another"), nargs="+"),
    "--volblocksizes": _flag(N_("also tell what volumes of each volblocksize waste on this layout"), default=None),
    "--volume": _several("NAME=SIZE[,BLOCK]", N_("a volume, such as vm1=200GiB,16K"), dest="volume_texts"),
    "--volumes:synclog": _value("N", N_("zvols that are written (default {volumes})"), reads=_whole(1, 64)),
    "--volumes": _flag(N_("the data lie in volumes (zvols)"), default=None),
    "--why": _flag(N_("reasons, points, sources and what was assumed")),
    "--with-old": _flag(N_("offer models that are no longer sold as well (used, old stock)")),
    "--working-set": _value("SIZE", N_("size of the data in constant use"), reads=by(parse_size)),
    "--write": _value("RATE", N_("least sequential rate, such as 800MB/s"), reads=by(parse_disk_rate)),
    "--write-catalogue": _flag(N_("only print the catalogue as CSV, to be edited and read again")),
    "--years": _value("N", N_("to be enough for (default {years:g})"), reads=_real(most=50.0, above=True)),
    "--yes": _flag(N_("begin without asking")),
    "--zdb": _value("FILE", N_("output of zdb -S or zdb -DD of a pool with such data")),
    "--zfs": _value("VERSION", N_("OpenZFS version, or the system that has it: “proxmox 9” (default: the host's, "
        "else {version})"), reads=by(read_zfs)),
}


# The currency that is reckoned in, and amounts.

def currency_of(args: argparse.Namespace) -> str | None:
    if args.currency is None:
        return None
    found = parse_currency(args.currency)
    if found is None:
        raise UserError(_("--currency names none"), todo=_(CURRENCY_HELP))
    return found


def with_currency(design: Design, args: argparse.Namespace) -> Design:
    return replace(design, budget=replace(design.budget, currency=currency_of(args) or design.budget.currency))


def today() -> date:
    return datetime.now().astimezone().date()


def amount_of(text: str | None, currency: str | None, *, positive: bool = False) -> Money | None:
    return None if text is None else parse_money(text, currency=currency, positive=positive)
