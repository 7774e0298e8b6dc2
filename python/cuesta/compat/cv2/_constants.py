"""OpenCV's constants for the arguments that are supported here. All others come from cv2."""

from typing import Final

CV_8U: Final = 0
CV_16U: Final = 2
CV_16S: Final = 3
CV_32S: Final = 4
CV_32F: Final = 5
CV_64F: Final = 6

BORDER_CONSTANT: Final = 0
BORDER_REPLICATE: Final = 1
BORDER_REFLECT: Final = 2
BORDER_WRAP: Final = 3
BORDER_REFLECT_101: Final = 4
BORDER_REFLECT101: Final = 4
BORDER_DEFAULT: Final = 4
BORDER_ISOLATED: Final = 16

MORPH_ERODE: Final = 0
MORPH_DILATE: Final = 1
MORPH_OPEN: Final = 2
MORPH_CLOSE: Final = 3
MORPH_GRADIENT: Final = 4
MORPH_TOPHAT: Final = 5
MORPH_BLACKHAT: Final = 6

CC_STAT_LEFT: Final = 0
CC_STAT_TOP: Final = 1
CC_STAT_WIDTH: Final = 2
CC_STAT_HEIGHT: Final = 3
CC_STAT_AREA: Final = 4

FILTER_SCHARR: Final = -1

COLOR_BGR2GRAY: Final = 6
COLOR_RGB2GRAY: Final = 7
COLOR_BGRA2GRAY: Final = 10
COLOR_RGBA2GRAY: Final = 11
