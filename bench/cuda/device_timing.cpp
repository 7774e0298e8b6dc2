#include "bench/engine/device_timing.hpp"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "bench/cuda/kernels.hpp"
#include "core/memory.hpp"
#include "cuda/check.hpp"

namespace cuesta::bench {
namespace {

using cuda::check;

// A batch never holds more calls: what the launch queue takes while the gate is shut.
constexpr int max_calls = 128;
// The gate is never shut for longer.
constexpr double longest_gate_ms = 20;

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "bench: making an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(void* stream) {
    check(cudaEventRecord(event_, stream_of(stream)), "bench: an event");
  }
  double ms_since(const Event& from) const {
    check(cudaEventSynchronize(event_), "bench: waiting for the GPU");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, from.event_, event_), "bench: reading a time");
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

struct Batch {
  double ms = 0, enqueue_ms = 0;  // of one call: on the GPU, and of the host
};

Batch run_batch(const DeviceBody& body, size_t& turn, int calls, double gate_ms, void* stream) {
  Event begin, end;
  if (gate_ms > 0) device::enqueue_gate(uint64_t(std::min(gate_ms, longest_gate_ms) * 1e6), stream);
  const auto from = std::chrono::steady_clock::now();
  begin.record(stream);
  for (int i = 0; i < calls; ++i) body.enqueue(turn++, stream);
  end.record(stream);
  const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - from;
  return {end.ms_since(begin) / calls, host.count() / calls};
}

struct Plan {
  int calls = 1;    // of a batch
  int at_once = 1;  // of them behind one gate
  double gate_ms = 0;
};

// Whether a call over buffers that it has seen comes back only after the GPU has: then not before
// the gate opens. One that does not has seen all its buffers afterwards.
bool waits(const DeviceBody& body, size_t& turn, void* stream) {
  if (!body.host_sync) return false;
  constexpr double gate_ms = 5;
  const auto settle = [&] {
    check(cudaStreamSynchronize(stream_of(stream)), "bench: waiting for the GPU");
  };
  body.enqueue(turn, stream);
  settle();
  device::enqueue_gate(uint64_t(gate_ms * 1e6), stream);
  const double ms = time_once([&] { body.enqueue(turn, stream); });
  settle();
  if (ms > 0.8 * gate_ms) return true;
  for (size_t i = 0; i < body.turns; ++i) body.enqueue(turn++, stream);
  settle();
  return false;
}

Plan plan_of(const DeviceBody& body, size_t& turn, double batch_ms, void* stream) {
  run_batch(body, turn, 2, 0, stream);  // modules, scratch
  const bool gated = !waits(body, turn, stream);
  const Batch first = run_batch(body, turn, 4, 0, stream);
  Plan plan;
  plan.calls =
      int(std::clamp<int64_t>(std::llround(batch_ms / std::max(first.ms, 1e-4)), 1, max_calls));
  plan.at_once = plan.calls;
  if (const int round = int(body.round); round > 1) {
    plan.calls = (plan.calls + round - 1) / round * round;
    const int parts = (plan.calls + max_calls / 2 - 1) / (max_calls / 2);
    plan.at_once = (plan.calls + parts - 1) / parts;
  }
  if (gated) plan.gate_ms = 0.05 + 1.5 * first.enqueue_ms * plan.at_once;
  return plan;
}

// Milliseconds of one call of a batch, in as many parts as the launch queue asks for.
double run_plan(const DeviceBody& body, const Plan& plan, size_t& turn, void* stream) {
  double ms = 0;
  for (int done = 0; done < plan.calls;) {
    const int calls = std::min(plan.at_once, plan.calls - done);
    ms += run_batch(body, turn, calls, plan.gate_ms, stream).ms * calls;
    done += calls;
  }
  return ms / plan.calls;
}

KernelUse use_of(const cuda::Launch& launch) {
  KernelUse use;
  cudaFuncAttributes attributes{};
  // A kernel of another copy of the runtime is not known here; its facts stay empty.
  if (cudaFuncGetAttributes(&attributes, launch.kernel) != cudaSuccess) {
    cudaGetLastError();
    return use;
  }
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, launch.kernel) == cudaSuccess && mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
    use.name = status == 0 && plain ? plain.get() : mangled;
  }
  use.threads = int(launch.block.x * launch.block.y * launch.block.z);
  use.blocks = int64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  use.registers = attributes.numRegs;
  use.static_shared = attributes.sharedSizeBytes;
  use.dynamic_shared = launch.dynamic_shared_bytes;
  use.local_bytes = attributes.localSizeBytes;
  int blocks = 0, device = 0, max_threads = 0;
  check(cudaGetDevice(&device), "bench: which GPU");
  check(cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device),
        "bench: threads of a multiprocessor");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, launch.kernel, use.threads,
                                                      launch.dynamic_shared_bytes),
        "bench: occupancy");
  if (max_threads > 0) use.occupancy = double(blocks) * use.threads / max_threads;
  return use;
}

}  // namespace

std::vector<Timing> time_on_device(std::span<const DeviceBody> bodies, int batches, double batch_ms,
                                   void* stream) {
  std::vector<Plan> plans;
  std::vector<size_t> turns(bodies.size(), 0);
  for (size_t i = 0; i < bodies.size(); ++i)
    plans.push_back(plan_of(bodies[i], turns[i], batch_ms, stream));
  std::vector<std::vector<double>> times(bodies.size());
  for (int batch = 0; batch < batches; ++batch) {
    for (size_t i = 0; i < bodies.size(); ++i)
      times[i].push_back(run_plan(bodies[i], plans[i], turns[i], stream));
  }
  std::vector<Timing> out;
  for (auto& t : times) out.push_back(summary_of(std::move(t)));
  return out;
}

void copy_on_device(ConstAnyView from, AnyView to, void* stream) {
  const auto row = size_t(detail::row_bytes(from));
  if (size_t(from.stride_bytes) == row && size_t(to.stride_bytes) == row) {
    check(cudaMemcpyAsync(to.data, from.data, row * size_t(from.height), cudaMemcpyDeviceToDevice,
                          stream_of(stream)),
          "bench: a copy");
    return;
  }
  check(cudaMemcpy2DAsync(to.data, size_t(to.stride_bytes), from.data, size_t(from.stride_bytes),
                          row, size_t(from.height), cudaMemcpyDeviceToDevice, stream_of(stream)),
        "bench: a copy");
}

std::vector<KernelUse> kernels_of(const std::function<void()>& call) {
  std::vector<cuda::Launch> launches;
  {
    const cuda::LaunchRecorder recorder;
    call();
    launches = recorder.launches();
  }
  std::vector<KernelUse> uses;
  std::vector<cuda::Launch> known;
  for (const auto& launch : launches) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const cuda::Launch& other) {
      return other.kernel == launch.kernel &&
             other.dynamic_shared_bytes == launch.dynamic_shared_bytes;
    });
    if (same == known.end()) {
      known.push_back(launch);
      uses.push_back(use_of(launch));
      uses.back().launches = 1;
    } else {
      ++uses[size_t(same - known.begin())].launches;
    }
  }
  return uses;
}

struct DeviceMarks::State {
  std::vector<std::unique_ptr<Event>> events;
  size_t used = 0;
};
DeviceMarks::DeviceMarks() : state_(std::make_unique<State>()) {}
DeviceMarks::~DeviceMarks() = default;
size_t DeviceMarks::mark(void* stream) {
  if (state_->used == state_->events.size()) state_->events.push_back(std::make_unique<Event>());
  state_->events[state_->used]->record(stream);
  return state_->used++;
}
double DeviceMarks::ms_between(size_t from, size_t to) {
  return state_->events.at(to)->ms_since(*state_->events.at(from));
}
void DeviceMarks::clear() { state_->used = 0; }

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  static const std::regex version(R"((\d+\.\d+(\.\d+)?))");
  return std::regex_search(line, found, version) ? found[1].str() : std::string();
}

}  // namespace cuesta::bench
