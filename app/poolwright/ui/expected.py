"""What is predicted of the current design: `predict.expected`, under the name the window knows it by."""

from poolwright.predict.expected import (
    Assumptions,
    Basis,
    Expected,
    basis_of,
    cost_defaults,
    cost_of,
    expect,
    fill_of,
    growth_of,
    host_of,
    predictions_for_rules,
    rates_of,
)

__all__ = [
    "Assumptions",
    "Basis",
    "Expected",
    "basis_of",
    "cost_defaults",
    "cost_of",
    "expect",
    "fill_of",
    "growth_of",
    "host_of",
    "predictions_for_rules",
    "rates_of",
]
