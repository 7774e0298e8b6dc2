// Strategy `rows`: strips of rows by threads. A run of one label adds its powers in closed form,
// and only pixels of an outline look around. A strip keeps sums of the labels that it meets, which
// are added to the picture's at its end.
#include <algorithm>
#include <optional>

#include "ops/measure/reference.hpp"

namespace cuesta {
namespace {

using namespace measuring;

// Which pixels of a row are on an outline: a neighbour beside, above or below has another label.
void mark_outline(const ConstAnyView& labels, int32_t y, uint8_t* marks) {
  const int32_t width = labels.width;
  if (y < 0 || y >= labels.height) {
    std::fill_n(marks, width, uint8_t(0));
    return;
  }
  const auto view = labels.as<const int32_t>();
  const int32_t* row = view.row(y);
  const int32_t* above = y > 0 ? view.row(y - 1) : nullptr;
  const int32_t* below = y + 1 < labels.height ? view.row(y + 1) : nullptr;
  for (int32_t x = 0; x < width; ++x) {
    const bool rim = x == 0 || x + 1 == width || !above || !below;
    marks[x] = uint8_t(rim || row[x] != above[x] || row[x] != below[x]);
  }
  for (int32_t x = 1; x + 1 < width; ++x)
    marks[x] |= uint8_t(row[x] != row[x - 1] || row[x] != row[x + 1]);
}

class Strip {
 public:
  Strip(const MeasureArgs& args, int32_t first, int32_t end)
      : args_(args), place_(args.sums.size(), -1), marks_(3 * size_t(args.labels.width)) {
    uint8_t* rows[3] = {marks_.data(), marks_.data() + args.labels.width,
                        marks_.data() + 2 * size_t(args.labels.width)};
    mark_outline(args.labels, first - 1, rows[0]);
    mark_outline(args.labels, first, rows[1]);
    for (int32_t y = first; y < end; ++y) {
      mark_outline(args.labels, y + 1, rows[2]);
      add_row(y, rows);
      std::rotate(rows, rows + 1, rows + 3);
    }
  }

  void finish() const {
    for (size_t i = 0; i < labels_.size(); ++i) add(args_.sums[size_t(labels_[i]) - 1], found_[i]);
  }

 private:
  Sums& sums_of(int32_t label) {
    int32_t& place = place_[size_t(label) - 1];
    if (place < 0) {
      place = int32_t(found_.size());
      found_.push_back({});
      labels_.push_back(label);
    }
    return found_[size_t(place)];
  }

  void add_row(int32_t y, uint8_t* const* marks) {
    const int32_t width = args_.labels.width;
    const int32_t* row = args_.labels.as<const int32_t>().row(y);
    for (int32_t x = 0; x < width;) {
      const int32_t label = row[x], begin = x;
      do ++x;
      while (x < width && row[x] == label);
      if (label < 1 || size_t(label) > args_.sums.size()) continue;
      Sums& sums = sums_of(label);
      add_run(sums, begin, x, y);
      add_steps(sums, begin, x, y, label, marks);
      if (args_.intensity) add_samples(sums, begin, x, y);
    }
  }

  void add_run(Sums& sums, int32_t begin, int32_t end, int32_t row) {
    const auto y = int32_t(args_.top + row);
    const PowerSums along = power_sums(begin, end);
    Sums run{};
    run.area = uint64_t(end - begin);
    run.left = least(uint32_t(begin)), run.top = least(uint32_t(y));
    run.right = uint32_t(end), run.bottom = uint32_t(y) + 1;
    for (int i = 0; i < power_count; ++i) {
      const Wide value = along.of[power_at(i).x] * power_of(y, power_at(i).y);
      run.coordinates[i] = {uint64_t(value), uint64_t(value >> 64)};
    }
    add(sums, run);
  }

  void add_steps(Sums& sums, int32_t begin, int32_t end, int32_t y, int32_t label,
                 uint8_t* const* marks) {
    const LabelsAround around{args_.labels};
    const auto on = [&](int32_t x, int dy) {
      return x >= 0 && x < args_.labels.width && marks[1 + dy][x] && around.at(x, y + dy) == label;
    };
    for (int32_t x = begin; x < end; ++x) {
      if (!marks[1][x]) continue;
      const int straight = on(x - 1, 0) + on(x + 1, 0) + on(x, -1) + on(x, 1);
      const int diagonal = on(x - 1, -1) + on(x + 1, -1) + on(x - 1, 1) + on(x + 1, 1);
      if (const int step = step_of(straight, diagonal); step >= 0) ++sums.steps[step];
    }
  }

  void add_samples(Sums& sums, int32_t begin, int32_t end, int32_t y) {
    const auto add_all = [&]<class T>(const T* row) {
      for (int32_t x = begin; x < end; ++x) add_sample(sums, row[x]);
    };
    const ConstAnyView& picture = args_.intensity;
    switch (picture.type) {
      case PixelType::u8: return add_all(picture.as<const uint8_t>().row(y));
      case PixelType::u16: return add_all(picture.as<const uint16_t>().row(y));
      default: return add_all(picture.as<const float>().row(y));
    }
  }

  const MeasureArgs& args_;
  std::vector<int32_t> place_;  // of each label in `found_`; -1: not met
  std::vector<int32_t> labels_{};
  std::vector<Sums> found_{};
  std::vector<uint8_t> marks_;
};

}  // namespace

void measure_rows(const MeasureArgs& args, Call& call) {
  const Strips strips(args.end - args.first, call.threads(), 16, 1);
  std::vector<std::optional<Strip>> parts(size_t(strips.count));
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    parts[size_t(s)].emplace(args, args.first + strips.begin(s), args.first + strips.end(s));
  });
  for (const auto& part : parts) part->finish();
}

}  // namespace cuesta
