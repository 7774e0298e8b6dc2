// Rung `graph`: the steps of `bfs-queue` as the body of a loop in a CUDA graph: a conditional node
// runs a step again until the step itself says that it gained nothing. Neither the host waits, nor
// a block for the others; the last block of a step sees what all have gained. The graph holds the
// addresses it works on: the caller's workspace keeps it for them (docs/dev/decisions/0012);
// without a workspace it is made and released in the call, which waits for the GPU then. On a
// stream that is being captured the loop becomes a node of the caller's graph, and nothing is kept;
// CUDA takes such a graph neither as a child of another nor instantiated twice at a time. Bound: a
// turn of the loop for each step, which the GPU begins by itself. Wastes: the grid fits the GPU,
// not the queue; making the graph costs many steps. Needs CUDA 12.4.
//
// Statistics: "bfs depth" is the number of steps that gained.
#include "cuda/kept.cuh"
#include "ops/canny/ladder/nms_marks.cuh"
#include "ops/canny/ladder/queue.cuh"

namespace cuesta::canny_ladder {

#if CUDART_VERSION >= 12040
namespace {

struct Progress {
  uint32_t begin, end;  // of the queue that the next step takes
  uint32_t gained, depth;
  uint32_t blocks_done;
};

__global__ void __launch_bounds__(step_threads)
    graph_step(Search search, Progress* progress, cudaGraphConditionalHandle again) {
  const bool is_first = progress->end == 0;
  const uint32_t begin = progress->begin, end = is_first ? *search.found : progress->end;
  step_from_queue(search, begin, end, end, &progress->gained);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // what the block gained comes before its being done
  if (atomicAdd(&progress->blocks_done, 1u) + 1 < gridDim.x) return;
  __threadfence();
  const uint32_t gained = latest(progress->gained);
  *progress = {end, end + gained, 0, progress->depth + (gained > 0), 0};
  cudaGraphSetConditional(again, gained > 0);
}

// Where a node goes: what comes before it.
struct After {
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  size_t count = 0;
};

#if CUDART_VERSION >= 13000
constexpr auto add_node = cudaGraphAddNode;
constexpr auto capture_info = cudaStreamGetCaptureInfo;
constexpr auto set_dependencies = cudaStreamUpdateCaptureDependencies;
#else
constexpr auto add_node = cudaGraphAddNode_v2;
constexpr auto capture_info = cudaStreamGetCaptureInfo_v3;
constexpr auto set_dependencies = cudaStreamUpdateCaptureDependencies_v2;
#endif

cudaGraphNode_t add_loop(cudaGraph_t graph, const After& after, Search search, Progress* progress) {
  cudaGraphConditionalHandle again{};
  cuda::check(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault),
              "canny: a graph's condition");
  cudaGraphNodeParams loop{};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = again;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  cuda::check(add_node(&node, graph, after.nodes, after.edges, after.count, &loop),
              "canny: a graph's loop");

  void* arguments[] = {&search, &progress, &again};
  cudaGraphNodeParams body{};
  body.type = cudaGraphNodeTypeKernel;
  body.kernel.func = reinterpret_cast<void*>(graph_step);
  body.kernel.gridDim = dim3(resident_blocks(search.marks));
  body.kernel.blockDim = dim3(step_threads);
  body.kernel.kernelParams = arguments;
  cudaGraphNode_t inner = nullptr;
  cuda::check(add_node(&inner, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &body),
              "canny: the body of a graph's loop");
  return node;
}

// Waits for the GPU before it goes: a launch may still be running.
class LoopGraph {
 public:
  static constexpr size_t max_kept = 16;
  LoopGraph(const Search& search, Progress* progress) {
    cudaGraph_t graph = nullptr;
    cuda::check(cudaGraphCreate(&graph, 0), "canny: a graph");
    graph_.reset(graph);
    add_loop(graph, {}, search, progress);
    cudaGraphExec_t made = nullptr;
    cuda::check(cudaGraphInstantiate(&made, graph, 0), "canny: a graph");
    instance_.reset(made);
    cudaEvent_t launched = nullptr;
    cuda::check(cudaEventCreateWithFlags(&launched, cudaEventDisableTiming), "canny: a graph");
    launched_.reset(launched);
  }
  LoopGraph(const LoopGraph&) = delete;
  LoopGraph& operator=(const LoopGraph&) = delete;
  ~LoopGraph() {
    if (launched_) cudaEventSynchronize(launched_.get());
  }
  void launch(cudaStream_t stream) const {
    cuda::check(cudaGraphLaunch(instance_.get(), stream), "canny: a graph");
    cuda::check(cudaEventRecord(launched_.get(), stream), "canny: a graph");
  }

 private:
  struct Destroy {
    void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
    void operator()(cudaGraphExec_t instance) const { cudaGraphExecDestroy(instance); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;
  Owned<cudaGraph_t> graph_;  // goes after its instance
  Owned<cudaGraphExec_t> instance_;
  Owned<cudaEvent_t> launched_;
};

// Where the stream is being captured, the loop goes into that graph.
bool captured(const Search& search, Progress* progress, cudaStream_t stream) {
  auto status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  After after;
  cuda::check(
      capture_info(stream, &status, nullptr, &graph, &after.nodes, &after.edges, &after.count),
      "canny: a graph");
  if (status == cudaStreamCaptureStatusNone) return false;
  cudaGraphNode_t node = add_loop(graph, after, search, progress);
  cuda::check(set_dependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies),
              "canny: a graph");
  return true;
}

}  // namespace

bool graph_loops() {
  int driver = 0;
  return cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12040;
}

void hysteresis_by_graph(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  const Search search = search_from_strong(marks, block, call);
  const cudaStream_t stream = cuda::stream_of(call);
  auto* progress = cleared<Progress>(1, call);
  // Noted once, however often the loop turns.
  cuda::note_launch({"canny", reinterpret_cast<const void*>(graph_step),
                     dim3(resident_blocks(marks)), dim3(step_threads)});
  if (!captured(search, progress, stream)) {
    const cuda::Key key = cuda::Key()
                              .add_device()
                              .add(marks.data)
                              .add(marks.width)
                              .add(marks.height)
                              .add(marks.stride_bytes)
                              .add(search.queue)
                              .add(search.found)
                              .add(progress);
    call.scratch()
        .kept<LoopGraph>(key.bytes(), [&] { return LoopGraph(search, progress); })
        .launch(stream);
  }
  write_joined(marks, dst, block, call);
  tell("bfs depth", &progress->depth, call);
}

#else  // the table refuses it

bool graph_loops() { return false; }
void hysteresis_by_graph(const Marks&, AnyView, dim3, Call&) {
  throw Error(ErrorCode::unsupported, "canny: graph needs CUDA 12.4");
}

#endif

void graph(const CannyArgs& args, Call& call) { behind_nms(args, call, hysteresis_by_graph); }

}  // namespace cuesta::canny_ladder
