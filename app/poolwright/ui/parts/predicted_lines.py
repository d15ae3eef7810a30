"""What is predicted of the current design, as lines of the summary."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from poolwright.design.evaluate import Evaluation, PoolEvaluation
from poolwright.domain.rates import rate_text
from poolwright.predict.cost import Cost
from poolwright.predict.expected import Expected
from poolwright.predict.number_words import band_text, hours_text, money_text, odds_text, operations_text
from poolwright.predict.of_pools import longest
from poolwright.predict.reliability import joined
from poolwright.predict.risk_words import advice_on, units_words
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.estimate_line import EstimateLine
from poolwright.ui.parts.expected_words import origin_text, sentence
from poolwright.ui.parts.origin_line import OriginLine
from poolwright.ui.state.money_of_budget import money_words


class PredictedLines(QWidget):
    """Speeds as bars with their bands, risk, rebuild time and cost; hidden where nothing can be predicted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = lay.column(of=self, gap=0)
        self.read = EstimateLine(tell("Sequential read"), rate_text, self, measurable=True)
        self.write = EstimateLine(tell("Sequential write"), rate_text, self, measurable=True)
        self.random_read = EstimateLine(tell("Random read"), _iops, self, measurable=True)
        self.random_write = EstimateLine(tell("Random write"), _iops, self, measurable=True)
        self.risk = OriginLine(tell("Loss a year"), self)
        self.rebuild = OriginLine(tell("Rebuild"), self)
        self.cost = OriginLine(tell("Cost"), self)
        for line in (self.read, self.write, self.random_read, self.random_write, self.risk, self.rebuild, self.cost):
            column.addWidget(line)

    def show_expected(
        self, expected: Expected | None, of_pools: Sequence[Expected] = (), whole: Evaluation | None = None
    ) -> None:
        """Show this: the speed of the main pool, the risk and the rebuild of all pools of the ``whole`` design."""
        self.setVisible(expected is not None)
        if expected is None:
            return
        pools = whole.pools if whole is not None else ()
        speed, bare = expected.speed, expected.without_runs
        for pair, names in (
            ((self.read, self.write), ("seq_read", "seq_write")),
            ((self.random_read, self.random_write), ("rand_read_iops", "rand_write_iops")),
        ):
            most = max(getattr(speed, name).high for name in names)
            for line, name in zip(pair, names, strict=True):
                before = getattr(bare, name) if bare is not None else None
                line.show_estimate(getattr(speed, name), most, *self._beyond(expected, pools), before=before)
        self._show_risk(expected, of_pools or (expected,), pools)
        self._show_rebuild(of_pools or (expected,), shared=whole is not None and whole.disks_shared)
        self._show_cost(expected.cost)

    def _show_rebuild(self, of_pools: Sequence[Expected], *, shared: bool) -> None:
        rebuilds = [e.predictions.rebuild for e in of_pools]
        known = [rebuild for rebuild in rebuilds if rebuild is not None]
        if len(known) < len(rebuilds):
            self.rebuild.show_value(tell("none"), tell("Nothing can be rebuilt: the pool has no redundancy."))
            return
        rebuild = longest(known, shared=shared)
        full = tell(
            "at {fill:g} % full, without the wait for a new disk", fill=of_pools[0].conditions.rebuild.fill_percent
        )
        self.rebuild.show_value(hours_text(rebuild.typical), origin_text(rebuild, hours_text, full))

    def _beyond(self, expected: Expected, pools: Sequence[PoolEvaluation]) -> tuple[str, ...]:
        if len(pools) > 1:
            return (tell("of the pool {name} while the others rest", name=pools[0].design.pool_name),)
        network = expected.host.network_bytes_per_second
        if network is not None and any(link.name == "network" and link.narrowest_read for link in expected.speed.chain):
            return (tell("over the network; the outlook page shows what the disks themselves give"),)
        return ()

    def _show_risk(self, expected: Expected, of_pools: Sequence[Expected], pools: Sequence[PoolEvaluation]) -> None:
        risk = joined([e.predictions.risk for e in of_pools], pools=len(of_pools))
        loss, disks, damage = risk.loss, risk.disk_loss, risk.damage
        self.risk.show_value(
            odds_text(loss.typical),
            origin_text(
                loss,
                odds_text,
                tell(
                    "from disk failures alone: {typical} ({band})",
                    typical=odds_text(disks.typical),
                    band=band_text(disks, odds_text),
                ),
                units_words(risk.units),
                advice_on(risk.disk_probability),
                *self._each_risk(of_pools, pools),
                tell(
                    "any data lost: {typical} ({band})",
                    typical=odds_text(damage.typical),
                    band=band_text(damage, odds_text),
                ),
                *_rate_lines(expected),
            ),
        )

    def _each_risk(self, of_pools: Sequence[Expected], pools: Sequence[PoolEvaluation]) -> tuple[str, ...]:
        if len(pools) < 2:
            return ()
        odds = (odds_text(e.predictions.risk.loss.typical) for e in of_pools)
        named = (f"{pool.design.pool_name} {chance}" for pool, chance in zip(pools, odds, strict=True))
        return (tell("each by itself: {pools}", pools=", ".join(named)),)

    def _show_cost(self, cost: Cost | None) -> None:
        mixed = cost is not None and cost.purchase is None and bool(cost.groups) and priced(cost)
        self.cost.setVisible(cost is not None and (cost.purchase is not None or mixed))
        if cost is None:
            return
        if cost.purchase is None:
            self.cost.show_value(tell("unknown"), cost.problem)
            return
        unit = cost.purchase.currency or ""
        lines = [sentence(tell("purchase of the disks: {origin}", origin=cost.purchase_origin or ""))]
        lines += [sentence(str(rate)) for rate in cost.rates]
        if cost.total is not None:
            total = tell("with power and replacements over {years:g} years: {typical} {currency} ({band})")
            if cost.years == 1:
                total = tell("with power and replacements over 1 year: {typical} {currency} ({band})")
            typical, band = money_text(cost.total.typical), band_text(cost.total, money_text)
            lines.append(
                sentence(total.format(years=cost.years, typical=typical, currency=unit, band=band).replace("  ", " "))
            )
        if cost.per_usable_tb is not None:
            lines.append(sentence(tell("{money} per usable TB", money=money_words(cost.per_usable_tb))))
        lines += [sentence(cost.problem)] if cost.problem else []
        self.cost.show_value(money_words(cost.purchase), "\n".join(lines))


def _rate_lines(expected: Expected) -> tuple[str, ...]:
    """Return how often a disk of the data fails; where the vdevs have unlike disks, each rate that counts."""
    conditions = expected.conditions
    rates = dict.fromkeys(own.drive for own in conditions.of_data) or (conditions.drive,)
    return tuple(
        tell("failure rate of a disk {rate:.2f} % a year: {origin}", rate=rate.typical, origin=rate.origin)
        for rate in rates
    )


def priced(cost: Cost) -> bool:
    """Tell whether the price of every disk is known, so that only their currencies keep them apart."""
    return all(group.price is not None for group in cost.groups if not group.at_hand)


def _iops(per_second: float) -> str:
    return tell("{count} IOPS", count=operations_text(per_second))
