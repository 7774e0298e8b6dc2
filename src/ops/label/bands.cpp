// Components in bands: each band is labelled by itself, and sets of its components meet where the
// rows of two bands do.
#include "cuesta/bands.hpp"

#include <limits>

#include "core/check.hpp"
#include "core/threads.hpp"
#include "core/workspace.hpp"
#include "cpu/union_find.hpp"
#include "cuesta/device.hpp"
#include "ops/label/options.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {

struct LabelBands::State {
  void check(ConstAnyView rows_of_band) const {
    if (rows_of_band.width != width) {
      throw_invalid(std::to_string(rows_of_band.width),
                    "label in bands: rows have {} pixels; they must have {}", rows_of_band.width,
                    width);
    }
  }

  // Joins what touches where a band begins whose first row has these labels, from `below` on.
  void join_seam(const std::vector<int32_t>& first, int32_t below) {
    const int32_t reach = options.connectivity == 8 ? 1 : 0;
    for (int32_t x = 0; x < width; ++x) {
      const int32_t here = first[size_t(x)];
      if (here == 0) continue;
      for (int32_t n = std::max(0, x - reach); n <= std::min(width - 1, x + reach); ++n)
        if (last[size_t(n)] != 0) unite(last_base + last[size_t(n)] - 1, below + here - 1);
    }
  }
  void unite(int32_t a, int32_t b) {
    const int32_t lost = cpu::unite(parents.data(), a, b);
    if (lost >= 0) add_part(list[size_t(parents[size_t(lost)])], list[size_t(lost)]);
  }

  int32_t width = 0;
  LabelOptions options{};
  int32_t rows = 0;               // that were added
  std::vector<int32_t> bases{};   // of each band: its first component in `parents`
  std::vector<Component> list{};  // of each component of a band; a root has all of its set's
  // Sets of components, known by the least: bands and labels count in raster order, and so do
  // roots. After join() the labels.
  std::vector<int32_t> parents{};
  int32_t last_base = 0;        // the last band's
  std::vector<int32_t> last{};  // labels of the last row, in its band
};

LabelBands::LabelBands(int32_t width, const LabelOptions& options)
    : state_(std::make_unique<State>()) {
  if (width < 1)
    throw_invalid(std::to_string(width), "label in bands: width is {}; it must be at least 1",
                  width);
  check_options(options, "label");
  state_->width = width;
  state_->options = options;
}
LabelBands::LabelBands(LabelBands&&) noexcept = default;
LabelBands& LabelBands::operator=(LabelBands&&) noexcept = default;
LabelBands::~LabelBands() = default;

LabelBands::Found LabelBands::find(ConstAnyView rows, const Exec& exec) const {
  const State& s = *state_;
  check_label(rows, {}, s.options);
  s.check(rows);
  Found found{.rows = rows.height};
  for (auto* row : {&found.first, &found.last}) row->resize(size_t(s.width));
  int32_t count = 0;
  if (rows.space == Space::host) {
    dispatch(LabelArgs{rows, LabelEnds{found.first.data(), found.last.data()},
                       HostComponents{&found.components, &count}, s.options},
             exec);
    return found;
  }
  // The device's strategies make a picture of labels; two rows of it are wanted.
  if (exec.choices) {
    label(rows, placeholder(rows.width, rows.height, PixelType::s32, 1, rows.space),
          &found.components, s.options, exec);
    return found;
  }
  Scratch scratch(exec, Space::device);
  const AnyView labels = scratch.image<int32_t, Space::device>(rows.width, rows.height);
  label(rows, labels, &found.components, s.options, exec);
  for (const auto& [y, row] : {std::pair(0, &found.first), {rows.height - 1, &found.last}}) {
    download(labels.region({0, y, rows.width, 1}), ImageView<int32_t>(row->data(), rows.width, 1),
             exec.stream);
  }
  return found;
}

void LabelBands::add(const Found& found) {
  State& s = *state_;
  const auto base = int32_t(s.parents.size());
  const auto count = int32_t(found.components.size());
  if (int64_t(base) + count > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::unsupported,
                "label in bands: there are more than 2,147,483,647 components; at most that number "
                "is supported");
  s.bases.push_back(base);
  for (int32_t i = 0; i < count; ++i) {
    Component& c = s.list.emplace_back(found.components[size_t(i)]);
    c.box.y += s.rows;
    c.sum_y += c.area * s.rows;
    s.parents.push_back(base + i);
  }
  if (s.rows > 0) s.join_seam(found.first, base);
  s.rows += found.rows;
  s.last_base = base;
  s.last = found.last;
}

std::vector<Component> LabelBands::join() {
  State& s = *state_;
  int32_t count = 0;
  for (size_t i = 0; i < s.parents.size(); ++i) {
    if (s.parents[i] != int32_t(i)) {
      s.parents[i] = s.parents[size_t(s.parents[i])];  // its parent comes first
      continue;
    }
    Component& c = s.list[size_t(count)] = s.list[i];
    s.parents[i] = c.label = ++count;
  }
  s.list.resize(size_t(count));
  return std::move(s.list);
}

std::span<const int32_t> LabelBands::labels_of(int32_t band) const {
  const State& s = *state_;
  if (band < 0 || size_t(band) >= s.bases.size()) {
    throw_invalid(std::to_string(band),
                  "label in bands: band is {}; it must be below {}, the number of bands added",
                  band, s.bases.size());
  }
  const auto next = size_t(band) + 1;
  const auto base = size_t(s.bases[size_t(band)]);
  const size_t end = next < s.bases.size() ? size_t(s.bases[next]) : s.parents.size();
  return std::span(s.parents).subspan(base, end - base);
}

void LabelBands::resolve(int32_t band, ConstAnyView rows, AnyView labels, const Exec& exec) const {
  const State& s = *state_;
  const std::span<const int32_t> known = labels_of(band);
  if (!labels)
    throw_invalid("null", "label in bands: labels has no data; its pointer must not be null");
  if (labels.space != Space::host || rows.space != Space::host) {
    throw_invalid("space",
                  "label in bands: rows or labels are on the device; both must be on the host");
  }
  s.check(rows);
  const int32_t count = label(rows, labels, nullptr, s.options, exec);
  if (exec.choices) return;
  if (size_t(count) != known.size()) {
    throw_invalid("rows", "label in bands: rows have {} components; band {} was added with {}",
                  count, band, known.size());
  }
  parallel_rows(labels.height, thread_count(exec.threads), [&](int32_t first, int32_t past) {
    for (int32_t y = first; y < past; ++y) {
      int32_t* row = labels.as<int32_t>().row(y);
      for (int32_t x = 0; x < labels.width; ++x)
        if (row[x] != 0) row[x] = known[size_t(row[x]) - 1];
    }
  });
}

}  // namespace cuesta
