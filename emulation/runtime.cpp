// The CUDA runtime of emulated devices: memory is the host's, everything enqueued is done at once
// or kept by the graph that is being captured.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulated/device.hpp"
#include "objects.hpp"

namespace emulated {
namespace {

constexpr size_t max_shared = 232448, unasked_shared = 48 * 1024;
constexpr int multiprocessors = 4;
constexpr size_t device_bytes = size_t(8) << 30;

struct Allocation {
  size_t bytes = 0;
  int device = 0;
  cudaMemoryType type = cudaMemoryTypeDevice;
};

// All that devices hold, behind one lock.
struct Devices {
  std::mutex lock;
  std::map<uintptr_t, Allocation> memory;  // by its address
  std::unordered_map<const void*, int> shared;
  std::unordered_map<cudaTextureObject_t, const void*> textures;  // what each reads
  size_t bytes = 0;
  int objects = 0;
  int64_t calls = 0, failing = -1;
  cudaError_t error = cudaErrorUnknown;
  bool sticky = false, failed = false;
  unsigned long long streams = 0;
};
Devices& all() {
  static Devices* const devices = new Devices;  // outlives whatever frees at exit
  return *devices;
}
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

int device_count() {
  static const int count = [] {
    const char* said = std::getenv("CUESTA_EMULATED_DEVICES");
    return said ? std::atoi(said) : 1;
  }();
  return count;
}

}  // namespace

cudaError_t noted(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}
cudaError_t counted() {
  Devices& devices = all();
  const std::lock_guard hold(devices.lock);
  const int64_t call = devices.calls++;
  if (devices.failing < 0) return cudaSuccess;
  const bool fails = call == devices.failing || (devices.sticky && devices.failed);
  devices.failed |= fails;
  return noted(fails ? devices.error : cudaSuccess);
}

namespace {

cudaError_t allocate(void** memory, size_t bytes, cudaMemoryType type) {
  Devices& devices = all();
  const std::lock_guard hold(devices.lock);
  if (bytes > device_bytes || devices.bytes + bytes > device_bytes)
    return noted(cudaErrorMemoryAllocation);
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!*memory) return noted(cudaErrorMemoryAllocation);
  std::memset(*memory, 0xA5, (bytes + 255) / 256 * 256);  // nobody's zeros
  devices.memory[reinterpret_cast<uintptr_t>(*memory)] = {bytes, current, type};
  devices.bytes += bytes;
  return cudaSuccess;
}
cudaError_t release(void* memory) {
  if (!memory) return cudaSuccess;
  Devices& devices = all();
  const std::lock_guard hold(devices.lock);
  const auto found = devices.memory.find(reinterpret_cast<uintptr_t>(memory));
  if (found == devices.memory.end()) return noted(cudaErrorInvalidValue);
  devices.bytes -= found->second.bytes;
  devices.memory.erase(found);
  std::free(memory);
  return cudaSuccess;
}

}  // namespace

void count_object(int by) {
  const std::lock_guard hold(all().lock);
  all().objects += by;
}

namespace {

/// The allocation that an address is in; null for none. The caller holds the lock.
const Allocation* allocation_of(uintptr_t address) {
  auto next = all().memory.upper_bound(address);
  if (next == all().memory.begin()) return nullptr;
  const auto& [begin, allocation] = *--next;
  return address < begin + std::max<size_t>(allocation.bytes, 1) ? &allocation : nullptr;
}

/// Whether an aligned word of a kernel's arguments is an address of another device's memory, or a
/// texture of it. Devices do not reach each other's memory here, as without peer access.
bool names_another_device(const void* arguments, size_t bytes) {
  const std::lock_guard hold(all().lock);
  for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
    uintptr_t word = 0;
    std::memcpy(&word, static_cast<const char*>(arguments) + i, sizeof word);
    if (const auto texture = all().textures.find(word); texture != all().textures.end())
      word = reinterpret_cast<uintptr_t>(texture->second);
    const Allocation* const memory = allocation_of(word);
    if (memory && memory->type == cudaMemoryTypeDevice && memory->device != current) return true;
  }
  return false;
}

bool may_take_shared(const void* kernel, size_t bytes) {
  const std::lock_guard hold(all().lock);
  const auto found = all().shared.find(kernel);
  const size_t asked = found == all().shared.end() ? 0 : size_t(found->second);
  return bytes <= std::max(unasked_shared, asked) && bytes <= max_shared;
}

}  // namespace

Held held() {
  const std::lock_guard hold(all().lock);
  return {all().bytes, all().objects};
}
int64_t calls() {
  const std::lock_guard hold(all().lock);
  return all().calls;
}
void fail_call(int64_t call, cudaError_t error, bool sticky) {
  const std::lock_guard hold(all().lock);
  all().calls = 0, all().failing = call, all().error = error, all().sticky = sticky;
  all().failed = false;
  last = cudaSuccess;
}

cudaError_t enqueue(cudaStream_t stream, Work work) {
  CUESTA_COUNTED();
  if (stream && stream->capturing) {
    stream->capturing->works.push_back(std::move(work));
  } else {
    work();
  }
  return cudaSuccess;
}

}  // namespace emulated

using emulated::after_release;
using emulated::count_object;
using emulated::enqueue;
using emulated::noted;

extern "C" {

// ---- Devices

cudaError_t cudaGetDeviceCount(int* count) {
  CUESTA_COUNTED();
  *count = emulated::device_count();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  CUESTA_COUNTED();
  *device = emulated::current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  CUESTA_COUNTED();
  if (device < 0 || device >= emulated::device_count()) return noted(cudaErrorInvalidDevice);
  emulated::current = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  CUESTA_COUNTED();
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  CUESTA_COUNTED();
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  CUESTA_COUNTED();
  if (device < 0 || device >= emulated::device_count()) return noted(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "emulated device");
  properties->major = 9;
  properties->minor = 0;
  properties->multiProcessorCount = emulated::multiprocessors;
  properties->totalGlobalMem = emulated::device_bytes;
  properties->sharedMemPerBlock = emulated::unasked_shared;
  properties->sharedMemPerBlockOptin = emulated::max_shared;
  properties->l2CacheSize = 1 << 20;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  CUESTA_COUNTED();
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrMultiProcessorCount: *value = emulated::multiprocessors; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(emulated::max_shared); break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(emulated::unasked_shared); break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    default: return noted(cudaErrorNotSupported);
  }
  return cudaSuccess;
}

// ---- Kernels

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  CUESTA_COUNTED();
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  Dl_info info{};
  *name = dladdr(kernel, &info) != 0 ? info.dli_sname : nullptr;  // null if it is not exported
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  CUESTA_COUNTED();
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const std::lock_guard hold(emulated::all().lock);
  emulated::all().shared[kernel] = value;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          size_t) {
  CUESTA_COUNTED();
  *blocks = threads > 512 ? 1 : 2;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  const dim3 grid = config->gridDim, block = config->blockDim;
  const size_t shared = config->dynamicSmemBytes;
  const bool fits = grid.x >= 1 && grid.y >= 1 && grid.z >= 1 && grid.x <= 0x7FFFFFFF &&
                    grid.y <= 65535 && grid.z <= 65535 && block.x >= 1 && block.y >= 1 &&
                    block.z >= 1 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
                    size_t(block.x) * block.y * block.z <= 1024;
  if (!fits) return noted(cudaErrorInvalidConfiguration);
  if (!emulated::may_take_shared(kernel, shared)) return noted(cudaErrorInvalidValue);
  bool together = false;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    together |=
        config->attrs[i].id == cudaLaunchAttributeCooperative && config->attrs[i].val.cooperative;
  if (config->stream && config->stream->device != emulated::current)
    return noted(cudaErrorInvalidResourceHandle);
  if (emulated::names_another_device(arguments[1], *static_cast<const size_t*>(arguments[2])))
    return noted(cudaErrorIllegalAddress);
  const auto& bound = *static_cast<const emulated::Kernel*>(arguments[0]);
  return enqueue(config->stream,
                 [bound, grid, block, shared, together] { bound(grid, block, shared, together); });
}

// ---- Errors

cudaError_t cudaGetLastError() {
  const cudaError_t was = emulated::last;
  emulated::last = cudaSuccess;
  return was;
}
cudaError_t cudaPeekAtLastError() { return emulated::last; }
const char* cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorNotSupported: return "operation not supported";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    default: return "unknown error";
  }
}

// ---- Memory

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  CUESTA_COUNTED();
  return emulated::allocate(memory, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaFree(void* memory) {
  const cudaError_t fault = emulated::counted();
  return after_release(fault, emulated::release(memory));
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  CUESTA_COUNTED();
  return emulated::allocate(memory, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaFreeHost(void* memory) {
  const cudaError_t fault = emulated::counted();
  return after_release(fault, emulated::release(memory));
}
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  CUESTA_COUNTED();
  return emulated::allocate(memory, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  // A graph's launches read it; it goes with the program.
  const cudaError_t fault = emulated::counted();
  if (stream && stream->capturing) return fault;
  return after_release(fault, emulated::release(memory));
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* known, const void* memory) {
  CUESTA_COUNTED();
  *known = {};
  const std::lock_guard hold(emulated::all().lock);
  const auto* const allocation = emulated::allocation_of(reinterpret_cast<uintptr_t>(memory));
  if (!allocation) return cudaSuccess;
  known->type = allocation->type;
  known->device = allocation->device;
  known->devicePointer = const_cast<void*>(memory);
  if (allocation->type == cudaMemoryTypeHost) known->hostPointer = const_cast<void*>(memory);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  CUESTA_COUNTED();
  *total = emulated::device_bytes;
  *free = emulated::device_bytes - emulated::held().bytes;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return enqueue(stream, [=] { std::memmove(to, from, bytes); });
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return noted(cudaErrorInvalidPitchValue);
  return enqueue(stream, [=] {
    for (size_t y = 0; y < height; ++y)
      std::memcpy(static_cast<char*>(to) + y * to_pitch,
                  static_cast<const char*>(from) + y * from_pitch, width);
  });
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] { std::memset(to, value, bytes); });
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return enqueue(stream, [=] {
    for (size_t y = 0; y < height; ++y)
      std::memset(static_cast<char*>(to) + y * pitch, value, width);
  });
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

// ---- Streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  CUESTA_COUNTED();
  count_object(1);
  auto& devices = emulated::all();
  const std::lock_guard hold(devices.lock);
  *stream = new CUstream_st{++devices.streams, emulated::current};
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t fault = emulated::counted();
  count_object(-1);
  delete stream;
  return fault;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CUESTA_COUNTED();
  return noted(stream && stream->capturing ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CUESTA_COUNTED();
  return noted(stream && stream->capturing ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  CUESTA_COUNTED();
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  CUESTA_COUNTED();
  *id = stream ? stream->id : 0;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  CUESTA_COUNTED();
  count_object(1);
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const cudaError_t fault = emulated::counted();
  count_object(-1);
  delete event;
  return fault;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUESTA_COUNTED();
  event->is_captured = stream && stream->capturing;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CUESTA_COUNTED();
  return noted(event->is_captured ? cudaErrorCapturedEvent : cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  CUESTA_COUNTED();
  *milliseconds = 0;  // nothing here is timed
  return cudaSuccess;
}

// ---- Textures

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc*, const cudaResourceViewDesc*) {
  CUESTA_COUNTED();
  count_object(1);
  *object = reinterpret_cast<cudaTextureObject_t>(new emulated::Texture{*resource});
  const std::lock_guard hold(emulated::all().lock);
  emulated::all().textures[*object] = resource->res.pitch2D.devPtr;
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  const cudaError_t fault = emulated::counted();
  count_object(-1);
  {
    const std::lock_guard hold(emulated::all().lock);
    emulated::all().textures.erase(object);
  }
  delete reinterpret_cast<emulated::Texture*>(object);
  return fault;
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // extern "C"
