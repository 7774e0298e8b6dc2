// Canny in bands: what the strategies make of a band's rows, and what seams join of that.
#include "cuesta/bands.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "ops/canny/fractions.hpp"
#include "ops/canny/options.hpp"
#include "ops/canny/reference.hpp"
#include "ops/canny/seams.hpp"

namespace cuesta {

struct CannyBands::State {
  State(int32_t picture_width, const CannyOptions& wanted)
      : width(picture_width), options(canny_resolved(wanted)), seams(picture_width) {
    if (options.sigma > 0 && options.border.mode == BorderMode::wrap) {
      throw_invalid("wrap",
                    "canny in bands: border is wrap, which smooths the first rows with the last; "
                    "it requires the whole picture");
    }
    options.mask = {};
    counts = options.thresholds.is_automatic();
    if (counts)
      bins.assign(canny_bins, 0);
    else
      thresholds = canny_given(options);
  }

  void run(ConstAnyView rows, ConstAnyView mask, const CannyBand& band, const Exec& exec) const {
    if (band.first < 0 || band.end > rows.height || band.first >= band.end) {
      throw_invalid(std::to_string(band.first),
                    "canny in bands: rows [{}, {}) are not inside the {} rows of the band",
                    band.first, band.end, rows.height);
    }
    if (rows.width != width) {
      throw_invalid(std::to_string(rows.width),
                    "canny in bands: rows have {} pixels; they must have {}", rows.width, width);
    }
    CannyArgs args = canny_checked(rows, mask, options);
    CannyResult used;
    args.result = &used;
    args.band = band;
    if (band.marks()) args.options.thresholds = Given{thresholds.low, thresholds.high};
    canny_dispatch(args, exec);
  }

  int32_t width;
  CannyOptions options;
  bool counts = false;             // thresholds are wanted
  PixelType type = PixelType::u8;  // of what was counted
  CannyResult thresholds{};
  std::mutex counting{};
  std::vector<uint64_t> bins{};  // guarded by `counting`
  CannySeams seams;
};

int32_t reach_of(const CannyOptions& wanted) {
  const CannyOptions options = canny_resolved(wanted);
  return (options.sigma > 0 ? options.ksize / 2 : 0) + options.aperture / 2 + 1;
}

CannyBands::CannyBands(int32_t width, const CannyOptions& options)
    : state_(std::make_unique<State>(width, options)) {}
CannyBands::CannyBands(CannyBands&&) noexcept = default;
CannyBands& CannyBands::operator=(CannyBands&&) noexcept = default;
CannyBands::~CannyBands() = default;

int32_t CannyBands::reach() const { return reach_of(state_->options); }
bool CannyBands::wants_counts() const { return state_->counts; }

void CannyBands::count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec,
                       ConstAnyView mask) {
  std::vector<uint64_t> bins(size_t(canny_bins), 0);
  state_->run(rows, mask, {first, end, CannyBandBins{bins.data()}}, exec);
  if (!exec.choices) add_counts(bins, rows.type);
}

std::vector<uint64_t> CannyBands::counts() const {
  const std::lock_guard lock(state_->counting);
  return state_->bins;
}

void CannyBands::add_counts(std::span<const uint64_t> counts, PixelType type) {
  const std::lock_guard lock(state_->counting);
  if (counts.size() != state_->bins.size()) {
    throw_invalid(std::to_string(counts.size()),
                  "canny in bands: there are {} counts; there must be {}", counts.size(),
                  state_->bins.size());
  }
  state_->type = canny_keeps_fractions(type, state_->options) ? PixelType::f32 : type;
  for (size_t i = 0; i < counts.size(); ++i) state_->bins[i] += counts[i];
}

CannyResult CannyBands::find_thresholds() {
  if (state_->counts) set_thresholds(canny_automatic(state_->options, state_->type, state_->bins));
  return state_->thresholds;
}

CannyResult CannyBands::thresholds() const { return state_->thresholds; }
void CannyBands::set_thresholds(const CannyResult& thresholds) {
  state_->thresholds = thresholds;
  state_->counts = false;
  state_->bins.clear();
}

int64_t CannyBands::mark_words() const { return int64_t(2) * state_->seams.words(); }

void CannyBands::mark(ConstAnyView rows, int32_t first, int32_t end, uint64_t* marks,
                      const Exec& exec, ConstAnyView mask) const {
  if (state_->counts)
    throw_invalid("thresholds",
                  "canny in bands: thresholds are unknown; count every band and call "
                  "find_thresholds() first");
  state_->run(rows, mask, {first, end, CannyBandMarks{marks}}, exec);
}

void CannyBands::add(const uint64_t* marks, int32_t count, int threads) {
  state_->seams.add(marks, count, threads);
}
void CannyBands::join() { state_->seams.join(); }
std::span<const CannyBands::Strip> CannyBands::strips() const { return state_->seams.strips(); }
void CannyBands::resolve(int32_t strip, const uint64_t* marks, uint64_t* edges) const {
  state_->seams.resolve(strip, marks, edges);
}

}  // namespace cuesta
