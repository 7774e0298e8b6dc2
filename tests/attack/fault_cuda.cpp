// One call of the CUDA runtime fails: for LD_PRELOAD, in front of a command that is linked with the
// shared runtime (CMAKE_CUDA_RUNTIME_LIBRARY=Shared), or with an emulated device.
//
//   CUESTA_FAULT=cuda:17:MEMORY  call number 17 ends with cudaErrorMemoryAllocation (from 1; 0:
//   none) CUESTA_FAULT=cuda:17:UNKNOWN the same with cudaErrorUnknown CUESTA_FAULT=cuda:17+:LOST it
//   and every call after it end with cudaErrorIllegalAddress, as after
//                                a fault in a kernel
//   CUESTA_FAULT_CALLS=FILE      appends the name of every call, a line each, " fails" behind those
//                                that were made to
//
// What fails is not done, but for two kinds: what waits has waited, and what releases has released,
// because these report the fault of something before them.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Fault {
  long call = 0;
  bool for_ever = false;
  cudaError_t error = cudaErrorUnknown;
  int calls_file = -1;
  std::atomic<long> calls{0};

  Fault() {
    char number[32] = "", name[32] = "";
    const char* text = std::getenv("CUESTA_FAULT");
    if (text && std::sscanf(text, "cuda:%31[^:]:%31s", number, name) == 2) {
      call = std::atol(number);
      for_ever = std::strchr(number, '+');
      if (!std::strcmp(name, "MEMORY")) error = cudaErrorMemoryAllocation;
      if (!std::strcmp(name, "LOST")) error = cudaErrorIllegalAddress;
    }
    if (const char* path = std::getenv("CUESTA_FAULT_CALLS"))
      calls_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    // Children run as they would.
    unsetenv("CUESTA_FAULT");
    unsetenv("CUESTA_FAULT_CALLS");
  }

  /// What the next call ends with.
  cudaError_t next(const char* name) {
    const long number = ++calls;
    const bool fails = call > 0 && (number == call || (for_ever && number > call));
    if (calls_file >= 0) {
      char line[128];
      const int length = std::snprintf(line, sizeof line, "%s%s\n", name, fails ? " fails" : "");
      (void)!write(calls_file, line, size_t(length));
    }
    return fails ? error : cudaSuccess;
  }
};

Fault& fault() {
  static Fault only;
  return only;
}

// The fault that cudaGetLastError() reports on this thread.
thread_local cudaError_t last = cudaSuccess;

enum class When { undone, done };

template <class... Parameters, class... Arguments>
cudaError_t call(When when, const char* name, cudaError_t (*)(Parameters...),
                 std::atomic<void*>& known, Arguments... arguments) {
  void* real = known;
  if (!real) known = real = dlsym(RTLD_NEXT, name);
  if (!real) {
    std::fprintf(stderr, "fault_cuda: no shared CUDA runtime has %s\n", name);
    std::abort();
  }
  const auto go_on = reinterpret_cast<cudaError_t (*)(Parameters...)>(real);
  const cudaError_t failed = fault().next(name);
  if (failed == cudaSuccess) return go_on(arguments...);
  if (when == When::done) go_on(arguments...);
  return last = failed;
}

cudaError_t known_error(bool forget, cudaError_t real) {
  const cudaError_t was = last;
  const bool lost = was != cudaSuccess && fault().for_ever;
  if (forget && !lost) last = cudaSuccess;
  return was != cudaSuccess ? was : real;
}

}  // namespace

#define CUESTA_TEXT_OF(name) #name
#define CUESTA_TEXT(name) CUESTA_TEXT_OF(name)
// A macro of the headers stands for some names, so that the symbol's is its expansion.
#define CUESTA_CALL(when, name, parameters, ...)                                         \
  cudaError_t CUDARTAPI name parameters {                                                \
    static std::atomic<void*> known{nullptr};                                            \
    return call(When::when, CUESTA_TEXT(name), &name, known __VA_OPT__(, ) __VA_ARGS__); \
  }

extern "C" {

// The form of <<<>>> since CUDA 13; the headers declare it for nvcc alone.
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                         void** arguments, size_t shared, cudaStream_t stream);

// clang-format off: a line a call
// ---- Devices and kernels
CUESTA_CALL(undone, cudaGetDeviceCount, (int* count), count)
CUESTA_CALL(undone, cudaGetDevice, (int* device), device)
CUESTA_CALL(undone, cudaSetDevice, (int device), device)
CUESTA_CALL(undone, cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), properties,
            device)
CUESTA_CALL(undone, cudaDeviceGetAttribute, (int* value, cudaDeviceAttr which, int device), value,
            which, device)
CUESTA_CALL(done, cudaDeviceSynchronize, ())
CUESTA_CALL(undone, cudaDriverGetVersion, (int* version), version)
CUESTA_CALL(undone, cudaRuntimeGetVersion, (int* version), version)
CUESTA_CALL(undone, cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* kernel),
            attributes, kernel)
CUESTA_CALL(undone, cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute which, int value),
            kernel, which, value)
CUESTA_CALL(undone, cudaFuncGetName, (const char** name, const void* kernel), name, kernel)
CUESTA_CALL(undone, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
            (int* blocks, const void* kernel, int threads, size_t shared), blocks, kernel, threads,
            shared)
CUESTA_CALL(undone, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
            (int* blocks, const void* kernel, int threads, size_t shared, unsigned flags), blocks,
            kernel, threads, shared, flags)
CUESTA_CALL(undone, cudaLaunchKernelExC,
            (const cudaLaunchConfig_t* config, const void* kernel, void** arguments), config,
            kernel, arguments)
CUESTA_CALL(undone, cudaLaunchKernel,
            (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
             cudaStream_t stream),
            kernel, grid, block, arguments, shared, stream)
CUESTA_CALL(undone, __cudaLaunchKernel,
            (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
             cudaStream_t stream),
            kernel, grid, block, arguments, shared, stream)

// ---- Memory
CUESTA_CALL(undone, cudaMalloc, (void** memory, size_t bytes), memory, bytes)
CUESTA_CALL(undone, cudaMallocAsync, (void** memory, size_t bytes, cudaStream_t stream), memory,
            bytes, stream)
CUESTA_CALL(undone, cudaHostAlloc, (void** memory, size_t bytes, unsigned flags), memory, bytes,
            flags)
CUESTA_CALL(done, cudaFree, (void* memory), memory)
CUESTA_CALL(done, cudaFreeAsync, (void* memory, cudaStream_t stream), memory, stream)
CUESTA_CALL(done, cudaFreeHost, (void* memory), memory)
CUESTA_CALL(undone, cudaMemGetInfo, (size_t * free, size_t* total), free, total)
CUESTA_CALL(undone, cudaPointerGetAttributes,
            (cudaPointerAttributes * known_of, const void* memory), known_of, memory)
CUESTA_CALL(undone, cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind), to,
            from, bytes, kind)
CUESTA_CALL(undone, cudaMemcpyAsync,
            (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
            to, from, bytes, kind, stream)
CUESTA_CALL(undone, cudaMemcpy2D,
            (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
             size_t height, cudaMemcpyKind kind),
            to, to_pitch, from, from_pitch, width, height, kind)
CUESTA_CALL(undone, cudaMemcpy2DAsync,
            (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
             size_t height, cudaMemcpyKind kind, cudaStream_t stream),
            to, to_pitch, from, from_pitch, width, height, kind, stream)
CUESTA_CALL(undone, cudaMemset, (void* to, int value, size_t bytes), to, value, bytes)
CUESTA_CALL(undone, cudaMemset2D, (void* to, size_t pitch, int value, size_t width, size_t height),
            to, pitch, value, width, height)
CUESTA_CALL(undone, cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream), to,
            value, bytes, stream)
CUESTA_CALL(undone, cudaMemset2DAsync,
            (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
            to, pitch, value, width, height, stream)

// ---- Streams, events, textures
CUESTA_CALL(undone, cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), stream,
            flags)
CUESTA_CALL(done, cudaStreamDestroy, (cudaStream_t stream), stream)
CUESTA_CALL(done, cudaStreamSynchronize, (cudaStream_t stream), stream)
CUESTA_CALL(undone, cudaStreamQuery, (cudaStream_t stream), stream)
CUESTA_CALL(undone, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
            stream, event, flags)
CUESTA_CALL(undone, cudaStreamGetId, (cudaStream_t stream, unsigned long long* id), stream, id)
CUESTA_CALL(undone, cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
            stream, status)
CUESTA_CALL(undone, cudaEventCreate, (cudaEvent_t * event), event)
CUESTA_CALL(undone, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), event, flags)
CUESTA_CALL(done, cudaEventDestroy, (cudaEvent_t event), event)
CUESTA_CALL(undone, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event, stream)
CUESTA_CALL(done, cudaEventSynchronize, (cudaEvent_t event), event)
CUESTA_CALL(undone, cudaEventElapsedTime, (float* ms, cudaEvent_t from, cudaEvent_t to), ms, from,
            to)
CUESTA_CALL(undone, cudaCreateTextureObject,
            (cudaTextureObject_t * object, const cudaResourceDesc* resource,
             const cudaTextureDesc* texture, const cudaResourceViewDesc* view),
            object, resource, texture, view)
CUESTA_CALL(done, cudaDestroyTextureObject, (cudaTextureObject_t object), object)

// ---- Graphs
CUESTA_CALL(undone, cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), graph, flags)
CUESTA_CALL(undone, cudaGraphInstantiate,
            (cudaGraphExec_t * instance, cudaGraph_t graph, unsigned long long flags), instance,
            graph, flags)
CUESTA_CALL(undone, cudaGraphLaunch, (cudaGraphExec_t instance, cudaStream_t stream), instance,
            stream)
CUESTA_CALL(done, cudaGraphDestroy, (cudaGraph_t graph), graph)
CUESTA_CALL(done, cudaGraphExecDestroy, (cudaGraphExec_t instance), instance)
#if CUDART_VERSION >= 12030
CUESTA_CALL(undone, cudaGraphConditionalHandleCreate,
            (cudaGraphConditionalHandle * handle, cudaGraph_t graph, unsigned value,
             unsigned flags),
            handle, graph, value, flags)
#if CUDART_VERSION < 13000
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#endif
CUESTA_CALL(undone, cudaGraphAddNode,
            (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* what),
            node, graph, after, edges, count, what)
CUESTA_CALL(undone, cudaStreamGetCaptureInfo,
            (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
             cudaGraph_t* graph, const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
             size_t* count),
            stream, status, id, graph, after, edges, count)
CUESTA_CALL(undone, cudaStreamUpdateCaptureDependencies,
            (cudaStream_t stream, cudaGraphNode_t* after, const cudaGraphEdgeData* edges,
             size_t count, unsigned flags),
            stream, after, edges, count, flags)
#endif
// clang-format on

// ---- Errors: not counted, and reported as the runtime reports its own

cudaError_t CUDARTAPI cudaGetLastError() {
  static const auto real =
      reinterpret_cast<cudaError_t (*)()>(dlsym(RTLD_NEXT, "cudaGetLastError"));
  return known_error(true, real());
}
cudaError_t CUDARTAPI cudaPeekAtLastError() {
  static const auto real =
      reinterpret_cast<cudaError_t (*)()>(dlsym(RTLD_NEXT, "cudaPeekAtLastError"));
  return known_error(false, real());
}

}  // extern "C"
