"""numba: a thread a pixel on the GPU, rows over threads on the CPU; the taps are a constant array, the loops over them the
compiler's to unroll."""

import math

import numba
import numpy as np
from numba import cuda

NAME = "numba"
DEVICES = ("cuda", "cpu")
VERSION = numba.__version__

BLOCK = (32, 8)


def refusal(device):
    return "numba.cuda finds no GPU" if device == "cuda" and not cuda.is_available() else ""


def pixel_of(work, compiled):
    """The answer at (x, y), as a function that `compiled` has made."""
    n, radius = 2 * work.radius + 1, work.radius
    first, second = (
        np.array(taps, np.float32).reshape(n, n) for taps in (work.taps[0], work.taps[-1])
    )
    reflect, is_float = work.border == "reflect101", work.type == "f32"
    edges, l1, l2 = (work.rule == rule for rule in ("edges", "l1", "l2"))
    limit, scale, half = np.float32(work.limit), np.float32(1 / work.divisor), np.float32(0.5)

    @compiled
    def window_sum(src, x, y, taps, inside):
        height, width = src.shape
        total = np.float32(0)
        for j in range(n):
            for i in range(n):
                sx, sy = x + i - radius, y + j - radius
                if reflect and not inside:
                    sx, sy = abs(sx), abs(sy)
                    sx, sy = width - 1 - abs(width - 1 - sx), height - 1 - abs(height - 1 - sy)
                total += taps[j, i] * np.float32(src[sy, sx])
        return total

    @compiled
    def pixel(src, x, y):
        height, width = src.shape
        inside = x >= radius and y >= radius and x < width - radius and y < height - radius
        if not reflect and not inside:
            return np.float32(0)
        a = window_sum(src, x, y, first, inside)
        if edges:
            return np.float32(255) if abs(a) > limit else np.float32(0)
        if l1 or l2:
            b = window_sum(src, x, y, second, inside)
            return (
                min(abs(a) + abs(b), np.float32(255))
                if l1
                else np.float32(math.sqrt(a * a + b * b))
            )
        if is_float:
            return a
        # An odd divisor leaves no ties, and quotients are further from them than f32 errs.
        return np.float32(min(max(math.floor(a * scale + half), 0), 255))

    return pixel


def on_gpu(work):
    pixel = pixel_of(work, cuda.jit(device=True))

    @cuda.jit
    def stencil(src, dst):
        x, y = cuda.grid(2)
        if x < src.shape[1] and y < src.shape[0]:
            dst[y, x] = pixel(src, x, y)

    def bind(src, dst):
        height, width = src.shape
        launch = stencil[(-(-width // BLOCK[0]), -(-height // BLOCK[1])), BLOCK]
        arrays = cuda.as_cuda_array(src), cuda.as_cuda_array(dst)

        def run():
            launch(*arrays)
            return dst

        return run

    return bind


def on_cpu(work):
    pixel = pixel_of(work, numba.njit)

    @numba.njit(parallel=True)
    def stencil(src, dst):
        for y in numba.prange(src.shape[0]):
            for x in range(src.shape[1]):
                dst[y, x] = pixel(src, x, y)

    def bind(src, dst):
        arrays = src.numpy(), dst.numpy()

        def run():
            stencil(*arrays)
            return dst

        return run

    return bind


def contenders(work, device):
    return {NAME: {"": (on_gpu if device == "cuda" else on_cpu)(work)}}
