// Graphs: what a stream would have done, in order.
#include <cuda_runtime.h>

#include "objects.hpp"

using emulated::count_object;

extern "C" {

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  CUESTA_COUNTED();
  *status =
      stream && stream->capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  CUESTA_COUNTED();
  count_object(1);
  stream->capturing = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  CUESTA_COUNTED();
  *graph = stream->capturing;
  stream->capturing = nullptr;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long) {
  CUESTA_COUNTED();
  count_object(1);
  *instance = new CUgraphExec_st{graph->works};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t) {
  CUESTA_COUNTED();
  for (const Work& work : instance->works) {
    Work once = work;  // a kernel's arguments are its own
    once();
  }
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const cudaError_t fault = emulated::counted();
  count_object(-1);
  delete graph;
  return fault;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
  const cudaError_t fault = emulated::counted();
  count_object(-1);
  delete instance;
  return fault;
}

}  // extern "C"
