"""The colours of window, reports and charts, light and dark: nothing else names one. Paper takes the light ones."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """One set of colours as ``#rrggbb``, light unless told. All but grounds, selection and tint are for marks."""

    window: str = "#f3f5f6"
    base: str = "#ffffff"
    alternate: str = "#f8f9fa"
    button: str = "#fbfcfc"
    line: str = "#ccd3d8"
    edge: str = "#a9b3ba"
    text: str = "#1a2126"
    muted: str = "#56626b"
    disabled: str = "#8b959c"
    accent: str = "#0b6478"
    on_accent: str = "#ffffff"
    ok: str = "#1b6e36"
    note: str = "#3d54b4"
    warn: str = "#8a5200"
    block: str = "#b3261e"
    unknown: str = "#596269"
    selection: str = "#d2e7ec"
    tint: str = "#a9cdd5"
    one: str = "#0b6478"
    two: str = "#c8590a"
    three: str = "#1d0a4c"
    four: str = "#4f3313"
    five: str = "#e1339f"
    six: str = "#3f63cb"


LIGHT = Colours()
DARK = Colours(
    window="#1d2225", base="#15191b", alternate="#191e20", button="#293034", line="#3d474d", edge="#5a666d",
    text="#e4e9eb", muted="#a3afb6", disabled="#6c777e", accent="#5cbdd2", on_accent="#0c1a1e", ok="#67c587",
    note="#9db0ff", warn="#e3ab54", block="#ff9088", unknown="#a5b0b7", selection="#1d434f", tint="#2f6473",
    one="#5cbdd2", two="#f08a3c", three="#5f5af7", four="#efe124", five="#a1628a", six="#4880c3",
)  # fmt: skip
