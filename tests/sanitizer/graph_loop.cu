// Whether a tool of compute-sanitizer can follow a loop in a CUDA graph: nothing but that. Under
// memcheck, synccheck and initcheck of CUDA 13.0 it ends well at some starts and stops at "an
// illegal memory access" at others, as canny's row `graph` does; under racecheck, and without a
// tool, it always ends well. scripts/test-gpu runs it where that row ends well at no start.
#include <cstdio>

#define CHECK(call)                                                              \
  do {                                                                           \
    const cudaError_t status = (call);                                           \
    if (status != cudaSuccess) {                                                 \
      std::printf("turn %d: %s: %s\n", turn, #call, cudaGetErrorString(status)); \
      return 1;                                                                  \
    }                                                                            \
  } while (false)

namespace {

struct Counters {
  int turns_left;
  unsigned blocks_done;
};

__global__ void count_down(Counters* counters, cudaGraphConditionalHandle again) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&counters->blocks_done, 1u) + 1 < gridDim.x) return;
  counters->blocks_done = 0;
  cudaGraphSetConditional(again, --counters->turns_left > 0);
}

}  // namespace

int main() {
  constexpr int turns = 50;
  for (int turn = 0; turn < turns; ++turn) {
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Counters counters{5 + turn % 7, 0}, *there = nullptr;
    CHECK(cudaMallocAsync(&there, sizeof counters * unsigned(1 + turn), stream));
    CHECK(cudaMemcpyAsync(there, &counters, sizeof counters, cudaMemcpyHostToDevice, stream));

    cudaGraph_t graph = nullptr;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle again{};
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = again;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    void* arguments[] = {&there, &again};
    cudaGraphNodeParams body{};
    body.type = cudaGraphNodeTypeKernel;
    body.kernel.func = reinterpret_cast<void*>(count_down);
    body.kernel.gridDim = dim3(unsigned(1 + turn));
    body.kernel.blockDim = dim3(512);
    body.kernel.kernelParams = arguments;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
    CHECK(cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &body));
#else
    CHECK(cudaGraphAddNode(&node, graph, nullptr, 0, &loop));
    CHECK(cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, 0, &body));
#endif
    cudaGraphExec_t instance = nullptr;
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaMemcpyAsync(&counters, there, sizeof counters, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(there, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(instance));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    if (counters.turns_left != 0) {
      std::printf("turn %d: %d left\n", turn, counters.turns_left);
      return 1;
    }
  }
  std::printf("%d loops\n", turns);
}
