#!/usr/bin/env python3
"""Functions, files and template parameter lists stay within limits.

Counted are the C++ and CUDA files below src, include, cli, apps, bench, emulation and python/src:

- The length of a function: the lines from the start of its declaration (with its template header)
  to its closing brace, both included, with comments and blank lines. A function is a body at
  namespace or class scope; lambdas and local classes belong to the function around them.
- The length of a file: all its lines.
- Template parameters: the entries of one template parameter list; a pack counts as one.

TABLES names the functions whose lines are the entries of one table or list of cases; their length
does not count, and an entry that is no longer needed fails. A ceiling says how many functions,
files or lists may exceed a limit; whoever makes the count smaller lowers it. `check_sizes.py ROOT`
prints what exceeds a limit and the breaches, `--self-test` counts planted files.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

FOLDERS = ["src", "include", "cli", "apps", "bench", "emulation", "python/src"]
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}

LONG_FUNCTION = 60
LONGEST_FUNCTION = 80
LONG_FILE = 500
TEMPLATE_PARAMETERS = 5

# How many exceed a limit. Lower them with the count; never raise them.
CEILINGS = {
    "functions above 80 lines": 0,
    "functions above 60 lines": 11,
    "files above 500 lines": 5,
    "template parameter lists above 5": 0,
}

# Tables and lists of cases or bindings.
TABLES = {
    ("bench/profile/profile_rungs.cpp", "requests"),
    ("python/src/files.cpp", "NB_MODULE"),
    ("src/ops/background/cases.cpp", "cases"),
    ("src/ops/canny/cases.cpp", "cases"),
    ("src/ops/canny/strategies.cpp", "strategies"),
    ("src/ops/convolve/cases.cpp", "cases"),
    ("src/ops/convolve/strategies.cpp", "strategies"),
    ("src/ops/label/cases.cpp", "cases"),
    ("src/ops/label/strategies.cpp", "strategies"),
    ("src/ops/log/strategies.cpp", "strategies"),
    ("src/ops/motion/cases.cpp", "cases"),
    ("src/ops/motion/strategies.cpp", "strategies"),
    ("src/ops/sobel/strategies.cpp", "strategies"),
}

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\\ ]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-FxX])'(?:\\.|[^'\\\n])+'""",
    re.S,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def code_of(text):
    """The text without comments, literals and directives, each line where it was."""
    text = TOKEN.sub(
        lambda m: (
            blank(m)
            if m.group(0)[0] == "/"
            else '"' + blank(m)[2:] + '"'
            if "\n" not in m.group(0)
            else blank(m)
        ),
        text,
    )
    return DIRECTIVE.sub(blank, text)


def without_nested(head):
    """A head without what stands in parentheses, brackets and template argument lists."""
    head = re.sub(r"operator\s*(<=>|<<=?|>>=?|<=?|>=?|==?|\(\)|\[\]|->)", "operator_", head)
    while True:
        shorter = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " @ ", head)
        if shorter == head:
            break
        head = shorter
    while True:
        shorter = re.sub(r"<[^<>]*>", " ", head)
        if shorter == head:
            return head
        head = shorter


def kind_of(head):
    """What a brace opens after `head`: a namespace, a class, a function, or data."""
    flat = without_nested(head)
    flat = re.sub(r"^\s*(public|private|protected)\s*:(?!:)", "", flat)
    if re.search(r"\bnamespace\b", flat) or re.match(r'\s*extern\s*"[^"]*"\s*$', flat):
        return "namespace"
    flat = re.sub(r"\boperator\s*\S+", "operator_", flat)
    if re.search(r"(?<![=!<>])=(?!=)", flat):
        return "data"
    if re.search(r"\b(class|struct|union|enum)\b", flat) and not re.search(
        r"@\s*(const|noexcept|override|final|->|\w+\s*@)*\s*$", flat
    ):
        return "class"
    if "@" not in flat:
        return "data"
    # A member in a constructor's list of initialisers.
    if (
        re.search(r"@[^@:]*(?<!:):(?!:)", flat)
        and re.search(r"[\w>]\s*$", head)
        and not re.search(r"\b(const|noexcept|override|final)\s*$", head)
    ):
        return "member"
    return "function"


NOT_A_NAME = {
    "__launch_bounds__",
    "__attribute__",
    "alignas",
    "requires",
    "noexcept",
    "decltype",
    "__align__",
    "if",
}


def name_of(head):
    """The name of a function: the word before its list of parameters."""
    angles = 0
    for i, c in enumerate(head):
        if c == "<" and re.search(r"\w\s*$", head[:i]) and not re.search(r"operator\s*$", head[:i]):
            angles += 1
        elif c == ">" and angles and head[i - 1] != "-":
            angles -= 1
        elif c == "(" and angles == 0 and head.count("(", 0, i) == head.count(")", 0, i):
            found = re.search(r"(operator\s*\S+|~?[A-Za-z_]\w*)\s*$", head[:i])
            if found and found.group(1) not in NOT_A_NAME:
                return found.group(1)
    return "?"


def functions_of(text):
    """(name, first line, number of lines) of each function."""
    code = code_of(text)
    found, head, parens, i = [], 0, 0, 0
    while i < len(code):
        c = code[i]
        if c == "(":
            parens += 1
        elif c == ")":
            parens -= 1
        elif c == "{":
            before = code[head:i]
            kind = "data" if parens > 0 else kind_of(before)
            if kind in ("data", "member"):
                i = closing(code, i)
                continue
            if kind == "function":
                end = closing(code, i)
                label = re.match(r"\s*(?:(?:public|private|protected)\s*:(?!:)\s*)*", before)
                first = code.count("\n", 0, head + label.end()) + 1
                found.append(
                    (name_of(before[label.end() :]), first, code.count("\n", 0, end) + 2 - first)
                )
                i = head = end
                continue
            head = i + 1
        elif c == "}" or (c == ";" and parens == 0):
            head = i + 1
        i += 1
    return found


def closing(code, i):
    """The place behind the brace that closes the one at i."""
    depth = 0
    for j in range(i, len(code)):
        if code[j] == "{":
            depth += 1
        elif code[j] == "}":
            depth -= 1
            if depth == 0:
                return j + 1
    return len(code)


def template_lists_of(text):
    """(line, parameters) of each template parameter list."""
    code = code_of(text)
    for match in re.finditer(r"\btemplate\s*<", code):
        depth, parens, commas, empty, i = 1, 0, 0, True, match.end()
        while i < len(code) and depth:
            c = code[i]
            if c in "([{":
                parens += 1
            elif c in ")]}":
                parens -= 1
            elif parens == 0 and c == "<":
                depth += 1
            elif parens == 0 and c == ">" and code[i - 1] not in "-=":
                depth -= 1
            elif parens == 0 and depth == 1 and c == ",":
                commas += 1
            if depth and not c.isspace():
                empty = False
            i += 1
        yield code.count("\n", 0, match.start()) + 1, 0 if empty else commas + 1


def measure(root):
    """What exceeds a limit: kind -> [(size, where)]; and the entries of TABLES that are needed."""
    over = {kind: [] for kind in CEILINGS}
    tables = set()
    for folder in FOLDERS:
        for path in sorted(file for file in (root / folder).rglob("*") if file.suffix in SUFFIXES):
            text, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
            lines = text.count("\n")
            if lines > LONG_FILE:
                over["files above 500 lines"].append((lines, name))
            for line, parameters in template_lists_of(text):
                if parameters > TEMPLATE_PARAMETERS:
                    over["template parameter lists above 5"].append((parameters, f"{name}:{line}"))
            for function, line, length in functions_of(text):
                if length <= LONG_FUNCTION:
                    continue
                if (name, function) in TABLES:
                    tables.add((name, function))
                    continue
                place = (length, f"{name}:{line} {function}")
                over["functions above 60 lines"].append(place)
                if length > LONGEST_FUNCTION:
                    over["functions above 80 lines"].append(place)
    return over, tables


def breaches_of(over, tables, ceilings):
    found = []
    for kind, places in over.items():
        if len(places) > ceilings[kind]:
            found.append(f"{len(places)} {kind}; the ceiling is {ceilings[kind]}")
    found += [
        f"{file} {function} is no longer above {LONG_FUNCTION} lines; remove it from TABLES"
        for file, function in sorted(TABLES - tables)
    ]
    return found


PLANTED = """// A comment { with ( braces
namespace a {
template <class T, int A, int B, class C = void, int D = (1 > 0), class... E>
__global__ void __launch_bounds__(32 * 2, 1)
    planted(const T& t) {
  const char* s = "{\\"";  // }
  const auto inner = [&](int i) {
FILLER
    return i;
  };
}
struct S {
 public:
  S() : a{1}, b(2) {
FILLER
  }
  bool operator()(int i) const noexcept { return i > 0; }
  int a{3};
};
constexpr int table[] = {
FILLER
};
void calls() { each([&] { return std::array<int, 2>{1, 2}; }); }
}  // namespace a
"""


def self_test():
    filler = "\n".join("    ++i;" for _ in range(70))
    text = PLANTED.replace("FILLER", filler)
    expected = [("planted", 3, 78), ("S", 83, 72), ("operator", 155, 1), ("calls", 230, 1)]
    assert functions_of(text) == expected, functions_of(text)
    assert list(template_lists_of(text)) == [(3, 6)], list(template_lists_of(text))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "src").mkdir()
        (root / "src/long.cpp").write_text(text + "\n" * 400)
        over, tables = measure(root)
        assert {kind: len(places) for kind, places in over.items()} == {
            "functions above 80 lines": 0,
            "functions above 60 lines": 2,
            "files above 500 lines": 1,
            "template parameter lists above 5": 1,
        }, over
        assert not tables
        exact = {kind: len(places) for kind, places in over.items()}
        assert breaches_of(over, TABLES, exact) == []
        for kind in exact:
            assert len(breaches_of(over, TABLES, {**exact, kind: exact[kind] - 1})) == 1
        assert len(breaches_of(over, set(), exact)) == len(TABLES)


def main():
    arguments = checks.options_of(__doc__, self_test)
    over, tables = measure(arguments.root)
    for kind, places in over.items():
        print(f"{len(places)} {kind}")
        for size, where in sorted(places, reverse=True):
            print(f"  {size} {where}")
    found = breaches_of(over, tables, CEILINGS)
    for breach in found:
        print(breach, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
