// What a run found: rows of one form for every experiment, and what stands beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::bench {

/// What the runtime says of one kernel of a call.
struct KernelUse {
  std::string name{};
  int launches = 0;  ///< in one call
  int64_t blocks = 0;
  int threads = 0;  ///< a block
  int registers = 0;
  size_t static_shared = 0, dynamic_shared = 0, local_bytes = 0;
  double occupancy = 0;  ///< threads resident of those a multiprocessor takes, 0..1
};

/// A figure that a paper prints for the same cell of its table.
struct PaperFigure {
  double value = 0;
  std::string unit{}, what{};
};

/// Global memory accesses a call: reads and writes of samples, taps and intermediates.
struct Accesses {
  double paper = 0;    ///< by the paper's formula
  double counted = 0;  ///< all that our rung makes
};

/// What a request's pictures cost beside the kernels, step by step, ms by the wall clock: paper
/// 002's overhead taken apart. Source and result count together where both are made.
struct PictureCosts {
  double host_allocate = 0;    ///< in pageable or pinned memory
  double device_allocate = 0;  ///< as Image<T, Space::device> does
  double first_upload = 0;     ///< the source into device memory that nothing has touched
  double upload = 0;           ///< again
  double first_download = 0;   ///< the result into host memory that nothing has touched
  double download = 0;         ///< again
  double release = 0;          ///< of all that was allocated
};

/// One line of a table. Times are medians over batches; the spread is the distance between their
/// quartiles.
struct Row {
  std::string experiment{}, operation{}, strategy{}, space{}, parameters{}, type{};
  int32_t width = 0, height = 0;
  int threads = 0;        ///< of the host
  std::string variant{};  ///< the strategy's own parameters, "block=16 load=one-each"
  std::string border{};   ///< what is done at the picture's edge: "ignore"; "" where none is named
  std::string answer{};   ///< of a peer whose answer may differ: how it does; "" where it may not
  int pictures = 1;       ///< over which `ms` and the stages are means, each timed equally often
  double ms = 0, ms_spread = 0;
  double copy_ms = 0;  ///< a copy of the source picture in the same space
  double gflops = 0;   ///< by the definition's multiplications and additions; 0: no such count
  double bytes_per_pixel = 0;  ///< that must be read and written: source and result
  std::string paper{};         ///< the paper the strategy comes from

  double serial_ms = 0;  ///< the reference on one core, same request; 0: not timed
  /// Operations a byte: by the paper's formula for the strategy, and by the definition (flops over
  /// bytes_per_pixel). 0: no such count.
  double intensity_paper = 0, intensity = 0;
  double roofline_gflops = 0;  ///< min(FMA rate, intensity · copy bandwidth) of this run
  /// Upload, run and download by the wall clock; 0: not timed.
  double pageable_ms = 0, pinned_ms = 0;
  /// What the first call with a workspace takes longer than the next, by the wall clock: scratch
  /// memory, taps, textures. `ms` has none of it. 0: not timed.
  double set_up_ms = 0;
  /// One call by the wall clock, waited for, pictures and workspace ready; 0: not timed.
  double run_ms = 0;
  /// Of the row's request, the same for each of its strategies; none where they were not timed.
  std::optional<PictureCosts> pageable_costs{}, pinned_costs{};
  /// By bench/model, before it ran, for the GPU in use; 0: nothing was predicted.
  double predicted_ms = 0;
  std::string bound_by{};  ///< what the model says it waits for: "issue", "device memory"
  /// Of those stages that it knows, ms; they may be less than all.
  std::vector<std::pair<std::string, double>> predicted_stages{};
  std::optional<PaperFigure> paper_figure{};
  std::optional<Accesses> accesses{};
  std::vector<KernelUse> kernels{};
  std::vector<std::pair<std::string, double>> stages{};      ///< ms
  std::vector<std::pair<std::string, double>> statistics{};  ///< as the strategy gives them

  double times_copy() const { return copy_ms > 0 ? ms / copy_ms : 0; }
  double speedup() const { return serial_ms > 0 && ms > 0 ? serial_ms / ms : 0; }
  /// Percent of the roofline by the definition's intensity; 0: no such count.
  double roofline_percent() const {
    return roofline_gflops > 0 ? 100 * gflops / roofline_gflops : 0;
  }
};

/// What measure() found: rows in the order copy, host, device; `notes` are on what was refused
/// and which value of a swept parameter was best.
struct Measured {
  std::vector<Row> rows{};
  /// Of device strategies that were not run: predictions for the GPU `predicted_for`.
  std::vector<Row> predicted{};
  std::string predicted_for{};
  std::vector<std::string> notes{};
  /// The row of a strategy (its first variant, unless one is named); null where there is none.
  const Row* find(std::string_view strategy, Space space, std::string_view variant = {}) const;
};

struct Machine {
  std::string cpu{}, simd{}, system{}, compiler{};
  int threads = 0;
  std::vector<std::string> peers{};  ///< "opencv 4.6.0"
};

/// What the GPU reaches in each thing that a kernel may wait for, measured in the same run by small
/// kernels that do nothing else (bench/cuda/ceilings.cu). 0: not known.
struct Ceilings {
  double copy_gbs = 0, copy_spread = 0;  ///< device memory: bytes read and written
  double fma_gflops = 0, fma_spread = 0;
  double l2_gbs = 0;              ///< read from the second-level cache, past the first
  double l1_gwavefronts = 0;      ///< 10⁹ a second: a warp's 128 bytes from the first-level cache
  double shared_gwavefronts = 0;  ///< the same from shared memory
  double texture_gfetches = 0;    ///< 10⁹ samples a second, through a texture, from its cache
  double issue_ginstructions = 0;  ///< 10⁹ warp instructions a second, floats and integers by turns
  double integer_ginstructions = 0;  ///< the same of integers alone
  double launch_us = 0;   ///< from one kernel that does nothing to the next, enqueued before
  double enqueue_us = 0;  ///< of the host, to enqueue one
  double wait_us = 0;     ///< of the host: such a kernel and the wait for it
  double memory_ns = 0;   ///< one thread's read from device memory, each from where the last said
  double l2_ns = 0;       ///< the same from the second-level cache
  double block_us = 0;    ///< a multiprocessor takes to begin and end blocks of 1,024 idle threads
  double warp_us = 0;     ///< and of 32
};

/// All of them by the name that they have in JSON.
inline constexpr std::pair<const char*, double Ceilings::*> ceiling_fields[] = {
    {"copy_gbs", &Ceilings::copy_gbs},
    {"copy_spread", &Ceilings::copy_spread},
    {"fma_gflops", &Ceilings::fma_gflops},
    {"fma_spread", &Ceilings::fma_spread},
    {"l2_gbs", &Ceilings::l2_gbs},
    {"l1_gwavefronts", &Ceilings::l1_gwavefronts},
    {"shared_gwavefronts", &Ceilings::shared_gwavefronts},
    {"texture_gfetches", &Ceilings::texture_gfetches},
    {"issue_ginstructions", &Ceilings::issue_ginstructions},
    {"integer_ginstructions", &Ceilings::integer_ginstructions},
    {"launch_us", &Ceilings::launch_us},
    {"enqueue_us", &Ceilings::enqueue_us},
    {"wait_us", &Ceilings::wait_us},
    {"memory_ns", &Ceilings::memory_ns},
    {"l2_ns", &Ceilings::l2_ns},
    {"block_us", &Ceilings::block_us},
    {"warp_us", &Ceilings::warp_us}};

struct Gpu {
  std::string name{}, compute_capability{}, driver{}, runtime{};
  int multiprocessors = 0;
  size_t memory_bytes = 0;
  int l2_bytes = 0;
  Ceilings ceilings{};
};

/// A point of paper 000's theory curves: GFLOP/s = operations a byte × bandwidth, under the peak.
struct TheoryPoint {
  std::string strategy{};
  int tiles = 1, filter = 0;    ///< filter × filter taps
  double paper_gpu_gflops = 0;  ///< on the paper's GPU
  double gflops = 0;            ///< on the GPU in use; 0 without one
  double printed_gflops = 0;    ///< what the paper prints; 0: nothing
};

/// A value that stands beside the rows of an experiment, for the papers' forms (report/report.py).
struct Figure {
  std::string experiment{}, parameters{};  ///< of the rows that it belongs to; "": of all
  int32_t width = 0, height = 0;           ///< the same; 0: of every size
  std::string source{};   ///< "paper", "model", "counted" or "found" (in the picture)
  std::string subject{};  ///< who: a strategy, "the paper's GPU", a step of the chain
  std::string detail{};   ///< which part of it: a step, a parameter's value, a kernel; or ""
  std::string what{}, unit{};
  double value = 0;
  std::string words{};  ///< where the paper has words and no figure
};

struct Result {
  Machine machine{};
  std::optional<Gpu> gpu{};
  std::string why_no_gpu{};
  std::vector<std::string> libraries{};  ///< what is linked, with versions
  std::string commit{}, date{};
  std::vector<Row> rows{};
  std::vector<TheoryPoint> theory{};
  std::vector<Figure> figures{};
  /// What was left out and why, which value of a swept parameter was best: whole lines.
  std::vector<std::string> notes{};
  /// Where an answer differs from the reference, or a peer's although the contract says equal; what
  /// it names was not timed.
  std::vector<std::string> differences{};
};

/// "adaptive-tiled block=32 limit=device" on a device, "simd, 2 threads" on a host.
std::string label_of(const Row& row);
/// The value of a parameter in a row's variant; `fallback` where it has none.
std::string parameter_of(const Row& row, const std::string& name, const std::string& fallback);
/// "kernel<float>" of "void cuesta::(anonymous namespace)::kernel<float>(cuesta::Request<float>)".
std::string short_kernel_name(std::string_view demangled);

}  // namespace cuesta::bench
