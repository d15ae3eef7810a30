"""How people write steps of growth."""

import pytest

from poolwright.domain.growth import GrowthKind, parse_growth_step


@pytest.mark.parametrize(
    ("text", "kind", "size", "top", "percent", "day"),
    [
        ("attach:6TB", GrowthKind.ATTACH, 6_001_175_126_016, None, None, None),
        ("attach 6TB@2", GrowthKind.ATTACH, 6_001_175_126_016, 1, None, None),
        ("Replace: 12TB @1 at 80%", GrowthKind.REPLACE, 12_000_138_625_024, 0, 80, None),
        ("expand@1 on 2028-03", GrowthKind.EXPAND, None, 0, None, "2028-03"),
        ("remove", GrowthKind.REMOVE, None, None, None, None),
    ],
)
def test_that_a_step_is_read(
    text: str, kind: GrowthKind, size: int | None, top: int | None, percent: int | None, day: str | None
) -> None:
    step = parse_growth_step(text)
    assert (step.kind, step.size_bytes, step.top, step.at_percent, step.on) == (kind, size, top, percent, day)
    assert parse_growth_step(str(step)) == step


def test_that_a_vdev_to_add_is_a_spec() -> None:
    step = parse_growth_step("add:raidz2:8x6TB at 75 %")
    assert step.vdev is not None
    assert (step.vdev.word, step.vdev.width, step.at_percent) == ("raidz2", 8, 75)
    assert parse_growth_step(str(step)) == step
