// Memory, copies, streams and faults: the device seam of a CUDA build.
#include <fmt/format.h>

#include <cstring>

#include "core/check.hpp"
#include "core/device_memory.hpp"
#include "core/memory.hpp"
#include "core/recording.hpp"
#include "cuda/architectures.hpp"
#include "cuda/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {
namespace {

// The operation this thread launched last, for messages about faults that surface later.
thread_local char last_operation[32] = "";

void copy_picture(ConstAnyView from, AnyView to, cudaMemcpyKind kind, void* stream,
                  std::string_view doing) {
  using enum PixelType;
  check_view(from, doing, {u8, u16, s16, s32, f32, bit}, 1, 4);
  check_view(to, doing, {u8, u16, s16, s32, f32, bit}, 1, 4);
  const Space source = kind == cudaMemcpyHostToDevice ? Space::host : Space::device;
  const Space target = kind == cudaMemcpyDeviceToHost ? Space::host : Space::device;
  if (from.space != source || to.space != target) {
    throw_invalid("space", "{}: copies from the {} to the {}", doing, name_of(source),
                  name_of(target));
  }
  if (from.width != to.width || from.height != to.height || from.channels != to.channels ||
      from.type != to.type) {
    throw_invalid("size",
                  "{}: src is {} x {} x {} {} and dst is {} x {} x {} {}; sizes, channels and "
                  "types must match",
                  doing, from.width, from.height, from.channels, name_of(from.type), to.width,
                  to.height, to.channels, name_of(to.type));
  }
  cuda::check(cudaMemcpy2DAsync(to.data, size_t(to.stride_bytes), from.data,
                                size_t(from.stride_bytes), size_t(detail::row_bytes(from)),
                                size_t(from.height), kind, static_cast<cudaStream_t>(stream)),
              doing);
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string why_no_gpu(cudaError_t status) {
  int driver = 0;
  const bool told = cudaDriverGetVersion(&driver) == cudaSuccess;
  const std::string needed = version_text(CUDART_VERSION);
  if (told && driver == 0) {
    return fmt::format("there is no NVIDIA driver; install one for CUDA {} or newer", needed);
  }
  if (status == cudaErrorInsufficientDriver) {
    return fmt::format(
        "the NVIDIA driver is for CUDA {} and this build needs {} or newer; update the driver",
        version_text(driver), needed);
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice)
    return "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it";
  return fmt::format("CUDA reports '{}'", cudaGetErrorString(status));
}

}  // namespace

namespace cuda {

namespace {
thread_local LaunchRecorder* recorder = nullptr;
}

void note_launch(const Launch& launch) {
  const size_t length = std::min(launch.operation.size(), sizeof(last_operation) - 1);
  std::memcpy(last_operation, launch.operation.data(), length);
  last_operation[length] = 0;
  if (recorder) recorder->launches_.push_back(launch);
}

LaunchRecorder::LaunchRecorder() : outer_(recorder) { recorder = this; }
LaunchRecorder::~LaunchRecorder() { recorder = outer_; }

void check(cudaError_t status, std::string_view doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // a sticky error stays, any other must not be blamed on the next call
  const char* reason = cudaGetErrorString(status);
  switch (status) {
    case cudaErrorMemoryAllocation:
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("{}: the GPU is out of memory; use smaller pictures", doing), {},
                  Hint::use_cpu);
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      throw Error(ErrorCode::device,
                  fmt::format("{}: no usable NVIDIA GPU ({}); install a driver for CUDA {}.{} or "
                              "newer",
                              doing, reason, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10),
                  {}, Hint::use_cpu);
    case cudaErrorNoKernelImageForDevice:
      throw Error(
          ErrorCode::device,
          fmt::format("{}: this build has no code for this GPU; build it for its architecture "
                      "(CMAKE_CUDA_ARCHITECTURES)",
                      doing),
          {}, Hint::use_cpu);
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorCapturedEvent:
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: this call waits for the GPU, which a CUDA graph cannot record; "
                              "record calls whose results stay on the GPU",
                              doing));
    default:
      throw Error(ErrorCode::device,
                  fmt::format("{}: CUDA reports '{}' (last operation: {})", doing, reason,
                              *last_operation ? last_operation : "none"));
  }
}

namespace {
int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "asking which GPU is in use");
  check(cudaDeviceGetAttribute(&value, which, device), "asking the GPU for its limits");
  return value;
}
}  // namespace

size_t shared_limit() { return size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)); }
int multiprocessors() { return attribute(cudaDevAttrMultiProcessorCount); }

int compute_capability() {
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    cudaGetLastError();  // not a later call's
    return 0;
  }
  return 10 * major + minor;
}

}  // namespace cuda

namespace detail {

void* allocate_device(size_t bytes) {
  void* memory = nullptr;
  cuda::check(cudaMalloc(&memory, bytes ? bytes : 1), "allocating a picture on the GPU");
  return memory;
}
void release_device(void* memory) noexcept { cudaFree(memory); }
void copy_to_device(void* device, const void* host, size_t bytes) {
  cuda::check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "upload");
  // Of pageable memory the copy above may return before its last part is there.
  cuda::check(cudaStreamSynchronize(nullptr), "upload");
}
void copy_to_host(void* host, const void* device, size_t bytes) {
  cuda::check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "download");
}
void clear_device(void* memory, size_t bytes) {
  cuda::check(cudaMemset(memory, 0, bytes), "clearing a mask on the GPU");
  cuda::check(cudaStreamSynchronize(nullptr), "clearing a mask on the GPU");
}
void copy_on_device(ConstAnyView src, AnyView dst, void* stream) {
  check_no_overlap(src, dst, "copy: src", "copy: dst");
  copy_picture(src, dst, cudaMemcpyDeviceToDevice, stream, "copy");
}

void* allocate_pinned(size_t bytes) {
  void* memory = nullptr;
  cuda::check(cudaHostAlloc(&memory, bytes ? bytes : 1, cudaHostAllocPortable),
              "allocating page-locked memory");
  return memory;
}
void release_pinned(void* memory) noexcept { cudaFreeHost(memory); }
bool is_pinned(const void* memory) {
  cudaPointerAttributes known{};
  cuda::check(cudaPointerGetAttributes(&known, memory), "asking whose memory a pointer is");
  return known.type == cudaMemoryTypeHost;
}
void enqueue_download(ConstAnyView device, AnyView host, void* stream) {
  copy_picture(device, host, cudaMemcpyDeviceToHost, stream, "download");
}

uint64_t stream_number(void* stream) {
  unsigned long long number = 0;
  if (stream) {
    cuda::check(cudaStreamGetId(static_cast<cudaStream_t>(stream), &number),
                "asking which stream is in use");
  }
  return number;
}
bool is_recorded(void* stream) {
  auto status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status) != cudaSuccess)
    cudaGetLastError();  // not a later call's
  return status == cudaStreamCaptureStatusActive;
}
void* allocate_recorded(size_t bytes, void* stream) {
  void* memory = nullptr;
  cuda::check(cudaMallocAsync(&memory, bytes, static_cast<cudaStream_t>(stream)),
              "scratch memory of a CUDA graph");
  return memory;
}
void release_recorded(void* memory, void* stream) noexcept {
  if (cudaFreeAsync(memory, static_cast<cudaStream_t>(stream)) != cudaSuccess)
    cudaGetLastError();  // the graph came to nothing
}

int device_of(const void* memory) {
  cudaPointerAttributes known{};
  cuda::check(cudaPointerGetAttributes(&known, memory), "asking whose memory a pointer is");
  if (known.type != cudaMemoryTypeDevice && known.type != cudaMemoryTypeManaged)
    throw_invalid(fmt::format("{}", memory),
                  "the pointer {} is not GPU memory; allocate it on a CUDA device", memory);
  return known.device;
}

std::string device_name() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  return properties.name;
}

}  // namespace detail

std::vector<DeviceInfo> list_devices(std::string* why_none) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    if (why_none) *why_none = why_no_gpu(status);
    return {};
  }
  const auto built = cuda::built_architectures();
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p{};
    if (const cudaError_t fault = cudaGetDeviceProperties(&p, i); fault != cudaSuccess) {
      cudaGetLastError();  // not a later call's
      if (why_none) *why_none = why_no_gpu(fault);
      continue;
    }
    DeviceInfo info{
        i, p.name,        p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem, p.l2CacheSize,
        0, CUDART_VERSION};
    cudaDriverGetVersion(&info.driver);
    if (cuda::can_run(built, info.major, info.minor)) {
      devices.push_back(std::move(info));
    } else if (why_none) {
      *why_none = fmt::format(
          "this build has no code for {} (compute capability {}.{}): build with "
          "CMAKE_CUDA_ARCHITECTURES={}{}",
          info.name, info.major, info.minor, info.major, info.minor);
    }
  }
  return devices;
}

void use_device(int index) {
  cuda::check(cudaSetDevice(index), fmt::format("choosing GPU {}", index));
}

int current_device() {
  int index = 0;
  cuda::check(cudaGetDevice(&index), "asking for the GPU in use");
  return index;
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  stream_ = stream;
}
Stream::~Stream() { cudaStreamDestroy(static_cast<cudaStream_t>(stream_)); }

void upload(ConstAnyView host, AnyView device, void* stream) {
  copy_picture(host, device, cudaMemcpyHostToDevice, stream, "upload");
}
void download(ConstAnyView device, AnyView host, void* stream) {
  detail::enqueue_download(device, host, stream);
  wait(stream);
}
void wait(void* stream) {
  cuda::check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "waiting for the GPU");
}

}  // namespace cuesta
