"""torch.compile: the definition as slices and sums, and what the compiler makes of it."""

import torch
import torch.nn.functional as functional

NAME = "torch.compile"
DEVICES = ("cuda", "cpu")
VERSION = torch.__version__


def finished(work, sums):
    """The rule on f32 sums, one of each window."""
    if work.rule == "edges":
        return (sums[0].abs() > work.limit).to(torch.uint8) * 255
    if work.rule == "l1":
        return (sums[0].abs() + sums[1].abs()).clamp(max=255).to(torch.uint8)
    if work.rule == "l2":
        return torch.sqrt(sums[0] * sums[0] + sums[1] * sums[1])
    if work.type == "f32":
        return sums[0]
    return torch.round(sums[0] / work.divisor).clamp(0, 255).to(torch.uint8)


def definition(work):
    n, radius = 2 * work.radius + 1, work.radius
    frame = (radius,) * 4

    def answer(src, dst):
        wide = src.float()
        if work.border == "reflect101":
            wide = functional.pad(wide[None, None], frame, mode="reflect")[0, 0]
        height, width = wide.shape[0] - 2 * radius, wide.shape[1] - 2 * radius
        sums = []
        for taps in work.taps:
            terms = [
                wide[j : j + height, i : i + width] * taps[j * n + i]
                for j in range(n)
                for i in range(n)
                if taps[j * n + i]
            ]
            sums.append(sum(terms[1:], terms[0]))
        made = finished(work, sums)
        dst.copy_(made if work.border == "reflect101" else functional.pad(made, frame))
        return dst

    return answer


def contenders(work, device):
    # A function a request and a size: more than one of the same code else counts as compiled too often.
    torch.compiler.reset()
    compiled = torch.compile(definition(work), fullgraph=True, dynamic=False)

    def bind(src, dst):
        return lambda: compiled(src, dst)

    return {NAME: {"": bind}}
