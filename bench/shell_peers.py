"""Asks one peer's own validator about lines; runs in the peers' environment, executes nothing.

`python shell_peers.py PEER WORKSPACE COMMANDS < lines.json > verdicts.json`: a JSON list of lines
in, a list of true (the peer would run it) and false out. COMMANDS: the allowlist, with commas.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shlex
import sys
from collections.abc import Callable
from typing import Any

Judge = Callable[[str], bool]


def mcp_shell_server(_workspace: str, commands: list[str]) -> Judge:
    os.environ["ALLOW_COMMANDS"] = ",".join(commands)
    module = importlib.import_module("mcp_shell_server.shell_executor")
    executor: Any = module.ShellExecutor()

    def judge(line: str) -> bool:
        words = executor.preprocessor.clean_command(
            executor.preprocessor.preprocess_command(shlex.split(line))
        )
        if not words:
            return False
        if "|" in words:
            executor.validator.validate_pipeline(words)
            return True
        for word in words:
            executor.validator.validate_no_shell_operators(word)
        command, _ = executor.io_handler.process_redirections(words)
        executor.validator.validate_command(command)
        return True

    return judge


def _cli_mcp_server(workspace: str, commands: list[str], *, operators: bool) -> Judge:
    os.environ["ALLOWED_DIR"] = workspace
    module = importlib.import_module("cli_mcp_server.server")
    config = module.SecurityConfig(
        allowed_commands=set(commands), allowed_flags=set(), max_command_length=65536,
        command_timeout=30, allow_all_flags=True, allow_shell_operators=operators,
    )  # fmt: skip
    executor = module.CommandExecutor(workspace, config)

    def judge(line: str) -> bool:
        executor.validate_command(line)
        return True

    return judge


def cli_mcp_server(workspace: str, commands: list[str]) -> Judge:
    return _cli_mcp_server(workspace, commands, operators=False)


def cli_mcp_server_operators(workspace: str, commands: list[str]) -> Judge:
    return _cli_mcp_server(workspace, commands, operators=True)


def _cmd_line_mcp(workspace: str, read: list[str] | None) -> Judge:
    security = importlib.import_module("cmd_line_mcp.security")
    config = importlib.import_module("cmd_line_mcp.config").Config()
    lists = config.get_effective_command_lists()
    if read is not None:
        lists = {**lists, "read": read, "write": [], "system": []}

    def judge(line: str) -> bool:
        told = security.validate_command(
            line, lists["read"], lists["write"], lists["system"], lists["blocked"],
            lists["dangerous_patterns"], True,
        )  # fmt: skip
        inside = all(
            security.is_directory_whitelisted(folder, [workspace]) for folder in told["directories"]
        )
        return bool(told["is_valid"] and told["command_type"] == "read" and inside)

    return judge


def cmd_line_mcp(workspace: str, _commands: list[str]) -> Judge:
    return _cmd_line_mcp(workspace, None)


def cmd_line_mcp_our_list(workspace: str, commands: list[str]) -> Judge:
    return _cmd_line_mcp(workspace, commands)


def safecmd(_workspace: str, _commands: list[str]) -> Judge:
    core = importlib.import_module("safecmd.core")

    def judge(line: str) -> bool:
        core.validate(line)
        return True

    return judge


def bashboy(workspace: str, _commands: list[str]) -> Judge:
    rules = importlib.import_module("bashboy.rules")
    return lambda line: rules.check_denylist(line, workspace) is None


def bash_vet_mcp(_workspace: str, _commands: list[str]) -> Judge:
    scanner = importlib.import_module("bash_vet_mcp.scanner")
    clean = importlib.import_module("bash_vet_mcp.types").Verdict.CLEAN
    return lambda line: scanner.vet_command(line).verdict == clean


def main() -> None:
    name, workspace, commands = sys.argv[1:4]
    os.chdir(workspace)
    judge: Judge = globals()[name](workspace, commands.split(","))
    verdicts = []
    for line in json.load(sys.stdin):
        verdict = False
        # Whatever a validator raises, it is a refusal: that is how these say no.
        with contextlib.suppress(Exception):
            verdict = judge(line)
        verdicts.append(verdict)
    json.dump(verdicts, sys.stdout)


if __name__ == "__main__":
    main()
