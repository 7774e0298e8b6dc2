"""PyTorch operators and modules: ``import cuesta.torch``.

Importing this module registers ``torch.ops.cuesta.canny`` and the others. They take CPU and CUDA
tensors without a copy, run on the caller's current CUDA stream, and have fake kernels, so that
``torch.compile(fullgraph=True)`` and ``torch.export`` see one node of known shape and type. Under
``torch.compile``, calls of ``cuesta.canny`` and the others become these operators by themselves;
for ``torch.export``, call the operators or the modules.
`Canny`, `LogEdges`, `Sobel`, `Gaussian` and `Median` are the operators as modules, for transforms
in data loaders and for ``torch.export``.

Notes
-----
The operators take the arguments of the functions of the same name in ``cuesta``, less what a graph
cannot hold: ``out``, ``parameters``, ``stream`` and ``return_thresholds``. Where a function takes a
number or a sequence (the thresholds of ``canny``), its operator takes a float or a list of floats;
``sobel`` takes a list of outputs and returns as many tensors; stencils are tensors on the CPU,
elements of morphology are texts; ``label`` returns labels, boxes, areas and centroids, and older
versions of ``torch.compile`` want ``torch._dynamo.config.capture_dynamic_output_shape_ops`` for it.

Every result is a new, contiguous tensor. ``torch.vmap`` over pictures is one call with a batch.
None of the operators has a gradient: backward through one raises RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

import cuesta

__all__ = ["Canny", "Gaussian", "LogEdges", "Median", "Sobel"]

Tensor = torch.Tensor
Fake = Callable[..., Any]

# What only the functions take, and a graph cannot hold.
_EAGER_ONLY = ("out", "parameters", "stream", "return_thresholds")
# The functions of `cuesta` by their operators: what stands for them in a graph.
_IN_GRAPHS: dict[str, Callable[..., Any]] = {}


def _like(dtype: torch.dtype | None = None) -> Fake:
    """Results of the image's size, of `dtype` or, without one, of the image's type."""

    def fake(image: Tensor, *_arguments: Any, **_options: Any) -> Tensor:
        return image.new_empty(image.shape, dtype=dtype or image.dtype)

    return fake


def _named(dtype: str | None, otherwise: torch.dtype) -> torch.dtype:
    found = otherwise if dtype is None else getattr(torch, dtype)
    assert isinstance(found, torch.dtype)
    return found


def _fake_filter(
    image: Tensor, *_arguments: Any, dtype: str | None = None, **_options: Any
) -> Tensor:
    return image.new_empty(image.shape, dtype=_named(dtype, image.dtype))


def _fake_log_edges(
    image: Tensor, *_arguments: Any, response: bool = False, **_options: Any
) -> Tensor:
    return image.new_empty(image.shape, dtype=torch.int32 if response else torch.uint8)


def _fake_sobel(
    image: Tensor, *, outputs: Sequence[str], dtype: str | None = None, **_options: Any
) -> list[Tensor]:
    # A type applies to the outputs that come in it; the first is what comes without one.
    size = (
        (torch.uint16, torch.uint8) if image.dtype == torch.uint16 else (torch.uint8, torch.uint16)
    )
    types = {
        "gx": (torch.int16, torch.int32),
        "gy": (torch.int16, torch.int32),
        "magnitude": (*size, torch.float32),
        "direction": (torch.uint8, torch.float32),
    }

    def type_of(output: str) -> torch.dtype:
        wanted = _named(dtype, types[output][0])
        return wanted if wanted in types[output] else types[output][0]

    return [image.new_empty(image.shape, dtype=type_of(output)) for output in outputs]


def _fake_to_gray(
    image: Tensor, *_arguments: Any, layout: str | None = None, **_options: Any
) -> Tensor:
    axes = layout or "HW"
    if len(axes) != image.dim():
        raise ValueError(
            f"layout is {layout!r}, and image has {image.dim()} dimensions; name its layout"
        )
    return image.new_empty([n for n, axis in zip(image.shape, axes, strict=True) if axis != "C"])


def _fake_label(mask: Tensor, **_options: Any) -> list[Tensor]:
    count = torch.library.get_ctx().new_dynamic_size()
    return [
        mask.new_empty(mask.shape, dtype=torch.int32),
        mask.new_empty((count, 4), dtype=torch.int32),
        mask.new_empty((count,), dtype=torch.int64),
        mask.new_empty((count, 2), dtype=torch.float64),
    ]


def _run_canny(
    image: Tensor, low: Any = None, high: Any = None, mask: Tensor | None = None, **options: Any
) -> Tensor:
    # A float arrives as a list of one: the schema's float[1].
    low, high = (v[0] if v is not None and len(v) == 1 else v for v in (low, high))
    edges: Tensor = cuesta.canny(image, low, high, mask=mask, **options)
    return edges


def _run_sobel(image: Tensor, *, outputs: Sequence[str], **options: Any) -> list[Tensor]:
    return list(cuesta.sobel(image, outputs=tuple(outputs), **options))


def _run_label(mask: Tensor, **options: Any) -> list[Tensor]:
    found = cuesta.label(mask, **options)
    return [found.labels, found.boxes, found.areas, found.centroids]


def _traced_canny(image: Tensor, low: Any = None, high: Any = None, **options: Any) -> Tensor:
    low = [float(low)] if isinstance(low, (int, float)) else low
    high = [float(high)] if isinstance(high, (int, float)) else high
    edges: Tensor = torch.ops.cuesta.canny(image, low, high, **_for_graph(options))
    return edges


def _traced_label(mask: Tensor, **options: Any) -> Any:
    labels, boxes, areas, centroids = torch.ops.cuesta.label(mask, **_for_graph(options))
    return cuesta.Labels(labels, boxes.shape[0], boxes, areas, centroids)


def _traced_sobel(
    image: Tensor, *, outputs: str | Sequence[str] = "magnitude", **options: Any
) -> Tensor | tuple[Tensor, ...]:
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    made = torch.ops.cuesta.sobel(image, outputs=names, **_for_graph(options))
    return made[0] if isinstance(outputs, str) else tuple(made)


def _for_graph(options: dict[str, Any]) -> dict[str, Any]:
    for name in _EAGER_ONLY:
        value = options.pop(name, None)
        if value is not None and value is not False:
            raise TypeError(f"{name}: not in a graph; call the function outside of torch.compile")
    if isinstance(options.get("dtype"), torch.dtype):
        options["dtype"] = str(options["dtype"]).removeprefix("torch.")
    return options


def _traced(name: str) -> Callable[..., Any]:
    def traced(image: Tensor, *arguments: Any, **options: Any) -> Any:
        return getattr(torch.ops.cuesta, name)(image, *arguments, **_for_graph(options))

    return traced


def _vmap(name: str) -> Callable[..., Any]:
    """One call with a batch; only the image, the first argument, may have the mapped dimension."""

    def mapped(
        _info: Any, in_dims: Sequence[Any], image: Tensor, *arguments: Any, **options: Any
    ) -> tuple[Any, Any]:
        layout = options.pop("layout", None) or ("HW" if image.dim() == 3 else None)
        others = [
            d for given in in_dims[1:] for d in (given if isinstance(given, list) else [given])
        ]
        if layout is None or layout.startswith("N") or any(d is not None for d in others):
            raise NotImplementedError(
                f"torch.vmap over cuesta.{name} takes pictures along one dimension of the image "
                f"and nothing else mapped; layout={layout!r}: HW, HWC and CHW are accepted"
            )
        batch = image.movedim(in_dims[0], 0)
        if layout != "CHW":
            batch = batch.contiguous()
        made = getattr(torch.ops.cuesta, name)(batch, *arguments, layout="N" + layout, **options)
        return made, [0] * len(made) if isinstance(made, list) else 0

    return mapped


def _no_gradient(name: str) -> Callable[..., Any]:
    def backward(_context: Any, *_gradients: Any) -> Any:
        raise RuntimeError(
            f"cuesta.{name} has no gradient: call it on image.detach(), or under torch.no_grad()"
        )

    return backward


def _register(
    name: str,
    arguments: str,
    result: str = "Tensor",
    *,
    fake: Fake,
    run: Callable[..., Any] | None = None,
    traced: Callable[..., Any] | None = None,
    vmap: bool = True,
) -> None:
    """Makes torch.ops.cuesta.<name> of cuesta.<name>, which it stands for under torch.compile."""
    function = getattr(cuesta, name)
    operator = torch.library.custom_op(
        f"cuesta::{name}",
        run or (lambda *args, **options: function(*args, **options)),
        mutates_args=(),
        schema=f"({arguments}, {_HOW}) -> {result}",
    )
    operator.register_fake(fake)
    operator.register_autograd(_no_gradient(name))
    if vmap:
        operator.register_vmap(_vmap(name))
    _IN_GRAPHS[name] = traced or _traced(name)
    torch.compiler.substitute_in_graph(function, skip_signature_check=True)(_IN_GRAPHS[name])


_HOW = "str? layout=None, str? strategy=None, int? threads=None"
_STENCIL = (
    "Tensor image, Tensor stencil, *, int? divisor=None, bool absolute=False, int offset=0, "
    'str? dtype=None, str border="reflect101", float border_value=0'
)
_MORPHOLOGY = 'Tensor image, str element="rect:3", *, str? border=None, float border_value=0'
_BORDER = 'str border="reflect101", float border_value=0'

_register(
    "canny",
    "Tensor image, float[1]? low=None, float[1]? high=None, Tensor? mask=None, *, "
    'float sigma=1.4, int? ksize=None, int aperture=3, str norm="l1", str threshold="auto", '
    f"{_BORDER}",
    fake=_like(torch.uint8),
    run=_run_canny,
    traced=_traced_canny,
)
_register(
    "log_edges",
    "Tensor image, float threshold=5.0, *, float sigma=1.4, int? ksize=None, "
    f'str mode="threshold", bool response=False, {_BORDER}',
    fake=_fake_log_edges,
)
_register(
    "sobel",
    f'Tensor image, *, str[] outputs, int aperture=3, str norm="l1", str? dtype=None, {_BORDER}',
    "Tensor[]",
    fake=_fake_sobel,
    run=_run_sobel,
    traced=_traced_sobel,
)
_register(
    "gaussian", f"Tensor image, float? sigma=None, *, int? ksize=None, {_BORDER}", fake=_like()
)
_register(
    "median",
    'Tensor image, int ksize=3, *, str border="replicate", float border_value=0',
    fake=_like(),
)
_register("box", f"Tensor image, int n=3, *, {_BORDER}", fake=_like())
_register("sharpen", f"Tensor image, int n=3, *, {_BORDER}", fake=_like())
_register(
    "laplacian",
    f"Tensor image, *, str? dtype=None, bool absolute=False, int offset=0, {_BORDER}",
    fake=_fake_filter,
)
_register("convolve", _STENCIL, fake=_fake_filter)
_register("correlate", _STENCIL, fake=_fake_filter)
for _name in ("erode", "dilate", "open", "close"):
    _register(_name, _MORPHOLOGY, fake=_like())
_register("to_gray", 'Tensor image, str order="rgb", *', fake=_fake_to_gray)
_register("absdiff", "Tensor a, Tensor b, *", fake=_like())
_register("threshold", "Tensor image, float limit, *", fake=_like(torch.uint8))
_register(
    "label",
    "Tensor mask, *, int connectivity=8",
    "Tensor[]",
    fake=_fake_label,
    run=_run_label,
    traced=_traced_label,
    vmap=False,
)


class _Operation(torch.nn.Module):
    """An operator with its options; picklable, without parameters or state."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        super().__init__()
        self.name = name
        self.options = {k: v for k, v in options.items() if k not in ("self", "__class__")}

    def forward(self, image: Tensor) -> Any:
        return _IN_GRAPHS[self.name](image, **self.options)

    def extra_repr(self) -> str:
        return ", ".join(f"{k}={v!r}" for k, v in self.options.items() if v is not None)


class Canny(_Operation):
    """`cuesta.canny` as a module: uint8 or uint16 tensors to uint8 edges, 0 or 255.

    The parameters are those of `cuesta.canny`.
    """

    def __init__(
        self,
        low: float | None = None,
        high: float | None = None,
        *,
        sigma: float = 1.4,
        ksize: int | None = None,
        aperture: int = 3,
        norm: str = "l1",
        threshold: str = "auto",
        border: str = "reflect101",
        layout: str | None = None,
        strategy: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__("canny", locals())


class LogEdges(_Operation):
    """`cuesta.log_edges` as a module: edges, or with ``response=True`` the undivided response.

    The parameters are those of `cuesta.log_edges`.
    """

    def __init__(
        self,
        threshold: float = 5.0,
        *,
        sigma: float = 1.4,
        ksize: int | None = None,
        mode: str = "threshold",
        response: bool = False,
        border: str = "reflect101",
        layout: str | None = None,
        strategy: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__("log_edges", locals())


class Sobel(_Operation):
    """`cuesta.sobel` as a module: one tensor for one output, a tuple for a tuple of them.

    The parameters are those of `cuesta.sobel`.
    """

    def __init__(
        self,
        *,
        outputs: str | tuple[str, ...] = "magnitude",
        aperture: int = 3,
        norm: str = "l1",
        dtype: str | None = None,
        border: str = "reflect101",
        layout: str | None = None,
        strategy: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__("sobel", locals())


class Gaussian(_Operation):
    """`cuesta.gaussian` as a module: a smoothed tensor of the image's type.

    The parameters are those of `cuesta.gaussian`.
    """

    def __init__(
        self,
        sigma: float | None = None,
        *,
        ksize: int | None = None,
        border: str = "reflect101",
        layout: str | None = None,
        strategy: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__("gaussian", locals())


class Median(_Operation):
    """`cuesta.median` as a module: a tensor of the image's type.

    The parameters are those of `cuesta.median`.
    """

    def __init__(
        self,
        ksize: int = 3,
        *,
        border: str = "replicate",
        layout: str | None = None,
        strategy: str | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__("median", locals())
