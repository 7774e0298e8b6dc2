// Views in CUDA code of somebody else's: they convert to views of const samples, and kernels take
// both.
namespace {

using Picture = cuesta::ImageView<uint8_t, cuesta::Space::device>;
using ConstPicture = cuesta::ImageView<const uint8_t, cuesta::Space::device>;
using Bits = cuesta::BasicBitView<uint64_t, cuesta::Space::device>;
using ConstBits = cuesta::BasicBitView<const uint64_t, cuesta::Space::device>;

__global__ void invert(ConstPicture from, Picture to) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (x < from.width) to.data[x] = uint8_t(255 - from.data[x]);
}

}  // namespace

void convert(Picture picture, Bits bits, const cuesta::Batch& batch) {
  invert<<<1, 32>>>(picture, picture);
  const ConstPicture same = picture, copy = same;
  const ConstBits mask = bits, mask_copy = mask;
  const cuesta::ConstAnyView views[] = {picture, copy, mask_copy, cuesta::AnyView(picture),
                                        cuesta::AnyView(bits)};
  const cuesta::ConstBatch batches[] = {batch, cuesta::ConstBatch(batch)};
  cuesta::canny(views[0], picture, cuesta::CannyOptions{});
  cuesta::canny(batches[0], batch, cuesta::CannyOptions{});
}
