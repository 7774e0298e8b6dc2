"""Edges and moving objects in pictures and video: exact on any CPU and on NVIDIA GPUs.

Functions accept arrays of numpy, torch, cupy and every library with DLPack. Where the pixels of a
row are adjacent, the array is read in place; otherwise it is copied once. Results are arrays of the
same library on the same device. PIL pictures and paths are accepted too. ``strategies()`` lists
every implementation of an operation. ``verify()`` checks them on this machine.
"""

from cuesta import _extension as _extension  # first: it chooses what cuesta._core is
from cuesta._band_files import FileComponents, FileResult, edges_file, filter_file, label_file
from cuesta._boundaries import boundaries, regions
from cuesta._core import version as __version__
from cuesta._device_arrays import DeviceArray, to_device, to_host
from cuesta._edges import canny, canny_of_gradients, log_edges
from cuesta._events import read_events
from cuesta._filters import box, convolve, correlate, gaussian, laplacian, median, sharpen
from cuesta._gradients import sobel
from cuesta._graphs import Graphed, graphed
from cuesta._info import (
    Choice,
    Device,
    Report,
    Strategy,
    devices,
    release_memory,
    strategies,
    verify,
    which,
    which_all,
)
from cuesta._lines import Line, Outline, trace
from cuesta._measure import Measures, measure
from cuesta._motion import BackgroundSubtractor, Detection, FrameState, MotionDetector
from cuesta._objects import (
    Labels,
    close,
    dilate,
    erode,
    fill_holes,
    label,
    open,
    remove_small,
)
from cuesta._picture_files import count_pages, imread, imwrite
from cuesta._pixels import absdiff, histogram, otsu_threshold, threshold, to_gray
from cuesta._recipes import EdgesUsed, edge_lines, edges
from cuesta._tracking import (
    CountingLine,
    Crossing,
    Event,
    EventObject,
    SceneStep,
    SceneWatch,
    TrackedObject,
    Tracker,
    Zone,
    ZoneState,
    ZoneVisit,
)
from cuesta._videos import (
    MovingFrame,
    VideoDetector,
    VideoFrame,
    VideoPart,
    VideoReader,
    detect,
    read_video,
    video_parts,
)
from cuesta.errors import (
    DeviceError,
    Error,
    InputError,
    InvalidArgument,
    OutOfMemory,
    OutputError,
    Unsupported,
)

__all__ = [
    "BackgroundSubtractor",
    "Choice",
    "CountingLine",
    "Crossing",
    "Detection",
    "Device",
    "DeviceArray",
    "DeviceError",
    "EdgesUsed",
    "Error",
    "Event",
    "EventObject",
    "FileComponents",
    "FileResult",
    "FrameState",
    "Graphed",
    "InputError",
    "InvalidArgument",
    "Labels",
    "Line",
    "Measures",
    "MotionDetector",
    "MovingFrame",
    "OutOfMemory",
    "Outline",
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
    "VideoPart",
    "VideoReader",
    "Zone",
    "ZoneState",
    "ZoneVisit",
    "__version__",
    "absdiff",
    "boundaries",
    "box",
    "canny",
    "canny_of_gradients",
    "close",
    "convolve",
    "correlate",
    "count_pages",
    "detect",
    "devices",
    "dilate",
    "edge_lines",
    "edges",
    "edges_file",
    "erode",
    "fill_holes",
    "filter_file",
    "gaussian",
    "graphed",
    "histogram",
    "imread",
    "imwrite",
    "label",
    "label_file",
    "laplacian",
    "log_edges",
    "measure",
    "median",
    "open",
    "otsu_threshold",
    "read_events",
    "read_video",
    "regions",
    "release_memory",
    "remove_small",
    "sharpen",
    "sobel",
    "strategies",
    "threshold",
    "to_device",
    "to_gray",
    "to_host",
    "trace",
    "verify",
    "video_parts",
    "which",
    "which_all",
]
