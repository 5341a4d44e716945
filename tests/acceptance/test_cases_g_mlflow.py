"""Cases of kind g: MLflow, as it went wrong for people elsewhere. Plain MLflow code, unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.product import Product, wait_until

G1 = """
import mlflow
mlflow.set_experiment("iris")
with mlflow.start_run(): mlflow.log_metric("acc", 0.9)
"""
G3 = """
import mlflow, os, socket, time
n = int(os.environ["MLP_ATTEMPT"]); start = 0 if n == 1 else 40
mlflow.log_params({"lr": 0.1, "host": f"{socket.gethostname()}-{n}", "started": time.time()})
for s in range(start, 100):
    mlflow.log_metric("loss", 1 / (s + 1), step=s)
    if n == 1 and s == 50: os._exit(1)
"""
G7 = """
import mlflow, os
n = int(os.environ["MLP_ATTEMPT"])
for s in range(0 if n == 1 else 80, 200):
    mlflow.log_metric("loss", 1 / (s + 1) + n / 1000, step=s)
    if n == 1 and s == 99: os._exit(1)
for e in range(10): mlflow.log_metric("eval", e, step=e)
mlflow.log_metric("late", 1.0, step=5)
"""
RETRY_ALL = ("--retries", "1", "--retry-on", "user_error")


def mlflow_api(product: Product, method: str, path: str, **json: Any) -> dict[str, Any]:
    """MLflow's own REST API through the platform's door."""
    import httpx

    headers = {"Authorization": f"Bearer {product.profile['token']}"}
    url = f"{product.url}/mlflow/default/api/2.0/mlflow/{path}"
    answer = httpx.request(method, url, headers=headers, json=json or None, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_g1_a_deleted_experiment_does_not_block_its_name(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "iris.py").write_text(G1)
    line = ("--cluster", shared_cluster, "--", "python", "iris.py")
    first = product.wait(product.submit(*line, cwd=folder))
    assert first["phase"] == "succeeded", first["failure"]
    experiment = mlflow_api(product, "GET", "experiments/get-by-name?experiment_name=iris")["experiment"]
    mlflow_api(product, "POST", "experiments/delete", experiment_id=experiment["experiment_id"])
    second = product.wait(product.submit(*line, cwd=folder))
    assert second["phase"] == "succeeded", second["failure"]
    found = mlflow_api(product, "GET", "experiments/get-by-name?experiment_name=iris")["experiment"]
    runs = mlflow_api(product, "POST", "runs/search", experiment_ids=[found["experiment_id"]])["runs"]
    assert all(run["data"]["metrics"][0]["value"] == 0.9 for run in runs if run["data"].get("metrics"))


def test_g3_a_retry_may_log_other_parameters(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "g3.py").write_text(G3)
    job = product.submit("--cluster", shared_cluster, *RETRY_ALL, "--", "python", "g3.py", cwd=folder)
    read = product.wait(job)
    assert (read["phase"], read["attempt"]) == ("succeeded", 2), read["failure"]
    series = product.ok("job", "metrics", job, "--json").json["series"]
    attempts = product.ok("job", "attempts", job, "--json").json
    steps = {point["step"] for entry in series if entry["key"] == "loss" for point in entry["points"]}
    assert steps == set(range(100))
    statuses = {}
    for attempt in attempts:
        run = mlflow_api(product, "GET", f"runs/get?run_id={attempt['run']['id']}")["run"]
        statuses[attempt["number"]] = run["info"]["status"]
        assert any(param["key"] == "host" for param in run["data"]["params"])
    assert statuses == {1: "FAILED", 2: "FINISHED"}
    parent = run["data"]["tags"]
    parent_id = next(tag["value"] for tag in parent if tag["key"] == "mlflow.parentRunId")

    def closed() -> bool:
        return mlflow_api(product, "GET", f"runs/get?run_id={parent_id}")["run"]["info"]["status"] == "FINISHED"

    wait_until(closed, what="the closing of the job's run")


def test_g7_steps_after_a_resume_are_all_kept(product: Product, shared_cluster: str, folder: Path) -> None:
    (folder / "g7.py").write_text(G7)
    job = product.submit("--cluster", shared_cluster, *RETRY_ALL, "--", "python", "g7.py", cwd=folder)
    assert product.wait(job)["phase"] == "succeeded"
    series = {entry["key"]: entry for entry in product.ok("job", "metrics", job, "--json").json["series"]}
    by_step = {point["step"]: point["value"] for point in series["loss"]["points"]}
    assert sorted(by_step) == list(range(200))
    assert by_step[90] == 1 / 91 + 2 / 1000
    assert [point["step"] for point in series["eval"]["points"]] == list(range(10))
    assert series["late"]["points"][0]["step"] == 5
