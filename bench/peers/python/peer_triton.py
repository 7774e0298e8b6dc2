"""Triton: a program a tile of pixels, the window's taps constants of the kernel. Triton has no say over shared memory and
no shift from lane to lane, so each sample of a window is a load of its own that the first-level cache serves: paper 000's
`naive` with taps in the instructions and several pixels a thread. `triton-two-pass` goes through a picture in memory: sums
down and across where the window is a product, Gaussian and Laplacian where it is LoG. Four tiles are tried, the fastest is
kept: on pictures that exceed the cache, which `triton.autotune` would not do."""

import numpy as np
import torch
import triton
import triton.language as tl

from works import LAPLACIAN

NAME = "triton"
DEVICES = ("cuda",)
VERSION = triton.__version__

# Rows and columns of a tile, warps; the fastest is kept for each request and size.
TILES = ((1, 1024, 4), (4, 256, 4), (8, 128, 4), (16, 128, 8))


@triton.jit
def reflect101(i, n):
    """Of indices less than n outside."""
    i = tl.abs(i)
    return n - 1 - tl.abs(n - 1 - i)


@triton.jit
def window_sum(
    src,
    x,
    y,
    width,
    height,
    mask,
    TAPS: tl.constexpr,
    COLUMNS: tl.constexpr,
    ROWS: tl.constexpr,
    REFLECT: tl.constexpr,
):
    total = tl.zeros(mask.shape, tl.float32)
    for j in tl.static_range(ROWS):
        for i in tl.static_range(COLUMNS):
            if TAPS[j * COLUMNS + i] != 0:
                sx = x + (i - COLUMNS // 2)
                sy = y + (j - ROWS // 2)
                if REFLECT:
                    sx = reflect101(sx, width)
                    sy = reflect101(sy, height)
                sample = tl.load(src + sy[:, None] * width + sx[None, :], mask=mask, other=0)
                total += sample.to(tl.float32) * TAPS[j * COLUMNS + i]
    return total


@triton.jit
def sums(
    src,
    x,
    y,
    width,
    height,
    mask,
    FIRST: tl.constexpr,
    SECOND: tl.constexpr,
    COLUMNS: tl.constexpr,
    ROWS: tl.constexpr,
    RULE: tl.constexpr,
    SCALE: tl.constexpr,
    REFLECT: tl.constexpr,
):
    """The rule's answer in f32, in which sums of whole numbers are exact."""
    a = window_sum(src, x, y, width, height, mask, FIRST, COLUMNS, ROWS, REFLECT)
    if RULE == "filter":
        # An odd divisor leaves no ties, and quotients are further from them than f32 errs.
        a = tl.minimum(tl.maximum(tl.floor(a * SCALE + 0.5), 0.0), 255.0)
    elif RULE == "edges":
        a = tl.where(tl.abs(a) > SCALE, 255.0, 0.0)
    elif RULE == "l1" or RULE == "l2":
        b = window_sum(src, x, y, width, height, mask, SECOND, COLUMNS, ROWS, REFLECT)
        if RULE == "l1":
            a = tl.minimum(tl.abs(a) + tl.abs(b), 255.0)
        else:
            a = tl.sqrt_rn(a * a + b * b)
    return a


@triton.jit
def stencil(
    src,
    dst,
    width,
    height,
    FIRST: tl.constexpr,
    SECOND: tl.constexpr,
    COLUMNS: tl.constexpr,
    ROWS: tl.constexpr,
    RULE: tl.constexpr,
    SCALE: tl.constexpr,
    REFLECT: tl.constexpr,
    TILE_Y: tl.constexpr,
    TILE_X: tl.constexpr,
):
    left = tl.program_id(0) * TILE_X
    top = tl.program_id(1) * TILE_Y
    x = left + tl.arange(0, TILE_X)
    y = top + tl.arange(0, TILE_Y)
    inside = (x < width)[None, :] & (y < height)[:, None]
    if REFLECT:
        # Only a tile at the border pays for its indices.
        whole = (left >= COLUMNS // 2) & (top >= ROWS // 2)
        whole &= (left + TILE_X + COLUMNS // 2 <= width) & (top + TILE_Y + ROWS // 2 <= height)
        if whole:
            answer = sums(
                src, x, y, width, height, inside, FIRST, SECOND, COLUMNS, ROWS, RULE, SCALE, False
            )
        else:
            answer = sums(
                src, x, y, width, height, inside, FIRST, SECOND, COLUMNS, ROWS, RULE, SCALE, True
            )
    else:
        fits = (x >= COLUMNS // 2) & (x < width - COLUMNS // 2)
        mask = fits[None, :] & ((y >= ROWS // 2) & (y < height - ROWS // 2))[:, None]
        answer = sums(
            src, x, y, width, height, mask, FIRST, SECOND, COLUMNS, ROWS, RULE, SCALE, False
        )
        answer = tl.where(mask, answer, 0.0)
    tl.store(dst + y[:, None] * width + x[None, :], answer.to(dst.dtype.element_ty), mask=inside)


@triton.jit
def fma_chain(sink, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.program_id(0) + tl.arange(0, BLOCK).to(tl.float32)
    for i in range(STEPS):
        for j in tl.static_range(16):
            x = x * 0.999 + 0.001
    tl.store(sink + tl.arange(0, BLOCK), x, mask=x < 0)


def fma(multiprocessors):
    """A call that does fused multiply-adds alone, and how many operations it is."""
    steps, block, programs = 1 << 10, 2048, 16 * multiprocessors
    sink = torch.zeros(block, device="cuda")
    return lambda: fma_chain[(programs,)](
        sink, steps, block, num_warps=8
    ), 2.0 * 16 * steps * block * programs


def step(src, dst, first, columns, rows, rule, scale, reflect, tile, second=()):
    """One launch, for these two pictures."""
    height, width = src.shape
    tile_y, tile_x, warps = tile
    grid = (triton.cdiv(width, tile_x), triton.cdiv(height, tile_y))
    launch = stencil[grid]
    return lambda: launch(
        src,
        dst,
        width,
        height,
        first,
        second or first,
        columns,
        rows,
        rule,
        scale,
        reflect,
        tile_y,
        tile_x,
        num_warps=warps,
    )


def end_of(work):
    """The rule of the last launch and its constant; a filter of f32 is its sum."""
    if work.rule == "filter":
        assert work.divisor % 2 == 1
        return ("sum", 0.0) if work.type == "f32" else ("filter", 1 / work.divisor)
    return work.rule, float(work.limit)


def one_pass(work, tile):
    n = 2 * work.radius + 1
    rule, scale = end_of(work)

    def bind(src, dst):
        call = step(
            src,
            dst,
            work.taps[0],
            n,
            n,
            rule,
            scale,
            work.border == "reflect101",
            tile,
            work.taps[-1],
        )

        def run():
            call()
            return dst

        return run

    return bind


def two_pass(work, tile):
    """Between the passes are f32 sums, 16 bits of column sums of u8."""
    rule, scale = end_of(work)
    if work.rule == "edges":
        window = tuple(float(a * b) for a in work.column for b in work.column)
        last = tuple(float(t) for line in LAPLACIAN for t in line)
        between, first, second = torch.float32, (window, 5, 5), (last, 3, 3)
    else:
        n = len(work.column)
        # cuesta's factors: the divisor is in the column's.
        down = tuple(
            float(np.float32(t / work.divisor)) if work.type == "f32" else float(t)
            for t in work.column
        )
        between = torch.float32 if work.type == "f32" else torch.int16
        first, second = (down, 1, n), (tuple(map(float, work.column)), n, 1)
    reflect = work.border == "reflect101"

    def bind(src, dst):
        middle = torch.empty(src.shape, dtype=between, device=src.device)
        down = step(src, middle, *first, "sum", 0.0, reflect, tile)
        across = step(middle, dst, *second, rule, scale, reflect, tile)

        def run():
            down()
            across()
            return dst

        return run

    return bind


def contenders(work, device):
    """Strategy name -> its variants, each a name and a function that binds it to a source and a result."""
    made = {"triton": {name_of(tile): one_pass(work, tile) for tile in TILES}}
    if work.column:
        made["triton-two-pass"] = {name_of(tile): two_pass(work, tile) for tile in TILES}
    return made


def name_of(tile):
    return f"tile_x={tile[1]} tile_y={tile[0]} warps={tile[2]}"
