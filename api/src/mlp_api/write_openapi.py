"""`python -m mlp_api.write_openapi [FILE]` writes the OpenAPI document, without any neighbour running."""

from __future__ import annotations

import sys
from pathlib import Path

from mlp_api.app import create_app
from mlp_api.openapi import render
from mlp_api.platform import make_platform
from mlp_core.settings import Settings


def main(arguments: list[str]) -> None:
    settings = Settings(
        database_url="postgresql+psycopg://nobody@/nowhere",
        object_store_url="file:///tmp",
        secret_key="0" * 32,  # pyright: ignore[reportArgumentType]
    )
    text = render(create_app(make_platform(settings)))
    if arguments:
        Path(arguments[0]).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
