"""What a Python script run by `report-run execute-code` finds in place before its first line.

An uncaught exception is also written to CODE_REPORT as JSON; `plt.show()` saves the open figures as
figure-1.png and so on; text in any script finds a font; modules beside the output can be imported.
"""

import os
import sys

_REPORT = os.environ.get("CODE_REPORT", "")
# Families with the letters that DejaVu Sans, matplotlib's own, has not.
_FAMILIES = (
    "Noto Sans CJK SC", "WenQuanYi Micro Hei", "Droid Sans Fallback", "IPAGothic",
    "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Arabic", "Noto Sans Hebrew", "Symbola",
)  # fmt: skip


def _line_of(error, trace, script):
    """The script's own line nearest to where the exception came from."""
    if isinstance(error, SyntaxError) and error.filename == script:
        return error.lineno
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == script:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _from_network(error):
    """Whether it, or what caused it, was raised by the socket module."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_globals.get("__name__") == "socket":
                return True
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
    return False


def _excepthook(kind, error, trace):
    import json

    known = {
        "name": kind.__name__,
        "message": str(error)[:2000],
        "line": _line_of(error, trace, sys.argv[0] if sys.argv else ""),
        "errno": getattr(error, "errno", None),
        "module": str(error.name).partition(".")[0] if kind is ModuleNotFoundError else None,
        "network": _from_network(error),
    }
    try:
        # A pathlib would make every script start slower.
        with open(_REPORT, "w", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
            json.dump(known, file)
    except OSError:
        pass  # a script that filled the disk still gets its traceback
    sys.__excepthook__(kind, error, trace)


def _free_name(number):
    """figure-N.png, with the first N from `number` that no file has."""
    while os.path.lexists(f"figure-{number}.png"):
        number += 1
    return f"figure-{number}.png"


def _save(figure):
    if not getattr(figure, "_saved_by_script", False):
        figure.savefig(_free_name(1), bbox_inches="tight")


def _prepare_pyplot(pyplot):
    """Give pyplot a `show` that saves, and fonts for more scripts than Latin."""
    from matplotlib import figure, font_manager

    savefig = figure.Figure.savefig

    def noted(self, *args, **kwargs):
        result = savefig(self, *args, **kwargs)
        self._saved_by_script = True
        return result

    def show(*_args, **_kwargs):
        for number in pyplot.get_fignums():
            _save(pyplot.figure(number))
        pyplot.close("all")

    figure.Figure.savefig = noted
    figure.Figure.show = lambda self, *_args, **_kwargs: _save(self)
    pyplot.show = show
    have = {font.name for font in font_manager.fontManager.ttflist}
    families = [family for family in _FAMILIES if family in have]
    pyplot.rcParams["font.family"] = ["sans-serif", *families]


class _PyplotFinder:
    """Finds matplotlib.pyplot once, to prepare it after it was loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "matplotlib.pyplot":
            return None
        sys.meta_path.remove(_PyplotFinder)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            _prepare_pyplot(module)

        spec.loader.exec_module = exec_module
        return spec


if _REPORT:
    sys.excepthook = _excepthook
    sys.meta_path.insert(0, _PyplotFinder)
    # Last, so that no file of theirs hides a library.
    sys.path += [place for place in os.environ.get("CODE_BESIDE", "").split(":") if place]
