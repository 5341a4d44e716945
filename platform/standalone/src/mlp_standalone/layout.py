"""Where everything of one standalone platform lives: one data folder, one layout.

```
DATA/
  standalone.json   ports and versions, chosen once (config.py)
  secrets/          one file per secret, 0600
  postgres/         the database cluster
  valkey/           append-only file of the broker
  mlflow/           artifacts/
  objects/          packages, log segments, artifacts: the object store
  clusters/         of the operator's local engine
  logs/             one file per process, rotated
  run/              lock, state.json, sockets: nothing here outlives its processes
```
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

DATA_VARIABLE = "MLP_DATA"
SOCKET_PATH_BYTES = 100
"""Longest path of a unix socket that every system takes, with some room (Linux: 107)."""
PLAIN_PATH = re.compile(rb"[A-Za-z0-9/._-]+")
POSTGRES_SOCKET_NAME = ".s.PGSQL.5432"


@dataclass(frozen=True)
class Layout:
    """The paths below one data folder."""

    root: Path

    @classmethod
    def at(cls, folder: Path | None = None) -> Layout:
        """The layout of `folder`, else of `MLP_DATA`, else of the user's data folder."""
        chosen = folder or os.environ.get(DATA_VARIABLE) or platformdirs.user_data_dir("mlp", appauthor=False)
        return cls(Path(chosen).expanduser().resolve())

    def create(self) -> None:
        """Make the folders. Only their owner may list them; as root others may pass through.

        Postgres refuses to run as root, so its own user must be able to reach its folder below this one.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root.chmod(0o711 if os.geteuid() == 0 else 0o700)
        for folder in (self.secrets, self.valkey, self.mlflow, self.artifacts, self.objects, self.logs):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.run.mkdir(mode=0o711, exist_ok=True)

    @property
    def config(self) -> Path:
        return self.root / "standalone.json"

    @property
    def secrets(self) -> Path:
        return self.root / "secrets"

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def valkey(self) -> Path:
        return self.root / "valkey"

    @property
    def mlflow(self) -> Path:
        return self.root / "mlflow"

    @property
    def artifacts(self) -> Path:
        return self.mlflow / "artifacts"

    @property
    def objects(self) -> Path:
        return self.root / "objects"

    @property
    def clusters(self) -> Path:
        return self.root / "clusters"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def lock(self) -> Path:
        return self.run / "lock"

    @property
    def state(self) -> Path:
        return self.run / "state.json"

    @property
    def postgres_socket(self) -> Path:
        """Folder of Postgres' socket: below `run/`, or a short one of our own.

        The latter where that path is too long, or has characters that mean something in a database URL: libraries
        do not agree on how to write them there.
        """
        wanted = self.run / "postgres"
        path = os.fsencode(wanted / POSTGRES_SOCKET_NAME)
        if len(path) <= SOCKET_PATH_BYTES and PLAIN_PATH.fullmatch(path):
            return wanted
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"mlp-{os.geteuid()}-{digest}"

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def entries(self) -> tuple[Path, ...]:
        """Everything that holds data. Not `standalone.json` and `run/`, which say that this is such a folder."""
        return (
            self.clusters,
            self.postgres,
            self.valkey,
            self.mlflow,
            self.objects,
            self.logs,
            self.secrets,
        )
