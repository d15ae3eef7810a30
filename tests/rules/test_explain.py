"""“Why?” and `--explain`: facts, origin, sources, in words."""

from poolwright.rules.model import PropertyRule, Rule, RuleBook, explain_rule


def test_that_a_rule_is_explained_with_its_limits_and_their_reasons(shipped: RuleBook) -> None:
    rule = shipped.rule("width.too-many-vdevs")
    assert rule is not None
    text = explain_rule(rule, shipped)
    assert "Must hold: pool.data_vdevs <= limit.vdevs.most" in text
    assert "Limit vdevs.most = 20 data vdevs in a pool (measured): " in text
    assert "up to about 20; beyond" in text


def test_that_every_rule_and_property_can_be_explained(shipped: RuleBook) -> None:
    everything: tuple[Rule | PropertyRule, ...] = (*shipped.rules, *shipped.properties)
    for rule in everything:
        text = explain_rule(rule, shipped)
        assert rule.title in text
        assert "Source: " in text
