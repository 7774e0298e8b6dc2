#if defined(CUESTA_HAS_PICTURES)
#include "io/bands.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <vector>

#include "core/check.hpp"
#include "core/stages.hpp"
#include "core/threads.hpp"
#include "cuesta/objects.hpp"
#include "io/band_stage.hpp"
#include "io/errors.hpp"
#include "io/spare_rows.hpp"

namespace cuesta::io {
namespace {

// A band on its way: the rows around and in it, and what was made of them.
struct Band {
  int32_t begin = 0, end = 0;  // rows of the picture that are wanted
  int32_t low = 0, high = 0;   // rows that are there
  AnyImage rows{}, out{};
  std::vector<uint64_t> marks{};

  ConstAnyView view() const { return rows.view().region({0, 0, rows.width(), high - low}); }
  AnyView result() { return AnyView(out).region({0, 0, out.width(), high - low}); }
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

int64_t count_set(ConstAnyView mask, int32_t first, int32_t count) {
  int64_t set = 0;
  for (int32_t y = first; y < first + count; ++y) {
    const uint8_t* row = mask.as<uint8_t>().row(y);
    set += mask.width - std::count(row, row + mask.width, uint8_t(0));
  }
  return set;
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
  /// From here on rows are what an earlier pass kept of them: gray levels.
  void take_from(const SpareRows& kept) {
    kept_ = &kept;
    facts_.channels = 1;
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
    if (band.rows.height() < size.height || band.rows.width() != size.width)
      band.rows.create(size, facts().channels, facts().type);
    const AnyView rows = band.rows;
    int32_t have = band.low;  // rows before it are there
    if (before && before->high > have) {
      copy_rows(before->rows, have - before->low, std::min(before->high, band.high) - have, rows,
                0);
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
  bool wraps_;
  PictureFacts facts_;
  const SpareRows* kept_ = nullptr;
  AnyImage head_{}, tail_{};  // rows that a picture that wraps has beyond its ends
  int32_t next_ = 0;
};

// Every band through `work` and then `give`, while the next is read.
void pass_bands(BandFeed& feed, const std::function<void(Band&)>& work,
                const std::function<void(Band&)>& give) {
  std::array<Band, 2> places;
  const Band* before = nullptr;
  std::mutex mutex;
  std::exception_ptr fault;
  const auto guarded = [&](auto&& step) {
    try {
      {
        const std::lock_guard lock(mutex);
        if (fault) return false;
      }
      return step();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!fault) fault = std::current_exception();
      return false;
    }
  };
  run_stages(int(places.size()), {.take =
                                      [&](int place) {
                                        Band& band = places[size_t(place)];
                                        return guarded([&] {
                                          const bool is_there = feed.take(band, before);
                                          before = &band;
                                          return is_there;
                                        });
                                      },
                                  .work =
                                      [&](int place) {
                                        guarded([&] {
                                          work(places[size_t(place)]);
                                          return true;
                                        });
                                      },
                                  .give =
                                      [&](int place) {
                                        guarded([&] {
                                          give(places[size_t(place)]);
                                          return true;
                                        });
                                      }});
  if (fault) std::rethrow_exception(fault);
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

double bytes_of_row(const PictureFacts& facts, const BandWork& work) {
  const double width = facts.size.width;
  // Of canny two bits of a pixel, its sets and strips.
  const double out = work.canny ? 1 : work.channels * bytes_per_sample(work.type);
  return width * (2 * (facts.channels * bytes_per_sample(facts.type) + out) + work.scratch_bytes);
}

int32_t rows_of_bands(const PictureFacts& facts, const BandWork& work, const BandOptions& options) {
  if (options.rows > 0) return options.rows;
  const double row = bytes_of_row(facts, work);
  // A part is the decoder's and the encoder's.
  const double rows = 0.75 * double(options.memory) / row - 2 * work.reach;
  const int32_t least = std::min(16, facts.size.height);
  if (rows < least) {
    const auto needed = int64_t(row * (least + 2 * work.reach) / 0.75) + 1;
    throw_invalid(std::to_string(options.memory),
                  "bands: {} bytes of memory hold too few rows of {} pixels with {} around them; "
                  "give {} or more",
                  options.memory, facts.size.width, work.reach, needed);
  }
  return int32_t(std::min<double>(rows, facts.size.height));
}

// What a result is made of: the same words, the same bytes.
std::string key_of(const std::filesystem::path& source, const BandSettings& settings,
                   const BandWork& work) {
  struct stat status {};
  if (stat(source.c_str(), &status) != 0) throw_input(source.string(), reason_of(errno));
  std::error_code ignored;
  const Rect region = settings.region.value_or(Rect());
  std::string key = fmt::format("{} {} {} {}.{} region {} {} {} {}: {}",
                                std::filesystem::absolute(source, ignored).string(), status.st_ino,
                                status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                region.x, region.y, region.width, region.height, work.key);
  std::replace(key.begin(), key.end(), '\n', ' ');
  return key;
}

// The edges of marks that lie in a stage, made when they are asked for, a few strips at once.
class ResolvedRows {
 public:
  ResolvedRows(const CannyBands& bands, const BandStage& stage, int32_t width, int threads,
               int64_t memory)
      : bands_(bands), stage_(stage), width_(width), threads_(thread_count(threads)) {
    for (const auto& strip : bands.strips()) most_ = std::max(most_, strip.end - strip.first);
    const int64_t strip_bytes = int64_t(most_) * width * 2;
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
  };

  // Of a strip on its way.
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
    if (group.use_count() != 1) group = std::make_shared<Group>();
    make(index, *group);
    number = index;
    return group;
  }

  void make(int32_t index, Group& group) {
    const auto strips = bands_.strips();
    const int32_t begin = index * per_group_,
                  end = std::min(int32_t(strips.size()), begin + per_group_);
    group.first = strips[size_t(begin)].first;
    if (group.edges.height() == 0) group.edges = Image<uint8_t>(width_, per_group_ * most_);
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
  int32_t most_ = 1;  // rows of a strip
  int32_t per_group_ = 1;
  std::mutex mutex_{};
  std::vector<Scratch> scratch_{};
  std::array<std::pair<int32_t, std::shared_ptr<Group>>, 2> groups_{{{-1, nullptr}, {-1, nullptr}}};
  int next_ = 0;
  std::vector<bool> counted_{};  // groups whose edges are in
  int64_t edge_pixels_ = 0;
};

// One result on its way, from a file's rows to a file.
class BandRun {
 public:
  BandRun(const std::filesystem::path& source, const std::filesystem::path& target,
          const BandSettings& settings, const BandWork& work, const PictureFacts& facts)
      : source_(source),
        target_(target),
        settings_(settings),
        work_(work),
        facts_(facts),
        band_rows_(rows_of_bands(facts, work, settings.bands)) {
    if (work.canny) canny_.emplace(facts.size.width, *work.canny);
    result_.size = facts.size;
    result_.type = work.type;
    result_.channels = work.channels;
  }

  FileResult run() {
    check_writable(target_, work_.type, work_.writing);
    row_bytes_ = canny_
                     ? canny_->mark_words() * 8
                     : int64_t(facts_.size.width) * work_.channels * bytes_per_sample(work_.type);
    BandStage stage(target_, key_of(source_, settings_, work_), row_bytes_, settings_.bands.resume);
    result_.resumed_rows = stage.rows();
    const bool counts = canny_ && canny_->wants_counts() && !stage.thresholds();
    Meter meter(settings_.bands, int64_t(facts_.size.height) * (counts ? 3 : 2));
    try {
      std::optional<SpareRows> kept;
      if (counts && is_packed())
        kept.emplace(target_, facts_.size.height,
                     facts_.size.width * bytes_per_sample(facts_.type));
      if (canny_) find_thresholds(stage, kept, meter);
      meter.add(stage.rows());
      make_rows(stage, kept && kept->whole() ? &*kept : nullptr, meter);
      kept.reset();
      encode(stage, meter);
    } catch (const Error& error) {
      // What was made is good, and a disc that was full may have room again.
      if (error.code() == ErrorCode::output && stage.rows() > 0) stage.keep();
      throw;
    }
    return result_;
  }

 private:
  // Whether to decode the file costs more than to read what was decoded: it has fewer bytes.
  bool is_packed() const {
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(source_, ignored);
    return !ignored && double(bytes) < 0.9 * double(facts_.row_bytes()) * facts_.size.height;
  }

  void find_thresholds(BandStage& stage, std::optional<SpareRows>& kept, Meter& meter) {
    if (stage.thresholds()) {
      canny_->set_thresholds(*stage.thresholds());
    } else if (canny_->wants_counts()) {
      BandFeed feed(source_, settings_, work_, band_rows_);
      pass_bands(
          feed,
          [&](Band& band) {
            const ConstAnyView gray = work_.gray(band.view());
            const int32_t first = band.begin - band.low, end = band.end - band.low;
            canny_->count(gray, first, end, work_.exec);
            if (kept) kept->append(gray, first, end);
          },
          [&](Band& band) { meter.add(band.end - band.begin); });
      stage.set_thresholds(canny_->find_thresholds());
    }
    result_.thresholds = canny_->thresholds();
    // What the marks that are there connect.
    std::vector<uint64_t> marks;
    for (int32_t y = 0; y < stage.rows();) {
      const int32_t rows = std::min(band_rows_, stage.rows() - y);
      marks.resize(size_t(canny_->mark_words() * rows));
      stage.read(y, 0, row_bytes_ * rows, marks.data());
      canny_->add(marks.data(), rows, work_.exec.threads);
      y += rows;
    }
  }

  void make_rows(BandStage& stage, const SpareRows* kept, Meter& meter) {
    if (stage.rows() < facts_.size.height) {
      BandFeed feed(source_, settings_, work_, band_rows_);
      if (kept) feed.take_from(*kept);
      feed.start_at(stage.rows());
      pass_bands(
          feed, [&](Band& band) { work(band); },
          [&](Band& band) {
            const int32_t first = band.begin - band.low, rows = band.end - band.begin;
            if (canny_)
              stage.append(band.marks.data(), row_bytes_, rows);
            else
              stage.append(row_at(band.out, first), AnyView(band.out).stride_bytes, rows,
                           work_.is_mask ? count_set(band.out, first, rows) : 0);
            ++result_.bands;
            meter.add(rows);
          });
    }
    if (canny_) canny_->join();
    result_.edge_pixels = stage.set();
  }

  void work(Band& band) {
    if (!canny_) {
      if (band.out.height() < band.high - band.low)
        band.out.create({facts_.size.width, band.high - band.low}, work_.channels, work_.type);
      return work_.run(band.view(), band.result());
    }
    const int32_t rows = band.end - band.begin;
    band.marks.resize(size_t(canny_->mark_words() * rows));
    canny_->mark(work_.gray(band.view()), band.begin - band.low, band.end - band.low,
                 band.marks.data(), work_.exec);
    canny_->add(band.marks.data(), rows, work_.exec.threads);
  }

  void encode(const BandStage& stage, Meter& meter) {
    std::optional<ResolvedRows> resolved;
    if (canny_)
      resolved.emplace(*canny_, stage, facts_.size.width, work_.exec.threads,
                       settings_.bands.memory);
    const int64_t pixel = int64_t(work_.channels) * bytes_per_sample(work_.type);
    RowSource rows{facts_.size, work_.channels, work_.type};
    rows.fill = [&](int32_t x, int32_t y, int32_t count, void* to) {
      if (resolved)
        resolved->fill(x, y, count, to);
      else
        stage.read(y, x * pixel, count * pixel, to);
      if (x == 0) meter.add(1);
    };
    WriteOptions writing = work_.writing;
    writing.layout = settings_.bands.layout;
    write_rows(target_, rows, writing);
    if (resolved) result_.edge_pixels = resolved->edge_pixels();
  }

  const std::filesystem::path &source_, &target_;
  const BandSettings& settings_;
  const BandWork& work_;
  const PictureFacts& facts_;
  int32_t band_rows_;
  int64_t row_bytes_ = 0;
  std::optional<CannyBands> canny_{};
  FileResult result_{};
};

}  // namespace

int64_t whole_bytes(const PictureFacts& facts, const BandWork& work) {
  return int64_t(bytes_of_row(facts, work)) * facts.size.height;
}

FileResult run_bands(const std::filesystem::path& source, const std::filesystem::path& target,
                     const BandSettings& settings,
                     const std::function<BandWork(const PictureFacts&)>& make) {
  const PictureFacts facts = PictureRows(source, settings.limits, settings.region).facts();
  if (!facts.refusal.empty()) throw_input(source.string(), facts.refusal);
  const BandWork work = make(facts);
  return BandRun(source, target, settings, work, facts).run();
}

FileResult read_bands(const std::filesystem::path& source, const BandSettings& settings,
                      double scratch_bytes, const std::function<void(ConstAnyView rows)>& take) {
  BandWork work;
  work.channels = 0;  // nothing is made
  work.scratch_bytes = scratch_bytes;
  const PictureFacts facts = PictureRows(source, settings.limits, settings.region).facts();
  if (!facts.refusal.empty()) throw_input(source.string(), facts.refusal);
  FileResult result;
  result.size = facts.size;
  result.type = facts.type;
  result.channels = facts.channels;
  Meter meter(settings.bands, facts.size.height);
  BandFeed feed(source, settings, work, rows_of_bands(facts, work, settings.bands));
  pass_bands(
      feed, [&](Band& band) { take(band.view()); },
      [&](Band& band) {
        ++result.bands;
        meter.add(band.end - band.begin);
      });
  return result;
}

}  // namespace cuesta::io
#endif
