"""One platform for all acceptance tests, started as the README says; one running cluster for those that need no own."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from support.product import Product, running_product, wait_until


@pytest.fixture(scope="session")
def product() -> Generator[Product]:
    """The platform and its first user. In a short folder: sockets have short names."""
    folder = Path(tempfile.mkdtemp(prefix="mlp-", dir="/tmp"))
    folder.chmod(0o711)
    with running_product(folder) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to submit from."""
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture(scope="session")
def shared_cluster(product: Product) -> Generator[str]:
    """A ready project cluster; its name."""
    name = "shared"
    product.ok("cluster", "create", name, "--cpus", "1", "--memory", "3Gi")
    wait_until(
        lambda: product.ok("cluster", "show", name, "--json").json["phase"] == "ready",
        within=180,
        what=f"cluster {name}",
    )
    yield name
    product.mlp("cluster", "stop", name)
