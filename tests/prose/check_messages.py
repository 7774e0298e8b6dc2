#!/usr/bin/env python3
"""Collects every error and warning message of the sources and checks its form.

check_messages.py ROOT          checks the sources below ROOT
check_messages.py ROOT --list   prints every message with its place
check_messages.py --self-test   proves that each check can fail

A message says what is wrong, the value, and what would work: at most two sentences and 160
characters of pattern, without a capital at its beginning (names excepted) and without a period at
its end, in words that docs/dev/words.md does not retire. Messages are the string literals passed to the functions of
CALLS in C++ and to raise and warnings.warn in Python, and the texts that supports() functions of
strategies return. An argument of throw_saved, and a .refusal that is kept, count as well.
"""

import ast
import re
import sys
from pathlib import Path

import check_words

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import checks  # noqa: E402

MAX_CHARACTERS = 160
FOLDERS = ("src", "cli", "apps", "python/src", "python/cuesta")
# How many leading arguments of each are no text: the value, the file's name, an error code.
CALLS = {
    "Error": 1, "throw_invalid": 1, "usage_error": 1, "throw_input": 1, "throw_output": 1,
    "ChangedStream": 1, "TooMuchMemory": 1, "fail_at": 1, "refuse": 1, "refuse_unless": 0,
    "fail": 0, "warn": 0, "refused": 1, "print_error": 0, "print_warning": 0, "bad": 0,
    "value_error": 0, "type_error": 0, "runtime_error": 0, "invalid_argument": 0,
    "throw_saved": 0,
}  # fmt: skip
# A capital begins these: a name or an abbreviation.
NAMES = re.compile(r"[A-Z][A-Z0-9]|(CUDA|Canny|Python|Otsu|Sobel|Gauss|Pillow|TensorFlow)\b")
LITERAL = re.compile(r'(?:u8)?"((?:[^"\\\n]|\\.)*)"')
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "0": "\0"}


def blank_comments(text):
    """The C++ text without comments, places and lines kept."""
    pattern = re.compile(
        r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\''
        r"|//[^\n]*|/\*(?:.|\n)*?\*/"
    )

    def blank(match):
        found = match.group()
        if found.startswith('"'):
            return found
        if found.startswith("'"):
            return " " * len(found)  # a character, which may be a quote or a bracket
        return re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text)


def end_of(text, begin):
    """Where the bracket that opens at `begin` closes; strings are passed over."""
    depth, at = 0, begin
    while at < len(text):
        if text[at] == '"':
            at = LITERAL.match(text, at).end() if LITERAL.match(text, at) else at + 1
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
        at += 1
    return len(text)


def arguments(text, begin, end):
    """The (begin, end) of each argument between the brackets at `begin` and `end`."""
    found, start, at = [], begin + 1, begin + 1
    while at < end:
        if text[at] == '"':
            at = LITERAL.match(text, at).end() if LITERAL.match(text, at) else at + 1
            continue
        if text[at] in "([{":
            at = end_of(text, at)
        elif text[at] == ",":
            found.append((start, at))
            start = at + 1
        at += 1
    return [*found, (start, end)]


def literals(text, begin, end):
    """(place, string) of each string in the text, adjacent literals being one."""
    found, last = [], None
    for match in LITERAL.finditer(text, begin, end):
        value = re.sub(r"\\(.)", lambda m: ESCAPES.get(m.group(1), m.group(1)), match.group(1))
        if last is not None and not text[last : match.start()].strip():
            found[-1] = (found[-1][0], found[-1][1] + value)
        else:
            found.append((match.start(), value))
        last = match.end()
    return found


def messages_of_cpp(source):
    """(line, message) of one C++ source."""
    text = blank_comments(source)
    places = {}
    for match in re.finditer(r"\b(" + "|".join(CALLS) + r")\s*([({])", text):
        end = end_of(text, match.end() - 1)
        for begin, stop in arguments(text, match.end() - 1, end)[CALLS[match.group(1)] :]:
            places.update(literals(text, begin, stop))
    # Why a picture cannot be read in bands: kept, and thrown when rows are read.
    for match in re.finditer(r"\.refusal\s*=\s*([^;]*);", text):
        places.update(literals(text, match.start(1), match.end(1)))
    # supports(): functions of a request and its parameters that return a text.
    for match in re.finditer(r"std::string_view\s+\w+\(([^;{}()]*Args\b[^;{}()]*)\)\s*\{", text):
        begin = match.end() - 1
        places.update(literals(text, begin, end_of(text, begin)))
    return [(text.count("\n", 0, at) + 1, value) for at, value in sorted(places.items())]


def pattern_of(node):
    """The text of a Python expression, values as {}; None where it is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [pattern_of(side) for side in (node.left, node.right)]
        return None if sides == [None, None] else "".join(s or "{}" for s in sides)
    return None


def messages_of_python(source):
    """(line, message) of one Python source."""
    found = []
    for node in ast.walk(ast.parse(source)):
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if isinstance(node, ast.Raise) or name == "warn":
            texts = ((argument.lineno, pattern_of(argument)) for argument in call.args)
            found += [(line, text) for line, text in texts if text]
    return found


def faults_of(message, retired):
    """What is wrong with the form of one message."""
    faults = []
    if len(message) > MAX_CHARACTERS:
        faults.append(f"{len(message)} characters; at most {MAX_CHARACTERS}")
    sentences = 1 + len(re.findall(r"[a-z0-9)}\"][.;!?] (?=\S)", message))
    if sentences > 2:
        faults.append(f"{sentences} sentences; at most 2")
    if re.match(r"[A-Z][a-z]* ", message) and not NAMES.match(message):
        faults.append("begins with a capital")
    if message.rstrip().endswith(".") and not message.rstrip().endswith("..."):
        faults.append("ends with a period")
    for expression in retired:
        if match := expression.search(message):
            faults.append(f'retired: "{match.group()}"')
    return faults


def is_text(message):
    """Whether a literal is prose, not a name, an option or a format of values."""
    return len(re.findall(r"[A-Za-z]{2,}", message)) >= 2


def collect(root):
    """(file, line, message) of every message below `root`."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"):
                messages = messages_of_cpp(path.read_text(encoding="utf-8"))
            elif path.suffix == ".py":
                messages = messages_of_python(path.read_text(encoding="utf-8"))
            else:
                continue
            found += [(path.relative_to(root), n, text) for n, text in messages if is_text(text)]
    return found


def self_test():
    """Each way of writing a message is found, and each check fails where it should."""
    cpp = r"""
      // throw_invalid("", "a comment that counts not");
      throw_invalid(fmt::format("radius {} of it", r), "radius is {}; it must be "
                    "1 to {}", r, 9);
      throw Error(ErrorCode::input, fmt::format("{}: the \"file\" is empty", name));
      fail(a > 1 ? "one text here" : "another (text)", ',');
      std::string_view takes(const SobelArgs& args, const Parameters&) {
        return args.x ? "more than one channel" : std::string_view();
      }
      motion::throw_saved(fmt::format("is {} bytes too long", n), "state");
      facts.refusal = fmt::format("its kind is {}: "
                                  "convert it", kind);
    """
    assert messages_of_cpp(cpp) == [
        (3, "radius is {}; it must be 1 to {}"),
        (5, '{}: the "file" is empty'),
        (6, "one text here"),
        (6, "another (text)"),
        (8, "more than one channel"),
        (10, "is {} bytes too long"),
        (10, "state"),
        (11, "its kind is {}: convert it"),
    ], messages_of_cpp(cpp)
    python = "raise ValueError(f'sigma is {s}; ' + 'it must be above 0')\nwarnings.warn('old name')"
    assert messages_of_python(python) == [
        (1, "sigma is {}; it must be above 0"),
        (2, "old name"),
    ], messages_of_python(python)
    retired = [re.compile(r"(?<![\w-])(?:lies?)(?![\w-])")]
    for message, fault in (
        ("x " * 81, "162 characters"),
        ("it is 0; it is 1; it is 2", "3 sentences"),
        ("The file is empty", "capital"),
        ("the file is empty.", "period"),
        ("the file lies there", 'retired: "lies"'),
    ):
        faults = faults_of(message, retired)
        assert len(faults) == 1 and fault in faults[0], (message, faults)
    for message in ("--low is 50 and --high is 20; low must not exceed high", "GPUs before 8.0"):
        assert not faults_of(message, retired), message
    assert is_text("the file") and not is_text("{} x {}") and not is_text("--kernel")
    print("self-test passed")


def main():
    options = checks.options_of(__doc__, self_test, list=dict(action="store_true"))
    messages = collect(options.root)
    if options.list:
        for path, line, message in messages:
            print(f"{path}:{line}: {message}")
        return 0
    retired = check_words.read_words(options.root / check_words.WORDS, messages=True)
    if len(messages) < 300:
        print(f"only {len(messages)} messages found; the search is broken")
        return 1
    wrong = [
        f"{path}:{line}: {'; '.join(faults)}\n  {message}"
        for path, line, message in messages
        if (faults := faults_of(message, retired))
    ]
    print("\n".join([*wrong, f"{len(messages)} messages, {len(wrong)} at fault"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
