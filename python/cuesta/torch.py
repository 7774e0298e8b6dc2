"""PyTorch operators and modules: ``import cuesta.torch``.

Importing this module registers ``torch.ops.cuesta.canny`` and the others. They take CPU and CUDA
tensors without a copy, run on the caller's current CUDA stream, and have fake kernels, so
``torch.compile(fullgraph=True)`` and ``torch.export`` see one node with known shapes; under
``torch.compile`` calls of ``cuesta.canny`` and the others become these operators by themselves.
``Canny``, ``LogEdges``, ``Sobel`` and ``Gaussian`` are the same as modules, for transforms in
data loaders.

Notes
-----
The operators take the arguments of the functions of the same name in ``cuesta``, less what a graph
cannot hold: ``out``, ``parameters``, ``stream`` and ``return_thresholds``. They are functional:
every result is a new contiguous tensor. ``torch.vmap`` over the images of a batch is one call with
a batch. None has a gradient: backward through one raises RuntimeError.
"""
