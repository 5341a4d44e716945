"""The parts of the test cluster that need no cluster: keys of builds, images, and what is said where it cannot run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from cluster import components
from cluster.build import built
from cluster.components import ALL, CONTROL_PLANE, Group
from cluster.images import Image, pack
from cluster.requirements import missing_requirements

TOOL = Group("tool", "tool", {"tool": "./cmd/tool"})


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Go module with one program, and a cache of its own."""
    folder = tmp_path / "go/tool"
    (folder / "cmd/tool").mkdir(parents=True)
    (folder / "go.mod").write_text("module tool\n\ngo 1.24\n")
    (folder / "go.sum").write_text("")
    (folder / "cmd/tool/main.go").write_text('package main\n\nfunc main() { println("made") }\n')
    monkeypatch.setattr(components, "MODULES", tmp_path / "go")
    monkeypatch.setenv("MLP_TEST_CLUSTER_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_group_is_built_once_though_many_want_it(module: Path) -> None:
    lines: list[str] = []
    found: list[Path] = []
    callers = [threading.Thread(target=lambda: found.append(built([TOOL], lines.append)["tool"])) for _ in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(set(found)) == 1
    assert os.access(found[0] / "bin/tool", os.X_OK)
    assert lines.count("tool: compiling tool") == 1


@pytest.mark.parametrize("file", ["go.mod", "go.sum", "cmd/tool/main.go"])
def test_key_changes_with_everything_a_program_is_made_of(module: Path, file: str) -> None:
    before = TOOL.key("go1.26")
    with (module / file).open("a") as changed:
        changed.write("// more\n")
    assert TOOL.key("go1.26") != before


def test_key_changes_with_the_compiler(module: Path) -> None:
    assert TOOL.key("go1.26") != TOOL.key("go1.27")


def test_every_group_has_its_checksums_and_the_control_plane_its_version() -> None:
    assert [group.name for group in ALL if not (group.folder / "go.sum").exists()] == []
    version = CONTROL_PLANE.pinned("k8s.io/kubernetes")
    assert f"k8s.io/component-base/version.gitVersion={version}" in CONTROL_PLANE.linker_flags()


def test_image_names_its_layers_by_their_content(tmp_path: Path) -> None:
    layer = tmp_path / "layer.tar"
    with tarfile.open(layer, "w") as tar:
        tar.add(__file__, "file")
    pack(Image("images.mlp.test/it:1", ["/file"], user="1000"), [layer], tmp_path / "image.tar")

    with tarfile.open(tmp_path / "image.tar") as tar:
        blobs = {name: file.read() for name in tar.getnames() if (file := tar.extractfile(name))}
    (entry,) = json.loads(blobs["index.json"])["manifests"]
    assert entry["annotations"]["io.containerd.image.name"] == "images.mlp.test/it:1"
    for name, content in blobs.items():
        if name.startswith("blobs/sha256/"):
            assert hashlib.sha256(content).hexdigest() == name.rpartition("/")[2]
    manifest = json.loads(blobs[f"blobs/{entry['digest'].replace(':', '/')}"])
    assert [described["size"] for described in manifest["layers"]] == [layer.stat().st_size]


def test_machine_that_cannot_run_it_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", "/nowhere")
    sentences = missing_requirements()
    assert any("Go 1.26" in sentence for sentence in sentences)
    assert any("root" in sentence for sentence in sentences)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert missing_requirements() == [
        "The test cluster needs Linux: it runs the real kubelet and the real control plane."
    ]
