// Labelling on the GPU: every row of the table for the device, in every shape it can be launched
// in. Without a GPU most of these skip, and say why.
#include <gtest/gtest.h>

#include <cstring>

#include "cuesta/device.hpp"
#include "cuesta/device_components.hpp"
#include "cuesta/objects.hpp"
#include "ops/label/args.hpp"
#include "ops/motion/args.hpp"
#include "support/errors.hpp"
#include "support/graph.hpp"
#include "verify/patterns.hpp"
#include "verify/verify.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

std::vector<const Strategy<LabelArgs>*> device_rows() {
  std::vector<const Strategy<LabelArgs>*> rows;
  for (const auto& s : LabelArgs::strategies())
    if (s.space == Space::device) rows.push_back(&s);
  return rows;
}

/// The combinations of a row's parameters that it does not refuse.
std::vector<std::vector<Parameter>> taken(const Strategy<LabelArgs>& row) {
  auto all = verify::detail::combinations(row.parameters);
  std::erase_if(all, [&](const std::vector<Parameter>& parameters) {
    Exec exec;
    exec.parameters = parameters;
    return !row.supports(LabelArgs(), {exec, row.parameters}).empty();
  });
  return all;
}

std::string text_of(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += " " + name + "=" + value;
  return text;
}

class LabelDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

#if CUESTA_HAS_CUDA

// What refuses, refuses before a GPU is asked.
std::string refused(std::vector<Parameter> parameters) {
  const AnyView mask = placeholder(64, 48, PixelType::u8, 1, Space::device);
  Exec exec{.strategy = "union-find"};
  exec.parameters = std::move(parameters);
  Choice choice;
  choose(LabelArgs{.mask = mask}, exec, &choice);
  return choice.refusal;
}

TEST(LabelShapes, AreWholeWarpsOfAtMostABlock) {
  const std::string refuses = "label: strategy 'union-find' does not take this request: ";
  EXPECT_EQ(refused({{"block_x", "64"}, {"block_y", "32"}}),
            refuses + "blocks of more than 1,024 threads");
  EXPECT_EQ(refused({{"block_x", "16"}, {"block_y", "1"}}), refuses + "blocks smaller than a warp");
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument,
                           [] {
                             refused({{"block_x", "12"}});
                           }),
            "label: parameter block_x=12 of strategy 'union-find' is invalid; choose one of 256, "
            "16, 32, 8, 64");
  EXPECT_EQ(
      test::error_of(ErrorCode::invalid_argument,
                     [] {
                       refused({{"boxes", "cpu"}});
                     }),
      "label: parameter boxes=cpu of strategy 'union-find' is invalid; choose one of gpu, host");
}

TEST(LabelShapes, AreThoseOfMotionToo) {
  int shapes = 0;
  for (const auto& row : MotionArgs::strategies()) {
    if (row.name != "v1.3") continue;
    std::vector<ParameterInfo> shape;
    for (const auto& parameter : row.parameters)
      if (parameter.name.starts_with("block_")) shape.push_back(parameter);
    for (const auto& parameters : verify::detail::combinations(shape)) {
      Exec exec;
      exec.parameters = parameters;
      const Parameters values(exec, shape);
      if (values.integer("block_x") * values.integer("block_y") > 1024) continue;
      EXPECT_EQ(refused(parameters), "") << text_of(parameters);
      ++shapes;
    }
  }
  EXPECT_EQ(shapes, 15);
}

#endif

// -- Odd masks ------------------------------------------------------------------------------------

struct Drawing {
  const char* name;
  bool (*set)(int32_t x, int32_t y, int32_t width, int32_t height);
};
constexpr Drawing drawings[] = {
    {"empty", [](int32_t, int32_t, int32_t, int32_t) { return false; }},
    {"full", [](int32_t, int32_t, int32_t, int32_t) { return true; }},
    {"checkers", [](int32_t x, int32_t y, int32_t, int32_t) { return (x + y) % 2 == 0; }},
    {"other checkers", [](int32_t x, int32_t y, int32_t, int32_t) { return (x + y) % 2 == 1; }},
    {"single pixels", [](int32_t x, int32_t y, int32_t, int32_t) { return x % 2 + y % 2 == 0; }},
    {"comb", [](int32_t x, int32_t y, int32_t, int32_t h) { return x % 2 == 0 || y == h - 1; }},
    {"comb in blocks",
     [](int32_t x, int32_t y, int32_t, int32_t h) { return x / 2 % 2 == 0 || y >= h - 2; }},
    {"rows",
     [](int32_t x, int32_t y, int32_t w, int32_t) {  // one line, to and fro
       return y % 2 == 0 || x == (y % 4 == 1 ? w - 1 : 0);
     }},
    {"rings",
     [](int32_t x, int32_t y, int32_t w, int32_t h) {
       return std::min({x, y, w - 1 - x, h - 1 - y}) % 2 == 0;
     }},
    {"stairs", [](int32_t x, int32_t y, int32_t,
                  int32_t) { return (x + y) % 5 == 0 || (x - y + 7000) % 7 == 0; }},
    {"steps down", [](int32_t x, int32_t y, int32_t, int32_t) { return (x + 2 * y) % 6 < 2; }},
    {"noise",
     [](int32_t x, int32_t y, int32_t, int32_t) {
       return (uint32_t(x) * 2654435761u ^ uint32_t(y) * 2246822519u) * 3266489917u >> 31 == 0;
     }},
};

/// One mask in both types on both sides, and what the reference says of it.
struct Asked {
  Image<uint8_t> bytes;
  Image<uint8_t, Space::device> bytes_there, bits_memory;
  BitImage bits;

  Asked(int32_t width, int32_t height, const Drawing& drawing)
      : bytes(width, height),
        bytes_there(width, height),
        bits_memory((width + 63) / 64 * 8, height),
        bits(width, height) {
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x)
        bytes.at(x, y) = drawing.set(x, y, width, height) ? uint8_t(1 + x % 255) : 0;
    pack_mask(bytes, bits);
    const BitView here = bits.view();
    // Bits past the width are ignored.
    for (int32_t y = 0; y < height && width % 64 != 0; ++y)
      here.row(y)[here.words() - 1] |= ~uint64_t(0) << (width % 64);
    upload(bytes, bytes_there);
    upload(
        ConstAnyView(here.data, here.words() * 8, height, 1, here.stride_words * 8, PixelType::u8),
        bits_memory);
  }
  ConstAnyView there(PixelType type) const {
    if (type == PixelType::u8) return bytes_there;
    const ConstAnyView memory = bits_memory;
    return {memory.data,         bytes.width(), bytes.height(), 1,
            memory.stride_bytes, type,          Space::device};
  }
};

void expect_the_references_answer(const Strategy<LabelArgs>& row,
                                  const std::vector<Parameter>& parameters, const Asked& asked,
                                  Workspace& workspace, const std::string& name) {
  const Size size = asked.bytes.size();
  Image<int32_t> expected_labels(size), labels(size);
  Image<int32_t, Space::device> labels_there(size);
  std::vector<Component> expected, found;
  for (const int connectivity : {4, 8}) {
    const int32_t count =
        label(asked.bytes, expected_labels, &expected, {connectivity}, {.strategy = "serial"});
    for (const PixelType type : {PixelType::u8, PixelType::bit}) {
      const std::string what = std::string(row.name) + text_of(parameters) + ", " + name + ", " +
                               std::string(name_of(type)) + ", " + std::to_string(connectivity);
      Exec exec{.strategy = std::string(row.name), .workspace = &workspace};
      exec.parameters = parameters;
      found.assign(3, Component{7, {}, 3, 2, 1});
      EXPECT_EQ(label(asked.there(type), labels_there, &found, {connectivity}, exec), count)
          << what;
      EXPECT_EQ(found, expected) << what;
      download(labels_there, labels);
      for (int32_t y = 0; y < size.height; ++y)
        ASSERT_EQ(std::memcmp(labels.row(y), expected_labels.row(y), size_t(size.width) * 4), 0)
            << what << ", row " << y;
      EXPECT_EQ(label(asked.there(type), {}, &found, {connectivity}, exec), count) << what;
      EXPECT_EQ(found, expected) << what << ", without labels";
      EXPECT_EQ(label(asked.there(type), {}, nullptr, {connectivity}, exec), count)
          << what << ", number alone";
    }
  }
}

TEST_F(LabelDevice, OddMasksGiveTheReferencesAnswer) {
  std::vector<std::pair<int32_t, int32_t>> sizes = {{1, 1},  {1, 97}, {97, 1}, {2, 50},
                                                    {50, 2}, {3, 3},  {300, 5}};
  for (int32_t width = 30; width <= 66; ++width) sizes.emplace_back(width, 97 - width);
  Workspace workspace;
  for (const auto& [width, height] : sizes) {
    for (const Drawing& drawing : drawings) {
      const Asked asked(width, height, drawing);
      const std::string name =
          std::to_string(width) + "x" + std::to_string(height) + " " + drawing.name;
      for (const auto* row : device_rows())
        expect_the_references_answer(*row, taken(*row).front(), asked, workspace, name);
    }
  }
}

TEST_F(LabelDevice, EveryParameterGivesTheReferencesAnswer) {
  Workspace workspace;
  for (const auto& [width, height] : {std::pair{1, 70}, {33, 64}, {65, 37}, {261, 43}}) {
    for (const Drawing& drawing : drawings) {
      const Asked asked(width, height, drawing);
      const std::string name =
          std::to_string(width) + "x" + std::to_string(height) + " " + drawing.name;
      for (const auto* row : device_rows())
        for (const auto& parameters : taken(*row))
          expect_the_references_answer(*row, parameters, asked, workspace, name);
    }
  }
}

// -- Races and sizes ------------------------------------------------------------------------------

uint64_t hash_of(const void* data, size_t bytes, uint64_t hash) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001B3ull;
  return hash;
}

uint64_t hash_of(const std::vector<Component>& components, uint64_t hash) {
  for (const Component& c : components) {
    const int64_t values[] = {c.label,      c.box.x, c.box.y, c.box.width,
                              c.box.height, c.area,  c.sum_x, c.sum_y};
    hash = hash_of(values, sizeof values, hash);
  }
  return hash;
}

TEST_F(LabelDevice, EveryRowGivesOneAnswerAThousandTimes) {
  constexpr int32_t width = 1021, height = 517;
  for (const auto* row : device_rows()) {
    const std::string strategy(row->name);
    for (const Pattern pattern : {Pattern::extremes, Pattern::blobs}) {
      for (const int connectivity : {4, 8}) {
        Image<uint8_t> mask(width, height);
        verify::fill(mask, pattern, 5);
        Image<int32_t> labels(width, height);
        std::vector<Component> components;
        const auto hash = [&] {
          uint64_t h = hash_of(components, 0xCBF29CE484222325ull);
          for (int32_t y = 0; y < height; ++y) h = hash_of(labels.row(y), size_t(width) * 4, h);
          return h;
        };
        label(mask, labels, &components, {connectivity}, {.strategy = "serial"});
        const uint64_t expected = hash();
        const Stream stream;
        Workspace workspace;
        Image<uint8_t, Space::device> there(width, height);
        Image<int32_t, Space::device> labels_there(width, height);
        upload(mask, there, stream.get());
        for (int round = 0; round < 1000; ++round) {
          components.clear();
          label(there, labels_there, &components, {connectivity},
                {.strategy = strategy, .workspace = &workspace, .stream = stream.get()});
          download(labels_there, labels, stream.get());
          ASSERT_EQ(hash(), expected) << strategy << ", " << name_of(pattern) << ", "
                                      << connectivity << "-way, round " << round;
        }
      }
    }
  }
}

TEST_F(LabelDevice, MoreComponentsThanARoomAreAllListed) {
  // Single pixels, 524,288 of them: twice and more what any row has room for before it knows their
  // number.
  constexpr int32_t width = 2048, height = 1024;
  Image<uint8_t> mask(width, height);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) mask.at(x, y) = x % 2 == 0 && y % 2 == 0;
  Image<uint8_t, Space::device> there(width, height);
  upload(mask, there);
  std::vector<Component> expected, found;
  EXPECT_EQ(label(mask, {}, &expected), width * height / 4);
  for (const auto* row : device_rows()) {
    EXPECT_EQ(label(there, {}, &found, {}, {.strategy = std::string(row->name)}),
              width * height / 4);
    EXPECT_EQ(found, expected) << row->name;
  }
}

// A list that stays on the GPU.
class ListThere {
 public:
  explicit ListThere(int32_t room)
      : room_(room), list_((room + 1) * int32_t(sizeof(Component)), 1), count_(1, 1) {}
  DeviceComponents components() {
    return {reinterpret_cast<Component*>(list_.row(0)), room_, count_.row(0)};
  }
  int32_t count(const Stream& stream) {
    Image<int32_t> count(1, 1);
    download(count_, count, stream.get());
    wait(stream.get());
    return count.at(0, 0);
  }
  /// And one past its end.
  std::vector<Component> all(const Stream& stream) {
    Image<uint8_t> bytes(list_.width(), 1);
    download(list_, bytes, stream.get());
    wait(stream.get());
    std::vector<Component> found(size_t(room_) + 1);
    std::memcpy(static_cast<void*>(found.data()), bytes.row(0), found.size() * sizeof(Component));
    return found;
  }
  void fill(uint8_t with, const Stream& stream) {
    Image<uint8_t> bytes(list_.width(), 1);
    std::memset(bytes.row(0), with, size_t(list_.width()));
    upload(bytes, list_, stream.get());
    wait(stream.get());
  }

 private:
  int32_t room_;
  Image<uint8_t, Space::device> list_;
  Image<int32_t, Space::device> count_;
};

#ifdef CUESTA_HAS_CUDA
TEST_F(LabelDevice, AListThatStaysIsRecordedAndRunsOnAnotherMask) {
  constexpr int32_t width = 613, height = 402;
  Image<uint8_t> mask(width, height);
  Image<int32_t> labels(width, height), back(width, height);
  Image<uint8_t, Space::device> there(width, height);
  Image<int32_t, Space::device> labels_there(width, height);
  const Stream stream;
  Workspace workspace;
  const Exec exec{.workspace = &workspace, .stream = stream.get()};
  ListThere list((width / 2 + 1) * (height / 2 + 1));
  const auto find = [&] { label(there, labels_there, list.components(), {}, exec); };
  verify::fill(mask, Pattern::blobs, 1);
  upload(mask, there, stream.get());
  find();
  const test::Graph graph(stream, [&](void*) { find(); });
  for (const Pattern pattern : {Pattern::extremes, Pattern::sparse, Pattern::blobs}) {
    verify::fill(mask, pattern, 9);
    std::vector<Component> expected;
    label(mask, labels, &expected);
    upload(mask, there, stream.get());
    graph.launch();
    ASSERT_EQ(list.count(stream), int32_t(expected.size())) << name_of(pattern);
    std::vector<Component> found = list.all(stream);
    found.resize(expected.size());
    EXPECT_EQ(found, expected) << name_of(pattern);
    download(labels_there, back, stream.get());
    wait(stream.get());
    for (int32_t y = 0; y < height; ++y)
      ASSERT_EQ(std::memcmp(labels.row(y), back.row(y), size_t(width) * 4), 0) << "row " << y;
  }
}
#endif

TEST_F(LabelDevice, AListWithoutRoomTellsHowManyThereAre) {
  constexpr int32_t side = 300, count = side / 2 * (side / 2);
  Image<uint8_t> mask(side, side);
  for (int32_t y = 0; y < side; ++y)
    for (int32_t x = 0; x < side; ++x) mask.at(x, y) = x % 2 == 0 && y % 2 == 0;
  Image<uint8_t, Space::device> there(side, side);
  upload(mask, there);
  wait();
  const Stream stream;
  for (const int32_t room : {0, 1, count - 1, count}) {
    ListThere list(room);
    list.fill(0x5A, stream);
    label(there, {}, list.components(), {}, {.stream = stream.get()});
    EXPECT_EQ(list.count(stream), count) << "room for " << room;
    const std::vector<Component> found = list.all(stream);
    EXPECT_EQ(found.back().area, 0x5A5A5A5A5A5A5A5A) << "past room for " << room;
    if (room == count) {
      EXPECT_EQ(found[count - 1],
                (Component{count, {side - 2, side - 2, 1, 1}, 1, side - 2, side - 2}));
    }
  }
}

TEST_F(LabelDevice, HostListsOfAnyLengthAfterEachOther) {
  // What is fetched with the number follows from the call before: more, fewer, none, and more than
  // the pieces of page-locked memory hold at once.
  constexpr int32_t width = 2048, height = 2048;
  Image<uint8_t> mask(width, height);
  Image<uint8_t, Space::device> there(width, height);
  Workspace workspace;
  for (const int32_t step : {16, 2, 64, 0, 2, 3, 9}) {
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        // Single pixels, and every fifth of them in one row as long as a step.
        const bool grid = step > 0 && x % step == 0 && y % step == 0;
        mask.at(x, y) = grid || (step > 8 && y % (5 * step) == 0 && x % step < step - 2);
      }
    }
    upload(mask, there);
    wait();
    std::vector<Component> expected, found(7);
    const int32_t count = label(mask, {}, &expected);
    EXPECT_EQ(label(there, {}, &found, {}, {.workspace = &workspace}), count) << "step " << step;
    ASSERT_EQ(found, expected) << "step " << step;
  }
}

// The last pixel's number is the last int32_t.
TEST_F(LabelDevice, TheLargestMaskIsLabelled) {
  constexpr int32_t width = 1 << 16, height = 1 << 15;
  constexpr size_t needed = size_t(20) << 30;
  if (list_devices()[0].memory_bytes < needed) GTEST_SKIP() << "needs 20 GiB of GPU memory";
  BitImage mask(width, height);
  const auto set = [&](int32_t x, int32_t y) {
    mask.view().row(y)[x / 64] |= uint64_t(1) << (x % 64);
  };
  set(0, 0);
  for (int32_t y = 1; y < height; ++y) set(width - 1, y);  // a column to the last pixel
  for (int32_t x = 10; x < 30; ++x) set(x, height - 1);
  const BitView here = mask.view();
  Image<uint8_t, Space::device> memory(width / 8, height);
  const ConstAnyView there(memory.view().data, width, height, 1, memory.view().stride_bytes,
                           PixelType::bit, Space::device);
  upload(ConstAnyView(here.data, width / 8, height, 1, here.stride_words * 8, PixelType::u8),
         memory);
  const std::vector<Component> expected = {
      {1, {0, 0, 1, 1}, 1, 0, 0},
      {2,
       {width - 1, 1, 1, height - 1},
       height - 1,
       int64_t(width - 1) * (height - 1),
       int64_t(height) * (height - 1) / 2},
      {3, {10, height - 1, 20, 1}, 20, 390, int64_t(20) * (height - 1)}};
  std::vector<Component> found;
  for (const auto* row : device_rows()) {
    Workspace workspace;  // gives its 16 GiB back at the end
    EXPECT_EQ(
        label(there, {}, &found, {}, {.strategy = std::string(row->name), .workspace = &workspace}),
        3);
    EXPECT_EQ(found, expected) << row->name;
  }
}

}  // namespace
}  // namespace cuesta
