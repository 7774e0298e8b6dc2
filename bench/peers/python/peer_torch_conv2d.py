"""torch's conv2d, on the GPU cuDNN's, which may try its algorithms (benchmark): what the rule adds are torch's own kernels. In
f32 without TF32, whose 10 bits would not hold the taps; half and channels_last would be another request, not another way.
cuDNN's border is zeros outside, so with border `ignore` the frame differs."""

import torch
import torch.nn.functional as functional

from peer_torch_compile import finished

NAME = "torch-conv2d"
DEVICES = ("cuda", "cpu")
VERSION = torch.__version__
# Without a GPU, cuDNN need not be installed.
if torch.cuda.is_available():
    VERSION += f", cuDNN {torch.backends.cudnn.version()}"


def contenders(work, device):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    n, radius = 2 * work.radius + 1, work.radius

    def bind(src, dst):
        weights = torch.tensor(work.taps, dtype=torch.float32, device=src.device).view(-1, 1, n, n)

        def run():
            planes = src.float()[None, None]
            if work.border == "reflect101":
                sums = functional.conv2d(
                    functional.pad(planes, (radius,) * 4, mode="reflect"), weights
                )
            else:
                sums = functional.conv2d(planes, weights, padding=radius)
            return finished(work, sums[0])

        return run

    return {NAME: {"": bind}}
