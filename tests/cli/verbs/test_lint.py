"""`controlplane lint` as people run it: exit codes, settings, baseline, fixes, output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from controlplane.cli.main import main

BAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
      - name: server
        image: registry.example/server:1
        resources: {requests: {nvidia.com/gpu: 1}}
"""
GOOD = BAD.replace("requests", "limits")
RULE = "kubernetes/gpu-limit-missing"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test works in a folder of its own, without settings of the environment."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def lint(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["lint", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    _, out, _ = lint(capsys, *arguments, "--format", "json")
    return [finding["rule"] for finding in json.loads(out)["findings"]]


def test_clean_manifests_end_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(capsys, write("a.yaml", GOOD))[0] == 0


def test_findings_end_with_1_and_stand_at_the_character(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = lint(capsys, write("a.yaml", BAD))
    assert code == 1
    assert "a.yaml:12:48: error: container server requests 1 nvidia.com/gpu" in out
    assert f"[{RULE}]" in out


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.yaml", "{{ x }}\n" + BAD, "an unrendered template"),
        ("r.yaml", "apiVersion: v1\nkind: Secret\n", "no rule looks at a Secret"),
        ("empty.yaml", "", "Name a file or a folder with manifests"),
    ],
)
def test_nothing_to_judge_ends_with_2_unless_that_is_allowed(
    capsys: pytest.CaptureFixture[str], name: str, text: str, said: str
) -> None:
    write(name, text)
    code, _, err = lint(capsys, ".")
    assert code == 2
    assert said in err
    assert lint(capsys, ".", "--allow-empty")[0] == 0


def test_template_beside_a_manifest_does_not_hide_it(capsys: pytest.CaptureFixture[str]) -> None:
    write("t.yaml", "{{ x }}\n" + BAD)
    write("a.yaml", GOOD)
    assert lint(capsys, ".")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.yaml",), "nowhere.yaml does not exist"),
        (("a.yaml", "--select", "kuberntes"), "no rule's id begins with 'kuberntes'; did you mean 'kubernetes'?"),
        (("a.yaml", "--assume", "vlm=0.33.0"), "no version of 'vlm' can be assumed; did you mean 'vllm'?"),
        (("a.yaml", "--assume", "vllm=7.1.0"), "vllm 7.1.0 is not among the known releases"),
        (("a.yaml", "--assume", "vllm"), "--assume takes COMPONENT=VERSION"),
        (("a.yaml", "--format", "yaml"), "'yaml' is not one of"),
        (("a.yaml", "--baseline", "no.json"), "no.json cannot be read"),
        (("a.yaml", "--fleet", "a.yaml"), "does not hold exactly one Fleet"),
        (("a.yaml", "--output-file", "no/such/folder"), "cannot be written"),
        (("-", "--fix"), "--fix cannot change standard input"),
        (("a.yaml", "--fix", "--diff"), "--fix and --diff are two things to do"),
        (("a.yaml", "--fix", "--write-baseline", "b.json"), "--fix and --write-baseline are two things to do"),
        (("a.yaml", "--diff", "--write-baseline", "b.json"), "--diff and --write-baseline are two things to do"),
        (("a.yaml", "--unsafe-fixes"), "--unsafe-fixes counts only with --fix or --diff"),
    ],
)
def test_what_cannot_be_meant_ends_with_64(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    write("a.yaml", GOOD)
    code, _, err = lint(capsys, *arguments)
    assert code == 64
    assert said in err


def test_closed_standard_input_ends_with_64(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    code, _, err = lint(capsys, "-")
    assert code == 64
    assert "standard input is closed" in err


def test_full_disk_below_standard_output_ends_with_64(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write("a.yaml", BAD)
    monkeypatch.setattr("sys.stdout.write", full)
    code, _, err = lint(capsys, "a.yaml")
    assert code == 64
    assert "standard output cannot be written: No space left on device" in err


def test_settings_that_nest_too_deep_end_with_64(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", GOOD)
    write("controlplane.toml", f"a = {'[' * 5000}{']' * 5000}\n")
    code, _, err = lint(capsys, "a.yaml")
    assert code == 64
    assert "nests deeper than can be read" in err


@pytest.mark.parametrize("format_", ["text", "json", "sarif", "junit", "github", "gitlab"])
@pytest.mark.parametrize("name", [b"a b%0A\n::error::.yaml", b"\xff.yaml", b"]]>&.yaml", b"\x1b[31m.yaml"])
def test_every_format_takes_every_name_of_a_file(
    capsysbinary: pytest.CaptureFixture[bytes], format_: str, name: bytes
) -> None:
    Path(os.fsdecode(name)).write_text(BAD, encoding="utf-8")
    assert main(["lint", ".", "--format", format_]) == 1
    out = capsysbinary.readouterr().out.decode()
    assert "\x1b" not in out
    assert not any(line.startswith("::error::") for line in out.splitlines())


def test_baseline_knows_a_file_whose_name_is_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    Path(os.fsdecode(b"\xff.yaml")).write_text(BAD, encoding="utf-8")
    assert lint(capsys, ".", "--write-baseline", "b.json")[0] == 0
    assert lint(capsys, ".", "--baseline", "b.json")[0] == 0


def test_bug_of_ours_ends_with_70_and_the_format_is_still_valid(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken inside")

    monkeypatch.setattr("controlplane.cli.lint.judging.judge", fail)
    code, out, err = lint(capsys, write("a.yaml", BAD), "--format", "sarif")
    assert code == 70
    assert "this is a bug" in err
    told = json.dumps(json.loads(out))
    assert "RuntimeError at cli/lint/judging.py:" in told
    # What an exception says often quotes a value of the input.
    assert "broken inside" not in told + err


def test_select_and_ignore_go_by_the_longer_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", BAD)
    assert told(capsys, "a.yaml", "--select", "kubernetes/gpu") == [RULE]
    assert told(capsys, "a.yaml", "--select", "ray,vllm") == []
    assert told(capsys, "a.yaml", "--ignore", "kubernetes") == []
    assert told(capsys, "a.yaml", "--ignore", "kubernetes", "--select", RULE) == [RULE]
    assert told(capsys, "a.yaml", "--select", "kubernetes", "--ignore", RULE) == []


def test_fault_of_syntax_is_told_whatever_is_selected(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", BAD + "x: [\n")
    assert told(capsys, "a.yaml", "--select", "ray") == ["yaml/syntax"]


def test_fail_on_and_exit_zero_change_the_code_and_not_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    write("controlplane.toml", f'[lint.severity]\n"{RULE}" = "warning"\n')
    write("a.yaml", BAD)
    assert lint(capsys, "a.yaml")[0] == 0
    assert lint(capsys, "a.yaml", "--fail-on", "warning")[0] == 1
    assert lint(capsys, "a.yaml", "--fail-on", "warning", "--exit-zero")[0] == 0
    assert told(capsys, "a.yaml") == [RULE]


def test_flags_win_over_the_environment_and_that_over_the_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("controlplane.toml", '[lint]\nformat = "json"\nfail-on = "info"\n')
    monkeypatch.setenv("CONTROLPLANE_LINT_FORMAT", "github")
    _, out, _ = lint(capsys, write("a.yaml", GOOD), "--show-settings", "--fail-on", "warning")
    assert 'format = "github"' in out
    assert 'fail-on = "warning"' in out


def test_nearest_settings_count_from_the_input_and_not_from_where_one_stands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("controlplane.toml", '[lint]\nignore = ["kubernetes"]\n')
    write("app/pyproject.toml", '[tool.controlplane.lint.assume]\nvllm = "0.33.0"\n')
    write("app/deep/a.yaml", BAD)
    assert told(capsys, "app/deep") == [RULE]
    assert told(capsys, ".") == []


def test_rules_are_ignored_by_path_and_files_excluded(capsys: pytest.CaptureFixture[str]) -> None:
    settings = '[lint]\nexclude = ["gen/"]\n[lint.per-path-ignores]\n"samples/**" = ["kubernetes"]\n'
    write("controlplane.toml", settings)
    for name in ("gen/a.yaml", "samples/x/b.yaml", "c.yaml"):
        write(name, BAD)
    code, out, _ = lint(capsys, ".", "--format", "json")
    assert code == 1
    assert [finding["file"] for finding in json.loads(out)["findings"]] == ["c.yaml"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[lint]\n ignroe = ["x"]\n',
            "controlplane.toml:2:2: 'ignroe' is no setting in [lint]; did you mean 'ignore'?",
        ),
        ("[lnt]\n", "controlplane.toml:1:2: 'lnt' is no setting; did you mean 'lint'?"),
        (
            '[lint]\nfail-on = "warn"\n',
            "controlplane.toml:2:1: 'fail-on' takes one of error, warning, info, not 'warn'",
        ),
        ('[lint.severity]\n"ray" = "bad"\n', "controlplane.toml:2:1: 'ray' takes one of"),
        ("[lint.assume]\nvllm = 0.33\n", "controlplane.toml:2:1: 'vllm' takes a version in quotes"),
        ('[lint]\nselect = "ray"\n', "controlplane.toml:2:1: 'select' takes a list of texts"),
        ("[lint\n", "controlplane.toml is not TOML"),
        ('[lint]\nselect = ["nothing"]\n', "no rule's id begins with 'nothing'"),
        ("lint = 1\n", "controlplane.toml:1:1: 'lint' takes a table"),
    ],
)
def test_wrong_settings_end_the_run_with_their_place(
    capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    write("controlplane.toml", text)
    code, _, err = lint(capsys, write("a.yaml", GOOD))
    assert code == 64
    assert said in err


def test_standard_input_is_linted_under_the_name_given(folder: Path) -> None:
    command = [sys.executable, "-m", "controlplane.cli.main", "lint", "-", "--stdin-filename", "k8s/a.yaml"]
    done = subprocess.run(command, input=BAD, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("k8s/a.yaml:12:48: error:")


def test_baseline_accepts_what_was_there_and_tells_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", BAD)
    assert lint(capsys, "a.yaml", "--write-baseline", "known.json")[0] == 0
    assert lint(capsys, "a.yaml", "--baseline", "known.json")[0] == 0
    write("b.yaml", BAD.replace("chat", "other"))
    code, out, _ = lint(capsys, ".", "--baseline", "known.json", "--format", "json")
    assert code == 1
    assert [finding["file"] for finding in json.loads(out)["findings"]] == ["b.yaml"]
    write("a.yaml", GOOD)
    assert "1 of the baseline's findings are gone" in lint(capsys, "a.yaml", "--baseline", "known.json")[2]


def test_comment_with_a_reason_accepts_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"        # controlplane: ignore[{RULE}] shared card\n        resources:"
    write("a.yaml", BAD.replace("        resources:", line))
    code, out, _ = lint(capsys, "a.yaml", "--format", "json")
    assert code == 0
    assert [entry["rule"] for entry in json.loads(out)["suppressed"]] == [RULE]


def test_fix_changes_the_file_and_diff_only_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", GOOD.replace("      containers:", "      hostNetwork: yes # of the node\n      containers:"))
    before = Path("a.yaml").read_text(encoding="utf-8")
    code, shown, _ = lint(capsys, "a.yaml", "--diff")
    assert (code, Path("a.yaml").read_text(encoding="utf-8")) == (1, before)
    assert "-      hostNetwork: yes # of the node\n+      hostNetwork: true # of the node" in shown
    assert lint(capsys, "a.yaml", "--fix")[0] == 0
    after = Path("a.yaml").read_text(encoding="utf-8")
    assert after == before.replace("yes", "true")
    assert lint(capsys, "a.yaml", "--diff") == (0, "", "")


def test_report_goes_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = lint(capsys, write("a.yaml", BAD), "--format", "sarif", "--output-file", "out.sarif")
    assert (code, out) == (1, "")
    assert json.loads(Path("out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_fleet_tells_what_machines_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.policy.folder import FLEET

    write("fleet.yaml", FLEET)
    write("a.yaml", GOOD.replace("      containers:", "      nodeSelector: {nowhere: here}\n      containers:"))
    alone = told(capsys, "a.yaml")
    assert "kubernetes/no-pool-takes-the-pod" not in alone
    assert "kubernetes/no-pool-takes-the-pod" in told(capsys, "a.yaml", "--fleet", "fleet.yaml")
    assert "kubernetes/no-pool-takes-the-pod" in told(capsys, ".")


def test_foreign_manifests_load_neither_models_nor_clients(folder: Path) -> None:
    write("a.yaml", BAD)
    program = (
        "import sys; from controlplane.cli.main import main; main(['lint', 'a.yaml']);"
        "bad = [m for m in ('pydantic', 'kubernetes', 'temporalio', 'controlplane.policy') if m in sys.modules];"
        "print('loaded:', bad)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("loaded: []")


def test_same_input_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    for index in range(3):
        write(f"d{index}/a.yaml", BAD)
    assert lint(capsys, ".", "--format", "json") == lint(capsys, ".", "--format", "json")


@pytest.mark.parametrize(("place", "start"), [("", "deploy"), ("", "elsewhere"), ("ci", "deploy")])
def test_baseline_holds_wherever_lint_is_started(
    place: str, start: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("deploy/a.yaml", BAD)
    (folder / "elsewhere").mkdir()
    (folder / "ci").mkdir()
    kept = str(folder / place / "baseline.json")
    assert lint(capsys, "deploy", "--write-baseline", kept)[0] == 0
    assert lint(capsys, "deploy", "--baseline", kept)[0] == 0
    monkeypatch.chdir(folder / start)
    code, _, err = lint(capsys, "../deploy", "--baseline", kept)
    assert (code, err) == (0, "")
    code, _, err = lint(capsys, str(folder / "deploy" / "a.yaml"), "--baseline", kept)
    assert (code, err) == (0, "")


def test_repaired_finding_is_gone_from_the_baseline_wherever_lint_is_started(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("deploy/a.yaml", BAD)
    lint(capsys, ".", "--write-baseline", "baseline.json")
    write("deploy/a.yaml", GOOD)
    monkeypatch.chdir(folder / "deploy")
    assert "1 of the baseline's findings are gone" in lint(capsys, ".", "--baseline", "../baseline.json")[2]


def _fleet(pools: str) -> str:
    return f"""\
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {{name: f}}
spec:
  versions: {{kubernetes: 1.36.3}}
  pools:
{pools}"""


def test_pool_without_gpus_is_not_what_keeps_an_engine_away(capsys: pytest.CaptureFixture[str]) -> None:
    gpus = (
        "  - {name: h100, accelerator: {product: H100-80GB, count: 8}, nodes: 2, cpu: 180, memory: 1Ti,\n"
        "     labels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}\n"
    )
    cpus = "  - {name: cpu, nodes: 2, cpu: 15, memory: 60Gi}\n"
    wants = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB}\n      containers:"
    engine = GOOD.replace("containers:", wants).replace("gpu: 1}", "gpu: 8, cpu: 100, memory: 200Gi}")
    write("a.yaml", engine)
    write("alone.yaml", _fleet(gpus))
    write("both.yaml", _fleet(gpus + cpus))
    for fleet in ("alone.yaml", "both.yaml"):
        _, out, _ = lint(capsys, "a.yaml", "--fleet", fleet)
        assert "[kubernetes/no-pool-takes-the-pod]" in out
        assert "NVIDIA-H100-80GB, and the nodes have NVIDIA-H100-80GB-HBM3" in out
        assert "pod-larger-than-any-node" not in out


@pytest.mark.parametrize(
    ("product", "expected"),
    [("H100_80GB", "warning"), ("B9000", "info"), ("H100-80GB", ""), ("NVIDIA-H100-80GB-HBM3", "")],
)
def test_gpu_that_the_catalogue_does_not_know_is_told(
    product: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = f"{{name: p, accelerator: {{product: {product}, count: 8}}, nodes: 2, cpu: 180, memory: 1Ti}}"
    write("f.yaml", _fleet(f"  - {pool}\n"))
    code, out, _ = lint(capsys, "f.yaml", "--format", "json")
    found = [(f["rule"], f["severity"]) for f in json.loads(out)["findings"]]
    assert (code, found) == (0, [("policy/unknown-gpu", expected)] if expected else [])


@pytest.mark.parametrize("path", ["vendor/x.yaml", "vendor"])
def test_file_that_the_settings_exclude_says_so_where_it_was_named(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("controlplane.toml", '[lint]\nexclude = ["vendor/"]\n')
    write("vendor/x.yaml", BAD)
    code, out, err = lint(capsys, path)
    assert code == 2
    assert "vendor/x.yaml:1:1: excluded by controlplane.toml" in out
    assert "excluded by controlplane.toml" in err


def test_excluded_file_beside_others_is_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    write("controlplane.toml", '[lint]\nexclude = ["vendor/"]\n')
    write("vendor/x.yaml", BAD)
    write("a.yaml", GOOD)
    code, out, _ = lint(capsys, ".")
    assert code == 0
    assert "excluded" not in out


def test_settings_that_are_shown_can_be_written_back(capsys: pytest.CaptureFixture[str]) -> None:
    text = '[lint]\nexclude = ["vendor/", "a\\"b"]\n\n[lint.per-path-ignores]\n"old/" = ["kubernetes/", "ray"]\n'
    write("controlplane.toml", text)
    write("a.yaml", GOOD)
    shown = lint(capsys, "a.yaml", "--show-settings")[1]
    assert tomllib.loads(shown)["lint"] | tomllib.loads(text)["lint"] == tomllib.loads(shown)["lint"]


@pytest.mark.parametrize("family", ["vllm/", "ray/", "kubernetes/", "cross/"])
def test_comment_for_a_family_that_nothing_needs_is_unused(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.yaml", f"# controlplane: ignore-file[{family}] it was needed once\n" + GOOD)
    assert told(capsys, "a.yaml") == ["suppression/unused"]
