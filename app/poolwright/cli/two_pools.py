"""Two pools where unlike drives meet unlike data: flash for what is read at random, hard disks for what streams.

The ranking is of one pool for all of the data, so this is said beside it, with the commands that design the two.
"""

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from poolwright.advise.candidate import Candidate
from poolwright.advise.recommend import recommend
from poolwright.advise.request import JudgeMaker, Request
from poolwright.cli.laid_out import sold_as
from poolwright.domain.disk import FLASH_MEDIA, Disk, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.units import binary
from poolwright.domain.vdev import Layout, VdevSpec
from poolwright.rules.presets import Preset, apply_preset, random_and_rest, with_goal_of_data
from poolwright.texts import listed, tell

LEAST_FLASH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The pool of one medium for some of the data."""

    presets: tuple[Preset, ...]
    best: Candidate

    @property
    def data(self) -> str:
        return listed([tell(preset.title) for preset in self.presets])

    def command(self, args: argparse.Namespace, pool: str) -> str:
        presets = [word for preset in self.presets for word in ("--preset", preset.key)]
        goal = ["--goal", args.goal] if args.goal else []
        words = ["poolwright", "recommend", *_source(args), *presets, *goal]
        return shlex.join([*words, "--layout", *_layout_words(self.best.layout), "--pool", pool])


def two_pools_words(args: argparse.Namespace, request: Request, make_judge: JudgeMaker) -> str:
    """Return which two pools would suit the data better than one; empty where one medium or one kind of data is all."""
    at_random, rest = random_and_rest(request.workload)
    flash = [disk for disk in request.disks if disk.media in FLASH_MEDIA and not disk.refusals()]
    spinning = [disk for disk in request.disks if disk.media is Media.HDD and not disk.refusals()]
    # Fewer flash drives serve a pool of hard disks better, as its log, special vdev or cache.
    if not (at_random and rest and len(flash) >= LEAST_FLASH and spinning):
        return ""
    fast, large = _part(request, flash, at_random, make_judge), _part(request, spinning, rest, make_judge)
    if fast is None or large is None:
        return ""
    return tell(
        "Unlike drives for unlike data make two pools: {fast} of flash for {fast_data}, where {usable} are enough, and "
        "{large} of hard disks for {large_data}. Design them with `{fast_command}` and `{large_command}`.",
        fast=fast.best.words,
        fast_data=fast.data,
        usable=binary(fast.best.measures.usable_bytes),
        large=large.best.words,
        large_data=large.data,
        fast_command=fast.command(args, f"{args.pool}-flash"),
        large_command=large.command(args, args.pool),
    )


def _part(request: Request, disks: Sequence[Disk], presets: tuple[Preset, ...], make_judge: JudgeMaker) -> _Part | None:
    """Return the best pool of ``disks`` for the data of ``presets``; None where none of whole disks is redundant."""
    workload = apply_preset(request.workload, *presets)
    # What is wished of the room and the speed of one pool for all is wished of neither half.
    budget = replace(
        request.budget, least_usable_bytes=None, least_read_bytes_per_second=None, least_write_bytes_per_second=None
    )
    asked = replace(
        request,
        disks=tuple(disks),
        workload=workload if request.goal_told else with_goal_of_data(workload),
        budget=budget,
    )
    try:
        best = recommend(asked, make_judge).best
    except Refusal:
        return None
    whole = {disk.size_bytes for disk in disks}
    members = {size for spec in best.layout for size in spec.sizes}
    safe = all(spec.failures_survived for spec in best.data_vdevs)
    return _Part(presets=presets, best=best) if best.pool_count == 1 and safe and members <= whole else None


def _source(args: argparse.Namespace) -> list[str]:
    """Return the options that name the disks, as they were given."""
    told = (("--from", args.from_paths), ("--example", args.example and [args.example]), ("--disks", args.disks))
    named = [word for option, values in told if values for word in (option, *map(str, values))]
    return named + [word for host in args.host or () for word in ("--host", host)]


def _layout_words(layout: Layout) -> list[str]:
    """Return a layout as --layout takes it, with the labels of the disks."""
    runs = [(spec, len(tuple(run))) for spec, run in groupby(layout)]
    return [f"{count}*{_spec_words(spec)}" if count > 1 else _spec_words(spec) for spec, count in runs]


def _spec_words(spec: VdevSpec) -> str:
    front = str(spec).rpartition(":")[0]
    runs = [(size, len(tuple(run))) for size, run in groupby(spec.sizes)]
    return f"{front}:{','.join(f'{count}x{sold_as(size)}' for size, count in runs)}".replace(" ", "")
