#include "ops/canny/seams.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/threads.hpp"
#include "cpu/bit_hysteresis.hpp"
#include "cpu/union_find.hpp"
#include "ops/canny/args.hpp"

namespace cuesta {
namespace {

// Rows of a strip: seams cost memory, long strips make threads wait for each other.
constexpr int32_t strip_rows = 128;

// take(begin, end) of each run of ones, from left to right.
template <class Take>
void each_run(const uint64_t* bits, int32_t words, Take&& take) {
  int32_t begin = -1;  // of the run that continues
  for (int32_t w = 0; w < words; ++w) {
    uint64_t word = bits[w];
    if (begin < 0 && word == 0) continue;
    int32_t at = 0;
    while (at < 64) {
      const uint64_t rest = (begin < 0 ? word : ~word) >> at;
      if (rest == 0) break;
      at += std::countr_zero(rest);
      if (begin < 0) {
        begin = w * 64 + at;
      } else {
        take(begin, w * 64 + at);
        begin = -1;
      }
    }
  }
  if (begin >= 0) take(begin, words * 64);
}

bool any(const uint64_t* bits, int32_t begin, int32_t end) {
  for (int32_t w = begin / 64; w <= (end - 1) / 64; ++w) {
    uint64_t word = bits[w];
    if (w == begin / 64) word &= ~uint64_t(0) << (begin % 64);
    if (w == (end - 1) / 64) word &= ~uint64_t(0) >> (63 - (end - 1) % 64);
    if (word != 0) return true;
  }
  return false;
}

void fill(uint64_t* bits, int32_t begin, int32_t end) {
  for (int32_t w = begin / 64; w <= (end - 1) / 64; ++w) {
    uint64_t word = ~uint64_t(0);
    if (w == begin / 64) word &= ~uint64_t(0) << (begin % 64);
    if (w == (end - 1) / 64) word &= ~uint64_t(0) >> (63 - (end - 1) % 64);
    bits[w] |= word;
  }
}

// touch(i, j) of each run i of one row and j of the next that 8-way neighbours join; both rows from
// left to right.
template <class Runs, class Touch>
void each_touch(const Runs& above, const Runs& below, Touch&& touch) {
  size_t i = 0;
  for (size_t j = 0; j < below.size(); ++j) {
    while (i < above.size() && above[i].end < below[j].begin) ++i;
    for (size_t k = i; k < above.size() && above[k].begin <= below[j].end; ++k) touch(k, j);
  }
}

}  // namespace

// What a strip's first and last rows are connected to: sets, numbered from 0 within the strip.
struct CannySeams::Ends {
  std::vector<Run> top, bottom;
  std::vector<uint32_t> top_sets, bottom_sets;
  std::vector<uint8_t> strong;  // of each set
};

struct CannySeams::Spare {
  std::vector<uint64_t> take() {
    const std::lock_guard lock(mutex);
    if (free.empty()) return {};
    std::vector<uint64_t> words = std::move(free.back());
    free.pop_back();
    return words;
  }
  void give_back(std::vector<uint64_t>&& words) {
    const std::lock_guard lock(mutex);
    free.push_back(std::move(words));
  }
  std::mutex mutex;
  std::vector<std::vector<uint64_t>> free;
};

CannySeams::CannySeams(int32_t width)
    : width_(width), words_(canny_words(width)), spare_(std::make_shared<Spare>()) {}

void CannySeams::connect(const uint64_t* marks, int32_t rows, Ends& ends) const {
  struct Labelled {
    int32_t begin, end;
    uint32_t set;
  };
  std::vector<Labelled> above, here;
  std::vector<uint32_t> parents, top;
  std::vector<uint8_t> strong;
  for (int32_t y = 0; y < rows; ++y) {
    const uint64_t* candidates = marks + ptrdiff_t(y) * 2 * words_;
    here.clear();
    each_run(candidates, words_, [&](int32_t begin, int32_t end) {
      here.push_back({begin, end, uint32_t(parents.size())});
      parents.push_back(uint32_t(parents.size()));
      strong.push_back(any(candidates + words_, begin, end));
    });
    each_touch(above, here, [&](size_t i, size_t j) {
      const uint32_t lost = cpu::unite(parents.data(), above[i].set, here[j].set);
      if (lost != uint32_t(-1)) strong[parents[lost]] |= strong[lost];
    });
    if (y == 0) {
      for (const Labelled& run : here)
        ends.top.push_back({run.begin, run.end}), top.push_back(run.set);
    }
    std::swap(above, here);
  }
  // Only the sets at the two ends live on.
  std::vector<uint32_t> number(parents.size(), uint32_t(-1));
  const auto number_of = [&](uint32_t set) {
    const uint32_t root = cpu::find(parents.data(), set);
    if (number[root] == uint32_t(-1)) {
      number[root] = uint32_t(ends.strong.size());
      ends.strong.push_back(strong[root]);
    }
    return number[root];
  };
  for (const uint32_t set : top) ends.top_sets.push_back(number_of(set));
  for (const Labelled& run : above) {
    ends.bottom.push_back({run.begin, run.end});
    ends.bottom_sets.push_back(number_of(run.set));
  }
}

void CannySeams::add(const uint64_t* marks, int32_t rows, int threads) {
  const int32_t count = (rows + strip_rows - 1) / strip_rows;
  std::vector<Ends> ends;
  ends.resize(size_t(count));
  const auto first_of = [&](int32_t i) { return int32_t(int64_t(rows) * i / count); };
  parallel_tasks(count, thread_count(threads), [&](int i) {
    connect(marks + ptrdiff_t(first_of(i)) * 2 * words_, first_of(i + 1) - first_of(i),
            ends[size_t(i)]);
  });
  const int32_t before = strips_.empty() ? 0 : strips_.back().end;
  for (int32_t i = 0; i < count; ++i) {
    Ends& strip = ends[size_t(i)];
    const auto base = uint32_t(parents_.size());
    parents_.resize(base + strip.strong.size());
    std::iota(parents_.begin() + base, parents_.end(), base);
    strong_.insert(strong_.end(), strip.strong.begin(), strip.strong.end());
    for (auto* sets : {&strip.top_sets, &strip.bottom_sets})
      for (uint32_t& set : *sets) set += base;
    if (!strips_.empty()) {
      const auto& above = bottom_.back();
      each_touch(last_, strip.top, [&](size_t k, size_t j) {
        const uint32_t lost = cpu::unite(parents_.data(), above[k], strip.top_sets[j]);
        if (lost != uint32_t(-1)) strong_[parents_[lost]] |= strong_[lost];
      });
    }
    last_ = std::move(strip.bottom);
    strips_.push_back({before + first_of(i), before + first_of(i + 1)});
    strip.top_sets.shrink_to_fit();
    strip.bottom_sets.shrink_to_fit();
    top_.push_back(std::move(strip.top_sets));
    bottom_.push_back(std::move(strip.bottom_sets));
  }
}

void CannySeams::join() {
  // Parents have smaller numbers: from below to above, each finds its own flat.
  for (size_t i = 0; i < parents_.size(); ++i) {
    parents_[i] = parents_[parents_[i]];
    strong_[i] = strong_[parents_[i]];
  }
}

void CannySeams::resolve(int32_t index, const uint64_t* marks, uint64_t* edges) const {
  const CannyBands::Strip at = strips_[size_t(index)];
  const int32_t rows = at.end - at.first;
  constexpr size_t alignment = 8;  // words
  std::vector<uint64_t> memory = spare_->take();
  memory.resize(std::max(memory.size(), BitStrip::memory_words(width_, rows) + alignment));
  void* begin = memory.data();
  size_t room = memory.size() * sizeof(uint64_t);
  BitStrip strip(width_, rows,
                 static_cast<uint64_t*>(
                     std::align(alignment * sizeof(uint64_t), sizeof(uint64_t), begin, room)));
  strip.clear();
  std::vector<uint64_t> seeds(size_t(words_), 0);
  const auto seed = [&](const uint64_t* candidates, const std::vector<uint32_t>& sets) {
    size_t run = 0;
    each_run(candidates, words_, [&](int32_t first, int32_t end) {
      if (strong_[sets[run++]]) fill(seeds.data(), first, end);
    });
  };
  for (int32_t y = 0; y < rows; ++y) {
    const uint64_t* candidates = marks + ptrdiff_t(y) * 2 * words_;
    const uint64_t* strong = candidates + words_;
    if (y == 0 || y == rows - 1) {
      std::copy_n(strong, words_, seeds.begin());
      if (y == 0) seed(candidates, top_[size_t(index)]);
      if (y == rows - 1) seed(candidates, bottom_[size_t(index)]);
      strong = seeds.data();
    }
    strip.add_row(y, candidates, strong);
  }
  strip.close();
  for (int32_t y = 0; y < rows; ++y)
    std::copy_n(strip.edges(y), words_, edges + ptrdiff_t(y) * words_);
  spare_->give_back(std::move(memory));
}

}  // namespace cuesta
