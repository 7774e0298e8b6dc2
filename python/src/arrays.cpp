#include "arrays.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"

namespace cuesta::python {
namespace {

bool on_gpu(int device_type) {
  return device_type == nb::device::cuda::value || device_type == nb::device::cuda_managed::value;
}

Space space_of(const Array& array, const char* what) {
  const int type = array.device_type();
  if (type == nb::device::cpu::value || type == nb::device::cuda_host::value) return Space::host;
  if (!on_gpu(type)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format(
            "{} is on a device of DLPack type {}; it must be on the CPU or on a CUDA device", what,
            type),
        std::to_string(type));
  }
#if !CUESTA_HAS_CUDA
  throw Error(ErrorCode::device,
              fmt::format("{} is on CUDA device {} and this build does not support CUDA; install a "
                          "CUDA build of cuesta, or move the array to the CPU",
                          what, array.device_id()),
              fmt::format("cuda:{}", array.device_id()));
#else
  return Space::device;
#endif
}

PixelType type_of(const Array& array, const char* what) {
  using Code = nb::dlpack::dtype_code;
  const nb::dlpack::dtype dtype = array.dtype();
  const auto is = [&](Code code, int bits) {
    return dtype.code == uint8_t(code) && dtype.bits == bits && dtype.lanes == 1;
  };
  // A bool is one byte, 0 or 1.
  if (is(Code::UInt, 8) || is(Code::Bool, 8)) return PixelType::u8;
  if (is(Code::UInt, 16)) return PixelType::u16;
  if (is(Code::Int, 16)) return PixelType::s16;
  if (is(Code::Int, 32)) return PixelType::s32;
  if (is(Code::Float, 32)) return PixelType::f32;
  constexpr const char* kinds[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  const std::string name =
      fmt::format("{}{}", dtype.code < std::size(kinds) ? kinds[dtype.code] : "dtype ", dtype.bits);
  const bool is_mask = std::string_view(what).ends_with("mask");
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} is {}, which this does not support; {} {}", what, name,
                          is_mask ? what : "astype(np.float32)",
                          is_mask ? "!= 0 makes a mask of it" : "converts it"),
              name);
}

template <class PlaneType, class Samples>
Pictures<PlaneType> read(const Array& array, Samples data, int number, const char* what) {
  struct Dimensions {
    const char* name;
    int n, c, h, w;  // the dimension of each; -1: absent
  };
  static constexpr Dimensions table[] = {{"HW", -1, -1, 0, 1}, {"HWC", -1, 2, 0, 1},
                                         {"CHW", -1, 0, 1, 2}, {"NHW", 0, -1, 1, 2},
                                         {"NHWC", 0, 3, 1, 2}, {"NCHW", 0, 1, 2, 3}};
  const Dimensions& at = table[number];
  const auto layout = Layout(number);
  const int wanted = 2 + (at.n >= 0) + (at.c >= 0);
  if (int(array.ndim()) != wanted) {
    throw_invalid(std::to_string(array.ndim()), "{} has {} dimensions; layout {} requires {}", what,
                  array.ndim(), at.name, wanted);
  }
  const bool interleaved = layout == Layout::hwc || layout == Layout::nhwc;
  const auto size = [&](int d) { return d < 0 ? int64_t(1) : int64_t(array.shape(size_t(d))); };
  const int64_t width = size(at.w), height = size(at.h), channels = size(at.c), count = size(at.n);
  for (const int64_t extent : {width, height, channels, count}) {
    if (extent < 1 || extent > std::numeric_limits<int32_t>::max()) {
      std::string shape;
      for (size_t d = 0; d < array.ndim(); ++d)
        shape += fmt::format("{}{}", d ? ", " : "", array.shape(d));
      if (extent < 1) throw_invalid(shape, "{} is empty: its shape is ({})", what, shape);
      throw_invalid(shape, "{} has shape ({}); every dimension must be at most 2147483647", what,
                    shape);
    }
  }
  Pictures<PlaneType> pictures;
  const PixelType type = type_of(array, what);
  const ptrdiff_t bytes = bytes_per_sample(type);
  const int32_t samples = interleaved ? int32_t(channels) : 1;
  if ((width > 1 && array.stride(size_t(at.w)) != samples) ||
      (interleaved && channels > 1 && array.stride(size_t(at.c)) != 1)) {
    throw_invalid(std::to_string(array.stride(size_t(at.w))),
                  "{}: pixels of a row are {} samples apart; rows must be contiguous "
                  "(numpy.ascontiguousarray, torch's contiguous())",
                  what, array.stride(size_t(at.w)));
  }
  // With one row the distance between rows has no meaning, and libraries set any number.
  const ptrdiff_t stride = height > 1 ? ptrdiff_t(array.stride(size_t(at.h))) * bytes
                                      : ptrdiff_t(width) * samples * bytes;
  pictures.first = {data,   int32_t(width), int32_t(height),      samples,
                    stride, type,           space_of(array, what)};
  if (at.n >= 0) {
    pictures.outer = count;
    pictures.outer_step = ptrdiff_t(array.stride(size_t(at.n))) * bytes;
  }
  if (at.c >= 0 && !interleaved) {
    pictures.inner = channels;
    pictures.inner_step = ptrdiff_t(array.stride(size_t(at.c))) * bytes;
  }
  return pictures;
}

template <class PlaneType>
PlaneType only(const Pictures<PlaneType>& pictures, const char* what) {
  if (pictures.count() != 1) {
    throw_invalid(std::to_string(pictures.count()), "{} holds {} pictures; it must hold one", what,
                  pictures.count());
  }
  return pictures.first;
}

}  // namespace

Pictures<ConstAnyView> pictures_of(const Array& array, int layout, const char* what) {
  return read<ConstAnyView>(array, array.data(), layout, what);
}
Pictures<AnyView> pictures_of(const OutArray& array, int layout, const char* what) {
  return read<AnyView>(Array(array), array.data(), layout, what);
}
ConstAnyView plane_of(const Array& array, int layout, const char* what) {
  return only(pictures_of(array, layout, what), what);
}
AnyView plane_of(const OutArray& array, int layout, const char* what) {
  return only(pictures_of(array, layout, what), what);
}

void check_same_count(int64_t a, int64_t b, const char* name_a, const char* name_b) {
  if (a != b) {
    throw_invalid(std::to_string(b), "{} holds {} pictures and {} {}; the counts must match",
                  name_b, b, name_a, a);
  }
}

DeviceScope::DeviceScope(const Array& array) {
  if (!on_gpu(array.device_type())) return;
  const int before = current_device();
  if (before == array.device_id()) return;
  use_device(array.device_id());
  before_ = before;
}

DeviceScope::~DeviceScope() {
  if (before_ < 0) return;
  try {
    use_device(before_);
  } catch (const Error&) {
    // The error that makes this fail is reported by the call itself or by the next one.
  }
}

}  // namespace cuesta::python
