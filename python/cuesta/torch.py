"""PyTorch operators and modules: ``import cuesta.torch``.

Importing this module registers ``torch.ops.cuesta.canny`` and the others. They read CPU and CUDA
tensors without a copy and run on the caller's current CUDA stream. Their fake kernels make
``torch.compile(fullgraph=True)`` and ``torch.export`` see one node of known shape and type. Under
``torch.compile``, calls of ``cuesta.canny`` and the others become these operators by themselves.
For ``torch.export``, call the operators or the modules. `Canny`, `LogEdges`, `Sobel`, `Gaussian`
and `Median` are the operators as modules, for transforms in data loaders and for ``torch.export``.

Notes
-----
An operator has the arguments of the function of the same name in ``cuesta``. Arguments that a graph
cannot hold are missing: ``out``, ``parameters``, ``stream`` and ``return_thresholds``. Some have
other types:

- Where a function reads a number or a sequence (the thresholds of ``canny``), its operator reads a
  float or a list of floats.
- ``edges`` reads its threshold as text: a rule or a number.
- ``sobel`` reads a list of outputs and returns a tensor for each.
- Stencils are tensors on the CPU; elements of morphology are text.
- ``label`` returns labels, boxes, areas and centroids. Older versions of ``torch.compile`` require
  ``torch._dynamo.config.capture_dynamic_output_shape_ops`` for it.

Every result is a new, contiguous tensor. ``torch.vmap`` over pictures is one call with a batch. No
operator has a gradient: backward through one raises RuntimeError.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch

import cuesta
from cuesta import _torch_fakes
from cuesta._keywords import (
    CannyOptions,
    GaussianOptions,
    LogOptions,
    MedianOptions,
    SobelOptions,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Canny", "Gaussian", "LogEdges", "Median", "Sobel"]

Tensor = torch.Tensor

# Arguments of the functions that a graph cannot hold.
_EAGER_ONLY = ("out", "parameters", "stream", "return_thresholds", "measure", "intensity")
# The operators exist as long as this does.
_LIBRARY = torch.library.Library("cuesta", "DEF")
# The operators of the functions of `cuesta`: they replace the functions in a graph.
_IN_GRAPHS: dict[str, Callable[..., Any]] = {}


def _given(threshold: Any) -> Any:
    """Returns the float of a list of one, which is how the schema's float[1] arrives."""
    return threshold[0] if threshold is not None and len(threshold) == 1 else threshold


def _run_canny(
    image: Tensor, low: Any = None, high: Any = None, mask: Tensor | None = None, **options: Any
) -> Tensor:
    edges: Tensor = cuesta.canny(image, _given(low), _given(high), mask=mask, **options)
    return edges


def _run_canny_of_gradients(
    gx: Tensor,
    gy: Tensor,
    low: Any = None,
    high: Any = None,
    mask: Tensor | None = None,
    **options: Any,
) -> Tensor:
    edges: Tensor = cuesta.canny_of_gradients(
        gx, gy, _given(low), _given(high), mask=mask, **options
    )
    return edges


def _run_edges(
    image: Tensor,
    method: Any = "canny",
    mask: Tensor | None = None,
    *,
    threshold: str | None = None,
    white: str | None = None,
    **options: Any,
) -> Tensor:
    levels: list[Any] = [threshold, white]
    for k, level in enumerate(levels):
        with contextlib.suppress(TypeError, ValueError):  # None, or a rule
            levels[k] = float(level)
    edges: Tensor = cuesta.edges(
        image, method, threshold=levels[0], mask=mask, white=levels[1], **options
    )
    return edges


def _run_sobel(image: Tensor, *, outputs: Sequence[str], **options: Any) -> list[Tensor]:
    return list(cuesta.sobel(image, outputs=tuple(outputs), **options))


def _run_label(mask: Tensor, **options: Any) -> list[Tensor]:
    found = cuesta.label(mask, **options)
    return [found.labels, found.boxes, found.areas, found.centroids]


def _in_list(threshold: Any) -> Any:
    return [float(threshold)] if isinstance(threshold, (int, float)) else threshold


def _traced_canny(image: Tensor, low: Any = None, high: Any = None, **options: Any) -> Tensor:
    given = _in_list(low), _in_list(high)
    edges: Tensor = torch.ops.cuesta.canny(image, *given, **_for_graph(options))
    return edges


def _traced_canny_of_gradients(
    gx: Tensor, gy: Tensor, low: Any = None, high: Any = None, **options: Any
) -> Tensor:
    given = _in_list(low), _in_list(high)
    edges: Tensor = torch.ops.cuesta.canny_of_gradients(gx, gy, *given, **_for_graph(options))
    return edges


def _traced_edges(image: Tensor, method: str = "canny", **options: Any) -> Tensor:
    for name in ("threshold", "white"):  # numbers or names, which a schema has as text
        options[name] = None if options.get(name) is None else str(options[name])
    edges: Tensor = torch.ops.cuesta.edges(image, method, **_for_graph(options))
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
    """Returns the options that are not None, as an operator takes them."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in _EAGER_ONLY:
        if given.pop(name, False) is not False:
            raise TypeError(f"{name}: not in a graph; call the function outside of torch.compile")
    if isinstance(given.get("dtype"), torch.dtype):
        given["dtype"] = str(given["dtype"]).removeprefix("torch.")
    return given


def _traced(name: str) -> Callable[..., Any]:
    def traced(image: Tensor, *arguments: Any, **options: Any) -> Any:
        return getattr(torch.ops.cuesta, name)(image, *arguments, **_for_graph(options))

    return traced


def _vmap(name: str, images: int) -> Callable[..., Any]:
    """Maps over pictures with one call on a batch.

    Only the images, which are the first arguments, may have the mapped dimension.
    """

    def mapped(
        _info: Any, in_dims: Sequence[Any], *arguments: Any, **options: Any
    ) -> tuple[Any, Any]:
        layout = options.pop("layout", None) or ("HW" if arguments[0].dim() == 3 else None)
        dims = in_dims[:images]
        others = [
            d for given in in_dims[images:] for d in (given if isinstance(given, list) else [given])
        ]
        apart = None in dims or any(d is not None for d in others)
        if layout is None or layout.startswith("N") or apart:
            which = "the image" if images == 1 else f"each of {images} images"
            raise NotImplementedError(
                f"torch.vmap over cuesta.{name} takes pictures along one dimension of {which} "
                f"with no other input mapped; layout={layout!r}: HW, HWC and CHW are accepted"
            )
        batches = [image.movedim(d, 0) for image, d in zip(arguments, dims, strict=False)]
        if layout != "CHW":
            batches = [batch.contiguous() for batch in batches]
        made = getattr(torch.ops.cuesta, name)(
            *batches, *arguments[images:], layout="N" + layout, **options
        )
        return made, [0] * len(made) if isinstance(made, list) else 0

    return mapped


def _no_gradient(name: str) -> Callable[..., Any]:
    def backward(_context: Any, *_gradients: Any) -> Any:
        raise RuntimeError(
            f"cuesta.{name} has no gradient: call it on image.detach(), or under torch.no_grad()"
        )

    return backward


_SCHEMA_TYPES = {
    "A": "Tensor",
    "A | None": "Tensor?",
    "float": "float",
    "float | None": "float?",
    "int": "int",
    "int | None": "int?",
    "str": "str",
    "str | None": "str?",
    "bool": "bool",
}


def _schema_default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _schema(name: str, types: Mapping[str, str], positional: Sequence[str]) -> str:
    """Returns the arguments of an operator: those of its function.

    `types` replaces types that are too general. Arguments in `positional` come before the keywords.
    """
    parameters = inspect.signature(getattr(cuesta, name)).parameters.values()
    before: list[str] = []
    after: list[str] = []
    for p in parameters:
        if p.name in _EAGER_ONLY:
            continue
        kind = types.get(p.name) or _SCHEMA_TYPES[p.annotation]
        # A list has no default that a Python function can have too.
        bare = p.default is p.empty or kind.endswith("[]")
        argument = f"{kind} {p.name}" + ("" if bare else f"={_schema_default(p.default)}")
        by_keyword = p.kind is p.KEYWORD_ONLY and p.name not in positional
        (after if by_keyword else before).append(argument)
    return ", ".join([*before, "*", *after])


def _register(
    name: str,
    types: Mapping[str, str] | None = None,
    result: str = "Tensor",
    *,
    fake: _torch_fakes.Fake,
    positional: Sequence[str] = (),
    run: Callable[..., Any] | None = None,
    traced: Callable[..., Any] | None = None,
    images: int = 1,
) -> None:
    """Registers torch.ops.cuesta.<name>, which replaces cuesta.<name> under torch.compile.

    torch.vmap maps the first `images` arguments.
    """
    function = getattr(cuesta, name)
    operator = f"cuesta::{name}"
    # Not torch.library.custom_op, whose checks of every call (that no result is an argument) cost
    # as much as the call: every result here is new.
    _LIBRARY.define(
        f"{name}({_schema(name, types or {}, positional)}) -> {result}",
        tags=(torch.Tag.pt2_compliant_tag,),
    )
    _LIBRARY.impl(name, run or function, "CompositeExplicitAutograd")
    torch.library.register_fake(operator, fake, lib=_LIBRARY)
    torch.library.register_autograd(operator, _no_gradient(name), lib=_LIBRARY)
    if images:
        torch.library.register_vmap(operator, _vmap(name, images), lib=_LIBRARY)
    _IN_GRAPHS[name] = traced or _traced(name)
    torch.compiler.substitute_in_graph(function, skip_signature_check=True)(_IN_GRAPHS[name])


_register(
    "canny",
    {"low": "float[1]?", "high": "float[1]?"},
    fake=_torch_fakes.canny,
    positional=("mask",),
    run=_run_canny,
    traced=_traced_canny,
)
_register(
    "canny_of_gradients",
    {"low": "float[1]?", "high": "float[1]?"},
    fake=_torch_fakes.canny,
    positional=("mask",),
    run=_run_canny_of_gradients,
    traced=_traced_canny_of_gradients,
    images=2,
)
_register(
    "edges",
    {
        "image": "Tensor",
        "method": "str",
        "threshold": "str?",
        "white": "str?",
        "mask": "Tensor?",
    },
    fake=_torch_fakes.edges,
    positional=("mask",),
    run=_run_edges,
    traced=_traced_edges,
)
_register("log_edges", fake=_torch_fakes.log_edges)
_register("boundaries", fake=_torch_fakes.boundaries)
_register("regions", {"output": "str"}, fake=_torch_fakes.regions)
_register(
    "sobel",
    {"outputs": "str[]"},
    "Tensor[]",
    fake=_torch_fakes.sobel,
    run=_run_sobel,
    traced=_traced_sobel,
)
for _name in ("gaussian", "median", "box", "sharpen"):
    _register(_name, fake=_torch_fakes.like())
_register("laplacian", fake=_torch_fakes.filter)
for _name in ("convolve", "correlate"):
    _register(_name, {"stencil": "Tensor"}, fake=_torch_fakes.filter)
for _name in ("erode", "dilate", "open", "close"):
    _register(_name, {"element": "str"}, fake=_torch_fakes.like())
for _name in ("remove_small", "fill_holes"):
    _register(_name, fake=_torch_fakes.like())
_register("to_gray", fake=_torch_fakes.to_gray)
_register("absdiff", fake=_torch_fakes.like())
_register("threshold", fake=_torch_fakes.like(torch.uint8))
_register(
    "label",
    None,
    "Tensor[]",
    fake=_torch_fakes.label,
    run=_run_label,
    traced=_traced_label,
    images=0,
)


class _Operation(torch.nn.Module):
    """An operator with given options; picklable, without parameters or state."""

    operation: ClassVar[str]
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, *, function: Callable[..., Any]) -> None:
        super().__init_subclass__()
        cls.operation = function.__name__
        # Its function's parameters, without the pictures and those that a graph cannot hold.
        left_out = ("image", "mask", *_EAGER_ONLY)
        parameters = inspect.signature(function).parameters.values()
        shown = [p for p in parameters if p.name not in left_out]
        cls.__signature__ = inspect.Signature(shown)

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = {name: value for name, value in options.items() if value is not None}
        type(self).__signature__.bind_partial(**self.options)

    def forward(self, image: Tensor) -> Any:
        """Applies the operator to an image, or to a batch."""
        return _IN_GRAPHS[self.operation](image, **self.options)

    def extra_repr(self) -> str:
        """Returns the options, for the module's repr."""
        return ", ".join(f"{name}={value!r}" for name, value in self.options.items())


class Canny(_Operation, function=cuesta.canny):
    """The module of `cuesta.canny`: uint8, uint16 or float32 tensors to uint8 edges, 0 or 255.

    The parameters are those of `cuesta.canny`.
    """

    def __init__(
        self,
        low: float | None = None,
        high: float | None = None,
        *,
        threshold: str | None = None,
        layout: str | None = None,
        **options: Unpack[CannyOptions],
    ) -> None:
        super().__init__(
            low=low,
            high=high,
            threshold=threshold,
            layout=layout,
            **options,
        )


class LogEdges(_Operation, function=cuesta.log_edges):
    """The module of `cuesta.log_edges`: edges, or with ``response=True`` the undivided response.

    The parameters are those of `cuesta.log_edges`.
    """

    def __init__(
        self,
        threshold: float | None = None,
        *,
        response: bool | None = None,
        layout: str | None = None,
        **options: Unpack[LogOptions],
    ) -> None:
        super().__init__(threshold=threshold, response=response, layout=layout, **options)


class Sobel(_Operation, function=cuesta.sobel):
    """The module of `cuesta.sobel`: one tensor for one output, a tuple for a tuple of outputs.

    The parameters are those of `cuesta.sobel`.
    """

    def __init__(
        self,
        *,
        outputs: str | tuple[str, ...] | None = None,
        dtype: str | None = None,
        layout: str | None = None,
        **options: Unpack[SobelOptions],
    ) -> None:
        super().__init__(outputs=outputs, dtype=dtype, layout=layout, **options)


class Gaussian(_Operation, function=cuesta.gaussian):
    """The module of `cuesta.gaussian`: a smoothed tensor of the image's type.

    The parameters are those of `cuesta.gaussian`.
    """

    def __init__(
        self,
        sigma: float | None = None,
        *,
        layout: str | None = None,
        **options: Unpack[GaussianOptions],
    ) -> None:
        super().__init__(sigma=sigma, layout=layout, **options)


class Median(_Operation, function=cuesta.median):
    """The module of `cuesta.median`: a tensor of the image's type.

    The parameters are those of `cuesta.median`.
    """

    def __init__(
        self,
        ksize: int | None = None,
        *,
        layout: str | None = None,
        **options: Unpack[MedianOptions],
    ) -> None:
        super().__init__(ksize=ksize, layout=layout, **options)
