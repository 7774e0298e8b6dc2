// Strategy `fused`: frames of any number of cameras, and batches of them, in three launches: from
// frames to bits (cuda/frames_to_bits.cuh; one launch for each background model among the cameras),
// bits closed and opened (cuda/clean_bits.cuh), and components, which with the last mask of each
// camera go straight to page-locked memory (cuda/few_components.cuh), so that nothing is fetched
// and the host waits once. Cameras are told to the kernels as arguments, so that nothing is sent
// either. The second launch writes the masks below each other into one tall mask, of the widest
// one's words, with a row of 0 below each: where a mask has too many runs for the third, label
// finds the components of all in one call, in raster order, which is camera after camera and frame
// after frame. Bound: of one frame by latency, three kernels one after the other; of many by the
// blur's dot products and the shared memory of the cleaning. A frame that founds a background goes
// without those that follow it; the other cameras go on.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/background_access.hpp"
#include "core/pinned_picture.hpp"
#include "core/stencil_factors.hpp"
#include "cuda/kept.cuh"
#include "ops/motion/cuda.hpp"
#include "ops/motion/cuda/clean_bits.cuh"
#include "ops/motion/cuda/few_components.cuh"
#include "ops/motion/cuda/frames_to_bits.cuh"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta {
namespace {

using namespace motion_cuda;

constexpr int most_blur = 2 * max_reach + 1;
/// Scratch memory of the masks that go together.
constexpr int64_t most_bytes = int64_t(512) << 20;
constexpr int64_t most_pixels = INT32_MAX;  // of a mask that label takes

/// Tiles of clean_bits: of 8, 16 and 32 words and 16, 32 and 64 rows these are the fastest of many
/// frames, and of one within a tenth (H200, 2026-11-22).
using Clean = CleanTile<16, 64>;
constexpr auto clean = clean_bits<16, 64>;
/// Blocks of frames_to_bits that a multiprocessor is to hold: the fastest of 1 to 5, alone and of
/// 64 (H200, 2026-11-22). For more the mixture's state leaves the registers.
template <class Model>
constexpr int blocks_of = Model::planes > 2 ? 2
                          : Model::learns   ? 4
                                            : 5;

int32_t words_of(int32_t width) { return (width + 63) / 64 * 2; }

/// What few_components writes, where host and GPU see it.
struct Found {
  static constexpr size_t most_kept = 4;
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
  bool founds;
  int32_t first_row;  // of the tall mask

  int32_t rows() const { return camera->frame.height + 1; }  // of a mask there
};

/// Taps as frames_to_bits takes them; whether they smooth at all.
bool fill_taps(const MotionOptions& options, uint32_t (&words)[4]) {
  std::array<int32_t, most_blur> taps;
  const auto size = size_t(options.blur);
  fill_gaussian_q8(std::span(taps).first(size), options.blur_sigma);
  if (taps[size / 2] == 256) return false;  // the others are 0
  uint8_t bytes[sizeof words] = {};
  for (size_t i = 0; i < size; ++i) bytes[max_reach - size / 2 + i] = uint8_t(taps[i]);
  std::memcpy(words, bytes, sizeof words);
  return true;
}

/// What goes together, and runs.
class Together {
 public:
  explicit Together(Call& call) : call_(call) {}

  bool empty() const { return count_ == 0; }
  /// How many of `wanted` more frames of a camera there is room for; at least one in all.
  int32_t room_for(const MotionArgs& camera, int32_t wanted) const {
    const int32_t width = std::max(width_, camera.frame.width);
    const int64_t row = int64_t(words_of(width)) * 4;
    const int64_t rows = std::min(most_pixels / width, most_bytes / (2 * row)) - rows_;
    const auto fit = int32_t(std::clamp<int64_t>(rows / (camera.frame.height + 1), 0, wanted));
    return empty() ? std::max(fit, 1) : fit;
  }
  void add(const MotionArgs& camera, int32_t begin, int32_t count) {
    const bool founds = camera.background->frames() == 0;
    parts_[size_t(count_++)] = {&camera, begin, count, founds, rows_};
    rows_ += count * (camera.frame.height + 1);
    width_ = std::max(width_, camera.frame.width);
  }

  void run() {
    Scratch& scratch = call_.scratch();
    call_.stage(motion_stages::difference);
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      const size_t rows = size_t(p.camera->frame.height) * size_t(p.count);
      bits_[size_t(i)] = scratch.take<uint32_t>(size_t(words_of(p.camera->frame.width)) * rows);
      touched_[size_t(i)] = scratch.take<uint8_t>(size_t(tiles_across()) * rows);
    }
    background::for_each_model([&](auto model) { find_bits(model); });
    call_.stage(motion_stages::morphology);
    const auto tall = scratch.bits<Space::device>(width_, rows_);
    clean_all(tall);
    if (are_small()) return find_few(tall);
    call_.stage(motion_stages::memory);
    for (int i = 0; i < count_; ++i) fetch_mask(parts_[size_t(i)], tall);
    find_all(tall);
  }

 private:
  cudaStream_t stream() const { return cuda::stream_of(call_); }
  int32_t tiles_across() const { return int32_t(cuda::blocks(words_of(width_), Clean::out_words)); }

  template <class Model>
  void find_bits(Model) {
    FrameJobs jobs{};
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
      job.learned = uint64_t(camera.background->frames());
      job.blurs = camera.options->blur > 1 && fill_taps(*camera.options, job.taps);
      job.width = frame.width;
      job.height = frame.height;
      job.first_block = blocks;
      job.across = int32_t(cuda::blocks(frame.width, tile_wide));
      job.count = p.count;
      job.limit = int16_t(std::min(pixel::limit_of<uint8_t>(camera.options->threshold.level), 255));
      job.rate = uint8_t(camera.options->background.rate_shift);
      job.channels = uint8_t(frame.channels);
      job.founds = p.founds;
      blocks += job.tiles() * (Model::learns || p.founds ? 1 : p.count);
    }
    if (jobs.count == 0) return;
    cuda::launch("motion", frames_to_bits<Model, blocks_of<Model>>, dim3(unsigned(blocks)),
                 dim3(tile_threads), 0, stream(), jobs);
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      if (p.camera->options->background.model == Model::id)
        BackgroundAccess::learned(*p.camera->background, p.count);
    }
  }

  void clean_all(BasicBitView<uint64_t, Space::device> tall) {
    MaskJobs jobs{};
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
      job.out = reinterpret_cast<uint32_t*>(tall.row(p.first_row));
      job.out_step = int64_t(job.out_words) * job.out_rows;
      job.first_block = blocks;
      job.touched = touched_[size_t(i)];
      job.across = tiles_across();
      job.down = int32_t(cuda::blocks(job.out_rows, Clean::rows));
      job.count = p.count;
      job.close = *half_widths_of(camera.options->close);
      job.open = *half_widths_of(camera.options->open);
      jobs.slots = std::max({jobs.slots, slots_of(job.close), slots_of(job.open)});
      blocks += job.across * job.down * job.count;
    }
    const size_t shared = Clean::shared_bytes(jobs.slots);
    cuda::allow_shared(clean, shared, "motion");
    cuda::launch("motion", clean, dim3(unsigned(blocks)), dim3(Clean::threads), shared, stream(),
                 jobs);
  }

  bool is_last(const Part& p) const { return p.begin + p.count == p.camera->count; }
  void fetch_mask(const Part& p, BasicBitView<uint64_t, Space::device> tall) {
    if (!is_last(p)) return;
    const BitView mask = p.camera->mask;
    cuda::check(cudaMemcpy2DAsync(mask.data, size_t(mask.stride_words) * 8,
                                  tall.row(p.first_row + (p.count - 1) * p.rows()),
                                  size_t(tall.stride_words) * 8, size_t(mask.words()) * 8,
                                  size_t(mask.height), cudaMemcpyDeviceToHost, stream()),
                "motion: fetching a mask");
  }

  bool are_small() const {
    for (int i = 0; i < count_; ++i) {
      const ConstAnyView frame = parts_[size_t(i)].camera->frame;
      if (frame.width > most_columns || frame.height > most_rows) return false;
    }
    return true;
  }

  /// Components of masks with few runs, in one launch with the masks' way to the host; else
  /// find_all().
  void find_few(BasicBitView<uint64_t, Space::device> tall) {
    call_.stage(motion_stages::components);
    ComponentsJobs jobs{};
    jobs.count = count_;
    jobs.eight = parts_[0].camera->options->connectivity == 8;
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      ComponentsJob& job = jobs.jobs[i];
      job.width = p.camera->frame.width;
      job.height = p.camera->frame.height;
      job.row_words = words_of(width_);
      job.bits = reinterpret_cast<const uint32_t*>(tall.row(p.first_row));
      job.step = int64_t(job.row_words) * p.rows();
      job.across = tiles_across();
      job.touched = touched_[size_t(i)];
      job.touched_step = int64_t(job.across) * job.height;
      job.count = p.count;
      job.first = jobs.masks;
      job.last = is_last(p) ? seen_from_gpu(p.camera->mask) : nullptr;
      jobs.masks += p.count;
    }
    const size_t room = std::bit_ceil(size_t(jobs.masks));
    const Found& found = call_.scratch().kept<Found>(cuda::Key().add(room).add_device().bytes(),
                                                     [&] { return Found(room); });
    jobs.found = found.get();
    cuda::allow_shared(few_components, sizeof(few::Shared), "motion");
    cuda::launch("motion", few_components, dim3(unsigned(jobs.masks + count_ * mask_blocks)),
                 dim3(few_threads), sizeof(few::Shared), stream(), jobs);
    for (int i = 0; i < count_; ++i)
      if (!jobs.jobs[i].last) fetch_mask(parts_[size_t(i)], tall);
    cuda::check(cudaStreamSynchronize(stream()), "motion: waiting for the components");
    const std::span<const FewComponents> all(jobs.found, size_t(jobs.masks));
    if (std::any_of(all.begin(), all.end(), [](const auto& mask) { return mask.count < 0; }))
      return find_all(tall);
    for (int i = 0; i < count_; ++i) {
      const Part& p = parts_[size_t(i)];
      *p.camera->threshold = p.camera->options->threshold.level;
      for (int32_t t = 0; t < p.count; ++t) {
        const FewComponents& mask = all[size_t(jobs.jobs[i].first + t)];
        p.camera->components[p.begin + t].assign(mask.components, mask.components + mask.count);
      }
    }
  }

  /// Components of the tall mask, handed out.
  void find_all(ConstAnyView tall) {
    tall.height -= 1;  // the last row is of 0
    // They come into the first frame's list.
    const MotionArgs first = parts_[0].camera->part(parts_[0].begin, 1);
    motion_components(first, tall, call_);
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

  Call& call_;
  int count_ = 0;
  int32_t rows_ = 0, width_ = 0;  // of the tall mask
  std::array<Part, most_jobs> parts_;
  std::array<uint32_t*, most_jobs> bits_;
  std::array<uint8_t*, most_jobs> touched_;  // rows of the clean masks, by tiles
};

}  // namespace

void motion_cuda::fused(const MotionArgs& args, Call& call) {
  const auto camera_at = [&](size_t i) -> const MotionArgs& {
    return i == 0 ? args : args.others[i - 1];
  };
  const size_t cameras = 1 + args.others.size();
  for (size_t first = 0; first < cameras; first += most_jobs) {
    const size_t n = std::min(cameras - first, size_t(most_jobs));
    std::array<int32_t, most_jobs> next{};  // frame of each camera
    for (bool more = true; more;) {
      const Scratch scope(call.nested(), Space::device);  // the next ones take the same memory
      Together together(call);
      more = false;
      for (size_t i = 0; i < n; ++i) {
        const MotionArgs& camera = camera_at(first + i);
        const int32_t left = camera.count - next[i];
        if (left == 0) continue;
        const bool founds = camera.background->frames() == 0;
        const int32_t taken = together.room_for(camera, founds ? 1 : left);
        if (taken > 0) together.add(camera, next[i], taken);
        next[i] += taken;
        more |= taken < left;
      }
      together.run();
    }
  }
}

}  // namespace cuesta
