"""What the checks of a step mean, in words."""

from poolwright.emit.migration.lines import MoveLine
from poolwright.emit.names import BY_ID
from poolwright.texts import marked, tell, tell_counted

_OF_POOL = {
    "absent": marked("No pool {pool} is there."),
    "pool": marked("{pool} is the pool that was read (same guid)."),
    "empty_pool": marked("Nothing was received into {pool} yet."),
}


def guard_words(line: MoveLine) -> str:
    """Return what a check looks at, in a sentence."""
    kind, first, *rest = line.words
    name = first.removeprefix(BY_ID)
    match kind:
        case "absent" | "pool" | "empty_pool":
            return tell(_OF_POOL[kind], pool=first)
        case "healthy":
            return _healthy(first, int(rest[0]))
        case "names":
            return tell(
                "The names of {pool} fit {new}, and nothing bears those that this move needs.", pool=first, new=rest[0]
            )
        case "empty":
            return tell(
                "{disk} is that very disk (size, sectors, serial number), empty, and nothing uses it.", disk=name
            )
        case "freed":
            return tell(
                "{disk} is that very disk (size, sectors, serial number), has left {pool}, and holds nothing else.",
                disk=name,
                pool=rest[0],
            )
        case "unmounted":
            return tell(
                "{disk} is that very disk (size, sectors, serial number), and nothing of it is mounted.", disk=name
            )
        case "member":
            return tell("{leaf} is a member of {pool}, and lies on that very disk.", leaf=rest[1], pool=first)
        case "same":
            return tell(
                "Every snapshot of {old} is in {new} (same guid), and nothing was written to {old} since {snapshot}.",
                old=first,
                new=f"{rest[0]}{rest[2]}",
                snapshot=f"@{rest[1]}",
            )
        case "mounted":
            return tell("{folder} is mounted.", folder=first)
        case "identical":
            return tell("All files of {old} and {new} are the same, byte by byte.", old=first, new=rest[0])
    return " ".join(line.words)


def _healthy(pool: str, missing: int) -> str:
    if not missing:
        return tell("{pool} lacks no member, counts no errors, and nothing runs on it.", pool=pool)
    return tell_counted(
        "{pool} lacks the {count} member that is to come and no other, counts no errors, and nothing runs on it.",
        "{pool} lacks the {count} members that are to come and no others, counts no errors, and nothing runs on it.",
        missing,
        pool=pool,
    )
