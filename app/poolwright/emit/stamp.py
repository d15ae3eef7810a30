"""When and by which version of the program an export was written; and where each member of a pool sits."""

from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """``generated_at`` is shown as it is; the core asks no clock."""

    generated_at: str
    program_version: str

    @property
    def words(self) -> str:
        return tell("Written by Poolwright {version}, {when}.", version=self.program_version, when=self.generated_at)

    @property
    def when_and_by(self) -> str:
        return tell("{when} by Poolwright {version}", when=self.generated_at, version=self.program_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberPlace:
    """A member with its disk and its vdev; ``label`` is what `zpool status` calls the vdev, ``number`` as there."""

    member: Member
    disk: Disk
    vdev: Vdev
    label: str


def places(pool: Design) -> Iterator[MemberPlace]:
    number = 0
    for vdev in sorted(pool.vdevs, key=lambda v: v.rank):
        single = vdev.kind is VdevKind.STRIPE
        aside = vdev.vdev_class in (VdevClass.SPARE, VdevClass.CACHE)
        word = "—" if aside else "disk" if single else pool.spec(vdev).word
        for member in vdev.members:
            label = word if single or aside else f"{word}-{number}"
            yield MemberPlace(member=member, disk=pool.disk(member.disk_key), vdev=vdev, label=label)
            number += 1 if single and not aside else 0
        number += 0 if single else 1
