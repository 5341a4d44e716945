"""The example notebook runs from top to bottom, and stays readable without the platform."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import nbclient
import nbformat
import pytest

from support.product import EXAMPLES, Product


@pytest.mark.timeout(600)
def test_the_notebook_runs_and_keeps_its_card(product: Product, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in product.env().items():
        monkeypatch.setenv(name, value)
    text = (EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8")
    notebook = cast("Any", nbformat.reads(text, as_version=4))  # pyright: ignore[reportUnknownMemberType]
    runner = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    runner.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    printed = "".join(output.get("text", "") for output in outputs)
    assert "squares [0, 1, 4, 9, 16]" in printed
    assert "succeeded 0" in printed
    assert "0.9" in printed
    cards = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert any("succeeded" in card for card in cards)
    assert not any("<script" in card for card in cards)
