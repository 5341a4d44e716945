"""Command groups whose commands are loaded when they are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command

from mlp.cli.registry import EXTENSIONS, MACHINE, Entry, Noun
from mlp.cli.values import lighten

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name. Names are known; a command is built when it is asked for."""

    def __init__(self, items: Mapping[str, Entry | Noun], *, extensible: bool) -> None:
        self._items = items
        self._extensible = extensible
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]

    def _build(self, name: str) -> Any:
        if self._extensible and (name in MACHINE or name not in self._items):
            extension = extensions().get(name)
            if extension is not None:
                return extension
        return build(name, self._items[name])

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        raise TypeError("commands are never taken away")

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def extensions() -> dict[str, Any]:
    """Commands of other packages installed beside this one, such as `mlp up`."""
    from importlib.metadata import entry_points  # 20 ms, only for commands that are not our own

    app = typer.Typer(rich_markup_mode=None, add_completion=False, context_settings=SETTINGS)
    app.callback()(_nothing)
    for point in entry_points(group=EXTENSIONS):
        point.load()(app)
    return dict(getattr(get_command(app), "commands", {}))


def _nothing() -> None:
    """Makes a group of an app that may have one command only."""


def build(name: str, item: Entry | Noun) -> Any:
    """The command or group for one entry of the registry."""
    if isinstance(item, Noun):
        return lighten(get_command(noun_app(name, item)))
    module, _, attribute = item.target.partition(":")
    function = getattr(import_module(module), attribute)
    app = typer.Typer(rich_markup_mode=None, add_completion=False, context_settings=SETTINGS)
    settings = SETTINGS | getattr(function, "mlp_settings", {})
    app.command(name, hidden=item.hidden, context_settings=settings)(function)
    return lighten(get_command(app))


def noun_app(name: str, noun: Noun) -> typer.Typer:
    cls = group_class([("Commands", {**noun.verbs})])
    app = typer.Typer(
        cls=cls,
        name=name,
        help=noun.summary,
        rich_markup_mode=None,
        add_completion=False,
        context_settings=SETTINGS,
        no_args_is_help=True,
    )
    app.callback()(_nothing)
    return app


def group_class(
    sections: Iterable[tuple[str, Mapping[str, Entry | Noun]]], *, extensible: bool = False
) -> type[TyperGroup]:
    """A group class for the given sections."""
    found = list(sections)

    class LazyGroup(TyperGroup):
        shown: ClassVar = found

        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            items = {name: item for _, section in found for name, item in section.items()}
            self.commands = LazyCommands(items, extensible=extensible)

        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            try:
                return self.commands[cmd_name]
            except KeyError:
                return None

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            for title, section in found:
                rows = [(name, item.summary) for name, item in section.items() if not _is_hidden(item)]
                with formatter.section(title):
                    formatter.write_dl(rows)

    return LazyGroup


def _is_hidden(item: Entry | Noun) -> bool:
    return isinstance(item, Entry) and item.hidden
