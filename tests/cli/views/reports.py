"""Runs of lint for tests of what is given out: clean, dirty, with hostile texts, crashed."""

from __future__ import annotations

from controlplane.cli.lint.report import LintReport, NotJudged, SuppressedFinding
from controlplane.diagnostics import (
    Applicability,
    Diagnostic,
    Edit,
    Evidence,
    Layer,
    RelatedSpan,
    Remedy,
    Severity,
    Span,
)
from controlplane.rules.catalogue import catalogue

FILE = "deploy/chat app.yaml"
TEXT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: llm}
spec:
  template:
    spec:
      containers:
        - name: vllm
          args:
            - --swap-space=4
            - --tensor-parallel-size=4
"""
HOSTILE = "\x1b[31m::error::100% a:b,c\r\n::add-mask::x ##[command]\u202e\x00]]>&<\"'\ufffe\ud800"


def span(line: int, column: int, end_column: int, file: str = FILE) -> Span:
    return Span(file, line, column, line, end_column)


ARGS = ("spec", "template", "spec", "containers", 0, "args")
REMOVED = Diagnostic(
    "vllm/argument-removed",
    Severity.ERROR,
    Layer.VLLM,
    "--swap-space is gone since vLLM 0.15; the image has 0.20",
    span(10, 15, 29),
    (*ARGS, 0),
    Remedy("Remove it.", (Edit(span(10, 15, 29), ""),), Applicability.SAFE),
    (Evidence("vLLM", "0.20.0", "image tag"),),
    (RelatedSpan(span(8, 17, 21), "the engine"),),
)
GPUS = Diagnostic(
    "kubernetes/gpu-limit-missing",
    Severity.WARNING,
    Layer.ADMISSION,
    "container vllm wants 4 GPUs and asks for 0",
    span(11, 15, 39),
    (*ARGS, 1),
    Remedy("Set limits.nvidia.com/gpu to 4."),
)
NOTE = Diagnostic("yaml/empty-file", Severity.INFO, Layer.NONE, "nothing in it", span(1, 1, 1, "empty.yaml"))

CLEAN = LintReport(tool_version="0.2.0", files=1, judged=1, rules=catalogue())
DIRTY = LintReport(
    findings=(REMOVED, GPUS, NOTE),
    suppressed=(
        SuppressedFinding(Diagnostic("ray/x", Severity.ERROR, Layer.RAY, "m", span(8, 1, 2)), "comment", "known"),
        SuppressedFinding(Diagnostic("ray/y", Severity.ERROR, Layer.RAY, "m", span(9, 1, 2)), "baseline"),
    ),
    not_judged=(NotJudged(span(1, 1, 1, "chart/values.yaml"), "it is a template; render it first"),),
    texts={FILE: TEXT, "empty.yaml": ""},
    tool_version="0.2.0",
    rules=catalogue(),
    files=3,
    judged=1,
)
CRASHED = LintReport(findings=(GPUS,), texts={FILE: TEXT}, tool_version="0.2.0", crashed="this is a bug: KeyError")


def hostile() -> LintReport:
    """Every text that a manifest can have a say in holds what terminals, logs and XML would obey."""
    bad = Diagnostic(
        "kubernetes/field-type",
        Severity.ERROR,
        Layer.ADMISSION,
        HOSTILE,
        Span(f"a:b,{HOSTILE[:7]}.yaml", 1, 1, 1, 2),
        (HOSTILE,),
        Remedy(HOSTILE),
        (Evidence("x", HOSTILE, HOSTILE),),
    )
    accepted = SuppressedFinding(bad, "comment", HOSTILE)
    return LintReport((bad,), (accepted,), (NotJudged(bad.span, HOSTILE, HOSTILE),), {}, "0.2.0")


def many(count: int, severity: Severity) -> tuple[Diagnostic, ...]:
    """Findings on as many lines."""
    return tuple(
        Diagnostic("vllm/x", severity, Layer.VLLM, f"number {line}", span(line, 1, 2)) for line in range(1, count + 1)
    )
