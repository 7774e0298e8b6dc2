"""Every option that the extension describes is a keyword wherever its struct is: of the function, in its signature,
its documentation and its operator."""

from __future__ import annotations

import ast
import inspect
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cuesta
from cuesta import _core
from cuesta._options import OPTIONS, Execution, options_of

VIDEO = tempfile.NamedTemporaryFile(suffix=".y4m")
VIDEO.write(b"YUV4MPEG2 W4 H2 Cmono\nFRAME\n12345678")
VIDEO.flush()
IMAGE = np.random.default_rng(3).integers(0, 256, (24, 31), dtype=np.uint8)
PUBLIC = {name: getattr(cuesta, name) for name in cuesta.__all__ if name != "__version__"}
PUBLIC |= {
    f"{name}.push": getattr(cuesta, name).push
    for name in ("MotionDetector", "BackgroundSubtractor")
}
# What takes options, by its name.
TAKERS: dict[str, Callable[..., Any]] = {
    name: thing
    for name, thing in PUBLIC.items()
    if (inspect.isfunction(thing) or "__init__" in vars(thing)) and options_of(thing) is not None
}
STRUCT_OF = {name: options_of(thing) for name, thing in TAKERS.items()}
# What does something to a picture, and says how that is run; the others make an object.
FUNCTIONS = sorted(
    name for name, struct in STRUCT_OF.items() if struct and struct.of_call and "." not in name
)
OPTIONS_OF_TAKERS = [
    (name, option) for name, struct in STRUCT_OF.items() if struct for option in struct.options
]
ids = [f"{name}-{option.name}" for name, option in OPTIONS_OF_TAKERS]

# What a function takes beside the picture, and what an object is made of beside options.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "absdiff": (IMAGE,),
    "canny_of_gradients": (IMAGE.astype(np.int16),),
    "convolve": ("1 2 1",),
    "correlate": ("1 2 1",),
    "SceneWatch": ((31, 24),),
    "detect": (VIDEO.name,),
    "gaussian": (1.4,),
    "threshold": (7,),
}

# The picture where it is another than IMAGE.
PICTURES: dict[str, Any] = {"canny_of_gradients": IMAGE.astype(np.int16)}
WITHOUT_OPERATOR = ("edge_lines", "trace")  # they return lists, as no operator can


def call(name: str, **keywords: Any) -> Any:
    if name not in FUNCTIONS:
        return TAKERS[name](*ARGUMENTS.get(name, ()), **keywords)
    arguments = ARGUMENTS.get(name, ())
    if name == "gaussian" and "sigma" in keywords:
        arguments = ()
        keywords.setdefault("ksize", 3)
    return TAKERS[name](PICTURES.get(name, IMAGE), *arguments, **keywords)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, cuesta.Labels):
        return same(a.labels, b.labels)
    if isinstance(a, list) and a and isinstance(a[0], cuesta.Line):
        return len(a) == len(b) and all(same(x.points, y.points) for x, y in zip(a, b))
    return not isinstance(a, np.ndarray) or bool(np.array_equal(a, b))


def test_every_struct_is_taken_by_something() -> None:
    taken = [id(struct) for struct in STRUCT_OF.values()]
    assert all(id(struct) in taken for struct in OPTIONS.values())
    assert len(OPTIONS_OF_TAKERS) > 50


@pytest.mark.parametrize(("name", "option"), OPTIONS_OF_TAKERS, ids=ids)
def test_a_described_option_is_a_keyword_everywhere(name: str, option: Any) -> None:
    shown = inspect.signature(TAKERS[name]).parameters[option.name]
    assert (shown.default, shown.annotation) == (option.default, option.parameter().annotation)
    assert option.entry() in str(TAKERS[name].__doc__)
    if name in FUNCTIONS and name not in WITHOUT_OPERATOR:
        torch = pytest.importorskip("torch", minversion="2.6")
        pytest.importorskip("cuesta.torch")
        schema = getattr(torch.ops.cuesta, name).default._schema
        (argument,) = [a for a in schema.arguments if a.name == option.name]
        assert argument.default_value == option.default


@pytest.mark.parametrize(("name", "option"), OPTIONS_OF_TAKERS, ids=ids)
def test_its_default_and_none_are_as_if_nothing_was_said(name: str, option: Any) -> None:
    usual = call(name) if (name, option.name) != ("gaussian", "sigma") else call(name, sigma=None)
    assert same(call(name, **{option.name: None}), usual)
    assert same(call(name, **{option.name: option.default}), usual)


class Thing:
    def __repr__(self) -> str:
        return "<a thing>"


@pytest.mark.parametrize(("name", "option"), OPTIONS_OF_TAKERS, ids=ids)
def test_a_thing_of_another_type_is_refused_by_name(name: str, option: Any) -> None:
    if option.type == "Any":
        pytest.skip("an element may be any array")
    error = cuesta.InvalidArgument if option.type.startswith("Literal") else TypeError
    with pytest.raises(error, match=f"^{option.name} is <a thing>; it (is|must be) "):
        call(name, **{option.name: Thing()})


@pytest.mark.parametrize("name", sorted(TAKERS))
def test_an_unknown_keyword_is_refused(name: str) -> None:
    receiver: Callable[..., Any] = TAKERS[name]
    arguments: tuple[Any, ...] = (PICTURES.get(name, IMAGE), *ARGUMENTS.get(name, ()))
    if "." in name:
        receiver = getattr(getattr(cuesta, name.split(".")[0])(), "push")
    elif name not in FUNCTIONS:
        arguments = ARGUMENTS.get(name, ())
    words = f"^{name.rpartition('.')[2]}\\(\\) got an unexpected keyword argument 'sigmma'$"
    with pytest.raises(TypeError, match=words):
        receiver(*arguments, sigmma=2)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_how_a_call_runs(name: str) -> None:
    parameters = inspect.signature(TAKERS[name]).parameters
    assert list(parameters)[-6:] == list(Execution.__annotations__)
    wanted = call(name)
    assert same(call(name, strategy=None, parameters=None, threads=None, stream=None), wanted)
    assert same(call(name, page=None, band=None), wanted)
    assert same(call(name, threads=1, parameters={}), wanted)
    with pytest.raises(TypeError, match="^strategy is 3; it must be a name$"):
        call(name, strategy=3)
    with pytest.raises(TypeError, match="^threads is 1.5; it must be a whole number$"):
        call(name, threads=1.5)
    with pytest.raises(cuesta.InvalidArgument, match="^threads is -1; it must be 0 or more$"):
        call(name, threads=-1)
    with pytest.raises(TypeError, match="^parameters is 'block'; it must be names with values"):
        call(name, parameters="block")


def test_numbers_of_any_kind_are_numbers() -> None:
    wanted = cuesta.canny(IMAGE, 20, 60, sigma=2, aperture=5)
    five: Any = np.uint8(5)
    true: Any = np.bool_(True)
    two: Any
    for two in (2.0, 2, np.float32(2), np.int64(2), np.array(2.0)):
        assert same(cuesta.canny(IMAGE, 20, 60, sigma=two, aperture=five), wanted)
    assert same(cuesta.laplacian(IMAGE, absolute=true), cuesta.laplacian(IMAGE, absolute=True))


@pytest.mark.parametrize(
    ("name", "keywords", "text"),
    [
        ("canny", {"sigma": "wide"}, "sigma is 'wide'; it must be a number"),
        ("canny", {"ksize": 5.0}, "ksize is 5.0; it must be a whole number"),
        ("laplacian", {"absolute": 1}, "absolute is 1; it must be True or False"),
        ("box", {"border_value": "black"}, "border_value is 'black'; it must be a number"),
        ("canny", {"sigma": np.zeros(99)}, "sigma is of type ndarray; it must be a number"),
        (
            "MotionDetector",
            {"threshold": ("auto", "low")},
            "threshold is 'low'; it must be a number",
        ),
    ],
)
def test_wrong_types(name: str, keywords: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError) as caught:
        call(name, **keywords)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("name", "keywords", "text"),
    [
        ("canny", {"norm": "l3"}, "norm is 'l3'; it must be l1 or l2"),
        ("log_edges", {"mode": "zeros"}, "mode is 'zeros'; it must be threshold or zero-crossings"),
        (
            "box",
            {"border": "mirror"},
            "border is 'mirror'; it must be replicate, symmetric, reflect101, constant, wrap or ignore",
        ),
        ("canny", {"aperture": 4}, "canny: aperture is 4; it must be 3, 5 or 7"),
        ("canny", {"aperture": 2**40}, f"aperture is {2**40}; it must fit 32 bits"),
        (
            "canny",
            {"threshold": "percentile:x"},
            "threshold is 'percentile:x'; it must be auto, otsu, median, percentile or noise",
        ),
        (
            "canny",
            {"threshold": "otsu:3"},
            "threshold is 'otsu:3'; it must be auto, otsu, median, percentile or noise",
        ),
        (
            "MotionDetector",
            {"threshold": "otsu"},
            "threshold is 'otsu'; it must be a number, 'auto' or ('auto', number)",
        ),
        (
            "MotionDetector",
            {"background": "average"},
            "background is 'average'; it must be first, mean, median, mixture or samples",
        ),
        ("MotionDetector", {"close": "star:3"}, "structuring element is 'star:3'"),
    ],
)
def test_wrong_values(name: str, keywords: dict[str, Any], text: str) -> None:
    with pytest.raises(cuesta.InvalidArgument) as caught:
        call(name, **keywords)
    assert str(caught.value).startswith(text)


def test_zero_leaves_the_choice_to_the_library() -> None:
    assert same(cuesta.canny(IMAGE, 20, 60, ksize=0), cuesta.canny(IMAGE, 20, 60))
    assert same(cuesta.gaussian(IMAGE, 0, ksize=5), cuesta.gaussian(IMAGE, ksize=5))


def test_a_threshold_of_motion_has_three_forms() -> None:
    def masks(threshold: Any) -> list[Any]:
        detector = cuesta.MotionDetector(
            "mean", threshold=threshold, blur=1, close="rect:1", open="rect:1", warm_up=1, relearn=0
        )
        frames = np.random.default_rng(5).integers(0, 256, (3, 40, 50), dtype=np.uint8)
        found = []
        for frame in frames:
            detector.push(frame)
            found.append((detector.mask.tobytes(), detector.threshold))
        return found

    assert masks("auto") == masks(("auto", 16)) != masks(16)
    assert masks(None) == masks(16)
    assert masks(("auto", 250))[-1][1] == 250
    # Where nothing differs, what holds is the least: the model's own, or what is given.
    for model, threshold, least in (
        ("mean", "auto", 16),
        ("samples", "auto", 16),
        ("first", "auto", 25),
        ("first", ("auto", 7), 7),
    ):
        detector = cuesta.MotionDetector(model, threshold=threshold, warm_up=1)
        for _ in range(2):
            detector.push(np.full((40, 50), 90, np.uint8))
        assert detector.threshold == least


def test_the_typed_dictionaries_say_the_same() -> None:
    file = pathlib.Path(cuesta.__file__).parent / "_keywords.py"
    classes = {
        node.name: node
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef)
    }
    assert list(classes) == [name for name, *_ in _core.options()]
    for name, positional, of_call, rows in _core.options():
        (base,) = classes[name].bases
        assert ast.unparse(base) == ("Execution" if of_call else "TypedDict")
        keys = [node for node in classes[name].body if isinstance(node, ast.AnnAssign)]
        written = {ast.unparse(key.target): ast.unparse(key.annotation) for key in keys}
        assert written == {option: kind for option, kind, _, _ in rows if option != positional}


def test_functions_are_themselves() -> None:
    for name, thing in TAKERS.items():
        assert thing.__qualname__ == name
        assert "**options" not in str(thing.__doc__)
