"""A program whose threads write one array, which is a race: scripts/check-free-threaded wants ThreadSanitizer's report of it,
with our function in it."""

from __future__ import annotations

import threading

import numpy as np

import cuesta

picture, out = np.zeros((256, 256), np.uint8), np.empty((256, 256), np.uint8)
begin = threading.Barrier(2)


def work() -> None:
    begin.wait()
    for _ in range(20):
        cuesta.gaussian(picture, 2.0, threads=1, out=out)


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
