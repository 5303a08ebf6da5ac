"""What a machine may change by itself: the edits are exact, and what they leave is silent."""

from __future__ import annotations

import textwrap

import pytest

from controlplane.cli.fixes import fixed
from controlplane.rules.vllm._example import engine
from tests.rules.judging import FILE, findings_of


def _fixed(text: str, *, unsafe: bool = False) -> str:
    return fixed({FILE: text}, findings_of(text), unsafe=unsafe).texts.get(FILE, text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- --disable-log-requests\n- --max-num-seqs=8", "- --max-num-seqs=8"),
        ("- --num-scheduler-steps=8\n- --max-num-seqs=8", "- --max-num-seqs=8"),
        ("- --num-scheduler-steps\n- '8'\n- --max-num-seqs=8", "- --max-num-seqs=8"),
        ("- --guided-decoding-backend=xgrammar", "- --structured-outputs-config.backend=xgrammar"),
        ("- --guided-decoding-backend\n- xgrammar", "- --structured-outputs-config.backend\n- xgrammar"),
        ("- --cuda-graph-sizes=8", "- --cudagraph-capture-sizes=8"),
        ("- --task=generate", "- --runner=generate"),
        ("- --disable-mm-preprocessor-cache", "- --mm-processor-cache-gb=0"),
    ],
)
def test_argument_that_is_gone_is_taken_out_or_respelled(before: str, after: str) -> None:
    result = _fixed(engine(before, version="0.32.0"))
    assert result == engine(after, version="0.32.0")
    assert findings_of(result) == ()


@pytest.mark.parametrize("args", ["- --swap-space=4", "- --task=embed", "- --max-model-length=8192"])
def test_change_that_somebody_has_to_decide_is_not_made(args: str) -> None:
    text = engine(args, version="0.32.0")
    assert findings_of(text) != ()
    assert _fixed(text) == text


def test_misspelled_argument_is_corrected_where_its_owner_asks_for_it() -> None:
    assert _fixed(engine("- --max-model-length=8192"), unsafe=True) == engine("- --max-model-len=8192")


def test_words_of_a_script_are_edited_in_place() -> None:
    script = """\
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.32.0
                  command: [bash, -c]
                  args:
                    - |
                      exec vllm serve registry.example/chat \\
                        --disable-log-requests \\
                        --guided-decoding-backend xgrammar
                  resources:
                    limits: {nvidia.com/gpu: 1}
        """
    result = _fixed(textwrap.dedent(script))
    assert "--disable-log-requests" not in result
    assert "--structured-outputs-config.backend xgrammar" in result
    assert findings_of(result) == ()
    assert _fixed(result) == result
