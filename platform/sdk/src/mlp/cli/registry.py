"""Which commands there are. Text only, so that `mlp --help` loads none of them.

The summaries repeat the first line of each command's docstring; a test holds them together.
"""

from __future__ import annotations

from dataclasses import dataclass

_COMMANDS = "mlp.cli.commands"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: where its function is, and one line about it."""

    target: str
    summary: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Noun:
    """A group of commands about one kind of thing."""

    summary: str
    verbs: dict[str, Entry]


def _entry(target: str, summary: str, *, hidden: bool = False) -> Entry:
    return Entry(f"{_COMMANDS}.{target}", summary, hidden)


LIST_JOBS = _entry("job_list:list_jobs", "List jobs, newest first.")

STARTING = {
    "login": _entry("account:login", "Sign in to a platform and remember it."),
    "logout": _entry("account:logout", "Revoke the saved token and forget it."),
    "whoami": _entry("account:whoami", "Show who is signed in, where, and in which project."),
    "password": _entry("password:password", "Change your password."),
    "use": _entry("account:use", "Choose the project that commands work in."),
}
WORKING = {
    "run": _entry("run:run", "Run a script as a job and follow it."),
    "logs": _entry("logs:logs", "Show or follow the log of a job."),
    "top": _entry("top:top", "Show what running jobs use."),
    "why": _entry("job_show:why", "Explain why a job is where it is."),
}
NOUNS = {
    "job": Noun(
        "Submit jobs and look after them.",
        {
            "submit": _entry("submit:submit", "Submit a job."),
            "list": LIST_JOBS,
            "show": _entry("job_show:show", "Show a job."),
            "wait": _entry("job_wait:wait", "Wait until a job has ended."),
            "cancel": _entry("job_change:cancel", "Cancel a job."),
            "retry": _entry("job_change:retry", "Try a job that ended once more."),
            "attempts": _entry("job_show:attempts", "List the attempts of a job."),
            "events": _entry("job_show:events", "List what happened to a job."),
            "metrics": _entry("job_show:metrics", "Show the metrics of a job."),
            "logs": _entry("logs:logs", "Show or follow the log of a job."),
            "artifacts": _entry("artifacts:artifacts", "List the files that a job left."),
            "download": _entry("artifacts:download", "Download the files that a job left."),
            "log-artifact": _entry("artifacts:log_artifact", "Put a file that a job left into its MLflow run."),
            "why": _entry("job_show:why", "Explain why a job is where it is."),
            "open": _entry("job_show:open_", "Open a job in the browser."),
            "diff": _entry("job_diff:diff", "Show in what two jobs differ."),
        },
    ),
    "project": Noun(
        "Projects: who works on what, within which limits.",
        {
            "list": _entry("project:list_projects", "List the projects you can see."),
            "create": _entry("project:create", "Create a project."),
            "show": _entry("project:show", "Show a project."),
            "update": _entry("project:update", "Change a project's description, limits or guaranteed machines."),
            "delete": _entry("project:delete", "Delete a project."),
        },
    ),
    "member": Noun(
        "Members of a project and their roles.",
        {
            "list": _entry("member:list_members", "List the members of a project."),
            "add": _entry("member:add", "Add a member, or change their role."),
            "remove": _entry("member:remove", "Remove a member."),
        },
    ),
    "cluster": Noun(
        "Ray clusters that stay up and take many jobs.",
        {
            "create": _entry("cluster:create", "Create a cluster."),
            "list": _entry("cluster:list_clusters", "List clusters."),
            "show": _entry("cluster:show", "Show a cluster."),
            "stop": _entry("cluster:stop", "Stop a cluster."),
        },
    ),
    "environment": Noun(
        "What code needs, resolved to a lock.",
        {
            "list": _entry("environment:list_environments", "List environments."),
            "show": _entry("environment:show", "Show an environment and its lock."),
            "create": _entry("environment:create", "Create an environment from requirements."),
            "delete": _entry("environment:delete", "Delete an environment that no job refers to."),
        },
    ),
    "package": Noun(
        "Archives of code, by content.",
        {
            "list": _entry("package:list_packages", "List packages."),
            "show": _entry("package:show", "Show a package and the files in it."),
            "push": _entry("package:push", "Pack a folder and send it."),
            "delete": _entry("package:delete", "Delete a package that no job names."),
        },
    ),
    "pool": Noun(
        "Kinds of machine.",
        {
            "list": _entry("pool:list_pools", "List pools and what is in use."),
            "show": _entry("pool:show", "Show a pool."),
            "create": _entry("pool:create", "Create a pool."),
            "update": _entry("pool:update", "Change a pool."),
            "delete": _entry("pool:delete", "Delete a pool."),
        },
    ),
    "token": Noun(
        "Your access tokens.",
        {
            "list": _entry("token:list_tokens", "List your tokens."),
            "create": _entry("token:create", "Create a token; it is shown once."),
            "revoke": _entry("token:revoke", "Revoke a token."),
        },
    ),
    "user": Noun(
        "People with a local account.",
        {
            "list": _entry("user:list_users", "List users."),
            "create": _entry("user:create", "Create a user."),
        },
    ),
}
MACHINE = {
    "up": _entry("standalone:missing", "Start the whole platform on this machine."),
    "down": _entry("standalone:missing", "Stop the platform on this machine."),
    "status": _entry("standalone:missing", "Show how the platform on this machine is."),
}
TOOLS = {
    "config": Noun(
        "The configuration file and its profiles.",
        {
            "list": _entry("config:list_", "List the saved profiles."),
            "show": _entry("config:show", "Show which settings are in force, and from where."),
            "use": _entry("config:use", "Choose the profile that commands use."),
            "path": _entry("config:path", "Print where the configuration file is."),
        },
    ),
    "doctor": _entry("doctor:doctor", "Check that this machine and the platform fit together."),
    "api": _entry("api:api", "Call the REST API directly."),
    "completion": _entry("completion:completion", "Print the completion script for a shell."),
    "version": _entry("version:version", "Print the version of the client, and of the platform."),
}

SECTIONS: tuple[tuple[str, dict[str, Entry | Noun]], ...] = (
    ("Start", {**STARTING}),
    ("Work", {**WORKING}),
    ("Things", {**NOUNS}),
    ("This machine", {**MACHINE}),
    ("Tools", {**TOOLS}),
)
ROOT: dict[str, Entry | Noun] = {name: item for _, section in SECTIONS for name, item in section.items()}
EXTENSIONS = "mlp.commands"
"""Entry points of this group are functions that take a `typer.Typer` and add commands to it."""
