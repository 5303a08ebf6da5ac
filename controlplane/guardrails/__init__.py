"""An organisation's own rules: CEL, checked for types when it is read, asked of every part of a Stack.

The language is evaluated by Google's cel-cpp (package cel-expr-python, the extra `guardrails`). What an expression
may name is declared in `messages`; where each value was written is kept beside it, so that a finding stands at the
line that breaks the rule.
"""

from __future__ import annotations
