#if defined(CUESTA_HAS_PICTURES)
#include "io/bands.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <future>
#include <mutex>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/stages.hpp"
#include "core/threads.hpp"
#include "cuesta/device.hpp"
#include "cuesta/objects.hpp"
#include "io/band_stage.hpp"
#include "io/errors.hpp"
#include "io/frame_pool.hpp"
#include "io/spare_rows.hpp"
#include "recipes/convert.hpp"

namespace cuesta::io {
namespace {

// Rows in host memory, page-locked where a GPU reads and writes them.
class HostRows {
 public:
  // Room for as many of this shape; what was in it is lost where there was less.
  void reserve(const PictureShape& shape, bool pinned) {
    if (view_ && view_.height >= shape.size.height && view_.width == shape.size.width) return;
    if (pinned) {
      locked_ = {};  // before the next is taken
      locked_ = PinnedPicture(shape);
      view_ = locked_.view();
    } else {
      view_ = pageable_.create(shape.size, shape.channels, shape.type);
    }
  }
  AnyView view() const { return view_; }
  AnyView view(int32_t rows) const { return view_.region({0, 0, view_.width, rows}); }

 private:
  AnyImage pageable_{};
  PinnedPicture locked_{};
  AnyView view_{};
};

// A band in flight: the rows around and in it, and what was made of them.
struct Band {
  int32_t begin = 0, end = 0;  // rows of the picture that are wanted
  int32_t low = 0, high = 0;   // rows that are there
  HostRows rows{}, out{}, marks{};
  ConstAnyView seen{};           // what the operations see of the rows
  std::function<void()> then{};  // what follows in the order of the bands
  std::future<void> working{};

  ConstAnyView view() const { return rows.view(high - low); }
  AnyView result() const { return out.view(high - low); }
  uint64_t* mark_bits() const { return static_cast<uint64_t*>(marks.view().data); }
};

char* row_at(AnyView view, int32_t y) {
  return static_cast<char*>(view.data) + ptrdiff_t(y) * view.stride_bytes;
}

void copy_rows(ConstAnyView from, int32_t first, int32_t count, AnyView to, int32_t at) {
  const size_t bytes =
      size_t(from.width) * size_t(from.channels) * size_t(bytes_per_sample(from.type));
  for (int32_t i = 0; i < count; ++i) {
    std::memcpy(row_at(to, at + i),
                static_cast<const char*>(from.data) + ptrdiff_t(first + i) * from.stride_bytes,
                bytes);
  }
}

// A picture's rows in bands, each with `reach` rows around, as far as there are any; of a picture
// that wraps there always are.
class BandFeed {
 public:
  BandFeed(const std::filesystem::path& source, const BandSettings& settings, const BandWork& work,
           int32_t band_rows)
      : source_(source, settings.limits, settings.region),
        reach_(work.reach),
        band_rows_(band_rows),
        wraps_(work.wraps),
        pinned_(!settings.devices.empty()),
        facts_(source_.facts()) {
    if (!wraps_) return;
    PictureRows ends(source, settings.limits, settings.region);
    const auto [size, channels, type] = std::tuple(facts().size, facts().channels, facts().type);
    const int32_t kept = std::min(reach_, size.height);
    for (AnyImage* part : {&head_, &tail_}) part->create({size.width, kept}, channels, type);
    if (kept == 0) return;
    ends.read(0, head_);
    const int32_t rest = std::max(kept, size.height - kept), again = size.height - kept;
    copy_rows(head_, again, rest - again, tail_, 0);
    if (rest < size.height)
      ends.read(rest, AnyView(tail_).region({0, rest - again, size.width, size.height - rest}));
  }

  const PictureFacts& facts() const { return facts_; }
  void start_at(int32_t row) { next_ = row; }
  /// The next band is rows [first, end).
  void go_to(int32_t first, int32_t end) { next_ = first, band_rows_ = end - first; }
  /// From here on rows are what an earlier pass kept of them, with this many channels.
  void take_from(const SpareRows& kept, int32_t channels) {
    kept_ = &kept;
    facts_.channels = channels;
  }

  // The next band; false after the last one. `before` is the band taken before, if there was one.
  bool take(Band& band, const Band* before) {
    const int32_t height = facts().size.height;
    if (next_ >= height) return false;
    band.begin = next_;
    band.end = int32_t(std::min<int64_t>(height, int64_t(next_) + band_rows_));
    band.low = wraps_ ? band.begin - reach_ : std::max(0, band.begin - reach_);
    band.high =
        int32_t(wraps_ ? band.end + reach_ : std::min<int64_t>(height, int64_t(band.end) + reach_));
    const Size size{facts().size.width, band.high - band.low};
    band.rows.reserve({facts().type, size, facts().channels}, pinned_);
    const AnyView rows = band.rows.view();
    int32_t have = band.low;  // rows before it are there
    if (before && before->high > have) {
      copy_rows(before->rows.view(), have - before->low, std::min(before->high, band.high) - have,
                rows, 0);
      have = std::min(before->high, band.high);
    }
    const auto wrapped = [&](int32_t end) {
      for (; have < end; ++have) {
        const int32_t y = ((have % height) + height) % height, kept = head_.height();
        const bool in_head = y < kept;
        copy_rows(in_head ? head_ : tail_, in_head ? y : y - (height - kept), 1, rows,
                  have - band.low);
      }
    };
    wrapped(std::min(0, band.high));
    if (const int32_t end = std::min(height, band.high); have < end) {
      const AnyView wanted = rows.region({0, have - band.low, size.width, end - have});
      kept_ ? kept_->read(have, wanted) : source_.read(have, wanted);
      have = end;
    }
    wrapped(band.high);
    next_ = band.end;
    return true;
  }

 private:
  PictureRows source_;
  int32_t reach_, band_rows_;
  bool wraps_, pinned_;
  PictureFacts facts_;
  const SpareRows* kept_ = nullptr;
  AnyImage head_{}, tail_{};  // rows that a picture that wraps has beyond its ends
  int32_t next_ = 0;
};

// Runs steps until one throws, and keeps what it threw; from any thread.
class FirstFault {
 public:
  /// What the step returns; false where it, or one before, threw.
  template <class Step>
  bool operator()(Step&& step) {
    try {
      {
        const std::lock_guard lock(mutex_);
        if (fault_) return false;
      }
      return step();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr fault_;
};

// Every band through `work`, which gets its place, then `then` and `give` in order, while the
// next are read: `at_once` places at once, or one after the other with the `then` of each.
struct Pass {
  std::function<void(Band&, int place)> work;
  std::function<void(Band&)> then{}, give{};
};
void pass_bands(BandFeed& feed, int at_once, const Pass& pass) {
  std::vector<Band> places(size_t(std::max(2, at_once)));
  const bool threads = at_once > 1;
  const Band* before = nullptr;
  FirstFault guarded;
  const auto work_on = [&](int place) {
    guarded([&] {
      pass.work(places[size_t(place)], threads ? place : 0);
      return true;
    });
  };
  const auto then = [&](int place) {
    guarded([&] {
      if (pass.then) pass.then(places[size_t(place)]);
      return true;
    });
  };
  const auto take = [&](int place) {
    Band& band = places[size_t(place)];
    return guarded([&] {
      const bool is_there = feed.take(band, before);
      before = &band;
      return is_there;
    });
  };
  const auto work = [&](int place) {
    if (!threads) {
      work_on(place);
      return then(place);
    }
    guarded([&] {
      places[size_t(place)].working = std::async(std::launch::async, work_on, place);
      return true;
    });
  };
  const auto give = [&](int place) {
    if (Band& band = places[size_t(place)]; band.working.valid()) {
      band.working.get();
      then(place);
    }
    guarded([&] {
      pass.give(places[size_t(place)]);
      return true;
    });
  };
  run_stages(int(places.size()), {.take = take, .work = work, .give = give});
  guarded.rethrow();
}

// What is done of all passes, in rows.
class Meter {
 public:
  Meter(const BandOptions& options, int64_t all) : tell_(options.progress), all_(all) {}
  void add(int64_t rows) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    done_ += rows;
    tell_(std::min(done_, all_), all_);
  }

 private:
  const std::function<void(int64_t, int64_t)>& tell_;
  std::mutex mutex_;
  int64_t all_, done_ = 0;
};

// Of rows and of what is made of them.
double bytes_of_samples(const PictureFacts& facts, const BandWork& work) {
  // Of canny two bits of a pixel, its sets and strips.
  const double out = work.canny ? 1 : work.channels * bytes_per_sample(work.type);
  return facts.channels * bytes_per_sample(facts.type) + out;
}

double bytes_of_row(const PictureFacts& facts, const BandWork& work, int at_once) {
  return facts.size.width *
         (std::max(2, at_once) * bytes_of_samples(facts, work) + at_once * work.scratch_bytes);
}

[[noreturn]] void throw_too_little(const PictureFacts& facts, const BandWork& work,
                                   std::string_view memory, std::string_view mend, int64_t bytes,
                                   std::optional<Hint> hint) {
  const std::string text =
      fmt::format("bands: {} hold too few rows of {} pixels with {} around them{}", memory,
                  facts.size.width, work.reach, mend);
  if (hint) throw Error(ErrorCode::out_of_memory, text, std::to_string(bytes), *hint);
  throw_invalid(std::to_string(bytes), "{}", text);
}

// Rows that the GPUs take: half of a GPU's memory holds what its bands need, and more pixels than
// fill a GPU would only make the copies wait for each other.
double rows_on_devices(const PictureFacts& facts, const BandWork& work,
                       const BandSettings& settings, int32_t least) {
  constexpr double scratch_bytes = 32;  // a pixel: canny's `plain` has the most, 23
  constexpr double max_pixels = 1 << 26;
  double rows = facts.size.height;
  const double at_once = double(settings.at_once) / double(settings.devices.size());
  for (const DeviceInfo& device : list_devices()) {
    if (std::ranges::find(settings.devices, device.index) == settings.devices.end()) continue;
    const double row = facts.size.width * at_once * (bytes_of_samples(facts, work) + scratch_bytes);
    rows = std::min(rows, double(device.memory_bytes) / 2 / row - 2 * work.reach);
    if (rows < least) {
      throw_too_little(facts, work,
                       fmt::format("the {} bytes of GPU {}", device.memory_bytes, device.index), "",
                       int64_t(device.memory_bytes), Hint::use_cpu);
    }
  }
  return std::min(rows, std::max<double>(least, max_pixels / facts.size.width));
}

int32_t rows_of_bands(const PictureFacts& facts, const BandWork& work,
                      const BandSettings& settings) {
  const BandOptions& options = settings.bands;
  if (options.rows > 0) return options.rows;
  const double row = bytes_of_row(facts, work, settings.at_once);
  // A part is the decoder's and the encoder's.
  double rows = 0.75 * double(options.memory) / row - 2 * work.reach;
  const int32_t least = std::min(16, facts.size.height);
  if (rows < least) {
    const auto needed = int64_t(row * (least + 2 * work.reach) / 0.75) + 1;
    throw_too_little(facts, work, fmt::format("{} bytes of memory", options.memory),
                     fmt::format("; give {} or more", needed), options.memory, {});
  }
  if (!settings.devices.empty())
    rows = std::min(rows, rows_on_devices(facts, work, settings, least));
  return int32_t(std::min<double>(rows, facts.size.height));
}

// What a result is made of: the same words, the same bytes.
std::string key_of(const std::filesystem::path& source, const BandSettings& settings,
                   const BandWork& work) {
  struct stat status {};
  if (stat(source.c_str(), &status) != 0) throw_input(source.string(), reason_of(errno));
  std::error_code ignored;
  const Rect region = settings.region.value_or(Rect());
  std::string key = fmt::format("{} {} {} {}.{} page {} band {} partial {} region {} {} {} {}: {}",
                                std::filesystem::absolute(source, ignored).string(), status.st_ino,
                                status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                settings.limits.page.value_or(0), settings.limits.band,
                                settings.limits.allow_partial, region.x, region.y, region.width,
                                region.height, work.key);
  std::replace(key.begin(), key.end(), '\n', ' ');
  return key;
}

// The edges of marks that are in a stage, made when they are requested, a few strips at once.
class ResolvedRows {
 public:
  ResolvedRows(const CannyBands& bands, const BandStage& stage, int32_t width, int threads,
               int64_t memory)
      : bands_(bands), stage_(stage), width_(width), threads_(thread_count(threads)) {
    for (const auto& strip : bands.strips()) max_ = std::max(max_, strip.end - strip.first);
    const int64_t strip_bytes = int64_t(max_) * width * 2;
    per_group_ = int32_t(std::clamp<int64_t>(memory / 4 / strip_bytes, 1, 4 * threads_));
    scratch_.resize(size_t(per_group_));
    counted_.resize(bands.strips().size() / size_t(per_group_) + 1, false);
  }

  void fill(int32_t x, int32_t y, int32_t count, void* to) {
    std::memcpy(to, group_of(y)->row(y) + x, size_t(count));
  }
  int64_t edge_pixels() const { return edge_pixels_; }

 private:
  struct Group {
    int32_t first = 0;
    Image<uint8_t> edges{};
    const uint8_t* row(int32_t y) const { return edges.row(y - first); }
    void clear() {}
  };

  // Of a strip in flight.
  struct Scratch {
    std::vector<uint64_t> marks{}, edges{};
  };

  std::shared_ptr<const Group> group_of(int32_t y) {
    const auto strips = bands_.strips();
    const auto at =
        std::upper_bound(strips.begin(), strips.end(), y,
                         [](int32_t row, const auto& strip) { return row < strip.end; });
    const auto index = int32_t(at - strips.begin()) / per_group_;
    const std::lock_guard lock(mutex_);
    for (const auto& [number, group] : groups_)
      if (number == index) return group;
    // Encoders ask for rows of two groups where one ends.
    auto& [number, group] = groups_[size_t(next_++ % 2)];
    number = -1;
    // Memory is kept for the next: malloc would hold several times as much.
    group.reset();
    group = pool_.take();
    make(index, *group);
    number = index;
    return group;
  }

  void make(int32_t index, Group& group) {
    const auto strips = bands_.strips();
    const int32_t begin = index * per_group_,
                  end = std::min(int32_t(strips.size()), begin + per_group_);
    group.first = strips[size_t(begin)].first;
    if (group.edges.height() == 0) group.edges = Image<uint8_t>(width_, per_group_ * max_);
    std::vector<int64_t> counts(size_t(end) - size_t(begin), 0);
    parallel_tasks(end - begin, threads_, [&](int i) {
      const auto [first, last] = strips[size_t(begin) + size_t(i)];
      const int64_t words = bands_.mark_words(), rows = last - first;
      auto& [marks, edges] = scratch_[size_t(i)];
      marks.resize(size_t(words * rows));
      edges.resize(size_t(words / 2 * rows));
      stage_.read(first, 0, words * 8 * rows, marks.data());
      bands_.resolve(begin + i, marks.data(), edges.data());
      for (const uint64_t word : edges) counts[size_t(i)] += std::popcount(word);
      const ConstBitView bits{edges.data(), width_, int32_t(rows), ptrdiff_t(words / 2)};
      unpack_mask(ConstAnyView(bits),
                  group.edges.region({0, first - group.first, width_, int32_t(rows)}),
                  Exec{.threads = 1});
    });
    if (!counted_[size_t(index)]) {  // encoders come back to rows, and to some before others
      for (const int64_t n : counts) edge_pixels_ += n;
      counted_[size_t(index)] = true;
    }
  }

  const CannyBands& bands_;
  const BandStage& stage_;
  int32_t width_;
  int threads_;
  int32_t max_ = 1;  // rows of a strip
  int32_t per_group_ = 1;
  std::mutex mutex_{};
  std::vector<Scratch> scratch_{};
  Pool<Group> pool_{};
  std::array<std::pair<int32_t, std::shared_ptr<Group>>, 2> groups_{{{-1, nullptr}, {-1, nullptr}}};
  int next_ = 0;
  std::vector<bool> counted_{};  // groups whose edges are in
  int64_t edge_pixels_ = 0;
};

// Bytes of a row of what is made: samples, or marks.
int64_t bytes_of_result(const PictureFacts& facts, const BandWork& work,
                        const std::optional<CannyBands>& canny) {
  return canny ? canny->mark_words() * 8
               : int64_t(facts.size.width) * work.channels * bytes_per_sample(work.type);
}

// Adds a band's magnitudes to those that are counted.
void count_band(Band& band, const BandWork& work, CannyBands& canny) {
  band.seen = work.see ? work.see(band.view()) : band.view();
  on_copy(work.gpu, band.seen, {}, [&](ConstAnyView seen, AnyView) {
    canny.count(seen, band.begin - band.low, band.end - band.low, work.exec);
  });
}

// Makes a band's result, or its marks.
void make_band(Band& band, const BandWork& work, const std::optional<CannyBands>& canny,
               const PictureFacts& facts, bool pinned) {
  const int32_t rows = band.end - band.begin, first = band.begin - band.low;
  const ConstAnyView seen = work.see ? work.see(band.view()) : band.view();
  if (!canny) {
    band.out.reserve({work.type, {facts.size.width, band.high - band.low}, work.channels}, pinned);
    on_copy(work.gpu, seen, band.result(), work.run);
    if (work.finish) work.finish(seen, band.result());
    return;
  }
  // Words without a gap: a picture's rows are padded to 64 bytes.
  const int64_t bytes = bytes_of_result(facts, work, canny) * rows;
  band.marks.reserve({PixelType::u8, {64, int32_t((bytes + 63) / 64)}, 1}, pinned);
  on_copy(work.gpu, seen, {}, [&](ConstAnyView there, AnyView) {
    canny->mark(there, first, first + rows, band.mark_bits(), work.exec);
  });
}

// One result in flight, from a file's rows, or from what was made of them elsewhere, to a file.
class BandRun {
 public:
  BandRun(const std::filesystem::path& source, const std::filesystem::path& target,
          const BandSettings& settings, std::span<const BandWork> works, const PictureFacts& facts)
      : source_(source),
        target_(target),
        settings_(settings),
        works_(works),
        work_(works[0]),
        facts_(facts),
        band_rows_(rows_of_bands(facts, work_, settings)) {
    if (work_.canny) canny_.emplace(facts.size.width, *work_.canny);
    result_.size = facts.size;
    result_.type = work_.type;
    result_.channels = work_.channels;
    result_.source_channels = facts.channels;
    check_writable(target_, work_.type, work_.writing);
    row_bytes_ = bytes_of_result(facts_, work_, canny_);
    stage_.emplace(target_, key_of(source_, settings_, work_), row_bytes_, settings_.bands.resume);
    result_.resumed_rows = stage_->rows();
    if (canny_ && stage_->thresholds()) canny_->set_thresholds(*stage_->thresholds());
    meter_.emplace(settings_.bands, int64_t(facts_.size.height) * (wants_counts() ? 3 : 2));
  }

  FileResult run() {
    return keeping([&] {
      const bool counts = wants_counts();
      std::optional<SpareRows> kept;
      if (counts && is_packed())
        kept.emplace(
            target_, facts_.size.height,
            int64_t(facts_.size.width) * work_.seen_channels * bytes_per_sample(facts_.type));
      if (counts) count(kept);
      find_thresholds();
      make_rows(kept && kept->whole() ? &*kept : nullptr);
      kept.reset();
      return finish();
    });
  }

  bool wants_counts() const { return canny_ && canny_->wants_counts(); }
  void add_counts(std::span<const uint64_t> counts) {
    if (!canny_) throw_invalid("counts", "bands: counts are supported by canny only");
    canny_->add_counts(counts, facts_.type);
    const uint64_t pixels = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    meter_->add(int64_t(pixels) / facts_.size.width);
  }

  // Those of all rows that were counted, or that are known; and what marks that are there connect.
  CannyResult find_thresholds() {
    if (canny_) {
      if (wants_counts()) stage_->set_thresholds(canny_->find_thresholds());
      result_.thresholds = canny_->thresholds();
      std::vector<uint64_t> marks;
      for (int32_t y = 0; y < stage_->rows();) {
        const int32_t rows = std::min(band_rows_, stage_->rows() - y);
        marks.resize(size_t(canny_->mark_words() * rows));
        stage_->read(y, 0, row_bytes_ * rows, marks.data());
        canny_->add(marks.data(), rows, work_.exec.threads);
        y += rows;
      }
    }
    meter_->add(stage_->rows());
    return result_.thresholds;
  }

  int32_t band_rows() const { return band_rows_; }
  int32_t rows() const { return stage_->rows(); }

  // Rows without gaps, of this computer or another.
  void add(std::span<const uint8_t> made) {
    const auto rows = int64_t(made.size()) / row_bytes_;
    if (rows * row_bytes_ != int64_t(made.size()) || rows > facts_.size.height - stage_->rows()) {
      throw_invalid(
          std::to_string(made.size()),
          "bands: data has {} bytes; it must be whole rows of {} bytes ({} of {} rows were added)",
          made.size(), row_bytes_, stage_->rows(), facts_.size.height);
    }
    keeping([&] {
      if (canny_) {
        std::vector<uint64_t> marks(made.size() / sizeof(uint64_t));
        std::memcpy(marks.data(), made.data(), made.size());
        canny_->add(marks.data(), int32_t(rows), work_.exec.threads);
      }
      append(ConstAnyView(made.data(), facts_.size.width, int32_t(rows), work_.channels, row_bytes_,
                          work_.type, Space::host),
             int32_t(rows));
    });
  }

  FileResult finish() {
    return keeping([&] {
      if (canny_) canny_->join();
      result_.edge_pixels = stage_->set();
      encode();
      return result_;
    });
  }

 private:
  // What was made is good, and a disc that was full may have room again.
  template <class Step>
  std::invoke_result_t<Step> keeping(Step&& step) {
    try {
      return step();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::output && stage_->rows() > 0) stage_->keep();
      throw;
    }
  }

  // Whether to decode the file costs more than to read what was decoded: it has fewer bytes.
  bool is_packed() const {
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(source_, ignored);
    return !ignored && double(bytes) < 0.9 * double(facts_.row_bytes()) * facts_.size.height;
  }

  void count(std::optional<SpareRows>& kept) {
    BandFeed feed(source_, settings_, work_, band_rows_);
    pass_bands(
        feed, settings_.at_once,
        {.work = [&](Band& band, int place) { count_band(band, works_[size_t(place)], *canny_); },
         .then =
             [&](Band& band) {
               if (kept) kept->append(band.seen, band.begin - band.low, band.end - band.low);
             },
         .give = [&](Band& band) { meter_->add(band.end - band.begin); }});
  }

  void make_rows(const SpareRows* kept) {
    if (stage_->rows() == facts_.size.height) return;
    BandFeed feed(source_, settings_, work_, band_rows_);
    if (kept) feed.take_from(*kept, work_.seen_channels);
    feed.start_at(stage_->rows());
    pass_bands(feed, settings_.at_once,
               {.work =
                    [&](Band& band, int place) {
                      make_band(band, works_[size_t(place)], canny_, facts_,
                                !settings_.devices.empty());
                    },
                .then =
                    [&](Band& band) {
                      if (!canny_) return;
                      canny_->add(band.mark_bits(), band.end - band.begin, work_.exec.threads);
                    },
                .give =
                    [&](Band& band) {
                      const int32_t first = band.begin - band.low, rows = band.end - band.begin;
                      append(canny_ ? band.marks.view()
                                    : band.result().region({0, first, facts_.size.width, rows}),
                             rows);
                    }});
  }

  // Rows of a result, or marks.
  void append(ConstAnyView made, int32_t rows) {
    if (canny_)
      stage_->append(made.data, row_bytes_, rows);
    else
      stage_->append(made.data, made.stride_bytes, rows,
                     work_.is_mask ? recipes::count_set(made, 0, rows) : 0);
    ++result_.bands;
    meter_->add(rows);
  }

  void encode() {
    std::optional<ResolvedRows> resolved;
    if (canny_)
      resolved.emplace(*canny_, *stage_, facts_.size.width, work_.exec.threads,
                       settings_.bands.memory);
    const int64_t pixel = int64_t(work_.channels) * bytes_per_sample(work_.type);
    RowSource rows{facts_.size, work_.channels, work_.type};
    rows.fill = [&](int32_t x, int32_t y, int32_t count, void* to) {
      if (resolved)
        resolved->fill(x, y, count, to);
      else
        stage_->read(y, x * pixel, count * pixel, to);
      if (x == 0) meter_->add(1);
    };
    WriteOptions writing = work_.writing;
    writing.layout = settings_.bands.layout;
    write_rows(target_, rows, writing);
    if (resolved) result_.edge_pixels = resolved->edge_pixels();
  }

  const std::filesystem::path &source_, &target_;
  const BandSettings& settings_;
  std::span<const BandWork> works_;  // one for each band that is worked on concurrently
  const BandWork& work_;             // what all of them have in common
  const PictureFacts& facts_;
  int32_t band_rows_;
  int64_t row_bytes_ = 0;
  std::optional<CannyBands> canny_{};
  std::optional<BandStage> stage_{};
  std::optional<Meter> meter_{};
  FileResult result_{};
};

}  // namespace

int64_t whole_bytes(const PictureFacts& facts, const BandWork& work) {
  return int64_t(bytes_of_row(facts, work, 1)) * facts.size.height;
}

namespace {

PictureFacts facts_of(const std::filesystem::path& source, const BandSettings& settings) {
  PictureFacts facts = PictureRows(source, settings.limits, settings.region).facts();
  if (!facts.refusal.empty()) throw_input(source.string(), facts.refusal);
  return facts;
}

template <class Make>
auto one_for_each_place(const BandSettings& settings, const PictureFacts& facts, Make&& make) {
  std::vector<decltype(make(facts))> made;
  made.reserve(size_t(settings.at_once));
  for (int place = 0; place < settings.at_once; ++place) made.push_back(make(facts));
  return made;
}

}  // namespace

FileResult run_bands(const std::filesystem::path& source, const std::filesystem::path& target,
                     const BandSettings& settings,
                     const std::function<BandWork(const PictureFacts&)>& make) {
  const PictureFacts facts = facts_of(source, settings);
  const auto works = one_for_each_place(settings, facts, make);
  return BandRun(source, target, settings, works, facts).run();
}

namespace {

// Bands of a picture in any order.
struct AnyBands {
  AnyBands(std::filesystem::path file, BandSettings wanted)
      : source(std::move(file)), settings(std::move(wanted)), facts(facts_of(source, settings)) {}

  // Rows [first, end) and those around.
  Band& take(const BandWork& work, int32_t first, int32_t end) {
    if (first < 0 || end > facts.size.height || first >= end) {
      throw_invalid(fmt::format("{}, {}", first, end),
                    "bands: rows [{}, {}) are not inside the picture of {} rows", first, end,
                    facts.size.height);
    }
    if (!feed || !before || first < before->begin || end < before->end) {
      before = nullptr;
      feed.emplace(source, settings, work, end - first);
    }
    feed->go_to(first, end);
    Band& band = before == bands.data() ? bands[1] : bands[0];
    const Band* const above = std::exchange(before, nullptr);  // after a fault nothing is known
    feed->take(band, above);
    return *(before = &band);
  }

  std::filesystem::path source;
  BandSettings settings;
  PictureFacts facts;
  std::optional<BandFeed> feed{};
  std::array<Band, 2> bands{};
  Band* before = nullptr;  // the band taken last
};

// Of rows without samples.
BandWork reading(double scratch_bytes) {
  BandWork work;
  work.channels = 0;
  work.scratch_bytes = scratch_bytes;
  return work;
}

}  // namespace

struct BandRows::State : AnyBands {
  using AnyBands::AnyBands;
};

BandRows::BandRows(const std::filesystem::path& source, const BandSettings& settings)
    : state_(std::make_unique<State>(source, settings)) {}
BandRows::~BandRows() = default;

const PictureFacts& BandRows::facts() const { return state_->facts; }
int32_t BandRows::band_rows(double scratch_bytes) const {
  return rows_of_bands(state_->facts, reading(scratch_bytes), state_->settings);
}
ConstAnyView BandRows::take(int32_t first, int32_t end) {
  return state_->take(reading(0), first, end).view();
}

struct BandMaker::State : AnyBands {
  State(const std::filesystem::path& file, const BandSettings& wanted,
        const std::function<BandWork(const PictureFacts&)>& make)
      : AnyBands(file, wanted), work(make(facts)) {
    if (work.canny) canny.emplace(facts.size.width, *work.canny);
  }

  BandWork work;
  std::optional<CannyBands> canny{};
};

BandMaker::BandMaker(const std::filesystem::path& source, const BandSettings& settings,
                     const std::function<BandWork(const PictureFacts&)>& make)
    : state_(std::make_unique<State>(source, settings, make)) {}
BandMaker::~BandMaker() = default;

std::vector<uint64_t> BandMaker::count(int32_t first, int32_t end) {
  State& s = *state_;
  if (!s.work.canny) throw_invalid("counts", "bands: counts are supported by canny only");
  CannyBands counting(s.facts.size.width, *s.work.canny);
  if (!counting.wants_counts())
    throw_invalid("counts",
                  "bands: thresholds are already set; counts are needed for automatic ones only");
  count_band(s.take(s.work, first, end), s.work, counting);
  return counting.counts();
}

void BandMaker::set_thresholds(const CannyResult& thresholds) {
  if (state_->canny) state_->canny->set_thresholds(thresholds);
}

std::vector<uint8_t> BandMaker::make(int32_t first, int32_t end) {
  State& s = *state_;
  Band& band = s.take(s.work, first, end);
  make_band(band, s.work, s.canny, s.facts, false);
  const int64_t row_bytes = bytes_of_result(s.facts, s.work, s.canny);
  std::vector<uint8_t> made(size_t(row_bytes * (end - first)));
  if (s.canny) {
    std::memcpy(made.data(), band.mark_bits(), made.size());
  } else {
    for (int32_t y = first; y < end; ++y)
      std::memcpy(made.data() + row_bytes * (y - first), row_at(band.result(), y - band.low),
                  size_t(row_bytes));
  }
  return made;
}

struct BandJoin::State {
  State(std::filesystem::path from, std::filesystem::path to, BandSettings wanted,
        const std::function<BandWork(const PictureFacts&)>& make)
      : source(std::move(from)),
        target(std::move(to)),
        settings(std::move(wanted)),
        facts(facts_of(source, settings)),
        work(make(facts)),
        run(source, target, settings, std::span(&work, 1), facts) {}

  std::filesystem::path source, target;
  BandSettings settings;
  PictureFacts facts;
  BandWork work;
  BandRun run;
};

BandJoin::BandJoin(const std::filesystem::path& source, const std::filesystem::path& target,
                   const BandSettings& settings,
                   const std::function<BandWork(const PictureFacts&)>& make)
    : state_(std::make_unique<State>(source, target, settings, make)) {}
BandJoin::~BandJoin() = default;

const PictureFacts& BandJoin::facts() const { return state_->facts; }
int32_t BandJoin::band_rows() const { return state_->run.band_rows(); }
int32_t BandJoin::rows() const { return state_->run.rows(); }
bool BandJoin::wants_counts() const { return state_->run.wants_counts(); }
void BandJoin::add_counts(std::span<const uint64_t> counts) { state_->run.add_counts(counts); }
CannyResult BandJoin::find_thresholds() { return state_->run.find_thresholds(); }
void BandJoin::add(std::span<const uint8_t> made) { state_->run.add(made); }

FileResult BandJoin::finish() {
  if (rows() < facts().size.height) {
    throw_invalid(std::to_string(rows()), "bands: {} of {} rows were added; add all rows first",
                  rows(), facts().size.height);
  }
  return state_->run.finish();
}

FileResult read_bands(const std::filesystem::path& source, const BandSettings& settings,
                      double scratch_bytes,
                      const std::function<BandStep(const PictureFacts&)>& make) {
  const BandWork work = reading(scratch_bytes);
  const PictureFacts facts = facts_of(source, settings);
  FileResult result;
  result.size = facts.size;
  result.type = facts.type;
  result.channels = facts.channels;
  Meter meter(settings.bands, facts.size.height);
  BandFeed feed(source, settings, work, rows_of_bands(facts, work, settings));
  const auto steps = one_for_each_place(settings, facts, make);
  pass_bands(feed, settings.at_once,
             {.work = [&](Band& band, int place) { band.then = steps[size_t(place)](band.view()); },
              .then = [](Band& band) { band.then(); },
              .give =
                  [&](Band& band) {
                    ++result.bands;
                    meter.add(band.end - band.begin);
                  }});
  return result;
}

}  // namespace cuesta::io
#endif
