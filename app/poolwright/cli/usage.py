"""`poolwright usage`: a design's datasets as the space they will really take, and when the pool is 80 % full."""

import argparse
from dataclasses import replace
from datetime import date

from poolwright.capacity.pool import predict_design
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_options import add_design_arguments, read_given_design
from poolwright.cli.design_source import pool_of_design
from poolwright.cli.options import REPORT, by, options, split_pair, today
from poolwright.cli.output import answer, separated, share_words
from poolwright.domain.dataset_edits import change, find
from poolwright.domain.design import Dataset, Design
from poolwright.domain.errors import not_there
from poolwright.domain.inheritance import Effective, Resolver, SettingSource, all_datasets, effective_settings
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, parse_size
from poolwright.emit.report import WHY, Answer, Behind, Blocks, ReportHeading, ReportTable, listed, warnings
from poolwright.predict.number_words import UNKNOWN, overfull_words
from poolwright.predict.space import DatasetSpace, FillForecast, PoolSpace, predict_space
from poolwright.texts import _, capital, dated, sentence

_BLOCKS = ("recordsize", "volblocksize")
_BAND = "[low:0 typical:0 high:0]"  # for machines


def configure(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    options(parser, f"--data --growth --compress-ratio --pool --properties {REPORT}")


def run(args: argparse.Namespace) -> int:
    design = read_given_design(args)
    chosen = design.pools() if args.pool is None else (pool_of_design(design, args.pool),)
    pools, day = _with_data(chosen, args.data), today()
    growth = design.workload.growth_percent if args.growth is None else args.growth
    found = [(pool, predict_space(pool, predict_design(pool), compress_ratio=args.compress_ratio)) for pool in pools]
    status = int(any(space.free_bytes < 0 for __, space in found))

    def document() -> dict[str, object]:
        first, *others = (_document(pool, space, growth, day, whole=args.properties) for pool, space in found)
        return {**first, **({"further_pools": others} if others else {})}

    answer(args, document, separated(_blocks(pool, space, growth, day, whole=args.properties) for pool, space in found))
    return status


def _with_data(pools: tuple[Design, ...], given: list[str]) -> tuple[Design, ...]:
    found = list(pools)
    for text in given:
        full, size = split_pair(text, "--data", "home=4TiB")
        full = full.strip("/")
        amount = 0 if size == "0" else by(parse_size)("--data", size)
        places = [(n, name) for n, pool in enumerate(found) if (name := _name_in(pool, full)) is not None]
        if not places:
            known = (f"{pool.pool_name}/{d.name}" for pool in found for d in pool.datasets if d.name)
            raise not_there(full, known, where="--data")
        for number, name in places:
            pool = found[number]
            dataset = find(pool.datasets, name) or Dataset(name=name)
            found[number] = replace(pool, datasets=change(pool.datasets, replace(dataset, logical_bytes=amount)))
    return tuple(found)


def _name_in(pool: Design, full: str) -> str | None:
    """Return the name within the pool of the dataset that a person calls ``full``; None where it has none such."""
    if full == pool.pool_name:
        return ""
    names = {dataset.name for dataset in all_datasets(pool)}
    return next((name for name in (full.removeprefix(f"{pool.pool_name}/"), full) if name in names and name), None)


def _document(design: Design, space: PoolSpace, growth: float | None, today: date, *, whole: bool) -> dict[str, object]:
    return json_of(
        space,
        f"pool@ zfs@ datasets@ used_bytes=used{_BAND} available_bytes free_bytes "
        "fill_percent[low:2 typical:2 high:2] plan_percent@ "
        f"special@[available_bytes=special_bytes used_bytes=special{_BAND} overflows=special_overflows] "
        "not_counted=uncounted growth_percent@ "
        "eighty_percent_at@full[reached earliest typical latest level_bytes] origin=usage.used.origin "
        "promises[promised_bytes percent thin_bytes reserved_bytes free_bytes usable_bytes]",
        pool=design.pool_name,
        zfs=design.version,
        datasets=[_dataset_document(design, item, whole=whole) for item in space.datasets],
        plan_percent=PLAN_FILL_PERCENT,
        special=None if space.usage.special_bytes is None else space.usage,
        growth_percent=growth,
        full=None if growth is None else space.full_at(growth, today),
    )


def _dataset_document(design: Design, item: DatasetSpace, *, whole: bool) -> dict[str, object]:
    dataset = item.dataset
    found = json_of(
        item,
        "name@ kind@ volume_bytes=dataset.volume_bytes logical_bytes=dataset.logical_bytes "
        f"used_bytes=used{_BAND} reserved_bytes block_bytes efficiency:6 nominal_efficiency:6=nominal "
        "waste_disk_bytes=waste_bytes waste_money notes",
        name=design.full_name(dataset.name),
        kind="filesystem" if dataset.volume_bytes is None else "volume",
    )
    if whole:
        found["properties"] = json_list(
            effective_settings(design, dataset),
            "name value source inherited_from@ default=default_value changed reason? rule=rule_id",
            inherited_from=lambda e: None if e.inherited_from is None else design.full_name(e.inherited_from),
        )
    return found


def _blocks(design: Design, space: PoolSpace, growth: float | None, today: date, *, whole: bool) -> Blocks:
    fill, used, size = space.fill_percent, binary(round(space.used.typical)), space.available_bytes
    if space.free_bytes < 0:
        text = overfull_words(size - space.free_bytes, size)
    elif all(item.used is None for item in space.datasets):
        most = binary(size * PLAN_FILL_PERCENT // 100)
        text = _(
            "{pool} holds {size}, {most} at 80 %. When it is full depends on --data {pool}=SIZE --growth PERCENT.",
            pool=design.pool_name, size=binary(size), most=most,
        )  # fmt: skip
    else:
        text = _("{pool} is {percent:.0f} % full with {used}", pool=design.pool_name, percent=fill.typical, used=used)
        when = _("80 % full: unknown without --growth PERCENT")
        if growth is not None:
            words = _when(space.full_at(growth, today))
            when = _("80 % full {when}", when=words)
        text = sentence(f"{text}; {when}")
    figures = {"usable_bytes": size, "free_bytes": space.free_bytes, "used_bytes": round(space.used.typical)}
    yield Answer(text=text, figures=figures)
    notes = ((item.dataset.name, note) for item in space.datasets for note in item.notes)
    yield from warnings(*(f"{design.full_name(name)}: {note}" for name, note in notes))
    yield _datasets_table(design, space)
    yield ""
    free = f"{'-' if space.free_bytes < 0 else ''}{binary(abs(space.free_bytes))}"
    yield _("{size} usable, {free} free.", size=binary(size), free=free)
    if space.promises is not None:
        yield sentence(space.promises.text)
    if (special := space.usage.special_bytes) is not None:
        used_there = binary(round(space.usage.special.typical))
        room = _("special vdevs: {used} of {size}", used=used_there, size=binary(special))
        small = _("{room}, too small: the rest goes to the data vdevs", room=room)
        yield small if space.usage.special_overflows else room
    band = _(
        "used {used} ({low} to {high}), {full:.1f} % full ({least:.1f} to {most:.1f} %), OpenZFS {version}", used=used,
        low=binary(round(space.used.low)), high=binary(round(space.used.high)), full=fill.typical, least=fill.low,
        most=fill.high, version=design.version,
    )  # fmt: skip
    yield Behind(WHY, (band,))
    if whole:
        yield from _properties_blocks(design, space)


def _datasets_table(design: Design, space: PoolSpace) -> ReportTable:
    resolver = Resolver(design)

    def kind(item: DatasetSpace) -> str:
        size = item.dataset.volume_bytes
        return _("filesystem") if size is None else _("volume of {size}", size=binary(size))

    return listed(
        space.datasets,
        (_("Dataset"), lambda item: design.full_name(item.dataset.name)),
        (_("Data"), lambda item: binary(item.dataset.logical_bytes)),
        (_("Takes"), lambda item: _(UNKNOWN) if item.used is None else binary(round(item.used.typical))),
        (_("Low"), lambda item: "" if item.used is None else binary(round(item.used.low))),
        (_("High"), lambda item: "" if item.used is None else binary(round(item.used.high))),
        (_("Block size"), lambda item: resolver.value(item.dataset, _BLOCKS[item.dataset.volume_bytes is not None])),
        (_("Stored at"), lambda item: share_words(item.efficiency, item.nominal)),
        (_("Kind"), kind),
        right=(1, 2, 3, 4, 5, 6),
    )


def _when(fill: FillForecast) -> str:
    if fill.reached:
        return _("already")
    if fill.typical is None:
        return _("not within 200 years")
    latest = _("later than 200 years") if fill.latest is None else dated(fill.latest, "%Y-%m")
    earliest = fill.earliest or fill.typical
    return _("in {month:%Y-%m} ({earliest:%Y-%m} to {latest})", month=fill.typical, earliest=earliest, latest=latest)


def _properties_blocks(design: Design, space: PoolSpace) -> Blocks:
    def source(setting: Effective) -> str:
        above = setting.inherited_from
        return _("local") if above is None else _("from {name}", name=design.full_name(above))

    for item in space.datasets:
        settings = [e for e in effective_settings(design, item.dataset) if e.source is not SettingSource.DEFAULT]
        if settings:
            yield ReportHeading(text=design.full_name(item.dataset.name), level=3)
            yield listed(
                settings,
                (_("Property"), lambda e: e.name),
                (_("Value"), lambda e: e.value),
                (capital(_("source")), source),
                (_("Against default"), lambda e: _("changed") if e.changed else _("default")),
                (_("Why"), lambda e: e.reason),
            )
