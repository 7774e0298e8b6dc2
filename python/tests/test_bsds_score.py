"""bench/field/bsds-score on layouts made here, whose figures can be counted by hand."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.io
import skimage.io

SCORE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "field" / "bsds-score"
Picture = npt.NDArray[np.bool_]
SHAPE = (240, 320)  # a diagonal of 400: pixels correspond up to 3 apart


def drawn(*lines: tuple[int, int, int]) -> Picture:
    """Horizontal lines, each a row, its first column and one past its last."""
    picture = np.zeros(SHAPE, bool)
    for y, first, end in lines:
        picture[y, first:end] = True
    return picture


def loaded(path: pathlib.Path) -> Any:
    loader = importlib.machinery.SourceFileLoader("bsds_score", str(path))
    spec = importlib.util.spec_from_loader("bsds_score", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


program = loaded(SCORE)


class Layout:
    def __init__(self, at: pathlib.Path, output: pytest.CaptureFixture[str]) -> None:
        self.at = at
        self.output = output

    def truth(self, name: str, *people: Picture) -> None:
        folder = self.at / "data/groundTruth/val"
        folder.mkdir(parents=True, exist_ok=True)
        cells = np.empty((1, len(people)), object)
        for i, person in enumerate(people):
            cells[0, i] = {
                "Segmentation": np.zeros(SHAPE, np.uint16),
                "Boundaries": person.astype(np.uint8),
            }
        scipy.io.savemat(folder / f"{name}.mat", {"groundTruth": cells})

    def map(self, name: str, samples: npt.NDArray[np.generic], folder: str = "maps") -> None:
        (self.at / folder).mkdir(exist_ok=True)
        skimage.io.imsave(self.at / folder / f"{name}.png", samples, check_contrast=False)

    def edges(self, name: str, edges: Picture, folder: str = "maps") -> None:
        self.map(name, edges.astype(np.uint8) * 255, folder)

    def run(self, *arguments: str) -> str:
        program.main(["data", *(arguments or ["maps"]), "--split", "val", "--jobs", "1"])
        return self.output.readouterr().out

    def figures(self, *arguments: str) -> dict[str, float]:
        pairs = (word.split() for word in self.run(*arguments).split("\t"))
        return {name: float(value) for name, value in pairs if name != "split"}

    def error(self) -> str:
        with pytest.raises(SystemExit) as end:
            self.run()
        return str(end.value)


@pytest.fixture
def layout(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Layout:
    monkeypatch.chdir(tmp_path)
    return Layout(tmp_path, capsys)


def test_one_setting(layout: Layout) -> None:
    # Of 40 + 60 pixels drawn 40 are found; of 100 edge pixels 40 are right.
    layout.truth("a", drawn((50, 10, 50)), drawn((150, 10, 70)))
    layout.edges("a", drawn((50, 10, 50), (100, 10, 70)))
    assert layout.figures() == {
        "pictures": 1,
        "settings": 1,
        "recall": 0.4,
        "precision": 0.4,
        "F": 0.4,
    }


@pytest.mark.parametrize(("down", "found"), [(0, 1.0), (3, 1.0), (4, 0.0)])
def test_tolerance(layout: Layout, down: int, found: float) -> None:
    layout.truth("a", drawn((50, 10, 50)))
    layout.edges("a", drawn((50 + down, 10, 50)))
    assert layout.figures()["F"] == found
    assert layout.figures("maps", "--tolerance", "0.0101")["F"] == 1


def test_one_to_one(layout: Layout) -> None:
    # Two lines beside the one that was drawn: each pixel drawn is one of theirs, not both.
    layout.truth("a", drawn((50, 10, 50)))
    layout.edges("a", drawn((48, 10, 50), (52, 10, 50)))
    figures = layout.figures()
    assert (figures["recall"], figures["precision"]) == (1, 0.5)


def test_most_pairs(layout: Layout) -> None:
    # Nearest first would pair 12 with 13 and leave 15 alone.
    layout.truth("a", drawn((50, 10, 11), (50, 13, 14)))
    layout.edges("a", drawn((50, 12, 13), (50, 15, 16)))
    assert layout.figures()["F"] == 1


def test_least_distance(layout: Layout) -> None:
    # Both persons' line is the upper one: the union of what corresponds to them is that line alone.
    layout.truth("a", drawn((50, 10, 50)), drawn((50, 10, 50)))
    layout.edges("a", drawn((50, 10, 50), (53, 10, 50)))
    figures = layout.figures()
    assert (figures["recall"], figures["precision"]) == (1, 0.5)


def test_whoever_drew_it(layout: Layout) -> None:
    # Precision counts what anybody drew, recall what each did.
    layout.truth("a", drawn((50, 10, 50)), drawn((150, 10, 50)))
    layout.edges("a", drawn((50, 10, 50), (150, 10, 50)))
    assert layout.figures()["F"] == 1
    layout.edges("a", drawn((50, 10, 50)))
    figures = layout.figures()
    assert (figures["recall"], figures["precision"]) == (0.5, 1)


def test_bands_are_thinned(layout: Layout) -> None:
    layout.truth("a", drawn((50, 10, 90)))
    layout.edges("a", drawn((49, 10, 90), (50, 10, 90), (51, 10, 90)))
    figures = layout.figures()
    assert figures["precision"] == 1
    assert figures["recall"] > 0.95


@pytest.mark.parametrize("depth", [8, 16])
def test_strengths(layout: Layout, depth: int) -> None:
    # Strong: 40 of the 100 pixels drawn; with the weaker line 100 right ones; the weakest line is wrong, 100 pixels.
    largest = 2**depth - 1
    layout.truth("a", drawn((50, 10, 50), (100, 10, 70)))
    strength = np.zeros(SHAPE, np.uint8 if depth == 8 else np.uint16)
    for share, line in ((0.9, (50, 10, 50)), (0.6, (100, 10, 70)), (0.3, (150, 10, 110))):
        strength[drawn(line)] = int(share * largest)
    layout.map("a", strength)
    figures = layout.figures("maps", "--thresholds", "3")  # 0.25, 0.5, 0.75
    assert (figures["settings"], figures["threshold"]) == (3, 0.5)
    assert (figures["recall"], figures["precision"], figures["ODS"], figures["OIS"]) == (1, 1, 1, 1)
    # Precision over recalls 0.4 .. 1: 1 up to 1, where the benchmark takes the first of two.
    assert 0.59 <= figures["AP"] <= 0.61


def test_several_settings(layout: Layout) -> None:
    # a is best at the first setting, b at the second: OIS takes the best of each.
    for name in "ab":
        layout.truth(name, drawn((50, 10, 50)))
    right, both = drawn((50, 10, 50)), drawn((50, 10, 50), (100, 10, 50))
    for folder, a, b in (("one", right, both), ("two", both, right), ("three", both, both)):
        layout.edges("a", a, folder)
        layout.edges("b", b, folder)
    figures = layout.figures("one", "two", "three", "--json", "figures.json")
    assert figures["OIS"] == 1
    assert figures["ODS"] == 0.8  # 80 right of 120
    kept = json.loads((layout.at / "figures.json").read_text())
    assert kept["counts"]["a"] == [[40, 40, 40, 40], [40, 40, 40, 80], [40, 40, 40, 80]]
    assert kept["maps"] == ["one", "two", "three"]


def test_nothing_found(layout: Layout) -> None:
    layout.truth("a", drawn((50, 10, 50)))
    layout.edges("a", drawn())
    assert layout.figures()["F"] == 0


def test_what_is_wrong_is_said(layout: Layout) -> None:
    assert "holds no .mat" in layout.error()
    layout.truth("a", drawn((50, 10, 50)))
    assert "maps/a.png is not there" in layout.error()
    layout.edges("a", drawn((50, 10, 50))[:, 1:])
    assert "319 x 240" in layout.error()
    layout.map("a", np.zeros((*SHAPE, 3), np.uint8))
    assert "a gray PNG" in layout.error()
    (layout.at / "data/groundTruth/val/a.mat").write_bytes(b"no")
    layout.edges("a", drawn((50, 10, 50)))
    assert "no ground truth can be read" in layout.error()


def test_uded_score(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    uded = loaded(SCORE.with_name("uded-score"))
    truth, near = drawn((50, 20, 120), (90, 20, 120)), drawn((52, 20, 120), (200, 20, 60))
    for folder, name, picture in (
        ("gt", "01-a", truth),
        ("gt", "02-35028", truth),  # one of BSDS500's
        ("maps", "01-a", near),
        ("none", "01-a", drawn()),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        skimage.io.imsave(
            tmp_path / folder / f"{name}.png", picture * np.uint8(255), check_contrast=False
        )
    uded.main([".", "maps", "none", "--jobs", "1", "--json", "made.json"])
    found, empty, sweep = capsys.readouterr().out.splitlines()
    assert found.split("\t")[0] == "recall 0.5000"  # 100 of 200
    assert found.split("\t")[1] == f"precision {100 / 140:.4f}"
    assert empty.startswith("recall 0.0000\tprecision 0.0000\tF 0.0000")
    made = json.loads((tmp_path / "made.json").read_text())
    assert made["pictures"] == 1 and len(made["rows"]) == 2
    f = 2 * (0.5 * 100 / 140) / (0.5 + 100 / 140)
    assert made["sweep"]["ODS"] == made["sweep"]["OIS"] == pytest.approx(f)
    assert sweep == "\t".join(f"{name} {value:.4f}" for name, value in made["sweep"].items())
    with pytest.raises(SystemExit, match=r"other/01-a.png is not there"):
        uded.main([".", "other"])
