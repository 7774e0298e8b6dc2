"""Cuesta itself by this clock, with the strategy that it chooses: what ties these rows to those of `cuesta bench`."""

import cuesta

NAME = "cuesta"
DEVICES = ("cuda", "cpu")
VERSION = cuesta.__version__


def refusal(device):
    return "this build finds no GPU" if device == "cuda" and not cuesta.devices() else ""


def contenders(work, device):
    def bind(src, dst):
        def run():
            work.call(src, dst)
            return dst

        return run

    return {NAME: {"": bind}}
