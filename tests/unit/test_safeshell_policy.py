"""Who may change the policy, and how: the operator widens, a project only tightens."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from safeshell import overrides
from safeshell.paths import Roots
from safeshell.plan import plan_line
from safeshell.policy import Policy
from safeshell.table import TABLE
from toolbelt.errors import ToolError


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "ws"
    root.mkdir()
    return root


def load(workspace: Path, *, operator: str = "", project: str = "") -> Policy:
    env = {}
    if operator:
        file = workspace.parent / "policy.toml"
        file.write_text(operator)
        env["TOOLBELT_SHELL_POLICY"] = str(file)
    if project:
        (workspace / overrides.PROJECT_FILE).write_text(project)
    return overrides.load(workspace, env)


def reason(policy: Policy, workspace: Path, line: str) -> str:
    """Why a line is refused; empty when it may run."""
    root = str(workspace)
    roots = Roots.at(
        root,
        root,
        policy.table["workspace"]["read_extra"],
        policy.table["workspace"]["secret_names"],
    )
    try:
        plan_line(line, policy, roots, root)
    except ToolError as error:
        return str(error.detail["reason"])
    return ""


def test_without_files_the_recipe_is_in_force(workspace: Path) -> None:
    policy = load(workspace)
    assert policy.table is TABLE
    assert policy.sources == ()


def test_the_operator_may_add_replace_and_remove(workspace: Path) -> None:
    policy = load(
        workspace,
        operator="""
[command.wordcount]
flags = "-x -n=int"
operands = "paths"
[command.cat]
flags = "-n"
operands = "paths"
[git.sub.notes]
flags = ""
verbs = { list = "", show = "" }
[limits]
timeout_s = 60
[workspace]
read_extra = ["/usr/share/doc"]
[advice]
make = "ask"
[remove]
commands = ["jq", "echo"]
git = ["blame"]
[remove.flags]
grep = ["-P", "--perl-regexp"]
""",
    )
    for line in ("wordcount -x -n 3 a", "cat -n a", "git notes list", "ls /usr/share/doc"):
        assert reason(policy, workspace, line) == "", line
    for line, why in {
        "wordcount -y": "FLAG_NOT_ALLOWED", "cat -A a": "FLAG_NOT_ALLOWED", "jq . a": "COMMAND_NOT_ALLOWED",
        "echo a": "COMMAND_NOT_ALLOWED", "git blame a": "SUBCOMMAND_NOT_ALLOWED", "grep -P a b": "FLAG_NOT_ALLOWED",
        "grep --perl-regexp a b": "FLAG_NOT_ALLOWED", "git notes add": "SUBCOMMAND_NOT_ALLOWED", "ls /usr/share": "PATH_OUTSIDE",
    }.items():  # fmt: skip
        assert reason(policy, workspace, line) == why, line
    assert policy.limits.timeout_s == 60
    assert TABLE["limits"]["timeout_s"] == 30
    assert "jq" in TABLE["command"]


def test_a_project_may_tighten(workspace: Path) -> None:
    policy = load(
        workspace,
        project="""
[limits]
timeout_s = 5
[workspace]
secret_names = ["*.secret"]
[remove]
commands = ["df", "git"]
[remove.flags]
find = ["-ls"]
""",
    )
    assert reason(policy, workspace, "ls") == ""
    assert reason(policy, workspace, "df -h") == "COMMAND_NOT_ALLOWED"
    assert reason(policy, workspace, "git status") == "COMMAND_NOT_ALLOWED"
    assert reason(policy, workspace, "find . -ls") == "FLAG_NOT_ALLOWED"
    assert reason(policy, workspace, "cat a.secret") == "SECRET_FILE"
    assert policy.limits.timeout_s == 5


def test_both_files_work_together(workspace: Path) -> None:
    policy = load(
        workspace,
        operator="[command.x]\n[limits]\ntimeout_s = 100\n",
        project="[limits]\ntimeout_s = 90\n",
    )
    assert policy.limits.timeout_s == 90
    assert len(policy.sources) == 2


@pytest.mark.parametrize(
    "text",
    [
        "[command.rm]\nflags = '-r'\n",
        "[limits]\ntimeout_s = 31\n",
        "[limits]\ntimeout_s = 0\n",
        "[limits]\ntimeout_s = true\n",
        "[limits]\nnew = 1\n",
        "[workspace]\nread_extra = ['/']\n",
        "[workspace]\nsecret_names = ['!.env']\n",
        "[environment]\npath = '/tmp'\n",
        "[audit]\npath = '/tmp/x'\n",
        "[git.sub.push]\nflags = ''\n",
        "[git.config]\n'core.fsmonitor' = 'x'\n",
        "[remove]\ncommands = ['nope']\n",
        "[remove]\ngit = ['push']\n",
        "[remove]\nother = []\n",
        "[remove]\ncommands = 'df'\n",
        "limits = 3\n",
        "[limits\n",
        "\x00",
    ],
)
def test_a_project_may_not_widen_or_be_malformed(workspace: Path, text: str) -> None:
    with pytest.raises(ToolError) as caught:
        load(workspace, project=text)
    assert caught.value.code == "BAD_CONFIG"
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "[command.x]\nflags = '-a'\n[command.x]\nflags = '-b'\n",  # two tables of one name
        "[command.x]\nflags = '-a -a=int'\n",
        "[command.x]\nflags = '-a=nosuchtype'\n",
        "[command.x]\nflags = '--a?'\n",
        "[command.x]\nflags = '@nogroup'\n",
        "[command.x]\nflags = 'noflag'\n",
        "[command.x]\noperands = 'everything'\n",
        "[command.x]\ngrammar = 'python'\n",
        "[command.x]\nfrobnicate = 1\n",
        "[command.git]\nflags = ''\n",
        "[command.echo]\nflags = ''\n",
        "[git.sub.x]\nfrobnicate = 1\n",
        "[git.neutralise]\nx = []\n",
        "[limits]\ntimeout_s = 'x'\n",
        "[limits]\nnope = 1\n",
        "[audit]\npath = 'relative'\n",
        "[workspace]\nroot = 'relative'\n",
        "[workspace]\nread_extra = 'x'\n",
        "[builtins]\nnames = ['eval']\n",
        "version = 2\n",
        "[nonsense]\n",
        "command = 3\n",
    ],
)
def test_a_malformed_operators_file_is_an_error(workspace: Path, text: str) -> None:
    with pytest.raises(ToolError) as caught:
        load(workspace, operator=text)
    assert caught.value.code == "BAD_CONFIG"


def test_the_operators_file_may_not_lie_where_the_agent_writes(workspace: Path) -> None:
    inside = workspace / "policy.toml"
    inside.write_text("[command.rm]\n")
    link = workspace.parent / "link.toml"
    link.symlink_to(inside)
    for name in (
        str(inside),
        str(link),
        "policy.toml",
        "/no/such/file.toml",
        str(workspace.parent),
    ):
        with pytest.raises(ToolError) as caught:
            overrides.load(workspace, {"TOOLBELT_SHELL_POLICY": name})
        assert caught.value.code == "BAD_CONFIG", name


def test_a_projects_file_may_not_be_a_link(workspace: Path) -> None:
    (workspace / overrides.PROJECT_FILE).symlink_to("/etc/passwd")
    with pytest.raises(ToolError) as caught:
        overrides.load(workspace, {})
    assert caught.value.code == "BAD_CONFIG"


def test_loading_changes_nothing_of_the_compiled_table(workspace: Path) -> None:
    before = copy.deepcopy(TABLE)
    load(
        workspace,
        operator="[remove]\ncommands = ['jq']\ngit = ['log']\n",
        project="[remove]\ncommands = ['df']\n",
    )
    assert before == TABLE
