"""Ends what outlives kubelet and containerd: shims, containers, mounts, control groups and traces in shared folders."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from cluster.network import Network

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_SECONDS = 20.0


def sockets_folder(network: Network) -> Path:
    """Where the containerds of a cluster listen: paths of sockets must be short."""
    return Path("/run") / network.namespace


def control_groups(name: str) -> Iterator[Path]:
    """The group of that name in each hierarchy of this machine: one, or with the first version one per controller."""
    if (_CONTROL_GROUPS / "cgroup.controllers").exists():
        yield _CONTROL_GROUPS / name
        return
    for hierarchy in _CONTROL_GROUPS.iterdir():
        if hierarchy.is_dir() and not hierarchy.is_symlink():
            yield hierarchy / name


def clear_remains(network: Network, folder: Path) -> None:
    """Remove every trace of true nodes, whose programs have ended. Safe to repeat; TimeoutError if something stays."""
    groups = [group for group in _groups_of(network) if group.is_dir()]
    deadline = time.monotonic() + _SECONDS
    while pids := _survivors(network, groups):
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {sorted(pids)} of {network.namespace} do not end")
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    # Whoever removes the folder next must not reach through a mount into what is mounted there.
    while places := _mounts_below(folder, sockets_folder(network)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"mounts of {network.namespace} do not go: {places}")
        for place in places:
            # One that has gone since, with the mount below which it was, is no error.
            subprocess.run(["umount", "--lazy", place], check=False, capture_output=True)
    for group in groups:
        for inner in sorted((group, *group.rglob("*/")), reverse=True):
            _remove_group(inner, deadline)
    shutil.rmtree(sockets_folder(network), ignore_errors=True)
    _clear_shared_folders(network, folder)


def _clear_shared_folders(network: Network, folder: Path) -> None:
    """Remove what is ours from the places that are fixed in kubelet, containerd and the CNI library."""
    logs, results = Path("/var/log/containers"), Path("/var/lib/cni/results")
    plugins, shims = Path("/var/lib/kubelet/device-plugins"), Path("/run/containerd/s")
    ours = [link for link in logs.glob("*") if link.is_symlink() and str(folder) in str(link.readlink())]
    ours += results.glob(f"{network.namespace}-*")
    ours += [path for place in (plugins, shims) for path in place.glob("*") if path.is_socket() and _is_dead(path)]
    for path in ours:
        path.unlink(missing_ok=True)
    for place in (logs, results, results.parent, plugins, plugins.parent, shims, shims.parent):
        # Where somebody else has something in it, it stays.
        with contextlib.suppress(OSError):
            place.rmdir()


def _is_dead(path: Path) -> bool:
    """Whether nobody listens on a socket any more."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == errno.ECONNREFUSED


def _remove_group(group: Path, deadline: float) -> None:
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            # The kernel lets go of a group shortly after its last process.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _groups_of(network: Network) -> Iterator[Path]:
    for pattern in control_groups(f"{network.namespace}-*"):
        yield from pattern.parent.glob(pattern.name)


def _survivors(network: Network, groups: list[Path]) -> set[int]:
    """Processes in the nodes' control groups, and the shims that held them."""
    address = str(sockets_folder(network)).encode() + b"/"
    found: set[int] = set()
    for group in groups:
        for processes in group.rglob("cgroup.procs"):
            with contextlib.suppress(OSError):
                found |= {int(pid) for pid in processes.read_text().split()}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                command = (process / "cmdline").read_bytes().split(b"\0")
                if b"containerd-shim" in command[0] and any(word.startswith(address) for word in command):
                    found.add(int(process.name))
    return found


def _mounts_below(*folders: Path) -> list[str]:
    """Mount points below the folders, the inner ones first."""
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    ours = [place for place in places if any(place.startswith(f"{folder}/") for folder in folders)]
    return sorted(ours, key=len, reverse=True)
