// What the server sends, as pictures that a canvas draws.

const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
if (!little) throw new Error("this page needs a little-endian machine");

/// One bit a pixel, the lowest bit first: `color` (0xAABBGGRR) where it is set, transparent elsewhere.
function ofBits({ width, height, stride }, bytes, color) {
  const data = new Uint32Array(width * height);
  for (let y = 0; y < height; ++y) {
    const row = y * stride;
    for (let i = 0; i < stride; ++i) {
      let byte = bytes[row + i];
      if (byte === 0) continue;
      let at = y * width + i * 8;
      for (; byte; byte >>= 1, ++at) if (byte & 1) data[at] = color;
    }
  }
  return data;
}

/// 8-bit samples of 1 to 4 channels: gray, gray and alpha, RGB, RGB and alpha. Alpha is not looked at, as
/// the methods do not.
function ofSamples({ width, height, channels }, bytes) {
  const count = width * height, data = new Uint32Array(count);
  if (channels < 3) {
    for (let i = 0; i < count; ++i) data[i] = 0xff000000 | bytes[i * channels] * 0x010101;
  } else {
    for (let i = 0, at = 0; i < count; ++i, at += channels)
      data[i] = 0xff000000 | bytes[at + 2] << 16 | bytes[at + 1] << 8 | bytes[at];
  }
  return data;
}

/// A canvas with the picture; `reuse`, where it is given, is one that is no longer shown.
export function canvasOf({ about, bytes }, color = 0xffffffff, reuse = null) {
  const data = about.kind === "bits" ? ofBits(about, bytes, color) : ofSamples(about, bytes);
  const canvas = reuse ?? new OffscreenCanvas(about.width, about.height);
  if (canvas.width !== about.width) canvas.width = about.width;
  if (canvas.height !== about.height) canvas.height = about.height;
  const pixels = new ImageData(new Uint8ClampedArray(data.buffer), about.width, about.height);
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}
