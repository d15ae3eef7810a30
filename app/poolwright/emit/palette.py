"""The colours of window, reports and charts, light and dark: the one place that has them. Paper takes the light ones.

The six colours of series can be told apart with any colour vision: each has a contrast of at least 3:1 to the ground,
and they differ in lightness as well as in hue, so that they stay apart for protanopes and deuteranopes (at least 20 in
CIE L*a*b*, simulated). A marker of its own goes with each.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """One set of colours as ``#rrggbb``. All but ``selection`` and the grounds are for marks and text on them."""

    window: str
    base: str
    alternate: str
    button: str
    line: str
    edge: str
    text: str
    muted: str
    disabled: str
    accent: str
    on_accent: str
    ok: str
    note: str
    warn: str
    block: str
    unknown: str
    selection: str
    one: str
    two: str
    three: str
    four: str
    five: str
    six: str


LIGHT = Colours(
    window="#f3f5f6",
    base="#ffffff",
    alternate="#f8f9fa",
    button="#fbfcfc",
    line="#ccd3d8",
    edge="#a9b3ba",
    text="#1a2126",
    muted="#56626b",
    disabled="#8b959c",
    accent="#0b6478",
    on_accent="#ffffff",
    ok="#1b6e36",
    note="#3d54b4",
    warn="#8a5200",
    block="#b3261e",
    unknown="#596269",
    selection="#d2e7ec",
    one="#0b6478",
    two="#c8590a",
    three="#1d0a4c",
    four="#4f3313",
    five="#e1339f",
    six="#3f63cb",
)
DARK = Colours(
    window="#1d2225",
    base="#15191b",
    alternate="#191e20",
    button="#293034",
    line="#3d474d",
    edge="#5a666d",
    text="#e4e9eb",
    muted="#a3afb6",
    disabled="#6c777e",
    accent="#5cbdd2",
    on_accent="#0c1a1e",
    ok="#67c587",
    note="#9db0ff",
    warn="#e3ab54",
    block="#ff9088",
    unknown="#a5b0b7",
    selection="#1d434f",
    one="#5cbdd2",
    two="#f08a3c",
    three="#5f5af7",
    four="#efe124",
    five="#a1628a",
    six="#4880c3",
)
