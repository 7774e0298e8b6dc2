"""Requests of OpenCV's functions that Cuesta computes with the same bytes. cv2 computes all others."""

from __future__ import annotations

from typing import Final

from cuesta.compat._dispatch import Original, Row

# Samples. Smaller pictures are dominated by the cost of a call, which is less in cv2.
_SMALL: Final = 1 << 18
_ANY: Final = (1, 2, 3, 4)
_DEPTHS = "ddepth -1, 8U, 16U, 16S, 32F and 64F"
_BORDERS = "borders constant, replicate, reflect and reflect 101"
_EXACT = "sums that are exact on every build of cv2"
_ELEMENTS = "any element, anchor, iterations and border value that fit into 255 x 255"
_SLOW_ELEMENTS = "rectangles above 3 x 3 (uint16: all), crosses, elements below 5 x 5; of colors all below 31 x 31"

TABLE: Final = {
    row.path: row
    for row in (
        Row(
            "Canny",
            ("uint8", "int16"),
            (1, 3),
            "uint8 pictures with apertures 3, 5 and 7, or two int16 gradients",
        ),
        Row(
            "GaussianBlur",
            ("uint8",),
            _ANY,
            f"square windows up to 255; {_BORDERS}, and wrap",
            "",
            _SMALL,
        ),
        Row(
            "medianBlur",
            ("uint8", "uint16", "float32"),
            _ANY,
            "ksize up to 255; of uint16, float32 and two channels 1, 3 and 5; no NaN",
            "ksize 3; ksize 1 below 262,144 samples",
        ),
        Row(
            "Sobel",
            ("uint8", "uint16"),
            _ANY,
            f"ksize 1, 3, 5, 7 and Scharr; {_DEPTHS}; {_EXACT}; {_BORDERS}",
            "ksize 7 of uint8 to 8U and 32F",
            _SMALL,
        ),
        Row("Scharr", ("uint8", "uint16"), _ANY, f"{_DEPTHS}; {_EXACT}; {_BORDERS}", "", _SMALL),
        Row(
            "Laplacian",
            ("uint8", "uint16"),
            _ANY,
            f"ksize 1, 3, 5 and 7; {_DEPTHS}; {_EXACT}; {_BORDERS}",
            "ksize 3 of one channel to 16S",
            _SMALL,
        ),
        Row(
            "filter2D",
            ("uint8", "uint16"),
            _ANY,
            f"fewer than 50 whole numbers, any anchor, whole delta; {_DEPTHS}; {_BORDERS}",
            "colors to 64F",
            _SMALL,
        ),
        Row(
            "sepFilter2D",
            ("uint8", "uint16"),
            (1,),
            "as filter2D, for the product of both kernels",
            "",
            _SMALL,
        ),
        Row("erode", ("uint8", "uint16"), _ANY, f"{_ELEMENTS}; {_BORDERS}", _SLOW_ELEMENTS, _SMALL),
        Row(
            "dilate", ("uint8", "uint16"), _ANY, f"{_ELEMENTS}; {_BORDERS}", _SLOW_ELEMENTS, _SMALL
        ),
        Row(
            "morphologyEx",
            ("uint8", "uint16"),
            _ANY,
            f"all operations but hit or miss; {_ELEMENTS}; {_BORDERS}",
            f"{_SLOW_ELEMENTS}; up to 5 x 5 gradient, top hat and black hat",
            _SMALL,
        ),
        Row("cvtColor", ("uint8",), (3, 4), "BGR, RGB, BGRA and RGBA to gray", "", _SMALL),
        Row(
            "connectedComponents",
            ("uint8", "int8", "bool"),
            (1,),
            "4 ways; labels 32S or 16U",
            "",
            _SMALL,
        ),
        Row(
            "connectedComponentsWithStats",
            ("uint8", "int8", "bool"),
            (1,),
            "4 ways; labels 32S or 16U",
            "",
            _SMALL,
        ),
    )
}
original = Original("cv2", "opencv-python", "cuesta.compat.cv2", TABLE)
