"""Where secrets stand, by what the values mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.cli.lint.secret_places import secret_lines
from controlplane.cli.main import main

SECRET = "Zx7qPwm2kRtbV9hQd4Wf"


@pytest.mark.parametrize(
    "text",
    [
        f"args:\n- --api-key\n- {SECRET}  # here\n- --port=1\n",
        f"args: [--port=1, --api-key,\n  {SECRET}]  # here\n",
        f"args:\n- --api-key={SECRET}  # here\n",
        f"env:\n- name: DB_PASSWORD\n  value: {SECRET}  # here\n",
        f"env:\n- value: {SECRET}  # here\n  name: DB_PASSWORD\n",
        f"env:\n- name: DB_PASSWORD\n  value: >-  # here\n    {SECRET}  # here\n",
        f"kind: Secret\ndata:\n  a: {SECRET}  # here\n",
        f"items:\n- kind: Secret\n  stringData:\n    a:\n    - {SECRET}  # here\n",
        f"config:\n  api_key: {SECRET}  # here\n  port: 1\n",
        f"args:\n- |\n  exec vllm serve a \\\n    --api-key \\\n    {SECRET}  # here\n  echo done\n",
        f"serveConfigV2: |\n  a: 1\n  HF_TOKEN: {SECRET}  # here\n  b: 2\n",
        f"x: &a {SECRET}  # here\nconfig:\n  password: *a  # here\n",
    ],
)
def test_line_of_a_secret_is_known(text: str) -> None:
    marked = {number for number, line in enumerate(text.splitlines(), 1) if "# here" in line}
    assert secret_lines(text, "a.yaml") == marked


@pytest.mark.parametrize(
    "text",
    [
        "env:\n- name: HF_TOKEN\n  valueFrom:\n    secretKeyRef: {name: hub, key: token}\n",
        "args: [--tokenizer, x, --max-num-batched-tokens=8192]\nsecretName: hub\n",
        "kind: ConfigMap\ndata:\n  a: b\n",
    ],
)
def test_what_points_at_a_secret_is_none(text: str) -> None:
    assert secret_lines(text, "a.yaml") == frozenset()


MANIFEST = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:v0.20.0
        args:
        - --model=org/model
        - --swap-space=4
        - --api-key
        - {SECRET}
        env:
        - name: VLLM_API_KEY
          value: {SECRET}
"""


@pytest.mark.parametrize(
    "flags",
    [
        *(("--format", name) for name in ("text", "json", "sarif", "junit", "github", "gitlab")),
        ("--diff", "--unsafe-fixes"),
        ("--fix", "--unsafe-fixes"),
        ("--show-unknown",),
    ],
)
def test_key_in_the_arguments_is_never_shown(
    flags: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST, encoding="utf-8")
    main(["lint", str(tmp_path / "a.yaml"), *flags])
    out, err = capsys.readouterr()
    assert "literal-secret" in out or "swap-space" in out
    assert SECRET not in out + err


def test_key_is_not_in_a_baseline(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST, encoding="utf-8")
    main(["lint", str(tmp_path / "a.yaml"), "--write-baseline", str(tmp_path / "b.json")])
    assert SECRET not in (tmp_path / "b.json").read_text(encoding="utf-8")
