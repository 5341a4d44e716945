"""Where people find runs and models: pages of MLflow's own UI behind the platform's proxy."""

from __future__ import annotations

from urllib.parse import quote


class Links:
    def __init__(self, public_url: str) -> None:
        self._root = public_url.rstrip("/")

    def home(self, slug: str) -> str:
        return f"{self._root}/mlflow/{slug}/"

    def run(self, slug: str, run_id: str) -> str:
        return f"{self.home(slug)}#/runs/{run_id}"

    def model(self, slug: str, name: str) -> str:
        return f"{self.home(slug)}#/models/{quote(name, safe='')}"

    def model_version(self, slug: str, name: str, version: str) -> str:
        return f"{self.home(slug)}#/models/{quote(name, safe='')}/versions/{version}"
