// GPU memory that belongs to no array library: exported to libraries, and taken from producers.
#include <fmt/format.h>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "core/check.hpp"
#include "core/device_memory.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "module.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using DeviceArray = nb::ndarray<nb::array_api, nb::device::cuda>;

nb::dlpack::dtype dtype_of(const std::string& name) {
  struct Name {
    const char* name;
    nb::dlpack::dtype type;
  };
  static const Name names[] = {{"uint8", nb::dtype<uint8_t>()},
                               {"bool", nb::dtype<bool>()},
                               {"uint16", nb::dtype<uint16_t>()},
                               {"int16", nb::dtype<int16_t>()},
                               {"int32", nb::dtype<int32_t>()},
                               {"float32", nb::dtype<float>()},
                               {"float16", {uint8_t(nb::dlpack::dtype_code::Float), 16, 1}}};
  for (const Name& n : names)
    if (name == n.name) return n.type;
  throw_invalid(
      name, "dtype is {}; it must be uint8, bool, uint16, int16, int32, float16 or float32", name);
}

// Device memory as a contiguous array that any DLPack library can own.
DeviceArray device_array(const std::vector<size_t>& shape, const std::string& dtype, int device) {
  const nb::dlpack::dtype type = dtype_of(dtype);
  size_t bytes = type.bits / 8;
  for (const size_t extent : shape) bytes *= extent;
  const int before = current_device();
  use_device(device);
  void* memory = detail::allocate_device(bytes);
  use_device(before);
  nb::capsule owner(memory, [](void* p) noexcept { detail::release_device(p); });
  return {memory, shape.size(), shape.data(), owner, nullptr, type, nb::device::cuda::value,
          device};
}

using FromHost = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using ToHost = nb::ndarray<nb::c_contig, nb::device::cpu>;
using FromDevice = nb::ndarray<nb::ro, nb::c_contig, nb::device::cuda>;
using ToDevice = nb::ndarray<nb::c_contig, nb::device::cuda>;

// Copies between contiguous arrays of one size; complete on return.
void copy_to_device(const FromHost& from, const ToDevice& to) {
  without_lock(Array(to), [&] { detail::copy_to_device(to.data(), from.data(), from.nbytes()); });
}

// The same, after the work on `stream`.
void copy_to_host(const FromDevice& from, const ToHost& to, uintptr_t stream) {
  without_lock(Array(from), [&] {
    wait(reinterpret_cast<void*>(stream));
    detail::copy_to_host(to.data(), from.data(), from.nbytes());
  });
}

// Memory of another owner, who is kept alive, as its CUDA array interface describes it.
DeviceArray device_view(uintptr_t pointer, const std::vector<size_t>& shape,
                        const std::optional<std::vector<int64_t>>& strides,
                        const std::string& dtype, nb::object owner) {
  return {reinterpret_cast<void*>(pointer),
          shape.size(),
          shape.data(),
          owner,
          strides ? strides->data() : nullptr,
          dtype_of(dtype),
          nb::device::cuda::value,
          detail::device_of(reinterpret_cast<void*>(pointer))};
}

// Shape, strides in samples, type and pointer of a DLPack producer's memory.
std::tuple<nb::tuple, nb::tuple, std::string, uintptr_t> facts(const Array& array) {
  nb::list shape, strides;
  for (size_t d = 0; d < array.ndim(); ++d) {
    shape.append(array.shape(d));
    strides.append(array.stride(d));
  }
  constexpr const char* kinds[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  const nb::dlpack::dtype type = array.dtype();
  std::string name = type.code < std::size(kinds) ? kinds[type.code] : "dtype";
  if (name != "bool") name += std::to_string(type.bits);
  return {nb::tuple(shape), nb::tuple(strides), name, reinterpret_cast<uintptr_t>(array.data())};
}

}  // namespace

void bind_arrays(nb::module_& m) {
  m.def("facts", facts, "array"_a);
  m.def("device_array", device_array, "shape"_a, "dtype"_a, "device"_a);
  m.def("copy_to_device", copy_to_device, "from_host"_a, "to"_a);
  m.def("copy_to_host", copy_to_host, "from_device"_a, "to"_a, "stream"_a);
  m.def("device_view", device_view, "pointer"_a, "shape"_a, "strides"_a.none(), "dtype"_a,
        "owner"_a);
  m.def(
      "wait",
      [](uintptr_t stream) {
        const Unlocked unlocked;
        wait(reinterpret_cast<void*>(stream));
      },
      "stream"_a);
}

}  // namespace cuesta::python
