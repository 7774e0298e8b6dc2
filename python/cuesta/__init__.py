"""Edges and moving objects in pictures and video: exact on any CPU and on NVIDIA GPUs.

Arrays of numpy, torch, cupy and every library with DLPack go in without a copy where the pixels of a row lie next to each
other, and with one otherwise; results are of the same kind, on the same device. PIL pictures and paths are taken too. ``strategies()`` lists every way an operation can be computed, ``verify()`` checks them on this machine.
"""

from cuesta import _extension as _extension  # first: it chooses what cuesta._core is
from cuesta._core import version as __version__
from cuesta.edges import canny, log_edges, sobel
from cuesta.errors import (
    DeviceError,
    Error,
    InputError,
    InvalidArgument,
    OutOfMemory,
    OutputError,
    Unsupported,
)
from cuesta.files import FileResult, edges_file, filter_file, imread, imwrite
from cuesta.filters import box, convolve, correlate, gaussian, laplacian, median, sharpen
from cuesta.graphs import Graphed, graphed
from cuesta.info import (
    Choice,
    Device,
    Report,
    Strategy,
    devices,
    release_memory,
    strategies,
    verify,
    which,
)
from cuesta.lines import Line, trace
from cuesta.motion import BackgroundSubtractor, Detection, FrameState, MotionDetector
from cuesta.objects import (
    Labels,
    absdiff,
    close,
    dilate,
    erode,
    histogram,
    label,
    open,
    otsu_threshold,
    threshold,
    to_gray,
)
from cuesta.tracking import (
    CountingLine,
    Crossing,
    Event,
    EventObject,
    SceneStep,
    SceneWatch,
    TrackedObject,
    Tracker,
    Zone,
)
from cuesta.video import MovingFrame, VideoDetector, VideoFrame, VideoReader, detect, read_video

__all__ = [
    "BackgroundSubtractor",
    "Choice",
    "CountingLine",
    "Crossing",
    "Detection",
    "Device",
    "DeviceError",
    "Error",
    "Event",
    "EventObject",
    "FileResult",
    "FrameState",
    "Graphed",
    "InputError",
    "InvalidArgument",
    "Labels",
    "Line",
    "MotionDetector",
    "MovingFrame",
    "OutOfMemory",
    "OutputError",
    "Report",
    "SceneStep",
    "SceneWatch",
    "Strategy",
    "TrackedObject",
    "Tracker",
    "Unsupported",
    "VideoDetector",
    "VideoFrame",
    "VideoReader",
    "Zone",
    "__version__",
    "absdiff",
    "box",
    "canny",
    "close",
    "convolve",
    "correlate",
    "detect",
    "devices",
    "dilate",
    "edges_file",
    "erode",
    "filter_file",
    "gaussian",
    "graphed",
    "histogram",
    "imread",
    "imwrite",
    "label",
    "laplacian",
    "log_edges",
    "median",
    "open",
    "otsu_threshold",
    "read_video",
    "release_memory",
    "sharpen",
    "sobel",
    "strategies",
    "threshold",
    "to_gray",
    "trace",
    "verify",
    "which",
]
