"""What the last lines of a log prove about a process that ended by itself."""

from __future__ import annotations

import pytest

from mlp.schemas.jobs import Failure
from mlp.schemas.phases import FailureClass
from mlp_core.domain.failures import refine

EXITED = Failure(failure_class=FailureClass.USER_ERROR, message="exit code 1", exit_code=1)


@pytest.mark.parametrize(
    "line",
    [
        "mlflow.exceptions.MlflowException: API request to http://127.0.0.1/mlflow/demo/api/2.0/mlflow/runs/create "
        "failed with exception HTTPConnectionPool(host='127.0.0.1', port=8080): Max retries exceeded with url: "
        "/mlflow/demo/api/2.0/mlflow/runs/create (Caused by ResponseError('too many 503 error responses'))",
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=8080): Max retries exceeded "
        "with url: /mlflow/demo/api/2.0/mlflow-artifacts/artifacts/1/ab/artifacts/big.bin (Caused by ...)",
        "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: "
        "https://mlp.example/mlflow/demo/api/2.0/mlflow-artifacts/artifacts/1/ab/artifacts/big.bin",
    ],
)
def test_g5_a_job_that_mlflow_or_its_store_left_alone_is_infra(line: str) -> None:
    found = refine(EXITED, ["Traceback (most recent call last):", line, ""])
    assert found.failure_class is FailureClass.INFRA
    assert found.message.startswith("MLflow was away for longer than its client tries: ")
    assert "mlp job log-artifact" in (found.hint or "")


@pytest.mark.parametrize(
    "line",
    [
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='example.org', port=80): Max retries exceeded "
        "with url: /data.csv",
        "mlflow.exceptions.RestException: INVALID_PARAMETER_VALUE: Changing param values is not allowed.",
        "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://127.0.0.1:8080/mlflow/demo/x",
        "ValueError: /mlflow/ is not a number",
    ],
)
def test_other_errors_stay_the_users(line: str) -> None:
    assert refine(EXITED, [line]).failure_class is FailureClass.USER_ERROR


def test_d1_a_memory_error_is_oom() -> None:
    assert refine(EXITED, ["MemoryError"]).failure_class is FailureClass.OOM
