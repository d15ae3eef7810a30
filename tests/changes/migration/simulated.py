"""A machine that takes the lines of a migration one by one, and counts by trying every set of failing disks.

It knows nothing of the planner: pools are made of what the commands say, and a copy is whole where the commands have
sent all of it.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from poolwright.domain.host import Inventory

BY_ID = "/dev/disk/by-id/"
OPTIONS_WITH_VALUE = ("-o", "-O", "-m", "-R", "-d", "-t")
SUPPORT = ("spare", "log", "cache")


@dataclass
class Group:
    """A top-level vdev; ``there`` tells of each device whether its data are on it."""

    word: str
    there: dict[str, bool]
    section: str = "data"

    def survives(self, failed: set[str]) -> bool:
        """Tell whether it still gives its data when these devices have failed."""
        if self.section in SUPPORT:
            return True
        good = sum(1 for device, there in self.there.items() if there and device not in failed)
        if self.word in ("disk", "mirror"):
            return good >= 1
        return good >= len(self.there) - int(self.word[len("raidz") :])


@dataclass
class Simulated:
    """Pools by name; ``whole`` are those with all of the data."""

    pools: dict[str, list[Group]]
    whole: set[str]
    empty: set[str]
    coming: list[tuple[Group, str]] = field(default_factory=list)
    leaving: list[tuple[str, Group]] = field(default_factory=list)
    _old: dict[int, Group] = field(default_factory=dict)

    def least(self) -> int:
        """Return how many disks may fail, whichever they are; -1 when there is no whole copy at all."""
        devices = sorted({d for name in self.whole for group in self.pools[name] for d in group.there})
        for count in range(len(devices) + 1):
            for failed in combinations(devices, count):
                if not any(all(g.survives(set(failed)) for g in self.pools[name]) for name in self.whole):
                    return count - 1
        return len(devices)

    def take(self, line: str) -> None:
        kind, *words = shlex.split(line)
        if kind == "pipe":
            self._copy(words[1 : 1 + int(words[0])], words[-1])
        elif kind == "settle":
            for group, device in self.coming:
                group.there[device] = True
            for pool, group in self.leaving:
                self.pools[pool].remove(group)
                self.empty |= set(group.there)
            self.coming, self.leaving = [], []
        elif kind == "write" and words[0] == "zpool":
            getattr(self, f"_{words[1]}", lambda words: None)(plain(words[2:]))
        self.check()

    def check(self) -> None:
        """No device is in two places."""
        devices = [d for groups in self.pools.values() for g in groups for d in g.there]
        assert len(devices) == len(set(devices)), devices

    def _copy(self, sent: list[str], target: str) -> None:
        assert sent[-1].partition("@")[0] in self.whole
        if "-I" in sent:
            self.whole.add(target.partition("/")[0])

    def _create(self, words: list[str]) -> None:
        self.pools[words[0]] = groups_of(words[1:])
        assert {d for g in self.pools[words[0]] for d in g.there if d.startswith(BY_ID)} <= self.empty
        self._take_up(self.pools[words[0]])

    def _add(self, words: list[str]) -> None:
        made = groups_of(words[1:])
        assert {d for g in made for d in g.there} <= self.empty
        self._take_up(made)
        self.pools[words[0]].extend(made)

    def _take_up(self, groups: Sequence[Group]) -> None:
        self.empty -= {d for g in groups for d in g.there}

    def _group(self, pool: str, device: str) -> Group:
        return next(g for g in self.pools[pool] if whole(device) in g.there)

    def _offline(self, words: list[str]) -> None:
        self._group(words[0], words[1]).there[whole(words[1])] = False

    def _labelclear(self, words: list[str]) -> None:
        device = whole(words[0])
        group = next(g for groups in self.pools.values() for g in groups if device in g.there)
        assert not group.there[device]
        group.there["gone " + device] = group.there.pop(device)
        self.empty.add(device)

    def _detach(self, words: list[str]) -> None:
        group = self._group(words[0], words[1])
        assert group.word == "mirror"
        assert len(group.there) > 1
        del group.there[whole(words[1])]
        self.empty.add(whole(words[1]))

    def _remove(self, words: list[str]) -> None:
        pool = words[0]
        for name in words[1:]:
            group = next((g for g in self.pools[pool] if whole(name) in g.there), None)
            if group is None:
                number = int(name.rpartition("-")[2])
                group = self.old[number]
                self.leaving.append((pool, group))
            elif group.section not in SUPPORT:  # a lone data disk is named by its device; its data move off first
                assert group.word == "disk"
                self.leaving.append((pool, group))
            else:
                self.pools[pool].remove(group)
                self.empty |= set(group.there)

    def _replace(self, words: list[str]) -> None:
        pool, before, after = words
        group = self._group(pool, before)
        assert after in self.empty
        assert not group.there.pop(before)
        group.there[after] = False
        self.empty.discard(after)
        self.coming.append((group, after))

    def _attach(self, words: list[str]) -> None:
        pool, side, device = words
        group = self._group(pool, side) if side.startswith("/") else self.old[int(side.rpartition("-")[2])]
        assert device in self.empty
        if side.startswith("/"):  # a raidz has a new member only when it was expanded to the end
            group.there[device] = False
            group.word = "mirror"
        self.empty.discard(device)
        self.coming.append((group, device))

    def _destroy(self, words: list[str]) -> None:
        self.empty |= {d for g in self.pools.pop(words[0]) for d in g.there if d.startswith(BY_ID)}
        self.whole.discard(words[0])

    def _import(self, words: list[str]) -> None:
        before, after = words
        assert after not in self.pools
        self.pools[after] = self.pools.pop(before)
        if before in self.whole:
            self.whole = self.whole - {before} | {after}
        if not after.endswith("-old"):
            self.whole = {after}  # it is in use from now on: another copy grows old

    @property
    def old(self) -> dict[int, Group]:
        """The vdevs by the number that zpool gave them when the pool was made."""
        return self._old

    @classmethod
    def of(cls, inventory: Inventory) -> "Simulated":
        """Return the machine with the pool ``tank`` as it is."""
        nodes = inventory.pools[0].vdevs
        sections = {"logs": "log", "spares": "spare"}
        groups = [
            Group(
                word=node.kind,
                section=sections.get(node.section, node.section),
                there={whole(leaf.path or ""): leaf.state == "ONLINE" for leaf in node.leaves()},
            )
            for node in nodes
        ]
        used = {device for group in groups for device in group.there}
        disks = {f"{BY_ID}{disk.by_id_name}" for disk in inventory.disks}
        made = cls(pools={"tank": list(groups)}, whole={"tank"}, empty=disks - used)
        made._old = dict(enumerate(groups))
        return made


def whole(device: str) -> str:
    """Return the whole disk of a partition that zpool made."""
    return device.removesuffix("-part1")


def plain(words: Sequence[str]) -> list[str]:
    """Return the words of a command without its options."""
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in OPTIONS_WITH_VALUE:
            skip = True
        elif not word.startswith("-"):
            found.append(word)
    return found


def groups_of(words: Sequence[str]) -> list[Group]:
    """Return the vdevs that the words of `zpool create` or `zpool add` name."""
    made: list[Group] = []
    section, word = "data", ""
    for each in words:
        if each in (*SUPPORT, "special", "dedup"):
            section, word = each, ""
        elif not each.startswith("/"):
            word = each
            made.append(Group(word=each, there={}, section=section))
        elif word:
            made[-1].there[each] = True
        else:
            made.append(Group(word="disk", there={each: True}, section=section))
    return made


def taken(machine: Simulated, lines: Sequence[str]) -> Iterator[int]:
    """Take the lines of a step; yield how many disks may fail before it and after each line."""
    yield machine.least()
    for line in lines:
        machine.take(line)
        yield machine.least()
