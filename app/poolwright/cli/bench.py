"""`poolwright bench`: measures a pool by profiles, reads what other tools measured, and judges it."""

import argparse
from pathlib import Path

from poolwright.cli.numbers import real_number, whole_number
from poolwright.cli.output import FileOrProperty, add_force_option
from poolwright.domain.errors import UserError
from poolwright.texts import tell


def configure(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--list", action="store_true", help=tell("list the profiles with time and bytes at most"))
    doing.add_argument("--profile", metavar="NAME", help=tell("measure in --directory with this profile"))
    doing.add_argument(
        "--own", metavar="FILE", help=tell("measure with a profile of your own: TOML, or a fio job file")
    )
    doing.add_argument(
        "--repeat", metavar="RUN", help=tell("measure again, by the same tests, what a run that was kept measured")
    )
    doing.add_argument(
        "--read", metavar="FILE", nargs="+", help=tell("read results of fio, bonnie++, dd, sar, zpool, zdb")
    )
    doing.add_argument(
        "--verdict",
        metavar=("RUN", "DESIGN"),
        nargs="+",
        help=tell("judge a run by a design, or one --against another"),
    )
    doing.add_argument(
        "--runs", metavar="WORD", nargs="*", help=tell("list the runs that were kept, or those with all these words")
    )
    doing.add_argument(
        "--paper-volumes", metavar="POOL", help=tell("write the script that makes the volumes of the profile “paper”")
    )
    parser.add_argument("--directory", metavar="DIR", help=tell("where to measure: a mounted dataset"))
    parser.add_argument("--host", metavar="HOST", help=tell("measure on another machine, as ssh reaches it"))
    parser.add_argument("--design", metavar="DESIGN", help=tell("the design that the pool was built by"))
    parser.add_argument(
        "--from", dest="from_paths", metavar="PATH", nargs="+", type=Path, action="extend",
        help=tell("instead of a design: a capture of the machine, for what its pool is"),
    )  # fmt: skip
    parser.add_argument("--pool", metavar="NAME", help=tell("with --from: the pool that is meant"))
    parser.add_argument("--against", metavar="RUN", help=tell("another run, or other results, to compare with"))
    _add_run_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        action=FileOrProperty,
        help=tell("write the run (.zip) to FILE instead of the library, or the script"),
    )
    parser.add_argument("--html", metavar="FILE", help=tell("with --verdict: write a report that needs no network"))
    parser.add_argument("--pdf", metavar="FILE", help=tell("with --verdict: write the report as PDF"))
    add_force_option(parser)
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document"))


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repeats", metavar="N", type=whole_number("--repeats", least=1, most=100), help=tell("repeats of each test")
    )
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=real_number("--seconds", least=0.1, most=86400),
        help=tell("how long one repeat of a timed test runs"),
    )
    parser.add_argument("--max-bytes", metavar="SIZE", help=tell("end the run when so much was written"))
    parser.add_argument(
        "--max-seconds",
        metavar="N",
        type=real_number("--max-seconds", least=1, most=1e7),
        help=tell("end the run after so long"),
    )
    parser.add_argument(
        "--max-celsius",
        metavar="N",
        type=real_number("--max-celsius", least=20, most=120),
        help=tell("end the run when a disk is so warm"),
    )
    parser.add_argument(
        "--fill",
        metavar="PERCENT",
        type=whole_number("--fill", least=1, most=90),
        help=tell("fill the pool so far first, by writes all over; emptied again at the end"),
    )
    parser.add_argument(
        "--steps", action="store_true", help=tell("also the tests before which you run a command as root")
    )
    parser.add_argument(
        "--keep", action="store_true", help=tell("with --own: keep it, so that --profile finds it by its name")
    )
    parser.add_argument(
        "--no-dataset",
        action="store_true",
        help=tell("measure in the dataset that is there; else root has one made for the run, and destroyed after it"),
    )
    parser.add_argument("--no-keep", action="store_true", help=tell("do not keep the run in the library"))
    parser.add_argument("--yes", action="store_true", help=tell("begin without asking"))


def run(args: argparse.Namespace) -> int:
    """Do what was asked; return the exit status."""
    if (args.html or args.pdf) and not args.verdict:
        raise UserError(tell("A report is of a run that is judged"), todo=tell("Add --verdict RUN DESIGN."))
    if args.list:
        from poolwright.cli.bench_list import list_profiles

        return list_profiles(args)
    if args.runs is not None:
        from poolwright.cli.bench_list import list_runs

        return list_runs(args)
    if args.profile or args.own or args.repeat:
        from poolwright.cli.bench_run import measure

        return measure(args)
    if args.read:
        from poolwright.cli.bench_read import read_files

        return read_files(args)
    if args.verdict:
        from poolwright.cli.bench_verdict import judge_run

        return judge_run(args)
    if args.paper_volumes:
        from poolwright.cli.bench_list import write_volumes_script

        return write_volumes_script(args)
    raise UserError(
        tell("It is not said what to do"),
        todo=tell("Add --list, --profile NAME --directory DIR, --read FILE... or --verdict RUN DESIGN."),
    )
