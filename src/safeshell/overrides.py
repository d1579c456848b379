"""The files that change the policy: the operator's may widen it, the project's only tighten it.

Neither is looked for in a place that the other side writes: TOOLBELT_SHELL_POLICY names a file
outside the workspace, `.safe-shell.toml` stands at the workspace's root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from safeshell.policy import Policy, bad_policy
from safeshell.table import TABLE

PROJECT_FILE: Final = ".safe-shell.toml"
# What an operator's file may hold; `remove` takes away, the rest replaces or adds.
_OPERATOR: Final = frozenset(TABLE) | {"remove"}
_PROJECT: Final = frozenset(("version", "limits", "workspace", "remove"))
_COMMAND_KEYS: Final = frozenset(
    "flags grammar operands max_operands operand_pattern pattern_flags forced hints "
    "forced_for_folders bundles attached common options executes program".split()
)
_SUB_KEYS: Final = frozenset(
    "flags forced pattern_flags operands_with verbs max_operands hints".split()
)


def load(workspace: Path, env: Mapping[str, str]) -> Policy:
    """The policy in force for a workspace; BAD_CONFIG for a file that cannot be trusted."""
    operator = env.get("TOOLBELT_SHELL_POLICY", "")
    project = workspace / PROJECT_FILE
    has_project = project.is_symlink() or project.exists()
    if not operator and not has_project:
        return Policy(TABLE)
    import copy

    table: dict[str, Any] = copy.deepcopy(TABLE)
    sources = []
    if operator:
        path = _operator_path(operator, workspace)
        _widen(table, _read(path), str(path))
        sources.append(str(path))
    if has_project:
        _tighten(table, _read(project), str(project))
        sources.append(str(project))
    policy = Policy(table, tuple(sources))
    _try_all(policy)
    return policy


def _operator_path(text: str, workspace: Path) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise bad_policy(f"TOOLBELT_SHELL_POLICY must be an absolute path, not {text!r}.")
    if path.resolve().is_relative_to(workspace):
        raise bad_policy(
            f"TOOLBELT_SHELL_POLICY names {text!r}, which lies in the workspace.",
            "keep the operator's file where the agent cannot write",
        )
    return path


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        if not path.is_file() or path.is_symlink():
            raise bad_policy(f"The policy file {str(path)!r} is not a regular file.")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise bad_policy(f"The policy file {str(path)!r} cannot be read: {error}.") from error


def _widen(table: dict[str, Any], changes: dict[str, Any], where: str) -> None:
    _only(changes, _OPERATOR, where)
    removed = changes.pop("remove", {})
    for name, value in changes.items():
        if name == "command":
            for command, entry in _tables(value, where).items():
                _only(entry, _COMMAND_KEYS, f"{where} [command.{command}]")
                table["command"][command] = entry
        elif name == "git":
            _widen_git(table["git"], value, where)
        elif isinstance(table[name], dict):
            wanted = _table(value, f"{where} [{name}]")
            if name in ("limits", "workspace", "audit", "builtins"):
                _only(
                    wanted, set(table[name]) | ({"root"} if name == "workspace" else set()), where
                )
            table[name].update(wanted)
        elif value != table[name]:
            raise bad_policy(f"{where}: {name} is {value!r}, which this version does not know.")
    _check_types(table, where)
    _remove(table, removed, where)


def _widen_git(git: dict[str, Any], value: object, where: str) -> None:
    for name, entry in _tables(value, where).items():
        if name not in ("sub", "config", "environment", "advice", "hints"):
            raise bad_policy(f"{where}: [git.{name}] cannot be changed.")
        for sub, content in entry.items() if name == "sub" else ():
            _only(_table(content, where), _SUB_KEYS, f"{where} [git.sub.{sub}]")
        git[name].update(entry)


def _tighten(table: dict[str, Any], changes: dict[str, Any], where: str) -> None:
    _only(changes, _PROJECT, f"{where} (a project's file may only tighten)")
    for key, value in _table(changes.get("limits", {}), where).items():
        limit = table["limits"].get(key)
        if limit is None or isinstance(value, bool) or not isinstance(value, int | float):
            raise bad_policy(f"{where}: limits.{key} is not a limit.")
        if not 0 < value <= limit:
            raise bad_policy(f"{where}: limits.{key} is {value}; a project may only lower {limit}.")
        table["limits"][key] = value
    workspace = _table(changes.get("workspace", {}), where)
    _only(workspace, {"secret_names"}, where)
    names = _texts(workspace.get("secret_names", []), where)
    if any(name.startswith("!") for name in names):
        raise bad_policy(f"{where}: a project may not open secret_names again.")
    table["workspace"]["secret_names"] = [*table["workspace"]["secret_names"], *names]
    _remove(table, changes.get("remove", {}), where)


def _remove(table: dict[str, Any], removed: object, where: str) -> None:
    """`[remove] commands, git = [names]`, `[remove.flags] grep = ["-P"]`."""
    wanted = _table(removed, where)
    _only(wanted, {"commands", "git", "flags"}, f"{where} [remove]")
    for name in _texts(wanted.get("commands", []), where):
        if name == "git":
            table["git"]["sub"].clear()
        elif name in table["builtins"]["names"]:
            table["builtins"]["names"].remove(name)
        elif table["command"].pop(name, None) is None:
            raise bad_policy(f"{where}: there is no command {name!r} to remove.")
    for name in _texts(wanted.get("git", []), where):
        if table["git"]["sub"].pop(name, None) is None:
            raise bad_policy(f"{where}: there is no git subcommand {name!r} to remove.")
    for name, flags in _table(wanted.get("flags", {}), where).items():
        if name not in table["command"]:
            raise bad_policy(f"{where}: there is no command {name!r} to take flags from.")
        entry = dict(table["command"][name])
        entry["removed_flags"] = [*entry.get("removed_flags", []), *_texts(flags, where)]
        table["command"][name] = entry


def _check_types(table: dict[str, Any], where: str) -> None:
    """The values that are used without further look: paths, lists, numbers."""
    for key, value in table["limits"].items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise bad_policy(f"{where}: limits.{key} must be a number above 0, not {value!r}.")
    paths = [table["audit"]["path"], table["workspace"].get("root", "")]
    paths += _texts(table["workspace"]["read_extra"], where)
    if not all(isinstance(path, str) and (not path or path.startswith("/")) for path in paths):
        raise bad_policy(f"{where}: audit.path, workspace.root and read_extra take absolute paths.")
    _texts(table["workspace"]["secret_names"], where)
    _texts(table["builtins"]["names"], where)
    unknown = set(table["builtins"]["names"]) - set(TABLE["builtins"]["names"])
    if unknown:
        raise bad_policy(f"{where}: there is no builtin {', '.join(sorted(unknown))}.")


def _try_all(policy: Policy) -> None:
    """Build every command once, so that a bad table is an error now and not when it is used."""
    for name in policy.table["command"]:
        if name == "git" or name in policy.builtins:
            raise bad_policy(f"The command {name!r} stands in two tables.")
        command = policy.command(name)
        if command is not None and command.grammar not in ("flags", "find", "sed", "jq"):
            raise bad_policy(f"[command.{name}] has the unknown grammar {command.grammar!r}.")
        if command is not None and command.operands not in _OPERANDS:
            raise bad_policy(f"[command.{name}] has the unknown operands {command.operands!r}.")
    for name, entry in policy.table["git"]["sub"].items():
        for verb in (None, *entry.get("verbs", {})):
            policy.subcommand(name, verb)


_OPERANDS: Final = ("none", "text", "paths", "pattern-paths")


def _only(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise bad_policy(f"{where}: {', '.join(unknown)} is not known there.")


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise bad_policy(f"{where}: {value!r} should be a table.")
    return value


def _tables(value: object, where: str) -> dict[str, dict[str, Any]]:
    return {key: _table(entry, f"{where} [{key}]") for key, entry in _table(value, where).items()}


def _texts(value: object, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise bad_policy(f"{where}: {value!r} should be a list of texts.")
    return value
