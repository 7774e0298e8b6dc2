"""CuPy's RawKernel: CUDA C++ that NVRTC compiles when it is first called, a thread a pixel, the taps in the instructions. What
somebody writes who knows CUDA and has a Python program."""

import cupy
import numpy as np

NAME = "cupy"
DEVICES = ("cuda",)
VERSION = cupy.__version__

BLOCK = (32, 8)
SAMPLES = {"u8": "unsigned char", "f32": "float"}

SOURCE = """
constexpr int N = {n}, RADIUS = N / 2;
__device__ constexpr float taps[][N * N] = {{{taps}}};

__device__ int reflect101(int i, int n) {{ return n - 1 - abs(n - 1 - abs(i)); }}

template <int Window>
__device__ float window_sum(const {sample}* src, int x, int y, int width, int height, bool inside) {{
  float sum = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) {{
#pragma unroll
    for (int i = 0; i < N; ++i) {{
      if (taps[Window][j * N + i] == 0) continue;
      int sx = x + i - RADIUS, sy = y + j - RADIUS;
      if (!inside) sx = reflect101(sx, width), sy = reflect101(sy, height);
      sum = fmaf(taps[Window][j * N + i], src[sy * width + sx], sum);
    }}
  }}
  return sum;
}}

extern "C" __global__ void stencil(const {sample}* __restrict__ src, {result}* __restrict__ dst, int width, int height) {{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const bool inside = x >= RADIUS && y >= RADIUS && x < width - RADIUS && y < height - RADIUS;
  if ({ignore} && !inside) {{
    dst[y * width + x] = 0;
    return;
  }}
  const float a = window_sum<0>(src, x, y, width, height, {ignore} || inside);
  {finish}
}}
"""

FINISH = {
    "sum": "dst[y * width + x] = a;",
    "filter": "dst[y * width + x] = fminf(fmaxf(rintf(a / {divisor}), 0), 255);",
    "edges": "dst[y * width + x] = fabsf(a) > {limit} ? 255 : 0;",
    "l1": "const float b = window_sum<1>(src, x, y, width, height, {ignore} || inside);\n"
    "  dst[y * width + x] = fminf(fabsf(a) + fabsf(b), 255);",
    "l2": "const float b = window_sum<1>(src, x, y, width, height, {ignore} || inside);\n"
    "  dst[y * width + x] = sqrtf(a * a + b * b);",
}


def source_of(work):
    ignore = "true" if work.border == "ignore" else "false"
    taps = ", ".join("{" + ", ".join(f"{t!r}f" for t in window) + "}" for window in work.taps)
    finish = FINISH["sum" if (work.rule, work.type) == ("filter", "f32") else work.rule]
    return SOURCE.format(
        n=2 * work.radius + 1,
        taps=taps,
        sample=SAMPLES[work.type],
        result=SAMPLES[work.result],
        ignore=ignore,
        finish=finish.format(divisor=f"{work.divisor}.f", limit=f"{work.limit}.f", ignore=ignore),
    )


def contenders(work, device):
    kernel = cupy.RawKernel(source_of(work), "stencil")

    def bind(src, dst):
        height, width = src.shape
        grid = (-(-width // BLOCK[0]), -(-height // BLOCK[1]))
        arguments = cupy.asarray(src), cupy.asarray(dst), np.int32(width), np.int32(height)

        def run():
            kernel(grid, BLOCK, arguments)
            return dst

        return run

    return {NAME: {"": bind}}
