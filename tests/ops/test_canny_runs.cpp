// The production hysteresis on CUDA without a GPU: its work on words, in turn, held against a plain
// flood.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "ops/canny/ladder/mask_runs.hpp"

namespace cuesta {
namespace {

using namespace mask_runs;

TEST(MaskRuns, StartsAndFillsAreWholeRuns) {
  std::mt19937 random(7);
  for (int n = 0; n < 20000; ++n) {
    uint32_t word = random();
    if (n % 2) word |= random() | random();
    if (n % 5 == 0) word = ~0u;
    uint32_t seeds = random() & random() & random() & word, filled = seeds;
    for (int i = 0; i < 32; ++i) filled |= (filled << 1 | filled >> 1) & word;
    EXPECT_EQ(fill_runs(word, seeds), filled);
    uint32_t all = 0;
    for_runs(word, [&](int start, uint32_t run) {
      EXPECT_EQ(fill_runs(word, 1u << start), run);
      for (int bit = 0; bit < 32; ++bit) {
        if (run >> bit & 1) {
          EXPECT_EQ(run_start(word, bit), start);
        }
      }
      all |= run;
    });
    EXPECT_EQ(all, word);
  }
}

// Masks of 0 (nothing), 1 (candidate), 2 (strong) as words.
struct Picture {
  int32_t width, height, words;
  std::vector<uint8_t> marks;
  uint8_t& at(int32_t x, int32_t y) { return marks[size_t(y) * size_t(width) + size_t(x)]; }
  uint8_t look(int32_t x, int32_t y) {
    return x < 0 || y < 0 || x >= width || y >= height ? uint8_t(0) : at(x, y);
  }
};

Picture random_picture(int32_t width, int32_t height, uint32_t percent, uint32_t strong_of_1000) {
  Picture p{width, height, (width + 127) / 128 * 4, {}};
  p.marks.resize(size_t(width) * size_t(height));
  std::mt19937 random(uint32_t(width * 31 + height) + percent);
  for (auto& mark : p.marks) {
    if (random() % 100 < percent) mark = random() % 1000 < strong_of_1000 ? 2 : 1;
  }
  return p;
}

// One line wound inwards, strong at its inner end.
Picture spiral(int32_t side) {
  Picture p{side, side, (side + 127) / 128 * 4, std::vector<uint8_t>(size_t(side) * size_t(side))};
  int32_t x = 0, y = 0, dx = 1, dy = 0;
  const auto set = [&](int32_t a, int32_t b) { return p.look(a, b) != 0; };
  const auto is_out = [&](int32_t a, int32_t b) {
    return a < 0 || b < 0 || a >= side || b >= side;
  };
  p.at(x, y) = 1;
  for (bool turned = false;;) {
    const bool blocked =
        is_out(x + dx, y + dy) || set(x + dx, y + dy) || set(x + 2 * dx, y + 2 * dy);
    if (blocked) {
      if (turned) break;
      turned = true;
      const int32_t swap = dx;
      dx = -dy;
      dy = swap;
      continue;
    }
    turned = false;
    x += dx;
    y += dy;
    p.at(x, y) = 1;
  }
  p.at(x, y) = 2;
  return p;
}

std::vector<uint8_t> flooded(Picture p) {
  std::vector<std::pair<int32_t, int32_t>> stack;
  for (int32_t y = 0; y < p.height; ++y) {
    for (int32_t x = 0; x < p.width; ++x) {
      if (p.at(x, y) == 2) stack.emplace_back(x, y);
    }
  }
  while (!stack.empty()) {
    const auto [x, y] = stack.back();
    stack.pop_back();
    for (int32_t dy = -1; dy <= 1; ++dy) {
      for (int32_t dx = -1; dx <= 1; ++dx) {
        if (p.look(x + dx, y + dy) != 1) continue;
        p.at(x + dx, y + dy) = 2;
        stack.emplace_back(x + dx, y + dy);
      }
    }
  }
  for (auto& mark : p.marks) mark = mark == 2;
  return p.marks;
}

// What the kernels flood, merge and write do; the first only with `tile_rows` > 0.
std::vector<uint8_t> by_words(Picture p, int32_t tile_rows) {
  const auto index = [&](int32_t word, int32_t row) {
    return size_t(row) * size_t(p.words) + size_t(word);
  };
  std::vector<uint32_t> weak(size_t(p.words) * size_t(p.height)), edges = weak;
  for (int32_t y = 0; y < p.height; ++y) {
    for (int32_t x = 0; x < p.width; ++x) {
      const uint32_t bit = 1u << (x % 32);
      if (p.at(x, y) > 0) weak[index(x / 32, y)] |= bit;
      if (p.at(x, y) > 1) edges[index(x / 32, y)] |= bit;
    }
  }
  for (int32_t top = 0; tile_rows > 0 && top < p.height; top += tile_rows) {
    const int32_t end = std::min(top + tile_rows, p.height);
    for (int32_t word = 0; word < p.words; word += 4) {
      const auto four = [&](const std::vector<uint32_t>& mask, int32_t y) {
        Row4 row{};
        if (y >= top && y < end) std::copy_n(&mask[index(word, y)], 4, row.words);
        return row;
      };
      for (bool again = true; again;) {
        again = false;
        const std::vector<uint32_t> before = edges;  // lanes step together
        for (int32_t y = top; y < end; ++y) {
          Row4 mine = four(before, y);
          again |= grow(four(weak, y), widen(mine), widen(four(before, y - 1)),
                        widen(four(before, y + 1)), mine);
          std::copy_n(mine.words, 4, &edges[index(word, y)]);
        }
      }
    }
  }
  for (size_t i = 0; i < weak.size(); ++i) weak[i] &= ~edges[i];

  std::vector<int32_t> parents(1 + weak.size() * labels_per_word);
  for (size_t i = 0; i < parents.size(); ++i) parents[i] = int32_t(i);
  const auto find = [&](int32_t i) {
    while (parents[size_t(i)] != i) i = parents[size_t(i)];
    return i;
  };
  const auto label = [&](int32_t word, int32_t row, int start) {
    return int32_t(1 + index(word, row) * labels_per_word) + start / 2;
  };
  const auto around = [&](const std::vector<uint32_t>& mask, int32_t word, int32_t row) {
    const auto at = [&](int dx, int dy) {
      const int32_t x = word + dx, y = row + dy;
      return x >= 0 && y >= 0 && x < p.words && y < p.height ? mask[index(x, y)] : 0;
    };
    return Around{at(-1, -1), at(0, -1), at(1, -1), at(-1, 0), at(0, 0),
                  at(1, 0),   at(-1, 1), at(0, 1),  at(1, 1)};
  };
  for (int32_t y = 0; y < p.height; ++y) {
    for (int32_t word = 0; word < p.words; ++word) {
      unite_runs(
          around(weak, word, y), around(edges, word, y), 0,
          [&](int dx, int dy, int start) { return label(word + dx, y + dy, start); },
          [&](int32_t a, int32_t b) {
            a = find(a);
            b = find(b);
            parents[size_t(std::max(a, b))] = std::min(a, b);
          });
    }
  }
  std::vector<uint8_t> out(p.marks.size());
  for (int32_t y = 0; y < p.height; ++y) {
    for (int32_t word = 0; word < p.words; ++word) {
      uint32_t found = edges[index(word, y)];
      for_runs(weak[index(word, y)], [&](int start, uint32_t run) {
        if (find(label(word, y, start)) == 0) found |= run;
      });
      for (int32_t i = 0; i < 32 && word * 32 + i < p.width; ++i)
        out[size_t(y) * size_t(p.width) + size_t(word * 32 + i)] = found >> i & 1;
    }
  }
  return out;
}

TEST(MaskRuns, ConnectWhatAFloodConnects) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 90}, {90, 1}, {31, 33}, {32, 32}, {64, 40}, {65, 70}, {200, 130}}) {
    for (const uint32_t percent : {15, 30, 42, 60, 98}) {
      for (const uint32_t strong : {0, 3, 100, 900}) {
        const Picture p = random_picture(width, height, percent, strong);
        const auto expected = flooded(p);
        EXPECT_EQ(by_words(p, 32), expected)
            << width << "x" << height << " " << percent << " " << strong;
        EXPECT_EQ(by_words(p, 0), expected) << width << "x" << height << " " << percent << " "
                                            << strong << " without the first step";
      }
    }
  }
}

TEST(MaskRuns, FollowASnake) {
  for (const int32_t side : {5, 33, 64, 131, 200}) {
    const Picture p = spiral(side);
    const auto expected = flooded(p);
    EXPECT_EQ(std::count(p.marks.begin(), p.marks.end(), 0),
              std::count(expected.begin(), expected.end(), 0))
        << "all of the line is an edge";
    EXPECT_EQ(by_words(p, 32), expected) << side;
    EXPECT_EQ(by_words(p, 0), expected) << side;
  }
}

}  // namespace
}  // namespace cuesta
