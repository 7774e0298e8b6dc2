#!/usr/bin/env python3
"""Checks the docstrings of the Python package: summaries, parameters and short sentences.

check_docstrings.py ROOT          checks python/cuesta below ROOT
check_docstrings.py ROOT --list   prints the words a sentence of each module
check_docstrings.py --self-test   proves that each fault is found

A public name is in the __all__ of a module without an underscore. Each has a docstring, and so have
its public methods and properties, and its fields. A docstring begins with a summary: one line that
ends with a period. A function describes each parameter in a section of numpydoc, or names the
function of another library that has the same parameters. A class with that section describes those
of its constructor. python/tests/test_docs.py checks the options that C++ describes. A module has at most 18 words a sentence on average, private names included.

Sentences are counted as check_pages.py counts them. Examples, headings and lines of `name : type`
are left out.
"""

import ast
import inspect
import re
import sys
import tempfile
from pathlib import Path

import check_pages

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

WORDS, COLUMNS = 18, 100
PACKAGE = Path("python/cuesta")
# A sentence that stands for the section Parameters.
ELSEWHERE = re.compile(r"The parameters are those of `")
SECTION = re.compile(r"(?m)^(\w[\w ]*)\n-{3,}$")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Module:
    """One source file: its definitions, imports and __all__."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.defined, self.imported, self.exported = {}, {}, []
        for node in self.tree.body:
            if isinstance(node, DEFINITIONS):
                self.defined[node.name] = node  # the last one: the others are overloads
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (node.module, alias.name)
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                self.exported = ast.literal_eval(node.value)

    @property
    def is_public(self):
        return not any(part.startswith("_") for part in self.name.split("."))


def modules_of(root):
    """The modules below `root`, by name."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root / PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path)
    return found


def definition_of(modules, module, name):
    """The module that defines a public name and its node; None for constants and the extension."""
    while name not in module.defined:
        source, name = module.imported.get(name, ("", name))
        if source not in modules:
            return None
        module = modules[source]
    return module, module.defined[name]


def is_named(node, names):
    """Whether a function has one of these decorators."""
    return any(ast.unparse(one).split(".")[-1] in names for one in node.decorator_list)


def parameters_of(function):
    """The names of a function's parameters."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in (arguments.vararg, arguments.kwarg) if one]
    return [one.arg for one in every if one.arg not in ("self", "cls")]


def described_by(text):
    """The names in the section Parameters; None without one."""
    parts = SECTION.split(text)
    if "Parameters" not in parts[1::2]:
        return None
    heads = re.findall(r"(?m)^\S.*", parts[parts.index("Parameters") + 1])
    names = [name for head in heads for name in head.partition(" : ")[0].split(",")]
    return {name.strip().lstrip("*") for name in names}


def faults_of_text(text):
    """What is wrong with the form of one docstring."""
    summary, *rest = text.split("\n")
    faults = []
    if rest and rest[0].strip():
        faults.append("the summary is longer than one line")
    elif not summary.endswith("."):
        faults.append("the summary does not end with a period")
    if len(summary) > COLUMNS:
        faults.append(f"the summary has {len(summary)} columns; at most {COLUMNS}")
    return faults


def faults_of_parameters(function, text, needed):
    """Parameters that a docstring leaves out."""
    described = described_by(text)
    if described is None and (not needed or ELSEWHERE.search(text)):
        return []
    options = function.args.kwarg
    if options and described and ast.unparse(options).find("Unpack[") >= 0:
        if "options" in described:
            return []  # C++ describes these, beside those that Python has
        described |= {options.arg} if "threads" in described else set()
    missing = [name for name in parameters_of(function) if name not in (described or ())]
    return [f"no description of {', '.join(missing)}"] if missing else []


def faults_of_node(node, name):
    """(name, line, fault) of a public function or class."""
    text = ast.get_docstring(node)
    if text is None:
        yield name, node.lineno, "no docstring"
        return
    faults = faults_of_text(text)
    if not isinstance(node, ast.ClassDef):
        faults += faults_of_parameters(node, text, not is_named(node, ("property", "setter")))
    for fault in faults:
        yield name, node.lineno, fault
    if isinstance(node, ast.ClassDef):
        yield from faults_of_members(node, name, text)


def faults_of_members(node, name, text):
    """(name, line, fault) of a class's constructor, methods and fields."""
    for one, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if not one.target.id.startswith("_") and not is_text:
                yield f"{name}.{one.target.id}", one.lineno, "no docstring"
        elif isinstance(one, ast.FunctionDef) and not is_named(one, ("overload",)):
            if one.name == "__init__":
                for fault in faults_of_parameters(one, text, False):
                    yield name, one.lineno, fault
            elif not one.name.startswith("_") or one.name == "__call__" and ast.get_docstring(one):
                yield from faults_of_node(one, f"{name}.{one.name}")


def prose_of(tree):
    """The prose of every docstring of a module, as paragraphs of Markdown."""
    blocks = []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else ():
            value = getattr(one, "value", None)
            is_text = isinstance(one, ast.Expr) and isinstance(value, ast.Constant)
            if is_text and isinstance(value.value, str):
                blocks += paragraphs_of(inspect.cleandoc(value.value))
    return "\n\n".join(blocks)


def paragraphs_of(text):
    """The paragraphs of a docstring, without examples, commands and numpydoc's heads."""
    text = SECTION.sub("", text)
    text = re.sub(r"(?m)^(\S.*)\n(?= {4}\S)", "\n", text)  # the head of an entry
    found = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if lines[0].startswith("    python ") or lines[0].lstrip().startswith(">>>"):
            continue
        found.append("\n".join(line.strip() for line in lines))
    return found


def check(root):
    """(faults, words a sentence of each module, number of public names) below `root`."""
    modules = modules_of(root)
    faults, means, names = [], {}, set()
    for module in modules.values():
        where = module.path.relative_to(root)
        text = ast.get_docstring(module.tree)
        if text is None:
            faults.append(f"{where}:1: no docstring")
        else:
            faults += [f"{where}:1: {fault}" for fault in faults_of_text(text)]
        means[where] = check_pages.average(prose_of(module.tree))
        if means[where] > WORDS:
            faults.append(f"{where}: {means[where]:.1f} words a sentence; at most {WORDS}")
        if not module.is_public:
            continue
        for name in module.exported:
            found = definition_of(modules, module, name)
            if found is None or (found[0].name, name) in names:
                continue
            names.add((found[0].name, name))
            path = found[0].path.relative_to(root)
            faults += [
                f"{path}:{n}: {one}: {why}" for one, n, why in faults_of_node(found[1], name)
            ]
    return faults, means, len(names)


SOUND = '''\
"""A module."""
from typing import NamedTuple
__all__ = ["Pair", "add", "twin"]
class Pair(NamedTuple):
    """Two numbers."""
    first: int
    """The first."""
    def total(self) -> int:
        """Returns the sum."""
def add(a, *, b=1, **options):
    """Adds.

    Parameters
    ----------
    a, b : int
        Numbers, as `c`.
    **options
        More of them.

    Examples
    --------
    >>> add(1)
    2
    """
def twin(a):
    """Adds as another library.

    The parameters are those of ``numpy.add``.
    """
def hidden(a): ...
'''


def self_test():
    """A sound module passes, and each change to it is found."""
    long = "word " * 19
    changes = {
        '"""A module."""\n': ("", "no docstring"),
        '"""A module."""': ('"""A module"""', "does not end with a period"),
        '"""Two numbers."""': ('"""Two\n    numbers."""', "longer than one line"),
        '"""Returns the sum."""': ("pass", "Pair.total: no docstring"),
        '    """The first."""\n': ("", "Pair.first: no docstring"),
        '    """Adds.\n': ('    """' + "Adds" * 25 + ".\n", "101 columns"),
        "    a, b : int": ("    a : int", "add: no description of b"),
        "    **options\n        More of them.\n": ("", "add: no description of options"),
        "    The parameters are those of ``numpy.add``.\n": ("", "twin: no description of a"),
        "        Numbers, as `c`.": (f"        {long * 9}.", "words a sentence"),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / PACKAGE / "sound.py"
        path.parent.mkdir(parents=True)
        path.write_text(SOUND)
        faults, means, names = check(Path(folder))
        assert not faults and names == 3 and 1 < next(iter(means.values())) < 5, (faults, means)
        for old, (new, fault) in changes.items():
            assert SOUND.count(old) == 1, old
            path.write_text(SOUND.replace(old, new))
            faults, _, _ = check(Path(folder))
            assert len(faults) == 1 and fault in faults[0], (old, faults)
    print("self-test passed")


def main():
    options = checks.options_of(__doc__, self_test, list=dict(action="store_true"))
    faults, means, names = check(options.root)
    if options.list:
        for path, mean in sorted(means.items(), key=lambda item: -item[1]):
            print(f"{mean:5.1f} {path}")
    if names < 100:
        print(f"only {names} public names found; the search is broken")
        return 1
    print("\n".join([*faults, f"{len(means)} modules, {names} public names, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
