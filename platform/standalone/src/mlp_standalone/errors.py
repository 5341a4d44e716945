"""Errors of the standalone platform. Each carries a sentence that says what is wrong and what to do."""


class StandaloneError(Exception):
    """Something that `mlp up` can explain."""


class DamagedConfigError(StandaloneError):
    """`standalone.json` cannot be read."""


class PostgresError(StandaloneError):
    """Postgres cannot be prepared."""


class PortTakenError(StandaloneError):
    """A port of this data folder is used by a program that is not ours."""


class StepError(StandaloneError):
    """A step of the start failed."""
