#if defined(CUESTA_HAS_PICTURES)
#include "io/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "cuesta/recipes/samples.hpp"
#include "io/band_budget.hpp"
#include "io/band_feed.hpp"
#include "io/band_key.hpp"
#include "io/band_pass.hpp"
#include "io/band_stage.hpp"
#include "io/errors.hpp"
#include "io/resolved_rows.hpp"
#include "io/spare_rows.hpp"

namespace cuesta::io {
namespace {

// Bytes of a row of what is made: samples, or marks.
int64_t bytes_of_result(const PictureFacts& facts, const BandWork& work,
                        const std::optional<SettledCanny>& canny) {
  return work.joins() ? canny->bands().mark_words() * 8
                      : int64_t(facts.size.width) * work.channels * bytes_per_sample(work.type);
}

// Adds a band's magnitudes to those that are counted.
void count_band(Band& band, const BandWork& work, SettledCanny& canny) {
  band.seen = work.see ? work.see(band.view()) : band.view();
  on_copy(work.gpu, band.seen, {}, [&](ConstAnyView seen, AnyView) {
    canny.count(seen, band.begin - band.low, band.end - band.low, work.exec);
  });
}

// Makes a band's result, or its marks.
void make_band(Band& band, const BandWork& work, const std::optional<SettledCanny>& canny,
               const PictureFacts& facts, bool pinned) {
  const int32_t rows = band.end - band.begin, first = band.begin - band.low;
  const ConstAnyView seen = work.see ? work.see(band.view()) : band.view();
  if (!work.joins()) {
    band.out.reserve({work.type, {facts.size.width, band.high - band.low}, work.channels}, pinned);
    on_copy(work.gpu, seen, band.result(), work.run);
    if (work.finish) work.finish(seen, band.result());
    return;
  }
  // Words without a gap: a picture's rows are padded to 64 bytes.
  const int64_t bytes = bytes_of_result(facts, work, canny) * rows;
  band.marks.reserve({PixelType::u8, {64, int32_t((bytes + 63) / 64)}, 1}, pinned);
  on_copy(work.gpu, seen, {}, [&](ConstAnyView there, AnyView) {
    canny->bands().mark(there, first, first + rows, band.mark_bits(), work.exec);
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
    if (work_.canny) canny_.emplace(facts.size.width, *work_.canny, work_.finds_sigma);
    result_.size = facts.size;
    result_.type = work_.type, result_.channels = work_.channels, result_.sigma = work_.sigma;
    result_.source_channels = facts.channels;
    result_.warning = dropped(work_.writing.metadata, target_.extension().string());
    check_writable(target_, work_.type, work_.writing);
    row_bytes_ = bytes_of_result(facts_, work_, canny_);
    stage_.emplace(target_, key_of_bands(source_, settings_, work_.key), row_bytes_,
                   facts_.size.height, settings_.bands.resume);
    result_.resumed_rows = stage_->rows();
    if (canny_ && stage_->found()) canny_->settle(*stage_->found());
    meter_.emplace(settings_.bands, int64_t(facts_.size.height) * (wants_counts() ? 3 : 2));
  }

  FileResult run() {
    return keeping([&] {
      const bool counts = wants_counts();
      std::optional<SpareRows> kept;
      if (counts && is_packed())
        kept.emplace(
            target_, facts_.size.height,
            int64_t(facts_.size.width) * work_.seen_channels * bytes_per_sample(work_.seen_type));
      if (counts) count(kept);
      find();
      make_rows(kept && kept->whole() ? &*kept : nullptr);
      kept.reset();
      return finish();
    });
  }

  bool wants_counts() const { return canny_ && canny_->wants_counts(); }
  void add_counts(std::span<const uint64_t> counts) {
    if (!canny_) throw_invalid("counts", "bands: counts are supported by canny only");
    canny_->add_counts(counts, work_.seen_type);
    const uint64_t pixels = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    meter_->add(int64_t(pixels) / (int64_t(facts_.size.width) * canny_->histograms()));
  }

  // What is found in all rows that were counted, or is known; and what marks that are there
  // connect.
  CannyFound find() {
    CannyFound found;
    if (canny_) {
      if (wants_counts()) stage_->settle(canny_->find());
      found = canny_->found();
      result_.thresholds = found.thresholds;
      result_.sigma = found.sigma;
      for (const BandWork& work : works_)
        if (work.settle) work.settle(found.sigma);
      std::vector<uint64_t> marks;
      for (int32_t y = 0; work_.joins() && y < stage_->rows();) {
        const int32_t rows = std::min(band_rows_, stage_->rows() - y);
        marks.resize(size_t(canny_->bands().mark_words() * rows));
        stage_->read(y, 0, row_bytes_ * rows, marks.data());
        canny_->bands().add(marks.data(), rows, work_.exec.threads);
        y += rows;
      }
    }
    meter_->add(stage_->rows());
    return found;
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
      if (work_.joins()) {
        std::vector<uint64_t> marks(made.size() / sizeof(uint64_t));
        std::memcpy(marks.data(), made.data(), made.size());
        canny_->bands().add(marks.data(), int32_t(rows), work_.exec.threads);
      }
      append(ConstAnyView(made.data(), facts_.size.width, int32_t(rows), work_.channels, row_bytes_,
                          work_.type, Space::host),
             int32_t(rows));
    });
  }

  FileResult finish() {
    return keeping([&] {
      if (work_.joins()) canny_->bands().join();
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
    if (kept) feed.take_from(*kept, work_.seen_channels, work_.seen_type);
    feed.start_at(stage_->rows());
    pass_bands(
        feed, settings_.at_once,
        {.work =
             [&](Band& band, int place) {
               make_band(band, works_[size_t(place)], canny_, facts_, !settings_.devices.empty());
             },
         .then =
             [&](Band& band) {
               if (!work_.joins()) return;
               canny_->bands().add(band.mark_bits(), band.end - band.begin, work_.exec.threads);
             },
         .give =
             [&](Band& band) {
               const int32_t first = band.begin - band.low, rows = band.end - band.begin;
               append(work_.joins() ? band.marks.view()
                                    : band.result().region({0, first, facts_.size.width, rows}),
                      rows);
             }});
  }

  // Rows of a result, or marks.
  void append(ConstAnyView made, int32_t rows) {
    if (work_.joins())
      stage_->append(made.data, row_bytes_, rows);
    else
      stage_->append(made.data, made.stride_bytes, rows,
                     work_.is_mask ? recipes::count_set(made, 0, rows) : 0);
    ++result_.bands;
    meter_->add(rows);
  }

  void encode() {
    std::optional<ResolvedRows> resolved;
    if (work_.joins())
      resolved.emplace(canny_->bands(), *stage_, facts_.size.width, work_.exec.threads,
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
  std::optional<SettledCanny> canny_{};
  std::optional<BandStage> stage_{};
  std::optional<Meter> meter_{};
  FileResult result_{};
};

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
    if (work.canny) canny.emplace(facts.size.width, *work.canny, work.finds_sigma);
  }

  BandWork work;
  std::optional<SettledCanny> canny{};
};

BandMaker::BandMaker(const std::filesystem::path& source, const BandSettings& settings,
                     const std::function<BandWork(const PictureFacts&)>& make)
    : state_(std::make_unique<State>(source, settings, make)) {}
BandMaker::~BandMaker() = default;

std::vector<uint64_t> BandMaker::count(int32_t first, int32_t end) {
  State& s = *state_;
  if (!s.work.canny) throw_invalid("counts", "bands: counts are supported by canny only");
  SettledCanny counting(s.facts.size.width, *s.work.canny, s.work.finds_sigma);
  if (!counting.wants_counts())
    throw_invalid("counts",
                  "bands: thresholds are already set; counts are needed for automatic ones only");
  count_band(s.take(s.work, first, end), s.work, counting);
  return counting.counts();
}

void BandMaker::settle(const CannyFound& found) {
  if (state_->canny) state_->canny->settle(found);
  if (state_->work.settle) state_->work.settle(found.sigma);
}

std::vector<uint8_t> BandMaker::make(int32_t first, int32_t end) {
  State& s = *state_;
  Band& band = s.take(s.work, first, end);
  make_band(band, s.work, s.canny, s.facts, false);
  const int64_t row_bytes = bytes_of_result(s.facts, s.work, s.canny);
  std::vector<uint8_t> made(size_t(row_bytes * (end - first)));
  if (s.work.joins()) {
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
CannyFound BandJoin::find() { return state_->run.find(); }
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
