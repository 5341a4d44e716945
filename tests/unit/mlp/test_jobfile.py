from __future__ import annotations

from pathlib import Path

import pytest

from mlp import errors, jobfile

PRODUCT_PAGE = """\
name: digits
kind: train
entrypoint: python train.py --epochs 5
package: .
environment:
  python: "3.11"
  requirements: [xgboost-cpu==3.2.0]
  variables: {OMP_NUM_THREADS: "1"}
resources:
  head: {cpu: 1, memory: 2Gi}
  groups:
    - {name: preprocess, pool: cpu, replicas: 2, cpu: 2, memory: 4Gi}
    - {name: train, pool: gpu, replicas: 1..4, gpu: 1, cpu: 4, memory: 16Gi}
priority: normal
timeout: 2h
deadline: 2026-12-01T08:00:00+01:00
retries: {max: 3, on: [preempted, node_lost, oom], memory_factor: 1.5}
checkpoint: {interval: 5m}
run: {experiment: digits, tags: {team: vision}}
model: {register: digits-classifier, from: model}
"""


def read(tmp_path: Path, text: str) -> jobfile.JobFile:
    path = tmp_path / "mlp.yaml"
    path.write_text(text)
    return jobfile.read(path)


def test_the_example_of_the_product_page_is_a_job(tmp_path: Path) -> None:
    job, package = jobfile.load(read(tmp_path, PRODUCT_PAGE).path)
    assert package == tmp_path
    sent = job.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert sent["retries"] == {"max": 3, "on": ["preempted", "node_lost", "oom"], "memory_factor": 1.5}
    assert sent["resources"]["groups"][1]["replicas"] == "1..4"
    assert sent["deadline"] == "2026-12-01T08:00:00+01:00"
    assert sent["model"] == {"register": "digits-classifier", "from": "model"}


def test_what_is_text_stays_text_and_yes_is_a_word(tmp_path: Path) -> None:
    file = read(
        tmp_path,
        "name: 2026\nentrypoint: [python, x.py, on, 'true']\n"
        "environment: {python: 3.10, variables: {A: 1, B: 007, C: yes, D: null, E: 1.50, F: '', G: 1:30}}\n"
        "run: {tags: {run: 12}}\n",
    )
    assert file.fields["name"] == "2026"
    assert file.fields["entrypoint"] == ["python", "x.py", "on", "true"]
    assert file.fields["environment"]["python"] == "3.10"
    assert file.fields["environment"]["variables"] == {
        "A": "1", "B": "007", "C": "yes", "D": "null", "E": "1.50", "F": "", "G": "1:30",
    }  # fmt: skip
    assert file.fields["run"]["tags"] == {"run": "12"}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("entrypoint: x\nretreis: {max: 1}\n", 2, "unknown field 'retreis'. Did you mean 'retries'?"),
        ("entrypoint: x\nresources:\n  groups:\n    - name: a\n      gpus: 1\n", 5, "unknown field 'gpus'"),
        ("entrypoint: x\nresources:\n  head:\n    memory: lots\n", 4, "resources.head.memory: memory must be"),
        ("entrypoint: x\n\ntimeout: soon\n", 3, "timeout: a duration must look like"),
        ("name: x\n", None, "entrypoint: Field required"),
        ("entrypoint: x\nretries: {on: [sometimes]}\n", 2, "retries.on.0"),
        ("entrypoint: x\nentrypoint: y\n", 2, "'entrypoint' is given twice"),
        ("entrypoint: [x\n", 2, "is not YAML"),
        ("- a\n", 1, "must be a mapping"),
        ("entrypoint: x\nenvironment: {requirements: no.txt}\n", 2, "requirements file 'no.txt' is not there"),
    ],
)
def test_a_complaint_names_the_line(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    with pytest.raises(errors.JobFileError) as caught:
        read(tmp_path, text).job_create()
    assert said in caught.value.message
    assert caught.value.line == line
    assert (f"mlp.yaml, line {line}:" if line else "mlp.yaml:") in caught.value.message


def test_the_package_is_a_folder_a_digest_or_nothing(tmp_path: Path) -> None:
    digest = "sha256:" + "a" * 64
    assert read(tmp_path, "entrypoint: x\n").package == tmp_path
    assert read(tmp_path, "entrypoint: x\npackage: code\n").package == tmp_path / "code"
    assert read(tmp_path, "entrypoint: x\npackage: null\n").package is None
    given = read(tmp_path, f"entrypoint: x\npackage: {digest}\n")
    assert (given.package, given.job_create().package) == (None, digest)


def test_short_forms_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "# what we need\nxgboost-cpu==3.2.0  # boost\n\n-r more/base.txt\n"
        "url @ https://x.test/a#egg=b \\\n  ; python_version > '3'\n"
    )
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "base.txt").write_text("numpy\n-r ../requirements.txt\n")
    file = read(tmp_path, "entrypoint: x\nenvironment: {requirements: requirements.txt}\n")
    assert file.fields["environment"]["requirements"] == [
        "xgboost-cpu==3.2.0", "numpy", "url @ https://x.test/a#egg=b ; python_version > '3'",
    ]  # fmt: skip
    assert read(tmp_path, "entrypoint: x\nenvironment: base\n").fields["environment"] == {"name": "base"}


def test_pips_options_are_no_requirements(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("numpy\n--index-url https://x.test\n")
    with pytest.raises(errors.JobFileError, match=r"r\.txt, line 2: '--index-url'"):
        read(tmp_path, "entrypoint: x\nenvironment: {requirements: r.txt}\n")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.JobFileError, match=r"There is no .*none\.yaml"):
        jobfile.read(tmp_path / "none.yaml")


def test_changes_go_over_the_file(tmp_path: Path) -> None:
    job = read(tmp_path, "entrypoint: x\ntimeout: 1h\n").job_create({"timeout": "2h", "name": "n"})
    assert (job.timeout and job.timeout.total_seconds(), job.name, job.entrypoint) == (7200, "n", "x")
