"""The rehearsal: the same layout on sparse files of the same sizes, which a script fails, replaces and destroys.

It lets people try a failure drill, even before they own the disks. Nothing but files in a directory of its own is
touched; what files cannot have, or what would reach out of the directory, is left out and listed.
"""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from poolwright.domain.action import CreateDataset, CreatePool, Creation, PartitionDisk
from poolwright.domain.as_built import as_built
from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Setting
from poolwright.domain.names import LONGEST_POOL_NAME
from poolwright.domain.shown import shown_text
from poolwright.emit.commands import command, plan_actions, written_path
from poolwright.emit.names import BY_ID, Stamp, comment, comment_line, head_lines, quote
from poolwright.emit.partitions import reserved_words
from poolwright.emit.script import assemble, disk_comment, settings_of
from poolwright.shipped import shipped
from poolwright.texts import N_, _, ngettext

_TITLE = N_("What is created, in this order; a word that begins with files/ is a file of the rehearsal")
_LEFT_OUT = {name: entry["why"] for entry in shipped("scripts")["left_out"] for name in entry["names"].split()}
_NO_DEVICE = Setting(name="volmode", value="none")


def rehearsal_script(design: Design, stamp: Stamp) -> str:
    """Return the bash script (4.2 or newer) that rehearses ``design`` on sparse files below a directory given to it.

    Disks need no names: planned ones will do. Raises Refusal with all reasons when the design cannot be built,
    UserError for names and values that cannot be written.
    """
    design = as_built(design)
    suffix = f"-rehearsal-{sha256(design.key.encode()).hexdigest()[:8]}"
    named, omitted = _on_files(design, suffix)
    actions = tuple(_with_files(action) for action in plan_actions(named) if not isinstance(action, PartitionDisk))
    return assemble(
        "rehearsal",
        head=_head(design, stamp),
        constants={"suffix": suffix, "stem": f"poolwright{suffix}"},
        design=tuple(_design_lines(design, named, actions, omitted)),
    )


def _head(design: Design, stamp: Stamp) -> list[str]:
    pools = design.pools()
    title = ngettext(
        "Rehearsal of the design “{design}” on sparse files: the pool {pools}, its failures and repairs.",
        "Rehearsal of the design “{design}” on sparse files: the pools {pools}, their failures and repairs.",
        len(pools),
        design=comment(design.name),
        pools=", ".join(pool.pool_name for pool in pools),
    )
    course = _(
        "Give it a directory with some room: below it, it makes one of its own with the design on files, lets "
        "disks fail, replaces them, scrubs, shows what one would type, and removes all of it. It opens no disk "
        "and touches no other pool."
    )
    return head_lines(title, stamp, course)


# The design with pools and disks of the rehearsal's names, and what was left out of it.
def _on_files(design: Design, suffix: str) -> tuple[Design, tuple[str, ...]]:
    used = design.used_disks()
    width = max(2, len(str(len(used))))
    names = {disk.key: f"disk-{number:0{width}}" for number, disk in enumerate(used, 1)}
    disks = tuple(replace(d, by_id=(names[d.key],), planned=False) if d.key in names else d for d in design.disks)
    # Files have no partitions beside the data.
    omitted = [_("{words}: its files have what is left", words=words) for words in reserved_words(design)]
    keys = (f"key-{number}" for number in range(1, 10_000))

    def changed(pool: Design | FurtherPool) -> dict[str, object]:
        return {
            "pool_name": pool.pool_name[: LONGEST_POOL_NAME - len(suffix)] + suffix,
            "pool_settings": tuple(_possible_settings(pool.pool_settings, pool.pool_name, omitted)),
            "datasets": tuple(_rehearsed(d, pool.pool_name, omitted, keys) for d in pool.datasets),
        }

    further = tuple(replace(pool, **changed(pool)) for pool in design.further_pools)  # type: ignore[arg-type]
    main = changed(design)
    return replace(design, disks=disks, further_pools=further, **main), tuple(dict.fromkeys(omitted))  # type: ignore[arg-type]


# The settings that a rehearsal can have; the others go into ``omitted``.
def _possible_settings(settings: tuple[Setting, ...], where: str, omitted: list[str]) -> Iterator[Setting]:
    for setting in settings:
        why = _LEFT_OUT.get(setting.name)
        if why is None:
            yield setting
            continue
        words = {"property": setting.name, "value": shown_text(setting.value), "where": where, "why": _(why)}
        omitted.append(_("{property}={value} of {where}: {why}", **words))


# The dataset with a throwaway key, a volume without a device.
def _rehearsed(dataset: Dataset, pool: str, omitted: list[str], keys: Iterator[str]) -> Dataset:
    where = f"{pool}/{dataset.name}".rstrip("/")
    settings = tuple(_possible_settings(dataset.settings, where, omitted))
    if any(s.name == "keyformat" for s in settings):  # without a keylocation zfs would ask for the key
        location = Setting(name="keylocation", value=f"file:///files/{next(keys)}")
        settings = (*(s for s in settings if s.name != "keylocation"), location)
        omitted.append(_("the key of {where}: one is made for the rehearsal and thrown away", where=where))
    if dataset.volume_bytes is not None:
        settings = (*settings, _NO_DEVICE)
    return replace(dataset, settings=settings)


# The action with files in place of devices and of keys.
def _with_files(action: Creation) -> Creation:
    if isinstance(action, CreatePool):
        return replace(
            action,
            vdevs=tuple(replace(v, members=tuple(map(_file, v.members))) for v in action.vdevs),
            root_settings=tuple(_key_file(s) for s in action.root_settings),
        )
    if isinstance(action, CreateDataset):
        return replace(action, settings=tuple(_key_file(s) for s in action.settings))
    return action


def _file(device: Member) -> Member:
    return replace(device, path=f"files/{written_path(device).removeprefix(BY_ID)}")


def _key_file(setting: Setting) -> Setting:
    if setting.name != "keylocation":
        return setting
    return replace(setting, value=setting.value.removeprefix("file:///"))


def _design_lines(
    design: Design, named: Design, actions: tuple[Creation, ...], omitted: tuple[str, ...]
) -> Iterator[str]:
    yield comment_line(_("The files: name, bytes, and the disk each stands for"))
    yield from _file_lines(design, named)
    yield from _key_lines(actions)
    for text in omitted:
        yield f"left_out {quote(shown_text(text))}"
    yield ""
    yield comment_line(_(_TITLE))
    for action in actions:
        if isinstance(action, CreatePool) and action.force:
            yield comment_line(_("zpool wants -f because {reason}.", reason=comment(action.force)))
        yield from f"write {command(action).text}".split("\n")


# A line for each whole disk and each partition that the design uses.
def _file_lines(design: Design, named: Design) -> Iterator[str]:
    members = dict.fromkeys(named.members())
    for member in members:
        real, file = design.disk(member.disk_key), named.disk(member.disk_key)
        part = "" if member.part is None else f"-part{member.part}"
        size = member.slice_bytes if member.slice_bytes is not None else real.size_bytes
        # What one would type for the disk: its name below by-id, and for a planned one what it is called.
        name = shown_text(real.by_id_name or real.label or file.by_id_name or "")
        words = (f"{file.by_id_name}{part}", str(size), f"{name}{part}")
        yield f"file {' '.join(quote(word) for word in words)} # {comment(disk_comment(real))}"


def _key_lines(actions: tuple[Creation, ...]) -> Iterator[str]:
    for action in actions:
        values = {s.name: s.value for s in settings_of(action)}
        if "keylocation" in values:
            name = values["keylocation"].removeprefix("files/")
            yield f"key {quote(name)} {quote(values.get('keyformat', 'passphrase'))}"
