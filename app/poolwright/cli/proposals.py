"""Proposed properties and advice for the host, as JSON objects and as lines."""

from textwrap import wrap
from typing import TYPE_CHECKING

from poolwright.cli.output import print_line
from poolwright.domain.design import Dataset, Design, HostAdvice, Setting
from poolwright.domain.encryption import kept_words
from poolwright.domain.finding import Source
from poolwright.domain.inheritance import Resolver
from poolwright.domain.units import binary
from poolwright.rules.model import RuleBook
from poolwright.texts import tell, tell_counted

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup

_WIDTH = 110  # of a sentence below its title


def sources_document(sources: tuple[Source, ...]) -> list[dict[str, str]]:
    """Return sources as JSON objects."""
    return [{"kind": s.kind, "ref": s.ref, "note": s.note} for s in sources]


def properties_document(design: Design, book: RuleBook) -> dict[str, object]:
    """Return the settings of the pool, its root dataset and the datasets below, each with reason, rule and sources.

    ``default`` tells that OpenZFS does so by itself, so that no command says it.
    """
    root = next((dataset for dataset in design.datasets if not dataset.name), Dataset(name=""))
    resolver = Resolver(design)

    def of(dataset: Dataset) -> list[dict[str, object]]:
        written = resolver.written(dataset)
        return [_setting(s, book, default=s not in written) for s in dataset.settings]

    return {
        "ashift": design.ashift,
        "pool": [_setting(s, book, default=False) for s in design.pool_settings],
        "root": of(root),
        "datasets": [
            {"name": d.name, "volume_bytes": d.volume_bytes, "settings": of(d)} for d in design.datasets if d.name
        ],
        "further_pools": [
            {"pool_name": pool.pool_name, **properties_document(pool, book)} for pool in design.pools()[1:]
        ],
    }


def _setting(setting: Setting, book: RuleBook, *, default: bool) -> dict[str, object]:
    rule = book.rule(setting.rule_id) if setting.rule_id else None
    return {
        "name": setting.name,
        "value": setting.value,
        "default": default,
        "reason": setting.reason,
        "rule": setting.rule_id,
        "sources": sources_document(rule.sources) if rule else [],
    }


def print_properties(design: Design) -> None:
    """Print the settings of the pool, its root dataset and the datasets below, a line each.

    Those of further pools are the same, but where they hold data of their own.
    """
    for pool in design.pools() if design.main_workload else (design,):
        resolver, own = Resolver(pool), "" if design.main_workload is None else f", {pool.pool_name}"
        lines = [(tell("the pool (-o)") + own, pool.pool_settings)]
        lines += [
            (
                tell("the dataset {name}", name=f"{pool.pool_name}/{d.name}")
                if d.name
                else tell("its root (-O)") + own,
                resolver.written(d),
            )
            for d in pool.datasets
        ]
        for name, settings in lines:
            if settings:
                values = " ".join(f"{s.name}={s.value}" for s in settings)
                print_line("  " + tell("properties of {name}: {values}", name=name, values=values))
    for text in kept_words(design):
        print_line("  " + tell("encrypted: {text}", text=text))


def host_advice_document(advice: tuple[HostAdvice, ...]) -> list[dict[str, object]]:
    """Return the advice for the machine around the pool as JSON objects."""
    return [
        {
            "kind": piece.kind,
            "title": piece.title,
            "command": piece.command,
            "file": piece.file,
            "content": piece.content,
            "reason": piece.reason,
            "why": piece.why,
            "rule": piece.rule_id,
            "sources": sources_document(piece.sources),
        }
        for piece in advice
    ]


def synclog_document(found: "tuple[Setup, tuple[Advice, ...]] | None") -> dict[str, object] | None:
    """Return what the model of synchronous writes was asked for a design and what it means; None where it was not."""
    if found is None:
        return None
    setup, advice = found
    return {
        "volumes": setup.volumes,
        "disks": setup.disks,
        "requests_per_sync": setup.requests_per_sync,
        "block_size_bytes": setup.block_bytes,
        "log_device": setup.log is not None,
        "disk_origin": str(setup.disk.origin),
        "advice": [
            {
                "subject": piece.subject,
                "title": piece.title,
                "text": piece.text,
                "done": piece.done,
                "sources": sources_document(piece.sources),
            }
            for piece in advice
        ],
    }


def print_synclog(found: "tuple[Setup, tuple[Advice, ...]] | None") -> None:
    """Print what the model of synchronous writes means for a design with volumes; nothing for another."""
    if found is None:
        return
    setup, advice = found
    where = (
        tell("one log device") if setup.log is not None else tell_counted("{count} vdev", "{count} vdevs", setup.disks)
    )
    print_line()
    print_line(
        tell_counted(
            "Synchronous writes, by the model: {count} volume on {where}, requests of "
            "{size}, one in {requests} waits (more: poolwright synclog)",
            "Synchronous writes, by the model: {count} volumes on {where}, requests of "
            "{size}, one in {requests} waits (more: poolwright synclog)",
            setup.volumes,
            where=where,
            size=binary(setup.block_bytes),
            requests=setup.requests_per_sync,
        )
    )
    for piece in advice:
        print_line(f"  {piece.title}: {piece.text}")


def print_host_advice(advice: tuple[HostAdvice, ...]) -> None:
    """Print what is to be done on the host: a line a piece, its command or what a file shall hold below it.

    A piece with neither is the sentence itself, which a title alone would keep back.
    """
    if not advice:
        return
    print_line()
    print_line(tell("For the host, once the pool exists (reasons: --json):"))
    for piece in advice:
        print_line(f"  {piece.title}")
        if not piece.command and not piece.content:
            for line in wrap(piece.reason, width=_WIDTH):
                print_line(f"      {line}")
        if piece.command:
            print_line(f"      {piece.command}")
        if piece.content:
            print_line("      " + tell("in {file}:", file=piece.file))
            for line in piece.content.splitlines():
                print_line(f"        | {line}")
