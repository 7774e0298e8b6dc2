"""torch.ops.cuesta and cuesta.torch on CPU tensors; test_cuda.py has the GPU's part."""

from __future__ import annotations

import copy
import inspect
import pickle
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import cuesta

pytest.importorskip("torch", minversion="2.6")
import torch
import torch.utils.data

import cuesta.torch

Picture = npt.NDArray[np.uint8]
Case = tuple[str, tuple[Any, ...], dict[str, Any]]
SLOPE = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]


def noise(*shape: int) -> Any:
    return torch.randint(0, 256, shape, dtype=torch.uint8)


def signs(*shape: int) -> Any:
    return noise(*shape).to(torch.int16) - 128


# Operator, arguments after the image, options. The options are also those of the function.
CASES: list[Case] = [
    ("canny", (), {}),
    ("canny", ([40.0], [90.0]), {"sigma": 0.0, "norm": "l2"}),
    ("canny", (), {"aperture": 5, "threshold": "median", "strategy": "serial"}),
    ("edges", (), {}),
    ("edges", ("canny",), {"low": 40.0, "high": 90.0, "sigma": 0.0}),
    ("edges", ("canny",), {"threshold": "median"}),
    ("edges", ("log",), {"threshold": "2.5"}),
    ("edges", ("sobel",), {}),
    ("edges", ("sobel",), {"threshold": "80", "norm": "l2"}),
    ("edges", ("boundaries",), {}),
    ("edges", ("log",), {"white": "200", "black": 20.0}),
    ("edges", ("sobel",), {"white": "light"}),
    ("edges", ("canny",), {"strength": True, "black": 5.0}),
    ("edges", ("regions",), {"labels": True}),
    ("log_edges", (), {}),
    ("log_edges", (2.5,), {"mode": "zero-crossings", "threads": 1}),
    ("log_edges", (), {"response": True}),
    ("boundaries", (), {}),
    ("boundaries", (3.0,), {"strategy": "rows"}),
    ("boundaries", (), {"quality": "high", "strength": True}),
    ("regions", (0.2,), {}),
    ("regions", (), {"output": "contours"}),
    ("regions", (), {"output": "strengths", "threads": 1}),
    ("sobel", (), {"outputs": ["magnitude"]}),
    ("sobel", (), {"outputs": ["gx", "gy", "direction"], "aperture": 5}),
    ("sobel", (), {"outputs": ["gx", "gy"], "dtype": "int32", "aperture": 7}),
    ("sobel", (), {"outputs": ["magnitude"], "dtype": "float32"}),
    ("gaussian", (1.4,), {}),
    ("gaussian", (), {"ksize": 7, "border": "replicate"}),
    ("median", (), {}),
    ("median", (15,), {"border": "reflect101", "threads": 1}),
    ("box", (), {}),
    ("sharpen", (), {}),
    ("laplacian", (), {"dtype": "int16"}),
    ("convolve", (torch.tensor(SLOPE),), {"dtype": "int16"}),
    ("correlate", (torch.tensor(SLOPE),), {"absolute": True, "divisor": 2}),
    ("erode", (), {}),
    ("dilate", ("disk:5",), {}),
    ("open", ("cross:3",), {"border": "replicate"}),
    ("close", ("ellipse:5",), {}),
    ("threshold", (100.0,), {}),
]
NAMES = [
    "-".join([name, *(f"{k}={v}" for k, v in options.items())]) + f"-{i}"
    for i, (name, _, options) in enumerate(CASES)
]


@pytest.fixture(params=CASES, ids=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def fresh_compiler() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def operator(name: str) -> Any:
    return getattr(torch.ops.cuesta, name).default


def by_function(image: Any, case: Case) -> Any:
    """What the function of the operator's name makes, as a list."""
    name, arguments, options = case
    if name == "sobel":
        options = {**options, "outputs": tuple(options["outputs"])}
    if name == "canny" and arguments:
        arguments = tuple(v[0] for v in arguments)
    if name == "edges" and options.get("white", "light") != "light":
        options = {**options, "white": float(options["white"])}
    if name == "edges" and options.get("threshold", "median") != "median":
        options = {**options, "threshold": float(options["threshold"])}
    if name in ("convolve", "correlate"):
        arguments = (arguments[0].numpy(), *arguments[1:])
    made = getattr(cuesta, name)(image, *arguments, **options)
    return list(made) if isinstance(made, tuple) else [made]


def by_operator(image: Any, case: Case) -> Any:
    name, arguments, options = case
    made = operator(name)(image, *arguments, **options)
    return made if isinstance(made, list) else [made]


def test_operators_give_the_functions_answers(case: Case, picture: Picture) -> None:
    made = by_operator(torch.from_numpy(picture.copy()), case)
    wanted = by_function(picture, case)
    assert len(made) == len(wanted)
    for ours, theirs in zip(made, wanted, strict=True):
        assert isinstance(ours, torch.Tensor)
        np.testing.assert_array_equal(ours.numpy(), theirs)


def test_opcheck(case: Case, picture: Picture) -> None:
    name, arguments, options = case
    image = torch.from_numpy(picture.copy())
    torch.library.opcheck(operator(name), (image, *arguments), options)


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("gaussian", (torch.rand(12, 17), 1.0), {}),
        ("gaussian", (torch.rand(2, 12, 17, 3), 1.0), {"layout": "NHWC"}),
        ("gaussian", (torch.rand(2, 3, 12, 17), 1.0), {"layout": "NCHW"}),
        ("to_gray", (noise(12, 17, 3),), {"layout": "HWC"}),
        ("to_gray", (noise(2, 12, 17, 3),), {"layout": "NHWC", "order": "bgr"}),
        ("to_gray", (noise(12, 17),), {}),
        ("absdiff", (noise(12, 17), noise(12, 17)), {}),
        ("edges", (noise(12, 17, 3),), {"layout": "HWC"}),
        ("edges", (noise(2, 12, 17, 3), "sobel"), {"layout": "NHWC"}),
        ("edges", (torch.rand(12, 17), "sobel"), {}),
        ("edges", (noise(12, 17),), {"mask": noise(12, 17) // 64}),
        ("label", (noise(12, 17) // 128,), {}),
        ("canny", (noise(12, 17), [20.0], [60.0], noise(12, 17) // 64), {}),
        (
            "canny_of_gradients",
            (signs(12, 17), signs(12, 17), [20.0], [60.0], noise(12, 17) // 64),
            {},
        ),
        (
            "canny_of_gradients",
            (torch.rand(2, 12, 17, 3), torch.rand(2, 12, 17, 3)),
            {"layout": "NHWC", "color": "structure"},
        ),
        ("sobel", (noise(12, 17).to(torch.uint16),), {"outputs": ["magnitude", "gx"]}),
        ("sobel", (torch.rand(12, 17),), {"outputs": ["gx", "gy", "magnitude", "direction"]}),
        ("sobel", (torch.rand(2, 12, 17),), {"outputs": ["magnitude"], "layout": "NHW"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_opcheck_of_other_tensors(
    name: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    torch.library.opcheck(operator(name), arguments, options)


def test_schemas_have_the_functions_defaults() -> None:
    """Defaults left out of a call are the function's, so both must say the same."""
    checked = 0
    for name in sorted(
        {name for name, _, _ in CASES} | {"canny_of_gradients", "to_gray", "absdiff", "label"}
    ):
        ours = {a.name: a for a in operator(name)._schema.arguments}
        theirs = inspect.signature(getattr(cuesta, name)).parameters
        for key, argument in ours.items():
            assert key in theirs, f"{name} has no parameter {key}"
            if argument.has_default_value():
                default = argument.default_value
                assert default == theirs[key].default, f"{name}: {key}"
                checked += 1
        left_out = set(theirs) - set(ours) - set(cuesta.torch._EAGER_ONLY)
        assert not left_out, f"torch.ops.cuesta.{name} has no {left_out}"
    assert checked > 60


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.usefixtures("fresh_compiler")
def test_compile_keeps_one_graph(backend: str, dynamic: bool, picture: Picture) -> None:
    if backend == "inductor" and not (shutil.which("g++") or shutil.which("clang++")):
        pytest.skip("inductor needs a C++ compiler")

    def pipeline(image: Any) -> Any:
        dark = image // 2
        edges = cuesta.canny(dark, 20, 50, sigma=0)
        gx, gy = cuesta.sobel(dark, outputs=("gx", "gy"))
        size = cuesta.sobel(dark, dtype="uint16", strategy="serial").to(torch.int32)
        return edges.float() + gx + gy.abs() + size + cuesta.gaussian(dark, 1.4)

    compiled = torch.compile(pipeline, backend=backend, dynamic=dynamic, fullgraph=True)
    for image in (torch.from_numpy(picture.copy()), torch.from_numpy(picture[:50].copy())):
        assert torch.equal(compiled(image), pipeline(image))


@pytest.mark.usefixtures("fresh_compiler")
def test_compile_takes_every_operator(case: Case, picture: Picture) -> None:
    image = torch.from_numpy(picture.copy())
    compiled = torch.compile(by_function, backend="aot_eager", fullgraph=True)
    if case[0] in ("convolve", "correlate"):
        # A stencil is a tensor in a graph.
        made = torch.compile(by_operator, backend="aot_eager", fullgraph=True)(image, case)
    else:
        made = compiled(image, case)
    for ours, theirs in zip(made, by_function(image, case), strict=True):
        assert torch.equal(ours, torch.as_tensor(theirs))


@pytest.mark.usefixtures("fresh_compiler")
def test_compile_takes_labels(picture: Picture) -> None:
    def largest(image: Any) -> Any:
        found = cuesta.label(cuesta.threshold(image, 120))
        return found.labels * 2, found.areas.max()

    image = torch.from_numpy(picture.copy())
    # How many components there are, only the data says; PyTorch 2.6 wants to be asked for such.
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        labels, area = torch.compile(largest, backend="eager", fullgraph=True)(image)
    wanted = cuesta.label(cuesta.threshold(picture, 120))
    np.testing.assert_array_equal(labels.numpy(), 2 * wanted.labels)
    assert int(area) == wanted.areas.max()


@pytest.mark.usefixtures("fresh_compiler")
def test_compile_refuses_what_a_graph_cannot_hold(picture: Picture) -> None:
    image = torch.from_numpy(picture.copy())
    compiled = torch.compile(
        lambda t: cuesta.canny(t, out=torch.empty_like(t)), backend="eager", fullgraph=True
    )
    with pytest.raises(Exception, match="out: not in a graph|Observed exception"):
        compiled(image)


def test_export(picture: Picture) -> None:
    image = torch.from_numpy(picture.copy())
    module = cuesta.torch.Canny(20, 50)
    exported = torch.export.export(module, (image,))
    assert [n.target for n in exported.graph.nodes if n.op == "call_function"] == [
        torch.ops.cuesta.canny.default
    ]
    assert torch.equal(exported.module()(image), module(image))


@pytest.mark.parametrize("layout", ["HW", "CHW"])
def test_vmap_is_one_call_with_a_batch(layout: str, batch: Picture) -> None:
    pictures = torch.from_numpy(batch.copy())
    if layout == "CHW":
        pictures = pictures[:, None]
    functions: list[Callable[[Any], Any]] = [
        lambda t: torch.ops.cuesta.canny(t, [20.0], [50.0], layout=layout),
        lambda t: torch.ops.cuesta.gaussian(t, 1.4, layout=layout),
        lambda t: torch.ops.cuesta.sobel(t, outputs=["gx", "magnitude"], layout=layout)[1],
    ]
    for function in functions:
        mapped = torch.vmap(function)(pictures)
        assert torch.equal(mapped, torch.stack([function(p) for p in pictures]))
        moved = torch.vmap(function, in_dims=-1)(pictures.movedim(0, -1))
        assert torch.equal(moved, mapped)


def gradients(pictures: Any) -> list[Any]:
    return list(cuesta.sobel(pictures, outputs=("gx", "gy"), border="replicate"))


@pytest.mark.usefixtures("fresh_compiler")
def test_canny_of_gradients(batch: Picture) -> None:
    operation = torch.ops.cuesta.canny_of_gradients
    gx, gy = gradients(torch.from_numpy(batch.copy()))
    low, high = [10.0, 20.0, 30.0, 5.0], [40.0, 60.0, 80.0, 15.0]
    edges = operation(gx, gy, low, high)
    wanted = [cuesta.canny(p, a, b, sigma=0) for p, a, b in zip(batch, low, high, strict=True)]
    np.testing.assert_array_equal(edges.numpy(), np.stack(wanted))

    def both(across: Any, down: Any) -> Any:
        found = cuesta.canny_of_gradients(across, down, threshold="median")
        return found // 2 + cuesta.canny_of_gradients(across, down, 20, 60) // 2

    compiled = torch.compile(both, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(gx[0], gy[0]), both(gx[0], gy[0]))

    def one(across: Any, down: Any) -> Any:
        return operation(across, down, [20.0], [60.0])

    mapped = torch.vmap(one)(gx, gy)
    assert torch.equal(mapped, torch.stack([one(x, y) for x, y in zip(gx, gy, strict=True)]))
    assert torch.equal(torch.vmap(one, in_dims=(-1, 0))(gx.movedim(0, -1), gy), mapped)
    with pytest.raises(NotImplementedError, match="each of 2 images"):
        torch.vmap(one, in_dims=(0, None))(gx, gy[0])


def test_vmap_refuses_other_things(batch: Picture) -> None:
    pictures = torch.from_numpy(batch.copy())
    with pytest.raises(NotImplementedError, match="HW, HWC and CHW are accepted"):
        torch.vmap(lambda t: torch.ops.cuesta.canny(t, layout="NHW"))(pictures[None])


def test_there_is_no_gradient() -> None:
    image = torch.rand(9, 9, requires_grad=True)
    smooth = torch.ops.cuesta.gaussian(image, 1.0)
    with pytest.raises(RuntimeError, match=r"cuesta.gaussian has no gradient: .*detach"):
        smooth.sum().backward()
    with torch.no_grad():
        assert not torch.ops.cuesta.gaussian(image, 1.0).requires_grad


def test_channel_first_batches(batch: Picture) -> None:
    pictures = torch.from_numpy(batch.copy())[:, None]
    edges = cuesta.canny(pictures, layout="NCHW")
    assert edges.shape == pictures.shape and edges.dtype == torch.uint8
    for made, image in zip(edges, batch, strict=True):
        np.testing.assert_array_equal(made[0].numpy(), cuesta.canny(image))
    colors = torch.from_numpy(np.stack([batch[:3], batch[1:]]))  # (2, 3, H, W)
    smooth = cuesta.gaussian(colors, 1.4, layout="NCHW")
    np.testing.assert_array_equal(smooth[1, 2].numpy(), cuesta.gaussian(batch[3], 1.4))


def test_a_threshold_pair_for_each_picture(batch: Picture) -> None:
    low, high = [10.0, 20.0, 30.0, 5.0], [40.0, 60.0, 80.0, 15.0]
    edges = torch.ops.cuesta.canny(torch.from_numpy(batch.copy()), low, high, layout="NHW")
    for i in range(4):
        np.testing.assert_array_equal(edges[i].numpy(), cuesta.canny(batch[i], low[i], high[i]))


def test_pitched_rows_are_taken_as_they_lie(picture: Picture) -> None:
    image = torch.from_numpy(picture.copy())
    region = image[5:60, 7:90]
    assert not region.is_contiguous()
    for made in (cuesta.canny(region), torch.ops.cuesta.canny(region)):
        np.testing.assert_array_equal(made.numpy(), cuesta.canny(picture[5:60, 7:90].copy()))
        assert made.is_contiguous()


def test_pixels_may_lie_apart(picture: Picture) -> None:
    color = np.stack([picture, picture[::-1], 255 - picture], -1)
    image = torch.from_numpy(color)
    for view, plain in (
        (image[..., 1], color[..., 1]),
        (image[..., 0].T, picture.T),
        (image[:, ::2, 2], color[:, ::2, 2]),
        (image[0, :, 0].expand(9, -1), np.broadcast_to(color[0, :, 0], (9, color.shape[1]))),
    ):
        wanted = cuesta.canny(plain.copy())
        for made in (cuesta.canny(view), torch.ops.cuesta.canny(view)):
            np.testing.assert_array_equal(made.numpy(), wanted)
        out = torch.zeros(*view.shape, 2, dtype=torch.uint8)
        assert cuesta.canny(view, out=out[..., 1]).data_ptr() == out[..., 1].data_ptr()
        np.testing.assert_array_equal(out[..., 1].numpy(), wanted)
        assert not out[..., 0].any()
    last = image.permute(2, 0, 1)[None]  # torch.channels_last
    smooth = cuesta.gaussian(last, 1.4, layout="NCHW")
    np.testing.assert_array_equal(smooth[0].permute(1, 2, 0).numpy(), cuesta.gaussian(color, 1.4))
    np.testing.assert_array_equal(
        cuesta.to_gray(last, layout="NCHW")[0].numpy(), cuesta.to_gray(color)
    )


MODULES: list[Callable[[], Any]] = [
    lambda: cuesta.torch.Canny(20, 50, sigma=0),
    lambda: cuesta.torch.LogEdges(3.0, mode="zero-crossings"),
    lambda: cuesta.torch.Sobel(outputs=("gx", "magnitude")),
    lambda: cuesta.torch.Gaussian(1.4),
]


@pytest.mark.parametrize("make", MODULES)
def test_modules_travel(make: Callable[[], Any], picture: Picture) -> None:
    module = make()
    image = torch.from_numpy(picture.copy())
    wanted = module(image)
    for other in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module), module.to("cpu")):
        made = other(image)
        assert repr(other) == repr(module)
        for a, b in zip(
            made if isinstance(made, tuple) else [made],
            wanted if isinstance(wanted, tuple) else [wanted],
            strict=True,
        ):
            assert torch.equal(a, b)
    assert not list(module.parameters()) and not module.state_dict()


def test_modules_say_their_options() -> None:
    assert repr(cuesta.torch.Canny(20, 50, sigma=0)) == "Canny(low=20, high=50, sigma=0)"
    sequence = torch.nn.Sequential(cuesta.torch.Gaussian(2.0), cuesta.torch.Canny())
    assert "(0): Gaussian(sigma=2.0)\n  (1): Canny()" in repr(sequence)


def test_modules_take_what_a_graph_can_hold() -> None:
    for name in ("sigmma", "out", "parameters", "mask"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            cuesta.torch.Canny(**{name: 1})  # type: ignore[arg-type]
    of_module = inspect.signature(cuesta.torch.Canny).parameters
    of_function = inspect.signature(cuesta.canny).parameters
    eager = set(cuesta.torch._EAGER_ONLY) & set(of_function)
    assert set(of_function) - set(of_module) == {"image", "mask"} | eager
    assert all(of_module[name].default == of_function[name].default for name in of_module)


class Pictures(torch.utils.data.Dataset[Any]):
    """A data set with a transform, as people write them."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        generator = torch.Generator().manual_seed(index)
        image = torch.randint(0, 256, (64, 80), dtype=torch.uint8, generator=generator)
        return self.transform(image)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_data_loader_workers(context: str) -> None:
    data = Pictures(torch.nn.Sequential(cuesta.torch.Gaussian(1.4), cuesta.torch.Canny()))
    # The parent has used threads before it forks, as a training script has.
    wanted = torch.stack([data[i] for i in range(len(data))])
    loader = torch.utils.data.DataLoader(
        data, batch_size=4, num_workers=2, multiprocessing_context=context
    )
    assert torch.equal(torch.cat(list(loader)), wanted)
