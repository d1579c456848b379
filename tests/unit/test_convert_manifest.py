"""The manifest: every load rule, the built-in table, who may write it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import convert
from convert import generate, manifest
from convert.builtin import MANIFEST
from convert.fields import Invalid
from convert.load import table
from convert.recipe import Option, Table, format_name
from convert.template import TemplateError, parse
from toolbelt.data import recipes
from toolbelt.errors import ToolError

CASES = Path(__file__).parents[1] / "cases" / "convert"
ROW = 'from="a"\nto="b"\nargv=["/bin/true"]\nout_ext="b"\n'


def load(text: str) -> Table:
    return table(tomllib.loads(text), Path("/scripts"), "test")


def case_lines() -> list[dict[str, object]]:
    return [json.loads(line) for line in (CASES / "manifest_cases.jsonl").open(encoding="utf-8")]


@pytest.mark.parametrize("case", case_lines(), ids=lambda case: case["id"])
def test_a_manifest_is_taken_or_refused(case: dict[str, object]) -> None:
    if case["ok"]:
        load(str(case["toml"]))
    else:
        with pytest.raises(Invalid):
            load(str(case["toml"]))


REFUSED = {
    "unknown key": ROW + "extra=1",
    "argv missing": 'from="a"\nto="b"\nout_ext="b"',
    "argv empty": 'from="a"\nto="b"\nargv=[]\nout_ext="b"',
    "argv not a list": 'from="a"\nto="b"\nargv="/bin/true x"\nout_ext="b"',
    "out_ext missing": 'from="a"\nto="b"\nargv=["/bin/true"]',
    "out_ext with a slash": ROW.replace('out_ext="b"', 'out_ext="b/c"'),
    "out_ext too long": ROW.replace('out_ext="b"', f'out_ext="{"b" * 17}"'),
    "relative launcher": ROW.replace("/bin/true", "bin/true"),
    "bare launcher": ROW.replace("/bin/true", "true"),
    "launcher from a value": ROW.replace("/bin/true", "{w}"),
    "from missing": 'to="b"\nargv=["/bin/true"]\nout_ext="b"',
    "to empty": ROW.replace('to="b"', 'to=""'),
    "default_preset without presets": ROW + 'default_preset="p"',
    "default_preset unknown": ROW + 'default_preset="q"\n[recipe.presets.p]\nw="1"',
    "preset value not text": ROW + 'default_preset="p"\n[recipe.presets.p]\nw=1',
    "preset reuses script": ROW + 'default_preset="p"\n[recipe.presets.p]\nscript="1"',
    "preset reuses input": ROW + 'default_preset="p"\n[recipe.presets.p]\ninput="1"',
    "preset reuses output": ROW + 'default_preset="p"\n[recipe.presets.p]\noutput="1"',
    "variable without preset or option": ROW.replace('"/bin/true"', '"/bin/true","{w}"'),
    "empty token": ROW.replace('"/bin/true"', '"/bin/true","{}"'),
    "lonely closing brace": ROW.replace('"/bin/true"', '"/bin/true","a}b"'),
    "tool not among needs": ROW.replace('"/bin/true"', '"{tool:pandoc}"'),
    "option is free text": ROW + '[recipe.options.x]\ntype="string"\ndefault="a"',
    "option default out of range": ROW + '[recipe.options.x]\ntype="int"\nmax=3\ndefault="9"',
    "option pattern broken": ROW + '[recipe.options.x]\ntype="pattern"\npattern="("\ndefault=""',
    "option and preset clash": ROW
    + 'default_preset="p"\n[recipe.presets.p]\nx="1"\n[recipe.options.x]\ntype="bool"\ndefault="true"',
    "env_pass of a loader": ROW + 'env_pass=["LD_PRELOAD"]',
    "env_pass of PATH": ROW + 'env_pass=["PATH"]',
    "timeout not a number": ROW + 'timeout="soon"',
    "timeout zero": ROW + "timeout=0",
    "size nonsense": ROW + 'max_input="lots"',
    "confine unknown": ROW + 'confine="maybe"',
    "chain to nowhere": ROW + '[[recipe]]\nfrom="a"\nto="d"\nvia=["c"]\nout_ext="d"',
    "chain in a circle": ROW
    + '[[recipe]]\nfrom="b"\nto="a"\nargv=["/bin/true"]\nout_ext="a"\n'
    + '[[recipe]]\nfrom="a"\nto="x"\nvia=["b","a"]\nout_ext="x"',
    "argv and via": ROW + 'via=["c"]',
    "same pair by alias": ROW.replace('from="a"', 'from="jpeg"')
    + "[[recipe]]\n"
    + ROW.replace('from="a"', 'from=["jpg","q"]'),
}


@pytest.mark.parametrize("rows", REFUSED.values(), ids=REFUSED)
def test_a_broken_rule_is_an_error_that_says_so(rows: str) -> None:
    with pytest.raises(Invalid) as error:
        load("[[recipe]]\n" + rows)
    assert len(str(error.value)) > 10


def test_other_top_level_keys_are_refused() -> None:
    with pytest.raises(Invalid):
        load("colour=1\n[[recipe]]\n" + ROW)
    with pytest.raises(Invalid):
        load("version=2\n[[recipe]]\n" + ROW)


def test_a_row_may_name_several_sources_and_aliases() -> None:
    rows = load("[[recipe]]\n" + ROW.replace('from="a"', 'from=["JPEG",".htm"]')).rows
    assert set(rows) == {("jpg", "b"), ("html", "b")}


def test_the_compiled_table_is_the_one_people_read() -> None:
    text = (recipes() / "conversions.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == MANIFEST, "run: python -m convert.generate"
    for name, module in generate.compiled().items():
        assert Path(str(convert.__path__[0]), name).read_text(encoding="utf-8") == module


def test_every_script_of_the_built_in_table_is_there() -> None:
    for recipe in manifest.builtin().rows.values():
        for template in (*recipe.prepare, *recipe.argv):
            text = template.source
            if text.startswith("{script}/"):
                assert (recipe.script / text.removeprefix("{script}/")).is_file(), text


def test_extends_adds_to_the_built_in_table(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text('extends="builtin"\n[[recipe]]\n' + ROW)
    rows = manifest.load(str(file)).rows
    assert ("a", "b") in rows
    assert ("md", "pdf") in rows
    assert rows["a", "b"].script == tmp_path / "conversions"
    assert rows["md", "pdf"].script == recipes() / "conversions"


def test_a_manifest_replaces_the_table_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.toml"
    file.write_text("[[recipe]]\n" + ROW)
    monkeypatch.setenv("TOOLBELT_CONVERSIONS", str(file))
    assert set(manifest.load(None).rows) == {("a", "b")}


def bad(option: str | None, workspace: Path | None = None) -> ToolError:
    with pytest.raises(ToolError) as error:
        manifest.load(option, workspace)
    assert error.value.code == "BAD_CONFIG"
    assert error.value.exit_code == 2
    return error.value


def test_who_may_write_a_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "m.toml"
    bad(str(file))
    file.write_text("[[recipe]]\n" + ROW)
    bad(str(file), tmp_path)
    (tmp_path / "ws").mkdir()
    manifest.load(str(file), tmp_path / "ws")
    (tmp_path / "conversions").symlink_to(tmp_path / "ws")
    bad(str(file), tmp_path / "ws")
    (tmp_path / "conversions").unlink()
    file.chmod(0o666)
    assert "others may write" in bad(str(file)).message
    file.chmod(0o644)
    file.write_text("[[recipe]\n")
    assert "line 1" in bad(str(file)).message
    file.write_bytes(b"\xff\xfe")
    bad(str(file))
    monkeypatch.setenv("TOOLBELT_CONVERSIONS", "m.toml")
    assert "absolute" in bad(None).message


def test_the_error_names_file_recipe_and_rule(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text("[[recipe]]\n" + ROW + "[[recipe]]\n" + ROW.replace('to="b"', 'to="c"') + "x=1")
    message = bad(str(file)).message
    assert str(file) in message
    assert "recipe 2 (a->c)" in message
    assert "'x'" in message


def test_substitution_is_one_pass() -> None:
    filled = parse("--x={w}:{input}{{w}}").fill({"w": "{input}", "input": "{w}"}, str)
    assert filled == "--x={input}:{w}{w}"


@given(st.text(alphabet="ab{}:w", max_size=20))
def test_a_template_is_read_whole_or_refused(text: str) -> None:
    try:
        template = parse(text)
    except TemplateError:
        return
    names = {name: "V" for name in template.names if not name.startswith("tool:")}
    assert "V" in template.fill(names, lambda _: "V") or not template.names


@given(st.dictionaries(st.sampled_from(["input", "output", "w"]), st.text(), min_size=3))
def test_values_arrive_as_they_are(values: dict[str, str]) -> None:
    filled = parse("{input}|{output}|{w}").fill(values, str)
    assert filled == f"{values['input']}|{values['output']}|{values['w']}"


OPTIONS = [
    (Option("x", "int", "1", minimum=1, maximum=10), ["1", "10"], ["0", "11", "1.0", "", "١", "1e1"]),
    (Option("x", "length", "1cm", minimum=5, maximum=60), ["5mm", "2.5cm", "1in"],
     ["1mm", "7cm", "1", "mm", "1.mm", "-1cm", "1e1mm", "1cm;"]),
    (Option("x", "enum", "a", values=("a", "b")), ["a", "b"], ["c", "A", ""]),
    (Option("x", "bool", "true", values=("true", "false")), ["true", "false"], ["yes", "1"]),
    (Option("x", "pattern", "1", pattern="[0-9]+"), ["1", "123"], ["1\n", "a", "1" * 65]),
]  # fmt: skip


@pytest.mark.parametrize(("option", "good", "wrong"), OPTIONS, ids=lambda o: getattr(o, "kind", ""))
def test_options_take_their_own_values_only(
    option: Option, good: list[str], wrong: list[str]
) -> None:
    assert all(option.accepts(text) for text in good)
    assert not any(option.accepts(text) for text in wrong)


def test_formats_have_one_spelling() -> None:
    assert [format_name(n) for n in (".MD", "markdown", "JPEG", " htm")] == [
        "md",
        "md",
        "jpg",
        "html",
    ]
