// Calls on a GPU recorded into a CUDA graph, as a caller would.
#pragma once

#include "cuda/check.hpp"
#include "cuesta/device.hpp"

namespace cuesta::test {

/// What `body(stream)` enqueues there. Nothing of it runs before launch().
class Graph {
 public:
  template <class Body>
  Graph(const Stream& stream, Body&& body) : on_(static_cast<cudaStream_t>(stream.get())) {
    check(cudaStreamBeginCapture(on_, cudaStreamCaptureModeThreadLocal));
    try {
      body(stream.get());
    } catch (...) {
      cudaStreamEndCapture(on_, &graph_);
      if (graph_) cudaGraphDestroy(graph_);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(on_, &graph_));
    check(cudaGraphInstantiate(&instance_, graph_, 0));
  }
  ~Graph() {
    if (instance_) cudaGraphExecDestroy(instance_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// On the stream it was recorded from.
  void launch() const { check(cudaGraphLaunch(instance_, on_)); }

 private:
  static void check(cudaError_t status) { cuda::check(status, "a graph of the test's"); }
  cudaStream_t on_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace cuesta::test
