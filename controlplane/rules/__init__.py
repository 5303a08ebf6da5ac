"""Rules: one file a rule, found by scan; its examples are its tests and its page.

A rule looks at a Stack and yields what is wrong. It never looks at another rule, and is silent wherever a value that
it needs is not known.
"""

from __future__ import annotations

from controlplane.rules.catalogue import CataloguedRule, catalogue
from controlplane.rules.judge import Judgement, judge
from controlplane.rules.rule import Abstention, Finding, Rule

__all__ = ["Abstention", "CataloguedRule", "Finding", "Judgement", "Rule", "catalogue", "judge"]
