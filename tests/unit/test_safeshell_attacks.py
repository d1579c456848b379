"""Attacks of our own: each was tried against this build, and each kind is closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from safeshell.paths import Roots
from safeshell.plan import plan_line
from safeshell.policy import Policy
from safeshell.run import run
from safeshell.table import TABLE
from shellcases import ground
from toolbelt.errors import ToolError

POLICY = Policy(TABLE)


def verdict(line: str, ground_name: str = "one", cwd: str = "") -> str:
    """The reason of a refusal; empty when the line may run."""
    root = str(ground(ground_name).workspace)
    roots = Roots.at(root, root, [], TABLE["workspace"]["secret_names"])
    try:
        plan_line(line, POLICY, roots, f"{root}/{cwd}".rstrip("/"))
    except ToolError as error:
        assert error.hint
        return str(error.detail["reason"])
    return ""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        # Letters behind an option that takes its value as the next word are more options.
        ("tree -Io x made src", "BAD_VALUE"), ("tree -Po x made", "BAD_VALUE"), ("tree -aIo x made", "BAD_VALUE"),
        ("tree -L2 src", "BAD_VALUE"), ("tree -aL 2 src", ""), ("tree -I '*.py' -a src", ""),
        # A verb behind an option.
        ("git remote -v update", "SUBCOMMAND_NOT_ALLOWED"), ("git remote -v add x y", "SUBCOMMAND_NOT_ALLOWED"),
        ("git remote --verbose remove origin", "SUBCOMMAND_NOT_ALLOWED"), ("git stash -p", "SUBCOMMAND_NOT_ALLOWED"),
        ("git stash", "SUBCOMMAND_NOT_ALLOWED"), ("git worktree", "SUBCOMMAND_NOT_ALLOWED"), ("git reflog delete x", "SUBCOMMAND_NOT_ALLOWED"),
        # Names where git would make them.
        ("git branch -a -- new", "SUBCOMMAND_NOT_ALLOWED"), ("git branch --format=x new", "SUBCOMMAND_NOT_ALLOWED"),
        ("git branch --show-current new", "SUBCOMMAND_NOT_ALLOWED"), ("git branch -vd feature", "FLAG_NOT_ALLOWED"),
        ("git tag --sort=x new", "SUBCOMMAND_NOT_ALLOWED"), ("git tag -nd v1", "BAD_VALUE"), ("git tag -ld v1", "FLAG_NOT_ALLOWED"),
        ("git symbolic-ref HEAD -- refs/heads/x", "TOO_MANY_OPERANDS"), ("git symbolic-ref -d HEAD", "FLAG_NOT_ALLOWED"),
        ("git config user.name x", "TOO_MANY_OPERANDS"), ("git config list", "BAD_VALUE"), ("git config user.name", ""), ("git config --get a.b c", "TOO_MANY_OPERANDS"),
        ("git config --get http.x.extraheader", "BAD_VALUE"), ("git config --get-regexp .", "FLAG_NOT_ALLOWED"), ("git config -l", "FLAG_NOT_ALLOWED"), ("git config --unset a.b", "FLAG_NOT_ALLOWED"),
        # Merging again runs merge drivers and writes objects.
        ("git log --remerge-diff -1", "FLAG_NOT_ALLOWED"), ("git log --diff-merges=remerge -p", "BAD_VALUE"), ("git show --diff-merges=r", "BAD_VALUE"),
        # Forced options cannot be taken back.
        ("git diff --ext-diff", "FLAG_NOT_ALLOWED"), ("git log -p --textconv", "FLAG_NOT_ALLOWED"), ("git status --ignore-submodules=none", "BAD_VALUE"),
        ("rg --config x y", "FLAG_NOT_ALLOWED"), ("grep --devices=read x data/fifo", "BAD_VALUE"), ("grep -Dread x data/fifo", "BAD_VALUE"),
        # A folder and a file: diff would open the folder's entry of that name.
        ("git -C / log", "PATH_OUTSIDE"), ("git -C src -C ../.. log", "PATH_OUTSIDE"), ("git -Csrc log", "FLAG_NOT_ALLOWED"),
        ("git show HEAD:.env", "SECRET_FILE"), ("git show :.env", "SECRET_FILE"), ("git cat-file -p :0:.env", "SECRET_FILE"),
        ("git log -p -- ':(top).env'", "SECRET_FILE"), ("git log -p -- ':/.env'", "SECRET_FILE"), ("git log -p -- ':(top,literal)a/.env'", "SECRET_FILE"),
        ("git diff -- . ':!.env' ':(exclude).env' ':^*.pem'", ""), ("git log -1 ':/fix the build'", ""), ("git diff --no-index /dev/null .env", "SECRET_FILE"), ("git diff --no-index a ../outside/secret.txt", "PATH_OUTSIDE"),
        ("git grep -f ../outside/secret.txt x", "PATH_OUTSIDE"), ("git blame --contents ../x f", "FLAG_NOT_ALLOWED"), ("git log -O/etc/passwd", "FLAG_NOT_ALLOWED"),
        # Paths that only look inside, or only become paths by expansion.
        ("cat {WS}/../outside/secret.txt", "PATH_OUTSIDE"), ("cat nope/../../outside/secret.txt", "PATH_OUTSIDE"), ("cat .{.,}/outside/secret.txt", "PATH_OUTSIDE"),
        ("cat */secret.txt", "PATH_OUTSIDE"), ("cat l*_out", "PATH_OUTSIDE"), ("cat rootl*/etc/passwd", "PATH_OUTSIDE"), ("ls src/*/../../../outside", "PATH_OUTSIDE"),
        ("cat {~,x}", "EXPANSION"), ("echo a={~,b}", "EXPANSION"), ("cat {WS}x/y", "PATH_OUTSIDE"), ("cat /", "PATH_OUTSIDE"), ("cat //etc/passwd", "PATH_OUTSIDE"),
        ("echo rootlink/*", "PATH_OUTSIDE"), ("echo ../*", "PATH_OUTSIDE"), ("cd src/.. && cd .. && ls", "PATH_OUTSIDE"), ("cd rootlink", "PATH_OUTSIDE"),
        ("test -e ../outside || echo x", "PATH_OUTSIDE"), ("[ src -nt /etc/passwd ]", "PATH_OUTSIDE"), ("cat <rootlink/etc/passwd", "PATH_OUTSIDE"),
        ("true || cat /etc/passwd", "PATH_OUTSIDE"), ("false && rm x", "COMMAND_NOT_ALLOWED"), ("cat .e*", "SECRET_FILE"), ("sort -t, .ssh/id_rsa", "SECRET_FILE"),
        ("sha256sum .s*/*", "SECRET_FILE"), ("diff -r .ssh src", "SECRET_FILE"),
        # Options that braces or quotes build.
        ("find . -maxdepth 0 {-exec,./run.sh,\\;}", "FLAG_NOT_ALLOWED"), ("find . -d{elete,}", "FLAG_NOT_ALLOWED"), ("find . -\"del\"ete", "FLAG_NOT_ALLOWED"),
        ("sort {-o,x} data/log.txt", "FLAG_NOT_ALLOWED"), ("rg -{-pre,x}=y z", "FLAG_NOT_ALLOWED"), ("git d{iff,} --ou{tput=x,}", "FLAG_NOT_ALLOWED"),
        # What bash would read in another way.
        ("echo a\\\n>x", "SYNTAX"), ("ls 2\\\n>&1", "SYNTAX"), ("echo {fd}>/dev/null", "REDIRECT"), ("echo x >\\\n&2", "SYNTAX"),
        ("ls 2&>/dev/null", ""), ("cat <#x", "SYNTAX"), ("echo $\\\n(id)", "EXPANSION"), ("echo \"$\\\n(id)\"", "EXPANSION"), ("=ls", "COMMAND_NAME"),
        ("!ls", "COMMAND_NAME"), ("ls\\", "SYNTAX"), ("a[0]=x ls", "ENV_ASSIGNMENT"), ("a+=x ls", "ENV_ASSIGNMENT"), ("LC_ALL=/x ls", "ENV_ASSIGNMENT"),
        ("LC_ALL=C PATH=. ls", "ENV_ASSIGNMENT"), ("TZ=../x date", "ENV_ASSIGNMENT"), ("PAGER=less git log", "ENV_ASSIGNMENT"), ("LD_PRELOAD=x ls", "ENV_ASSIGNMENT"),
        # Programs in arguments of readers.
        ("jq '\"\\(env)\"' data/items.json", "PROGRAM"), ("jq -n '$\nENV'", "PROGRAM"), ("sed ':a w x' src/app.py", "PROGRAM"), ("sed --posix 's/a/b/w x' src/app.py", "PROGRAM"),
    ],
)  # fmt: skip
def test_an_attack_of_our_own(line: str, reason: str) -> None:
    assert verdict(line.replace("{WS}", str(ground("one").workspace))) == reason


@pytest.mark.parametrize(
    "line",
    [
        "echo " + "[" * 60000, "echo " + "{" * 30000 + "}" * 30000, "echo " + "{1..1}" * 9000, "echo " + "{a," * 2000 + "}" * 2000,
        "jq '" + "\\(" * 9000 + "'", "jq '\"" + "\\(\"" * 9000 + "'", "jq '" + "[" * 60000 + "'", "test " + "! " * 1800, "test " + "\\( " * 900 + "a" + " \\)" * 900,
        "echo " + "*" * 60000, "echo " + "*a" * 30000, "echo " + "*/" * 30000, "cat " + "../" * 20000, "cat " + "a/" * 30000, "sed '" + "{" * 60000 + "'",
        "sed 's/" + "[[:a:]" * 9000 + "/'", 'printf "' + "%9999d" * 9000 + '"', "printf %9999d " + "1 " * 2000, "echo */*/*/*/*/*/*", "find " + ". " * 1900,
        "jq '{" + "a    ," * 9000 + "}'", "; ".join("true && cd src || cd .." for _ in range(20)), "echo " + "{a,b}" * 20, "echo {1..999999999}",
    ],
    ids=range(24),
)  # fmt: skip
def test_a_line_made_to_be_slow_is_answered(line: str) -> None:
    """Nothing here may take long, recurse too deep or fill memory: a hang fails the whole run."""
    root = str(ground("one").workspace)
    roots = Roots.at(root, root, [], [])
    try:
        steps = plan_line(line, POLICY, roots, root)
    except ToolError as error:
        assert error.code == "BLOCKED"
        return
    if line.startswith(("test", "printf")):
        result = run(steps, POLICY, roots, root, timeout=10)
        assert len(result.stdout) <= POLICY.limits.stdout_bytes


def test_diff_opens_no_link_in_a_folder(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "ws"
    (root / "folder").mkdir(parents=True)
    (root / "other").mkdir()
    (tmp_path / "secret.txt").write_text("TOP-SECRET\n")
    (root / "secret.txt").write_text("x\n")
    (root / "folder" / "secret.txt").symlink_to(tmp_path / "secret.txt")
    (root / "other" / "secret.txt").write_text("y\n")
    roots = Roots.at(str(root), str(root), [], [])
    for line in (
        "diff folder secret.txt",
        "diff secret.txt folder",
        "diff folder other",
        "diff -r folder other",
        "diff -ru . other",
    ):
        steps = plan_line(line, POLICY, roots, str(root))
        stage = steps[0].in_folder[str(root)][0]
        assert "--no-dereference" in stage.argv
        result = run(steps, POLICY, roots, str(root), timeout=10)
        assert b"TOP-SECRET" not in result.stdout
    steps = plan_line("diff secret.txt other/secret.txt", POLICY, roots, str(root))
    assert "--no-dereference" not in steps[0].in_folder[str(root)][0].argv


def test_a_file_that_looks_like_an_option_stays_a_file(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    for name in ("-delete", "--output=x", "-o", "a"):
        (root / name).write_text("x\n")
    roots = Roots.at(str(root), str(root), [], [])
    for line in (
        "find *",
        "sort *",
        "cat *",
        "grep x *",
        "rg x *",
        "git diff --no-index * ",
        "wc -l *",
    ):
        try:
            steps = plan_line(line, POLICY, roots, str(root))
        except ToolError as error:
            assert error.detail["reason"] in ("TOO_MANY_OPERANDS", "SYNTAX")
            continue
        words = steps[0].in_folder[str(root)][0].argv
        assert {"./-delete", "./--output=x", "./-o"} <= set(words)
        run(steps, POLICY, roots, str(root), timeout=10)
    assert sorted(path.name for path in root.iterdir()) == ["--output=x", "-delete", "-o", "a"]
