"""The pages of the guide, and which of them tells of a page of the window or of a rule (`rules/data/guide.toml`)."""

from functools import cache
from typing import NamedTuple

from poolwright.paths import resources_folder, shipped_text
from poolwright.shipped import shipped
from poolwright.texts import language, per_language

CONTENTS = "index"


class GuidePage(NamedTuple):
    """A page: what its file is called, its heading, and its text in Markdown."""

    name: str
    title: str
    text: str

    @property
    def about(self) -> str:
        return " ".join(self.text.split("\n\n")[1].replace("*", "").replace("`", "").split())


@per_language
@cache
def guide_pages() -> dict[str, GuidePage]:
    """Return the pages by name, in English where the language has none; EnvironmentFailure where one cannot be read."""
    folder, texts = resources_folder() / "guide", dict[str, str]()
    for path in sorted(folder.glob("*.md")):
        own = folder / language().replace("-", "_") / path.name
        texts[path.stem] = shipped_text(own if own.is_file() else path)
    return {name: GuidePage(name, text.partition("\n")[0].lstrip("# "), text) for name, text in texts.items()}


def guide_of_window(page: str, part: str = "") -> str:
    """Return the name of the guide's page on a page of the window, or on the part of it that is in front."""
    known: dict[str, str] = shipped("guide")["window"]
    return known.get(f"{page}:{part}") or known.get(page, CONTENTS)


def guide_of_rule(rule_id: str) -> GuidePage | None:
    """Return the guide's page on what a rule judges; None for rules of the user's own and where there is none."""
    known = shipped("guide")["rules"]
    longest = max(filter(rule_id.startswith, known), key=len, default="")
    return guide_pages()[known[longest]] if longest else None
