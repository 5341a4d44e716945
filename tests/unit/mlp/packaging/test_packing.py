from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from pathlib import Path

import pytest

from mlp import errors
from mlp.packaging import Packed, Progress, pack


def tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def names(packed: Packed) -> list[str]:
    with zipfile.ZipFile(packed.path) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def content(packed: Packed, name: str) -> bytes:
    with zipfile.ZipFile(packed.path) as archive:
        return archive.read(name)


def packed_names(root: Path, **options: bool) -> list[str]:
    with pack(root, **options) as packed:
        return names(packed)


def test_the_same_files_make_the_same_archive(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"b.py": "2", "a.py": "1", "sub/c.txt": "é" * 1000, "big.bin": os.urandom(300_000)}
    one, other = tree(tmp_path / "one", files), tree(tmp_path / "other", dict(reversed(files.items())))
    os.utime(other / "a.py", (1, 1))
    with pack(one) as first, pack(other) as second:
        assert first.digest == second.digest
        assert first.path.read_bytes() == second.path.read_bytes()
        assert names(first) == ["a.py", "b.py", "big.bin", "sub/c.txt"]


def test_the_digest_and_the_size_are_those_of_the_file(tmp_path: Path) -> None:
    with pack(tree(tmp_path, {"a": "x" * 100_000})) as packed:
        body = packed.path.read_bytes()
        assert packed.digest == f"sha256:{hashlib.sha256(body).hexdigest()}"
        assert (packed.size, packed.files, packed.uncompressed_size) == (len(body), 1, 100_000)


def test_the_temporary_file_goes_when_it_is_done_with(tmp_path: Path) -> None:
    with pack(tree(tmp_path, {"a": "1"})) as packed:
        path = packed.path
    assert not path.exists()


def test_contents_and_the_right_to_execute_travel(tmp_path: Path) -> None:
    blob = os.urandom(3_000_000)
    root = tree(tmp_path, {"run.sh": "#!/bin/sh\n", "plain": "p", "data.bin": blob, "empty": ""})
    (root / "run.sh").chmod(0o750)
    with pack(root) as packed, zipfile.ZipFile(packed.path) as archive:
        modes = {info.filename: stat.S_IMODE(info.external_attr >> 16) for info in archive.infolist()}
        assert modes == {"run.sh": 0o755, "plain": 0o644, "data.bin": 0o644, "empty": 0o644}
        assert archive.read("data.bin") == blob
        assert archive.getinfo("data.bin").compress_type == zipfile.ZIP_STORED


def test_history_and_caches_never_travel(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "main.py": "",
            ".git/pack.bin": os.urandom(1000),
            "sub/.git": "gitdir: x",
            "__pycache__/a.pyc": "",
            "sub/x": "",
        },
    )
    assert packed_names(root) == ["main.py", "sub/x"]


def test_a_virtual_environment_is_skipped_by_name(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.py": "", ".venv/pyvenv.cfg": "home=/usr", ".venv/lib/x.py": ""})
    with pack(root) as packed:
        assert names(packed) == ["a.py"]
        assert [(one.name, "virtual environment" in one.why) for one in packed.skipped] == [(".venv", True)]


class TestIgnoring:
    def test_gitignore_and_mlpignore_count(self, tmp_path: Path) -> None:
        root = tree(
            tmp_path,
            {
                ".gitignore": "*.log\ndata/\n/only_here.txt\n!keep.log\n",
                ".mlpignore": "secret.txt\n",
                "a.py": "", "x.log": "", "keep.log": "", "data/big": "", "sub/data/big": "",
                "only_here.txt": "", "sub/only_here.txt": "", "secret.txt": "", "sub/y.log": "",
            },
        )  # fmt: skip
        assert packed_names(root) == [".gitignore", ".mlpignore", "a.py", "keep.log", "sub/only_here.txt"]

    def test_mlpignore_takes_back_what_git_leaves_out(self, tmp_path: Path) -> None:
        root = tree(tmp_path, {".gitignore": "model.bin\n", ".mlpignore": "!model.bin\n", "model.bin": "m"})
        assert "model.bin" in packed_names(root)

    def test_nested_files_count_below_their_folder_and_win(self, tmp_path: Path) -> None:
        root = tree(
            tmp_path,
            {".gitignore": "*.txt\n", "a.txt": "", "sub/.gitignore": "!b.txt\n*.py\n", "sub/b.txt": "", "sub/c.py": "",
             "d.py": "", "sub/deep/e.py": "", "other/f.txt": ""},
        )  # fmt: skip
        assert packed_names(root) == [".gitignore", "d.py", "sub/.gitignore", "sub/b.txt"]

    def test_rules_of_the_repository_above_count(self, tmp_path: Path) -> None:
        tree(
            tmp_path,
            {".git/HEAD": "", ".gitignore": "*.ckpt\n/examples/digits/out/\n", "examples/.gitignore": "*.tmp\n",
             "examples/digits/a.py": "", "examples/digits/b.ckpt": "", "examples/digits/out/c": "",
             "examples/digits/d.tmp": ""},
        )  # fmt: skip
        assert packed_names(tmp_path / "examples" / "digits") == ["a.py"]

    def test_a_folder_that_was_named_travels_even_where_git_ignores_it(self, tmp_path: Path) -> None:
        tree(tmp_path, {".git/HEAD": "", ".gitignore": "build/\n", "build/a.py": ""})
        assert packed_names(tmp_path / "build") == ["a.py"]

    def test_rules_above_count_only_in_a_repository(self, tmp_path: Path) -> None:
        tree(tmp_path, {".gitignore": "*.py\n", "code/a.py": ""})
        assert packed_names(tmp_path / "code") == ["a.py"]


class TestLinks:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Case a5."""
        root = tree(tmp_path / "s", {"src/lib/__init__.py": "V=1", "main.py": ""})
        tree(tmp_path / "outside", {"cfg.py": "K=2"})
        (root / "lib").symlink_to("src/lib")
        (root / "loop").symlink_to(".")
        (root / "dead").symlink_to("nowhere")
        return root

    def test_inside_travels_as_content_and_loops_and_dead_links_are_named(self, root: Path) -> None:
        with pack(root) as packed:
            assert names(packed) == ["lib/__init__.py", "main.py", "src/lib/__init__.py"]
            assert content(packed, "lib/__init__.py") == b"V=1"
            assert {one.name: one.why for one in packed.skipped} == {
                "loop": "a link to a folder it lies in (a loop)",
                "dead": "a dead link to 'nowhere'",
            }

    def test_outside_is_refused_by_name_unless_wanted(self, root: Path) -> None:
        (root / "cfg.py").symlink_to("../outside/cfg.py")
        with pytest.raises(errors.OutsideLink, match=r"cfg\.py -> \.\./outside/cfg\.py") as caught:
            pack(root)
        assert "--follow-outside-links" in str(caught.value.hint)
        with pack(root, follow_outside_links=True) as packed:
            assert content(packed, "cfg.py") == b"K=2"
            assert packed.outside == ("cfg.py -> ../outside/cfg.py",)

    def test_outside_may_be_ignored(self, root: Path) -> None:
        (root / "cfg.py").symlink_to("../outside/cfg.py")
        (root / ".mlpignore").write_text("cfg.py\n")
        assert "cfg.py" not in packed_names(root)

    def test_a_folder_outside_is_followed_whole_when_wanted(self, root: Path) -> None:
        (root / "ext").symlink_to("../outside")
        assert "ext/cfg.py" in packed_names(root, follow_outside_links=True)

    def test_links_that_point_at_each_other_end(self, root: Path) -> None:
        (root / "x").symlink_to("y")
        (root / "y").symlink_to("x")
        with pack(root) as packed:
            assert {"x", "y"} <= {one.name for one in packed.skipped}

    def test_folders_that_link_to_each_other_end(self, tmp_path: Path) -> None:
        root = tree(tmp_path, {"a/one": "1", "b/two": "2"})
        (root / "a" / "to_b").symlink_to("../b")
        (root / "b" / "to_a").symlink_to("../a")
        assert packed_names(root) == ["a/one", "a/to_b/two", "b/to_a/one", "b/two"]

    def test_what_is_no_file_is_skipped(self, root: Path) -> None:
        os.mkfifo(root / "pipe")
        with pack(root) as packed:
            assert "pipe" in {one.name for one in packed.skipped}


class TestLimits:
    def test_too_much_is_refused_before_anything_is_written_with_the_largest_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.mkstemp", lambda **_: pytest.fail("nothing may be written"))
        root = tree(tmp_path, {f"data/f{n}.bin": b"x" * (1000 * n) for n in range(1, 9)})
        with pytest.raises(errors.PackageTooLarge) as caught:
            pack(root, limit_bytes=10_000)
        assert caught.value.largest == tuple((f"data/f{n}.bin", 1000 * n) for n in range(8, 3, -1))
        assert "35.2 KiB in 8 files" in caught.value.message
        assert "9.8 KiB" in caught.value.message
        assert "data/f8.bin (7.8 KiB)" in caught.value.message

    def test_an_empty_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(errors.NothingToPack):
            pack(tmp_path)

    def test_what_is_no_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(errors.PackagingError, match="is not a folder"):
            pack(tmp_path / "none")

    def test_many_small_files_show_progress(self, tmp_path: Path) -> None:
        root = tree(tmp_path, {f"d{n % 50}/f{n}": "x" for n in range(2500)})
        told: list[Progress] = []
        with pack(root, progress=told.append) as packed:
            assert packed.files == 2500
        assert told[0] == Progress(500, 500)
        assert told[-1] == Progress(2500, 2500, 2500, 2500)


def test_any_name_travels_and_one_that_is_not_text_is_refused(tmp_path: Path) -> None:
    root = tree(tmp_path / "a", {"имя с пробелом.py": "", "训练/🚀.txt": "", 'q"uo\\te\n': ""})
    assert sorted(packed_names(root)) == sorted(["имя с пробелом.py", "训练/🚀.txt", 'q"uo\\te\n'])
    (root / os.fsdecode(b"bad\xff.py")).write_text("")
    with pytest.raises(errors.PackagingError, match=r"bad.*is not UTF-8"):
        pack(root)
