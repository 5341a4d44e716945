"""Handwritten digits, end to end: Ray Data on CPU nodes, distributed XGBoost on GPU nodes, MLflow for the record.

Nothing here belongs to the platform: it is a plain Ray Train script, and `python train.py` runs it on a laptop too. The
platform gives it the cluster, the directory for checkpoints and the MLflow run through environment variables.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import mlflow
import pandas as pd
import ray
import ray.data
import ray.train
import xgboost
from mlflow.models import infer_signature
from ray.train import Result, RunConfig, ScalingConfig
from ray.train.xgboost import RayTrainReportCallback, XGBoostTrainer
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split

SIDE = 8
PIXEL_MAX = 16.0
LABEL = "digit"
CHECKPOINT_EVERY = 10
"""Boosting rounds."""


def main() -> None:
    """Prepare, train, evaluate, and keep the result."""
    wanted = arguments()
    started = time.monotonic()
    ray.init(log_to_driver=False)
    gpus = int(ray.cluster_resources().get("GPU", 0))
    print(f"cluster   {len(ray.nodes())} Ray nodes, {gpus} {gpu_words(gpus)}", flush=True)

    train, test = prepared_digits()
    print(f"data      {train.count()} images to learn from, {test.count()} kept aside", flush=True)

    workers = wanted.workers or max(gpus, 1)
    params = {"max_depth": wanted.depth, "eta": wanted.eta, "subsample": 0.9, "seed": 7}
    with mlflow.start_run() as run:
        mlflow.log_params({**params, "rounds": wanted.rounds, "workers": workers, "train_rows": train.count()})
        result = fit({**params, "rounds": wanted.rounds}, ScalingConfig(**scaling(workers, gpus)), train, test)
        print(f"training  {wanted.rounds} rounds on {workers} workers", flush=True)
        log_curve(result)
        accuracy = keep(RayTrainReportCallback.get_model(result.checkpoint), test.to_pandas())
        print(f"accuracy  {accuracy:.4f} on images never seen", flush=True)
        print(f"run       {run.info.run_id}, {time.monotonic() - started:.0f} s in all", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a classifier of handwritten digits.")
    parser.add_argument("--rounds", type=int, default=40, help="boosting rounds")
    parser.add_argument("--depth", type=int, default=5, help="depth of a tree")
    parser.add_argument("--eta", type=float, default=0.3, help="learning rate")
    parser.add_argument("--workers", type=int, default=0, help="training workers; 0 = one per GPU of the cluster")
    return parser.parse_args()


def gpu_words(gpus: int) -> str:
    """Say plainly when a GPU is only a number that Ray schedules by."""
    return "GPUs" if gpus == 0 or Path("/dev/nvidia0").exists() else "logical GPUs (this machine has no real one)"


# --- data: Ray Data on the CPU group ---------------------------------------------------------------------------------


def prepared_digits() -> tuple[ray.data.MaterializedDataset, ray.data.MaterializedDataset]:
    """The 1,797 images inside scikit-learn, prepared by Ray Data: most to learn from, a fifth to be judged by."""
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.label_selector = on_group("preprocess")
    digits = load_digits(as_frame=True).frame.rename(columns={"target": LABEL})
    train, test = train_test_split(digits, test_size=0.2, stratify=digits[LABEL], random_state=7)
    return prepare(train), prepare(test)


def prepare(digits: pd.DataFrame) -> ray.data.MaterializedDataset:
    return ray.data.from_pandas(digits).map_batches(add_features, batch_format="pandas").materialize()


def add_features(batch: pd.DataFrame) -> pd.DataFrame:
    """Scale the pixels, and add what no single pixel tells: how much ink each row and each column holds."""
    pixels = batch.drop(columns=LABEL).astype("float32") / PIXEL_MAX
    squares = pixels.to_numpy().reshape(-1, SIDE, SIDE)
    rows = pd.DataFrame(squares.sum(axis=2), index=batch.index).add_prefix("row_ink_")
    columns = pd.DataFrame(squares.sum(axis=1), index=batch.index).add_prefix("column_ink_")
    return pd.concat([pixels, rows, columns, batch[LABEL].astype("int32")], axis="columns")


def on_group(name: str) -> dict[str, str] | None:
    """Ray's label selector of a worker group, or `None` on a cluster without such a group (a laptop)."""
    found = any(node["Labels"].get("group") == name for node in ray.nodes())
    return {"group": name} if found else None


# --- training: XGBoost under Ray Train on the GPU group --------------------------------------------------------------


def scaling(workers: int, gpus: int) -> dict[str, Any]:
    per_worker = {"CPU": 1, "GPU": 1} if gpus else {"CPU": 1}
    return {
        "num_workers": workers,
        "use_gpu": gpus > 0,
        "resources_per_worker": per_worker,
        "label_selector": on_group("train"),
    }


def fit(config: dict[str, Any], scale: ScalingConfig, train: ray.data.Dataset, test: ray.data.Dataset) -> Result:
    """Train. Under one name in a directory that all attempts share, Ray Train goes on from its newest checkpoint."""
    directory = os.environ.get("MLP_CHECKPOINT_DIR") or tempfile.mkdtemp(prefix="digits-")
    trainer = XGBoostTrainer(
        train_on_shard,
        train_loop_config=config,
        scaling_config=scale,
        run_config=RunConfig(name="digits", storage_path=directory),
        datasets={"train": train, "test": test},
    )
    return trainer.fit()


def train_on_shard(config: dict[str, Any]) -> None:
    """One training worker: boost on this worker's share of the images, in step with the others."""
    data = {name: shard(name) for name in ("train", "test")}
    checkpoint = ray.train.get_checkpoint()
    before = RayTrainReportCallback.get_model(checkpoint) if checkpoint else None
    rounds = config["rounds"] - (before.num_boosted_rounds() if before else 0)
    if rounds <= 0:  # the attempt before this one was lost after its last checkpoint
        return
    xgboost.train(
        {
            "objective": "multi:softprob",
            "num_class": 10,
            "eval_metric": ["mlogloss", "merror"],
            "nthread": 1,
            "max_depth": config["max_depth"],
            "eta": config["eta"],
            "subsample": config["subsample"],
            "seed": config["seed"],
        },
        data["train"],
        num_boost_round=rounds,
        evals=[(data["test"], "test")],
        xgb_model=before,
        verbose_eval=False,
        callbacks=[RayTrainReportCallback(frequency=CHECKPOINT_EVERY)],
    )


def shard(name: str) -> xgboost.DMatrix:
    table = ray.train.get_dataset_shard(name).materialize().to_pandas()
    return xgboost.DMatrix(table.drop(columns=LABEL), label=table[LABEL])


# --- the record: plain MLflow ----------------------------------------------------------------------------------------


def log_curve(result: Result) -> None:
    """The error on the test images at each checkpoint, all of which Ray Train keeps unless told otherwise."""
    for number, row in enumerate(result.metrics_dataframe.to_dict("records"), start=1):
        errors = {key.replace("test-", "test_"): value for key, value in row.items()}
        mlflow.log_metrics(errors, step=number * CHECKPOINT_EVERY)


def keep(booster: xgboost.Booster, test: pd.DataFrame) -> float:
    """Judge the model on the images kept aside and store it with its judgement. Returns the accuracy, 0 to 1."""
    images, truth = test.drop(columns=LABEL), test[LABEL]
    probabilities = booster.predict(xgboost.DMatrix(images))
    guesses = probabilities.argmax(axis=1)
    accuracy = float(accuracy_score(truth, guesses))
    mlflow.log_metric("accuracy", accuracy)
    mlflow.log_dict({"rows_are_truth": confusion_matrix(truth, guesses).tolist()}, "confusion.json")
    mlflow.xgboost.log_model(
        booster,
        name="model",
        signature=infer_signature(images, probabilities),
        pip_requirements=[f"xgboost-cpu=={xgboost.__version__}", f"pandas=={pd.__version__}"],
    )
    return accuracy


if __name__ == "__main__":
    main()
