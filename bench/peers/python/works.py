"""The requests of bench/papers that compilers answer too, each as windows over a u8 or f32 picture and a rule on their
sums, and cuesta's answer to them. Experiment, operation, parameters, type and size are the rows' of `cuesta bench`."""

import functools
from dataclasses import dataclass

import numpy as np

import cuesta

LAPLACIAN = ((0, 1, 0), (1, -4, 1), (0, 1, 0))
GAUSSIAN = (2, 4, 5, 4, 2)  # paper 000's, sigma 1.4, over 17
SOBEL_X = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))
SOBEL_Y = tuple(zip(*SOBEL_X))
LOG_SCALE = 289
THRESHOLD = 5

TYPES = {"u8": np.uint8, "f32": np.float32}


@dataclass(frozen=True)
class Work:
    """Sums of `windows` by correlation, the anchor in the middle, then `rule`:

    filter  round-half-even(sum / divisor), saturated, of u8; of f32 the sum with taps float(tap / divisor)
    l1, l2  min(|a| + |b|, 255) as u8 and sqrt(a^2 + b^2) as f32 of two windows' sums
    edges   255 where |sum| > divisor * THRESHOLD, else 0

    border  "ignore": 0 where a window leaves the picture; "reflect101": dcb|abcd|cba
    """

    experiment: str
    operation: str
    parameters: str
    type: str
    result: str
    side: int
    windows: tuple
    divisor: int
    rule: str
    border: str
    flops_per_pixel: float
    column: tuple = ()  # of a window that is column x row: the column; the row is the same
    noise: bool = False  # else shapes with shading

    @property
    def radius(self):
        return len(self.windows[0]) // 2

    @property
    def bytes_per_pixel(self):
        return TYPES[self.type]().itemsize + TYPES[self.result]().itemsize

    @property
    def taps(self):
        """Of each window, row by row, as what samples are multiplied by: whole numbers, but for f32 pictures."""

        def tap(t):
            return float(np.float32(t / self.divisor)) if self.type == "f32" else float(t)

        return tuple(tuple(tap(t) for line in window for t in line) for window in self.windows)

    @property
    def limit(self):
        """Of rule `edges`."""
        return self.divisor * THRESHOLD

    @property
    def bound(self):
        """How far f32 sums in another order may be off (bench/works/filters.cpp)."""
        return (
            2e-5 * 255 * sum(abs(t) for t in self.taps[0])
            if (self.rule, self.type) == ("filter", "f32")
            else 0
        )

    def source(self):
        return pictures(self.side, self.noise).astype(TYPES[self.type])

    def call(self, src, dst, **options):
        """cuesta's: numpy arrays or tensors of one device."""
        if self.rule == "filter":
            cuesta.correlate(
                src,
                np.array(self.windows[0], np.int32),
                divisor=self.divisor,
                border=self.border,
                out=dst,
                **options,
            )
        elif self.rule == "edges":
            cuesta.log_edges(src, THRESHOLD, border=self.border, out=dst, **options)
        else:
            dtype = TYPES[self.result].__name__
            cuesta.sobel(src, norm=self.rule, dtype=dtype, border=self.border, out=dst, **options)

    def answer(self, src):
        """cuesta's on the host, whose strategies are equal to its serial reference."""
        dst = np.empty(src.shape, TYPES[self.result])
        self.call(src, dst)
        return dst


@functools.lru_cache(maxsize=2)
def pictures(side, noise):
    """u8 of side x side, the same each time: uniform noise, or discs with shading and some noise."""
    random = np.random.default_rng(1)
    if noise:
        return random.integers(0, 256, (side, side), np.uint8)
    line = np.arange(side, dtype=np.int32)
    whole = 40 + 30 * line[:, None] // side + 50 * line // side
    for x, y, radius, shade in zip(
        *(random.integers(0, limit, 4 + side // 16) for limit in (side, side, side // 8 + 1, 120))
    ):
        rows, columns = slice(max(y - radius, 0), y + radius), slice(max(x - radius, 0), x + radius)
        inside = (line[rows, None] - y) ** 2 + (line[columns] - x) ** 2 < radius**2
        whole[rows, columns] += inside * (shade - whole[rows, columns] // 2)
    return np.clip(whole + random.integers(0, 8, whole.shape), 0, 255).astype(np.uint8)


def outer(column):
    return tuple(tuple(a * b for b in column) for a in column)


def convolve(experiment, parameters, type_, side, window, divisor, column=(), noise=False):
    taps = sum(len(line) for line in window)
    return Work(
        experiment,
        "convolve",
        parameters,
        type_,
        type_,
        side,
        (window,),
        divisor,
        "filter",
        "ignore",
        2 * taps,
        column,
        noise,
    )


def laplacian(experiment, type_, side, noise=False):
    return convolve(experiment, "laplacian 3x3", type_, side, LAPLACIAN, 1, noise=noise)


def gaussian(experiment, type_, side, noise=False):
    return convolve(experiment, "gaussian 5x5", type_, side, outer(GAUSSIAN), 289, GAUSSIAN, noise)


def average(experiment, parameters, type_, side):
    return convolve(experiment, parameters, type_, side, outer((1,) * 9), 81, (1,) * 9)


def sobel(experiment, rule, side):
    """L1 to u8 with the border of `cuesta.sobel`; L2 to f32 as paper 003 has it."""
    name, result, border = {
        "l1": ("magnitude L1 to u8", "u8", "reflect101"),
        "l2": ("magnitude L2 to f32", "f32", "ignore"),
    }[rule]
    return Work(
        experiment,
        "sobel",
        name,
        "u8",
        result,
        side,
        (SOBEL_X, SOBEL_Y),
        1,
        rule,
        border,
        2 * 2 * 9 + 3,
    )


def log(experiment, side, noise=False):
    """Paper 000's window, Gaussian and Laplacian composed: 7 x 7, times 289."""
    wide = np.pad(np.array(outer(GAUSSIAN)), 2)
    window = sum(
        tap * wide[j : j + 7, i : i + 7]
        for j, line in enumerate(LAPLACIAN)
        for i, tap in enumerate(line)
    )
    window = tuple(tuple(int(t) for t in line) for line in window)
    return Work(
        experiment,
        "log",
        "edges, sigma 1.4, threshold 5",
        "u8",
        "u8",
        side,
        (window,),
        LOG_SCALE,
        "edges",
        "reflect101",
        2 * 49,
        GAUSSIAN,
        noise,
    )


def works(sizes):
    """By request, sizes together: what is compiled once is used again."""
    made = []
    for type_ in ("f32", "u8"):
        made += [laplacian("log-ladder", type_, side, noise=True) for side in sizes]
        made += [gaussian("log-ladder", type_, side, noise=True) for side in sizes]
    made += [log("log-ladder", side, noise=True) for side in sizes]
    made += [average("memory-ladder", "averaging 9x9", "f32", side) for side in sizes]
    made += [sobel("sobel-ladder", rule, side) for rule in ("l2", "l1") for side in sizes]
    for side in [2048] if 2048 in sizes else sizes[-1:]:
        for type_ in ("f32", "u8"):
            made += [
                laplacian("roofline", type_, side),
                gaussian("roofline", type_, side),
                average("roofline", "average 9x9", type_, side),
            ]
        made += [sobel("roofline", "l1", side), log("roofline", side)]
    return made
