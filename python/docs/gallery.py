"""Makes docs/gallery: pictures that scikit-image ships, and what Cuesta makes of them.

    python python/docs/gallery.py [FOLDER]

Every picture is a PNG below 60 kB; README.md beside them says the call that made each.
"""

from __future__ import annotations

import inspect
import pathlib
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import skimage.color
import skimage.data
import skimage.io
import skimage.transform

import cuesta

Picture = npt.NDArray[np.uint8]
LIMIT = 60_000
GAP = 6

HEAD = """\
# Gallery

Made by `python python/docs/gallery.py` from pictures that scikit-image ships.
"""


def canny_of_a_photograph() -> Picture:
    """Canny with no thresholds given: Otsu's rule finds them in the gradients."""
    image = skimage.data.camera()
    edges = cuesta.canny(image)
    return beside(image, edges)


def coins_counted() -> Picture:
    """Coins: a background taken away, a threshold, a closing, labels, and a box for each."""
    image = skimage.data.coins()
    background = cuesta.open(cuesta.gaussian(image, 2.0), "disk:81")
    lit = cuesta.absdiff(image, np.minimum(background, image))
    mask = cuesta.threshold(lit, cuesta.otsu_threshold(cuesta.histogram(lit)))
    mask = cuesta.open(cuesta.close(mask, "disk:9"), "disk:11")
    found = cuesta.label(mask)
    return boxed(image, found.boxes)


def sobel_directions() -> Picture:
    """Sobel: where the gradient points is the color, how steep it is the brightness."""
    image = cuesta.gaussian(cuesta.to_gray(skimage.data.coffee()), 1.4, ksize=5)
    angle, size = cuesta.sobel(image, outputs=("direction", "magnitude"), dtype="float32")
    hue = (angle / (2 * np.pi)) % 1
    value = np.clip(size / 300, 0, 1)
    return as_bytes(skimage.color.hsv2rgb(np.dstack([hue, np.ones_like(hue), value])))


def laplacian_of_gaussian() -> Picture:
    """Laplacian of Gaussian, zero crossings at two widths: hairs, and the shapes they make."""
    image = cuesta.to_gray(skimage.data.chelsea())
    fine = cuesta.log_edges(image, 3.0, mode="zero-crossings")
    coarse = cuesta.log_edges(image, 0.2, sigma=4.0, mode="zero-crossings")
    return beside(fine, coarse)


def page_cleaned() -> Picture:
    """A page under uneven light: the paper, by a large closing, taken away; one limit."""
    image = skimage.data.page()
    soft = cuesta.gaussian(image, 1.0)
    ink = cuesta.absdiff(cuesta.close(soft, "disk:25"), soft)
    return beside(image, 255 - cuesta.threshold(ink, 26))


def galaxies_labelled() -> Picture:
    """Galaxies: every object above a threshold, in a color of its own."""
    image = cuesta.to_gray(skimage.data.hubble_deep_field()[:400, :560])
    mask = cuesta.threshold(cuesta.gaussian(image, 1.0), 45)
    found = cuesta.label(cuesta.open(mask, "cross:3"))
    colors = np.random.default_rng(5).integers(80, 256, (found.count + 1, 3), dtype=np.uint8)
    colors[0] = 0
    return beside(image, colors[found.labels])


def something_moves() -> Picture:
    """MotionDetector: a block crosses a still scene; the 12th frame, its box, its mask."""
    scene = cuesta.to_gray(skimage.data.rocket()[:, 60:600])
    detector = cuesta.MotionDetector(
        "median", threshold=20, blur=5, close="disk:9", min_area=200, warm_up=1
    )
    detector.push(scene)
    for step in range(12):
        frame = scene.copy()
        frame[300:350, 20 + 25 * step : 110 + 25 * step] = 235
        found = detector.push(frame)
    boxes = np.array([seen.box for seen in found])
    return beside(boxed(frame, boxes), detector.mask)


def stencils() -> Picture:
    """Stencils of one's own: an emboss, and a horizontal motion blur of 31 pixels."""
    image = cuesta.to_gray(skimage.data.astronaut())
    embossed = cuesta.correlate(image, "-2 -1 0; -1 0 1; 0 1 2", offset=128)
    blurred = cuesta.correlate(image, np.ones((1, 31), int), divisor=31)
    return beside(embossed, blurred)


SCENES: list[Callable[[], Picture]] = [
    canny_of_a_photograph,
    laplacian_of_gaussian,
    sobel_directions,
    stencils,
    coins_counted,
    galaxies_labelled,
    page_cleaned,
    something_moves,
]


def as_bytes(image: npt.NDArray[Any]) -> Picture:
    return np.round(image * 255).astype(np.uint8)


def beside(left: Picture, right: Picture) -> Picture:
    """Both side by side with a white gap, in color where one of them is."""
    color = left.ndim == 3 or right.ndim == 3
    left, right = (np.dstack([p] * 3) if color and p.ndim == 2 else p for p in (left, right))
    gap = np.full((left.shape[0], GAP, *left.shape[2:]), 255, np.uint8)
    return np.concatenate([left, gap, right], axis=1)


def boxed(image: Picture, boxes: npt.NDArray[Any]) -> Picture:
    """The picture with a rectangle around each (x, y, width, height)."""
    drawn = np.dstack([image] * 3)
    for x, y, width, height in boxes:
        inside = drawn[y : y + height, x : x + width].copy()
        drawn[max(y - 2, 0) : y + height + 2, max(x - 2, 0) : x + width + 2] = (255, 80, 40)
        drawn[y : y + height, x : x + width] = inside
    return drawn


def save(path: pathlib.Path, image: Picture) -> None:
    """As a PNG below LIMIT: scaled down until it is."""
    scale = min(1.0, 720 / image.shape[1])
    while True:
        small = image
        if scale < 1:
            size = (round(image.shape[0] * scale), round(image.shape[1] * scale))
            small = as_bytes(
                skimage.transform.resize(image, size + image.shape[2:], anti_aliasing=True)
            )
        skimage.io.imsave(path, small // 8 * 8 + small // 32, check_contrast=False)
        if path.stat().st_size < LIMIT:
            return
        scale *= 0.93


def call_of(scene: Callable[[], Picture]) -> str:
    """The lines between the docstring and the return."""
    source = inspect.getsource(scene)
    body = source.split('"""', 2)[2]
    return textwrap.dedent(re.sub(r"\n    return .*", "", body)).strip()


def main() -> None:
    folder = pathlib.Path(
        sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "docs/gallery"
    )
    folder.mkdir(parents=True, exist_ok=True)
    parts = [HEAD.strip()]
    for scene in SCENES:
        name = scene.__name__.replace("_", "-") + ".png"
        save(folder / name, scene())
        title = (inspect.getdoc(scene) or "").strip()
        parts += [f"![{title}]({name})", title, f"```python\n{call_of(scene)}\n```"]
    (folder / "README.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
