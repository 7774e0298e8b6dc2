"""Edges, filters and moving objects on many machines, with Ray: ``pip install cuesta[ray]``.

`edges` and `filter` are pipelines of Ray Data over pictures. Their rows hold paths, bytes or
arrays, and actors process them. `edges_file`, `filter_file` and `label_file` process one picture
that is larger than memory, in bands of rows. `detect` finds moving objects in videos, which are cut
at key frames into parts. Each returns the bytes of one process on one machine, with any number of
workers.

A file that cannot be read becomes a row with an `error`; the others continue. A worker that dies is
replaced, and its work is repeated. Names of results follow from their inputs, so that nothing
exists twice. Results are written to a folder on any of pyarrow's file systems (a path,
``s3://bucket/folder``, ``gs://...``). The folder contains ``_SUCCESS`` when it is complete.
docs/user/many-machines.md describes what runs in parallel.

`edges` and `filter` compute on GPUs where `num_gpus` gives each actor a part of one. Bands and
videos are computed on the CPU.
"""

from __future__ import annotations

import sys as _sys

try:
    import pyarrow as _pyarrow
    import ray as _ray
    import ray.data as _ray_data
except ImportError as error:
    _reason = f"cuesta.ray requires Ray with its data part ({error}); install them: pip install 'cuesta[ray]'"
    if _sys.argv[0] == "-m":  # python -m cuesta.ray: for people who write no code
        print(_reason, file=_sys.stderr)
        _sys.exit(2)
    raise ImportError(_reason, name=error.name) from error

from cuesta.ray._bands import edges_file, filter_file, label_file
from cuesta.ray._outputs import Summary
from cuesta.ray._pictures import edges, filter
from cuesta.ray._videos import detect

__all__ = ["Summary", "detect", "edges", "edges_file", "filter", "filter_file", "label_file"]

del _pyarrow, _ray, _ray_data, _sys
