// The fuzz targets' mutations of structure: what they change is a file of its kind still, so that a
// reader gets past the first check.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "fuzz/structure.hpp"

namespace {

using namespace cuesta::fuzz;

// As libFuzzer's own: one byte changed, put in or left out.
size_t plain(uint8_t* data, size_t size, size_t room) {
  static std::mt19937 random(7);
  if (size == 0) return 0;
  data[random() % size] ^= uint8_t(1 + random() % 255);
  return random() % 3 == 0 && size < room ? size + 1 : size - (random() % 3 == 0);
}

Bytes numbers(std::initializer_list<uint32_t> all) {
  Bytes out;
  for (const uint32_t one : all) put_be(out, one);
  return out;
}

Bytes png() {
  Bytes head = numbers({3, 2});
  for (const int value : {8, 0, 0, 0, 0}) head.push_back(uint8_t(value));
  return png_of({{name_of("IHDR"), head},
                 {name_of("tEXt"), Bytes(20, 'a')},
                 {name_of("IDAT"), Bytes(30, 7)},
                 {name_of("IEND"), {}}});
}

Bytes tiff(bool is_big) {
  Bytes file(100, 0);
  file[0] = file[1] = is_big ? 'M' : 'I';
  Tiff of(file);
  of.set(2, 2, 42), of.set(4, 4, 8), of.set(8, 2, 3);
  for (size_t n = 0; n < 3; ++n) {
    of.set(10 + 12 * n, 2, uint32_t(256 + n)), of.set(12 + 12 * n, 2, 4);
    of.set(14 + 12 * n, 4, 1), of.set(18 + 12 * n, 4, uint32_t(5 + n));
  }
  return file;
}

std::vector<Box> boxes() {
  const Box table{
      name_of("stbl"),
      {},
      {{name_of("stco"), numbers({0, 2, 140, 150})}, {name_of("stsz"), numbers({0, 4, 2})}}};
  const Box track{
      name_of("trak"), {}, {{name_of("tkhd"), Bytes(20, 3)}, {name_of("mdia"), {}, {table}}}};
  return {{name_of("ftyp"), Bytes(8, 'i')},
          {name_of("moov"), {}, {track}},
          {name_of("mdat"), Bytes(40, 9)}};
}
Bytes mp4() {
  Bytes out;
  put_boxes(boxes(), out);
  return out;
}

// How many of 2,000 changed files are `right`, and how many different ones there are.
template <class Right>
std::pair<int, size_t> changed(const Bytes& file, Right right) {
  int count = 0;
  std::set<std::string> all;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Bytes bytes = file;
    bytes.resize(file.size() * 2);
    bytes.resize(mutate(bytes.data(), file.size(), bytes.size(), seed, plain));
    EXPECT_LE(bytes.size(), file.size() * 2);
    count += right(bytes);
    all.emplace(bytes.begin(), bytes.end());
  }
  return {count, all.size()};
}

TEST(Structure, OfPngHasRightLengthsAndChecksums) {
  const auto [right, different] = changed(
      png(), [](const Bytes& file) { return file.size() >= 8 && png_of(chunks_of(file)) == file; });
  EXPECT_GT(right, 1300);  // a quarter is changed by plain mutations
  EXPECT_LT(right, 1900);
  EXPECT_GT(different, 300U);
}

TEST(Structure, ChecksumsOfPngAreTheStandards) {
  const std::string_view text = "123456789";
  EXPECT_EQ(crc_of(reinterpret_cast<const uint8_t*>(text.data()), text.size()), 0xcbf43926U);
}

TEST(Structure, OfTiffKeepsItsDirectory) {
  for (const bool is_big : {false, true}) {
    std::map<uint32_t, int> tags;
    const auto [right, different] = changed(tiff(is_big), [&](Bytes file) {
      const Tiff view(file);
      if (!view.is_one() || view.directories().empty() || view.number(8, 2) != 3) return false;
      for (size_t n = 0; n < 3; ++n) ++tags[view.number(10 + 12 * n, 2)];
      return true;
    });
    EXPECT_GT(right, 1400) << is_big;
    EXPECT_GT(different, 300U);
    EXPECT_GT(tags[330], 0) << "no page below a page";
  }
}

TEST(Structure, OfMp4HasBoxesThatFillIt) {
  const auto [right, different] = changed(mp4(), [](const Bytes& file) {
    std::vector<Box> found;
    if (!read_boxes(file.data(), file.size(), found)) return false;
    Bytes again;
    put_boxes(found, again);
    return again == file;
  });
  EXPECT_GT(right, 1300);
  EXPECT_LT(right, 1950);
  EXPECT_GT(different, 300U);
}

TEST(Structure, SamplesOfMp4AreWhereItsTablesSay) {
  auto all = boxes();
  const size_t before = samples_at(all);
  all.insert(all.begin() + 1, {name_of("free"), Bytes(12, 0), {}});
  move_samples(all, uint32_t(samples_at(all) - before));
  const Box& table = all[2].in[0].in[1].in[0].in[0];
  EXPECT_EQ(table.data, numbers({0, 2, 160, 170}));
}

TEST(Structure, IsNotMadeUp) {
  for (const Bytes& file : {Bytes{}, Bytes{'I', 'I', 42}, Bytes(30, 0),
                            Bytes(png_signature.begin(), png_signature.end())})
    for (unsigned seed = 0; seed < 50; ++seed) {
      Draw draw(seed, plain);
      Bytes bytes = file;
      EXPECT_FALSE(change_png(draw, bytes) || change_tiff(draw, bytes) || change_mp4(draw, bytes));
      EXPECT_EQ(bytes, file);
    }
}

}  // namespace
