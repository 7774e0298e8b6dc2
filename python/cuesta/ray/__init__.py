"""Edges, filters and moving objects over many machines, with Ray: ``pip install cuesta[ray]``.

`edges` and `filter` are pipelines of Ray Data over pictures: rows of paths, of bytes or of arrays, done by actors that keep
their workspaces. `edges_file`, `filter_file` and `label_file` work on one picture that is larger than memory, in bands of
rows. `detect` watches videos, cut at key frames into parts that follow each other, on whichever machine. Each gives byte
for byte what one process on one machine gives, whatever the number of workers.

A file that cannot be read is a row with an `error`, and the others go on. A worker that is killed is replaced, and what it
was at is done again; results have names that follow from their inputs, so that nothing is there twice. Results go to a
folder on any of pyarrow's file systems (a path, ``s3://bucket/folder``, ``gs://...``); ``_SUCCESS`` lies in it when all are
there. docs/user/many-machines.md says what runs beside what.

`edges` and `filter` compute on GPUs where `num_gpus` gives each actor a part of one; bands and videos are on the CPU.
"""

from __future__ import annotations

import sys as _sys

try:
    import pyarrow as _pyarrow
    import ray as _ray
    import ray.data as _ray_data
except ImportError as error:
    _reason = f"cuesta.ray needs Ray with its data part ({error}); install them: pip install 'cuesta[ray]'"
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
