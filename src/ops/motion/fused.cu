// Strategy `fused`: frames of any number of cameras, and batches of them, in three launches: from
// frames to bits (cuda/frames_to_bits.cuh; one launch for each background model among the cameras),
// bits closed and opened (cuda/clean_bits.cuh), and components, which with the last mask of each
// camera go straight to page-locked memory (cuda/few_components.cuh), so that nothing is fetched
// and the host waits once. Cameras are set to the kernels as arguments, so that nothing is sent
// either. The second launch writes the masks below each other into one tall mask, of the widest
// one's words, with a row of 0 below each: where a mask has too many runs for the third, label
// finds the components of all in one call, in raster order, which is camera after camera and frame
// after frame. Bound: of one frame by latency, three kernels one after the other; of many by the
// blur's dot products and the shared memory of the cleaning. A frame that initialises a background
// goes without those that follow it; the other cameras continue.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "core/pinned_picture.hpp"
#include "cuda/kept.cuh"
#include "ops/motion/cuda.hpp"
#include "ops/motion/cuda/clean_bits.cuh"
#include "ops/motion/cuda/few_components.cuh"
#include "ops/motion/cuda/frames_to_bits.cuh"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"
#include "ops/shared/background_access.hpp"
#include "ops/shared/stencil_factors.hpp"

namespace cuesta {
namespace {

using namespace motion_cuda;

constexpr int max_blur = 2 * max_reach + 1;
/// Scratch memory of the masks that go together.
constexpr int64_t max_bytes = int64_t(512) << 20;
constexpr int64_t max_pixels = INT32_MAX;  // of a mask that label takes

/// Tiles of clean_bits: of 8, 16 and 32 words and 16, 32 and 64 rows these are the fastest of many
/// frames, and of one within a tenth (H200, 2026-11-22).
using Clean = CleanTile<16, 64, 256>;
/// Where a multiprocessor has one block at most: 9.5 µs a mask of 1080p, with 256 threads 10.7,
/// with 1,024 11.2 (H200, 2026-11-22).
constexpr int one_mask_threads = 512;
static_assert(Clean::out_words == few::Shared::tile_words);
/// Blocks of frames_to_bits that a multiprocessor is to hold: the fastest of 1 to 5, alone and of
/// 64 (H200, 2026-11-22). For more the mixture's state leaves the registers.
template <class Model>
constexpr int blocks_of = Model::planes > 2 ? 2
                          : Model::learns   ? 4
                                            : 5;

int32_t words_of(int32_t width) { return (width + 63) / 64 * 2; }

/// What few_components writes, where host and GPU see it.
struct Found {
  static constexpr size_t max_kept = 4;
  explicit Found(size_t masks)
      : memory({PixelType::u8, {int32_t(masks * sizeof(FewComponents)), 1}}) {}
  FewComponents* get() const { return static_cast<FewComponents*>(memory.view().data); }
  PinnedPicture memory;
};

/// Where the GPU may write a mask itself: dense rows of page-locked memory. Else null.
uint64_t* seen_from_gpu(BitView mask) {
  if (mask.stride_words != mask.words()) return nullptr;
  cudaPointerAttributes known{};
  cuda::check(cudaPointerGetAttributes(&known, mask.data), "motion: asking where a mask is");
  return known.type == cudaMemoryTypeHost ? static_cast<uint64_t*>(known.devicePointer) : nullptr;
}

/// The frames of one camera that go together with others: [begin, begin + count) of its batch.
struct Part {
  const MotionArgs* camera;
  int32_t begin, count;
  int64_t learned;    // frames before these
  int32_t first_row;  // of the tall mask

  bool founds() const { return learned == 0; }
  bool is_last() const { return begin + count == camera->count; }
  int32_t rows() const { return camera->frame.height + 1; }  // of a mask there
};

/// Taps as frames_to_bits takes them; whether they smooth at all.
bool fill_taps(const MotionOptions& options, uint32_t (&words)[4]) {
  std::array<int32_t, max_blur> taps;
  const auto size = size_t(options.blur);
  fill_gaussian_q8(std::span(taps).first(size), options.blur_sigma);
  if (taps[size / 2] == 256) return false;  // the others are 0
  uint8_t bytes[sizeof words] = {};
  for (size_t i = 0; i < size; ++i) bytes[max_reach - size / 2 + i] = uint8_t(taps[i]);
  std::memcpy(words, bytes, sizeof words);
  return true;
}

/// Groups of cameras that are waited for together.
constexpr int max_groups = 8;

/// What goes in the same launches.
class Together {
 public:
  Together(Call& call, int64_t bytes) : call_(call), max_bytes_(bytes) {}

  bool empty() const { return count_ == 0; }
  /// How many of `wanted` more frames of a camera there is room for; at least one in all.
  int32_t room_for(const MotionArgs& camera, int32_t wanted) const {
    const int32_t width = std::max(width_, camera.frame.width);
    const int64_t row = int64_t(words_of(width)) * 4;
    const int64_t rows = std::min(max_pixels / width, max_bytes_ / (2 * row)) - rows_;
    const auto fit = int32_t(std::clamp<int64_t>(rows / (camera.frame.height + 1), 0, wanted));
    return empty() ? std::max(fit, 1) : fit;
  }
  void add(const MotionArgs& camera, int32_t begin, int32_t count) {
    parts_[size_t(count_++)] = {&camera, begin, count, camera.background->frames(), rows_};
    masks_ += count;
    rows_ += count * (camera.frame.height + 1);
    width_ = std::max(width_, camera.frame.width);
  }

  int32_t masks() const { return masks_; }
  bool has_few() const { return found_; }

  /// Everything up to the components of masks with few runs, which come to found[0 .. masks()).
  void enqueue(FewComponents* found) {
    Scratch& scratch = call_.scratch();
    call_.stage(motion_stages::difference);
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      const size_t rows = size_t(p.camera->frame.height) * size_t(p.count);
      bits_[size_t(i)] = scratch.take<uint32_t>(size_t(words_of(p.camera->frame.width)) * rows);
      runs_[size_t(i)] = scratch.take<uint8_t>(size_t(runs_step(p)) * size_t(p.count));
    }
    background::for_each_model([&](auto model) {
      if constexpr (!background::is_spatial<decltype(model)>) find_bits(model);
    });
    call_.stage(motion_stages::morphology);
    tall_ = scratch.bits<Space::device>(width_, rows_);
    clean_all();
    found_ = are_small() ? found : nullptr;
    if (found_) find_few();
  }
  /// Hands them out when they have come; finds all where there are more.
  void finish() {
    const std::span<const FewComponents> few(found_, found_ ? size_t(masks_) : 0);
    if (!found_) {
      call_.stage(motion_stages::memory);
      for (int i = 0; i < count_; ++i) fetch_mask(parts_[size_t(i)]);
    }
    if (!found_ || std::any_of(few.begin(), few.end(), [](const auto& m) { return m.count < 0; }))
      find_all();
    else
      hand_out(few);
    for (int i = 0; found_ && i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      if (p.is_last() && p.camera->memory) p.camera->memory->shown.frames = p.learned + p.count;
    }
  }

 private:
  cudaStream_t stream() const { return cuda::stream_of(call_); }
  int32_t tiles_across() const { return int32_t(cuda::blocks(words_of(width_), Clean::out_words)); }

  /// Bytes of clean_bits' counts of runs from mask to mask.
  int64_t runs_step(const Part& p) const {
    return (int64_t(tiles_across()) * p.camera->frame.height + 3) / 4 * 4;
  }

  template <class Model>
  void find_bits(Model) {
    FrameJobs<> jobs{};
    int32_t blocks = 0;
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      const MotionArgs& camera = *p.camera;
      if (camera.options->background.model != Model::id) continue;
      FrameJob& job = jobs.jobs[jobs.count++];
      const ConstAnyView frame = ConstBatch(camera.frame, camera.count, camera.frame_step)[p.begin];
      const AnyView state = BackgroundAccess::state_for(*camera.background, frame);
      job.frame = static_cast<const uint8_t*>(frame.data);
      job.frame_stride = frame.stride_bytes;
      job.frame_step = camera.frame_step;
      job.state = state.data;
      job.state_stride = state.stride_bytes;
      job.wide =
          (reinterpret_cast<uintptr_t>(state.data) | uintptr_t(state.stride_bytes)) % 16 == 0;
      job.bits = bits_[size_t(i)];
      job.bits_step = int64_t(words_of(frame.width)) * frame.height;
      job.learned = uint64_t(p.learned);
      job.blurs = camera.options->blur > 1 && fill_taps(*camera.options, job.taps);
      job.width = frame.width;
      job.height = frame.height;
      job.first_block = blocks;
      job.across = int32_t(cuda::blocks(frame.width, tile_wide));
      job.count = p.count;
      job.limit = int16_t(std::min(pixel::limit_of<uint8_t>(camera.options->threshold.level), 255));
      job.rate = uint8_t(camera.options->background.rate_shift);
      job.channels = uint8_t(frame.channels);
      job.founds = p.founds();
      blocks += job.tiles() * (Model::learns || p.founds() ? 1 : p.count);
    }
    if (jobs.count == 0) return;
    by_count(jobs, [&]<int Most>(const FrameJobs<Most>& some) {
      cuda::launch("motion", frames_to_bits<Model, blocks_of<Model>, Most>, dim3(unsigned(blocks)),
                   dim3(tile_threads), 0, stream(), some);
    });
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      if (p.camera->options->background.model == Model::id)
        BackgroundAccess::learned(*p.camera->background, p.count);
    }
  }

  void clean_all() {
    MaskJobs<> jobs{};
    int32_t blocks = 0;
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      const MotionArgs& camera = *p.camera;
      MaskJob& job = jobs.jobs[jobs.count++];
      job.bits = bits_[size_t(i)];
      job.width = camera.frame.width;
      job.height = camera.frame.height;
      job.bits_step = int64_t(words_of(job.width)) * job.height;
      job.out_words = words_of(width_);
      job.out_rows = p.rows();
      job.out = reinterpret_cast<uint32_t*>(tall_.row(p.first_row));
      job.out_step = int64_t(job.out_words) * job.out_rows;
      job.first_block = blocks;
      job.runs = runs_[size_t(i)];
      job.runs_step = runs_step(p);
      job.across = tiles_across();
      job.down = int32_t(cuda::blocks(job.out_rows, Clean::rows));
      job.count = p.count;
      job.close = *half_widths_of(camera.options->close);
      job.open = *half_widths_of(camera.options->open);
      jobs.slots = std::max({jobs.slots, slots_of(job.close), slots_of(job.open)});
      blocks += job.across * job.down * job.count;
    }
    by_count(jobs, [&]<int Most>(const MaskJobs<Most>& some) {
      const bool waits = Most == 1 && blocks <= cuda::multiprocessors();
      const int threads = waits ? one_mask_threads : Clean::threads;
      const auto clean = waits ? clean_bits<16, 64, one_mask_threads, Most>
                               : clean_bits<16, 64, Clean::threads, Most>;
      const size_t shared = Clean::shared_bytes(jobs.slots);
      cuda::allow_shared(clean, shared, "motion");
      cuda::launch_overlapped("motion", clean, dim3(unsigned(blocks)), dim3(unsigned(threads)),
                              shared, stream(), some);
    });
  }

  void fetch_mask(const Part& p) {
    if (!p.is_last()) return;
    const BitView mask = p.camera->mask;
    cuda::check(cudaMemcpy2DAsync(mask.data, size_t(mask.stride_words) * 8,
                                  tall_.row(p.first_row + (p.count - 1) * p.rows()),
                                  size_t(tall_.stride_words) * 8, size_t(mask.words()) * 8,
                                  size_t(mask.height), cudaMemcpyDeviceToHost, stream()),
                "motion: fetching a mask");
  }

  bool are_small() const {
    for (int i = 0; i < count_; ++i) {
      const ConstAnyView frame = parts_[size_t(i)].camera->frame;
      if (frame.width > max_columns || frame.height > max_rows) return false;
    }
    return true;
  }

  /// Components of masks with few runs, in one launch with the masks' way to the host.
  void find_few() {
    call_.stage(motion_stages::components);
    ComponentsJobs<> jobs{};
    jobs.count = count_;
    jobs.eight = parts_[0].camera->options->connectivity == 8;
    jobs.found = found_;
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      ComponentsJob& job = jobs.jobs[i];
      job.width = p.camera->frame.width;
      job.height = p.camera->frame.height;
      job.row_words = words_of(width_);
      job.bits = reinterpret_cast<const uint32_t*>(tall_.row(p.first_row));
      job.step = int64_t(job.row_words) * p.rows();
      job.across = tiles_across();
      job.runs = runs_[size_t(i)];
      job.runs_step = runs_step(p);
      job.count = p.count;
      job.first_block = jobs.masks;
      if (p.is_last()) show(p, job);
      jobs.masks += p.count;
    }
    by_count(jobs, [&]<int Most>(const ComponentsJobs<Most>& some) {
      const auto components = few_components<Most>;
      cuda::allow_shared(components, sizeof(few::Shared), "motion");
      cuda::launch_overlapped("motion", components,
                              dim3(unsigned(jobs.masks + count_ * mask_blocks)), dim3(few_threads),
                              sizeof(few::Shared), stream(), some);
    });
    for (int i = 0; i < count_; ++i)
      if (!jobs.jobs[i].last) fetch_mask(parts_[size_t(i)]);
  }
  /// The last mask goes to the host, those of its rows that change.
  static void show(const Part& p, ComponentsJob& job) {
    job.last = seen_from_gpu(p.camera->mask);
    if (!job.last || !p.camera->memory) return;
    ShownRows& shown = p.camera->memory->shown;
    if (shown.rows.width() != job.height) shown = {Image<uint8_t, Space::device>(job.height, 1)};
    job.shown = shown.rows.row(0);
    job.is_known = shown.frames == p.learned - p.begin;
  }
  void hand_out(std::span<const FewComponents> few) {
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      *p.camera->threshold = p.camera->options->threshold.level;
      for (int32_t t = 0; t < p.count; ++t) {
        p.camera->components[p.begin + t].assign(few[0].components,
                                                 few[0].components + few[0].count);
        few = few.subspan(1);
      }
    }
  }

  /// Components of the tall mask, handed out.
  void find_all() {
    AnyView tall = tall_;
    tall.height -= 1;  // the last row is of 0
    // They come into the first frame's list.
    const MotionArgs first = parts_[0].camera->part(parts_[0].begin, 1);
    motion_components(first, tall, {}, call_);
    std::vector<Component>& all = first.components[0];
    auto begin = all.begin();
    size_t of_first = 0;
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      *p.camera->threshold = p.camera->options->threshold.level;
      for (int32_t t = 0; t < p.count; ++t) {
        const int32_t top = p.first_row + t * p.rows(), bottom = top + p.rows();
        const auto end = std::partition_point(
            begin, all.end(), [bottom](const Component& c) { return c.box.y < bottom; });
        if (i == 0 && t == 0) {
          of_first = size_t(end - begin);
        } else {
          std::vector<Component>& own = p.camera->components[p.begin + t];
          own.assign(begin, end);
          for (size_t k = 0; k < own.size(); ++k) {
            own[k].label = int32_t(k) + 1;
            own[k].box.y -= top;
            own[k].sum_y -= int64_t(top) * own[k].area;
          }
        }
        begin = end;
      }
    }
    all.resize(of_first);
  }

  /// Launches with the jobs, or with the one that there is.
  template <class All, class Launch>
  static void by_count(const All& jobs, Launch&& launch) {
    if (jobs.count == 1)
      launch(jobs.first());
    else
      launch(jobs);
  }

  Call& call_;
  int64_t max_bytes_;
  int count_ = 0;
  int32_t masks_ = 0;
  int32_t rows_ = 0, width_ = 0;  // of the tall mask
  BasicBitView<uint64_t, Space::device> tall_{};
  FewComponents* found_ = nullptr;
  std::array<Part, max_jobs> parts_;
  std::array<uint32_t*, max_jobs> bits_;
  std::array<uint8_t*, max_jobs> runs_;  // of the clean masks, counted by rows and tiles
};

}  // namespace

void motion_cuda::fused(const MotionArgs& args, Call& call) {
  const auto camera_at = [&](size_t i) -> const MotionArgs& {
    return i == 0 ? args : args.others[i - 1];
  };
  constexpr size_t at_once = max_groups * max_jobs;
  const size_t cameras = 1 + args.others.size();
  for (size_t first = 0; first < cameras; first += at_once) {
    const size_t n = std::min(cameras - first, at_once);
    const int64_t bytes = max_bytes / int64_t((n - 1) / max_jobs + 1);
    std::array<int32_t, at_once> next{};  // frame of each camera
    for (bool more = true; more;) {
      const Scratch scope(call.nested(), Space::device);  // the next ones take the same memory
      std::array<std::optional<Together>, max_groups> groups;
      size_t masks = 0;
      more = false;
      for (size_t i = 0; i < n; ++i) {
        const MotionArgs& camera = camera_at(first + i);
        const int32_t left = camera.count - next[i];
        if (left == 0) continue;
        auto& together = groups[i / max_jobs];
        if (!together) together.emplace(call, bytes);
        const bool founds = camera.background->frames() == 0;
        const int32_t taken = together->room_for(camera, founds ? 1 : left);
        if (taken > 0) together->add(camera, next[i], taken);
        next[i] += taken;
        masks += size_t(taken);
        more |= taken < left;
      }
      const size_t room = std::bit_ceil(masks);
      const Found& found = call.scratch().kept<Found>(cuda::Key().add(room).add_device().bytes(),
                                                      [&] { return Found(room); });
      FewComponents* to = found.get();
      bool waits = false;
      for (auto& together : groups) {
        if (!together) continue;
        together->enqueue(to);
        to += together->masks();
        waits |= together->has_few();
      }
      if (waits) {
        cuda::check(cudaStreamSynchronize(cuda::stream_of(call)),
                    "motion: waiting for the components");
      }
      for (auto& together : groups)
        if (together) together->finish();
    }
  }
}

}  // namespace cuesta
