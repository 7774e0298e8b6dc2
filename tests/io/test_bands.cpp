// Files worked on in bands become byte for byte what the whole pictures become.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/checksum.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "cuesta/io.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/recipes/filter.hpp"
#include "io/bands.hpp"
#include "support/drawings.hpp"
#include "support/errors.hpp"
#include "support/temp_folder.hpp"

#if defined(CUESTA_HAS_PICTURES)
namespace cuesta {
namespace {

using test::error_of;
using test::TempFolder;

std::mt19937& random_source() {
  static std::mt19937 source(11);
  return source;
}
int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_source()); }

AnyImage drawn(int32_t width, int32_t height, int32_t channels, PixelType type) {
  AnyImage picture(width, height, channels, type);
  const int32_t cell = pick(1, 6);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t i = 0; i < width * channels; ++i) {
      const auto level =
          uint32_t((i / channels / cell) * 40503 + (y / cell) * 30011 + i % channels);
      const uint32_t mixed = (level * 2654435761U) >> 16;
      if (type == PixelType::u8)
        picture.as<uint8_t>().row(y)[i] = uint8_t(mixed);
      else
        picture.as<uint16_t>().row(y)[i] = uint16_t(mixed);
    }
  }
  return picture;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> names_in(const TempFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  return names;
}

Border drawn_border() {
  constexpr std::array modes = {BorderMode::replicate, BorderMode::reflect, BorderMode::reflect101,
                                BorderMode::constant,  BorderMode::wrap,    BorderMode::ignore};
  return {modes[size_t(pick(0, 5))], double(pick(0, 255))};
}

// Where bands are worked on: by the functions on files, or by makers that could be processes.
enum class Where { cpu, gpu, all_gpus, makers };

// Bands of this many rows from `first` on, in any order; returns their number.
size_t in_any_order(int32_t first, int32_t height, int32_t rows,
                    const std::function<void(int32_t i, int32_t begin, int32_t end)>& make) {
  std::vector<int32_t> order(size_t((height - first + rows - 1) / rows), 0);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_source());
  for (const int32_t i : order) {
    const int32_t begin = first + i * rows;
    make(i, begin, std::min(height, begin + rows));
  }
  return order.size();
}

// By two makers, each of some bands, and one that joins.
FileResult run_makers(const std::string& source, const std::string& target,
                      const std::shared_ptr<const recipes::Recipe>& recipe,
                      const BandOptions& options) {
  const io::BandSettings settings = io::band_settings(options, {});
  const auto work = [&] { return io::band_works(recipe, {.threads = pick(1, 4)}); };
  io::BandJoin join(source, target, settings, work());
  io::BandMaker one(source, settings, work()), other(source, settings, work());
  const int32_t height = join.facts().size.height, rows = join.band_rows();
  const auto any = [&]() -> io::BandMaker& { return pick(0, 1) ? one : other; };
  if (join.wants_counts()) {
    in_any_order(0, height, rows, [&](int32_t, int32_t begin, int32_t end) {
      join.add_counts(any().count(begin, end));
    });
  }
  const io::CannyFound found = join.find();
  one.settle(found), other.settle(found);
  std::vector<std::vector<uint8_t>> made(size_t(height) + 1);
  const size_t count = in_any_order(
      join.rows(), height, rows,
      [&](int32_t i, int32_t begin, int32_t end) { made[size_t(i)] = any().make(begin, end); });
  for (size_t i = 0; i < count; ++i) join.add(made[i]);
  return join.finish();
}

LabelFileResult label_by_makers(const std::string& source, const LabelFile& what,
                                const BandOptions& options) {
  const io::BandSettings settings = io::band_settings(options, {});
  io::LabelMaker one(source, settings, what, {.threads = pick(1, 4)});
  io::LabelMaker other(source, settings, what, {.threads = pick(1, 4)});
  const Size size = one.facts().size;
  std::vector<LabelBands::Found> found(size_t(size.height));
  const size_t count =
      in_any_order(0, size.height, one.band_rows(), [&](int32_t i, int32_t begin, int32_t end) {
        found[size_t(i)] = (pick(0, 1) ? one : other).find(begin, end);
      });
  LabelBands labels(size.width, what.options);
  for (size_t i = 0; i < count; ++i) labels.add(found[i]);
  return {size, labels.join(), int32_t(count)};
}

class FileBands : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    if (GetParam() == Where::cpu || GetParam() == Where::makers) return;
    std::string why;
    for (const DeviceInfo& gpu : list_devices(&why)) devices_.push_back(gpu.index);
    if (devices_.empty()) GTEST_SKIP() << "no GPU: " << why;
    if (GetParam() == Where::gpu) devices_.resize(1);
  }
  // Drawn threads, and the GPUs.
  Exec exec() const { return {.threads = pick(1, 4), .devices = devices_}; }
  // A GPU has the same steps behind each picture, and the emulated one is slow; so have makers.
  int of(int times) const {
    return GetParam() == Where::cpu ? times : times / (GetParam() == Where::makers ? 6 : 3);
  }

  // edges_file() or filter_file(), or the same by makers.
  template <class Method>
  FileResult run(const std::string& source, const std::string& target, const Method& method,
                 const BandOptions& bands, const Exec& exec) const {
    if constexpr (std::is_constructible_v<EdgesOptions, const Method&>) {
      if (GetParam() == Where::makers)
        return run_makers(source, target, std::make_shared<recipes::EdgesRecipe>(method), bands);
      return edges_file(source, target, method, bands, exec);
    } else {
      if (GetParam() == Where::makers)
        return run_makers(source, target, std::make_shared<recipes::FilterRecipe>(method), bands);
      return filter_file(source, target, method, bands, exec);
    }
  }

  template <class InBands, class Whole>
  void compare(int times, int32_t max_channels, InBands&& in_bands, Whole&& whole);
  template <class Options, class Filter>
  void compare_filter(Options&& options, Filter&& filter, int32_t max_channels = 4);

  std::vector<int> devices_;
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, FileBands, testing::Values(Where::cpu));
INSTANTIATE_TEST_SUITE_P(OnTheGpu, FileBands, testing::Values(Where::gpu, Where::all_gpus));
INSTANTIATE_TEST_SUITE_P(ByMakers, FileBands, testing::Values(Where::makers));

// What makers have no part in.
class FilesOwnBands : public FileBands {};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, FilesOwnBands, testing::Values(Where::cpu));
INSTANTIATE_TEST_SUITE_P(OnTheGpu, FilesOwnBands, testing::Values(Where::gpu, Where::all_gpus));

// Of a drawn picture in a file, bands of drawn heights against the whole.
template <class InBands, class Whole>
void FileBands::compare(int times, int32_t max_channels, InBands&& in_bands, Whole&& whole) {
  const TempFolder folder;
  const std::string source = folder / "source.tif", banded = folder / "banded.tif",
                    expected = folder / "expected.tif";
  for (int i = 0; i < of(times); ++i) {
    const int32_t width = pick(1, 90), height = pick(1, 70), channels = pick(1, max_channels);
    const auto type = pick(0, 2) ? PixelType::u8 : PixelType::u16;
    const AnyImage picture = drawn(width, height, channels, type);
    write(source, picture);
    const uint32_t seed = random_source()();
    const auto again = [&] { random_source().seed(seed); };
    BandOptions bands{.rows = pick(0, 3) ? pick(1, 20) : pick(1, 100)};
    const Exec on = exec();
    again();
    in_bands(source, banded, bands, on);
    again();
    whole(ConstAnyView(picture), expected);
    ASSERT_TRUE(bytes_of(banded) == bytes_of(expected))
        << "picture " << i << ": " << width << " x " << height << " of " << channels << " "
        << name_of(type) << ", bands of " << bands.rows;
    ASSERT_EQ(names_in(folder),
              (std::set<std::string>{"source.tif", "banded.tif", "expected.tif"}));
  }
}

ConstAnyView gray_of(ConstAnyView picture, AnyImage& holder) {
  if (picture.channels == 1) return picture;
  if (picture.channels == 2) {  // gray and alpha
    holder = AnyImage(picture.size(), 1, picture.type);
    for (int32_t y = 0; y < picture.height; ++y) {
      for (int32_t x = 0; x < picture.width; ++x) {
        if (picture.type == PixelType::u8)
          holder.as<uint8_t>().at(x, y) = picture.as<uint8_t>().at(x, y);
        else
          holder.as<uint16_t>().at(x, y) = picture.as<uint16_t>().at(x, y);
      }
    }
    return holder;
  }
  // The file's own gray, which other tests hold against the definition.
  const TempFolder folder;
  write(folder / "colors.tif", picture);
  if (picture.type == PixelType::u8)
    holder = read_gray<uint8_t>(folder / "colors.tif");
  else
    holder = read_gray<uint16_t>(folder / "colors.tif");
  return holder;
}

TEST_P(FileBands, SobelIsTheWholes) {
  const auto options = [] {
    SobelEdges o;
    o.aperture = 3 + 2 * pick(0, 2);
    o.norm = pick(0, 1) ? Norm::l1 : Norm::l2;
    o.border = drawn_border();
    o.sigma = std::array{0.0, 0.0, 1.5}[size_t(pick(0, 2))];
    if (pick(0, 1)) o.threshold = pick(0, 500);
    return o;
  };
  compare(
      60, 4,
      [&](auto& from, auto& to, auto& bands, auto& exec) { run(from, to, options(), bands, exec); },
      [&](ConstAnyView picture, auto& to) { write(to, edges(picture, options())); });
}

TEST_P(FileBands, LogIsTheWholes) {
  const auto options = [] {
    LogEdges o;
    o.mode = pick(0, 1) ? LogMode::threshold : LogMode::zero_crossings;
    if (pick(0, 3)) o.threshold = pick(0, 20);
    if (pick(0, 3)) o.sigma = std::array{1.4, 2.2, 4.0}[size_t(pick(0, 2))];
    o.border = drawn_border();
    return o;
  };
  compare(
      60, 4,
      [&](auto& from, auto& to, auto& bands, auto& exec) {
        LogEdges of = options();
        // Crossings end at the last row, and what wraps has none: this takes whole pictures.
        if (GetParam() == Where::makers && of.border.mode == BorderMode::wrap)
          of.mode = LogMode::threshold;
        run(from, to, of, bands, exec);
      },
      [&](ConstAnyView picture, auto& to) {
        LogEdges of = options();
        if (GetParam() == Where::makers && of.border.mode == BorderMode::wrap)
          of.mode = LogMode::threshold;
        write(to, edges(picture, of));
      });
}

TEST_P(FileBands, CannyIsTheWholes) {
  const auto options = [] {
    CannyEdges o;
    if (pick(0, 3)) o.sigma = std::array{0.0, 1.4, 3.0, 6.0}[size_t(pick(0, 3))];
    o.norm = pick(0, 1) ? Norm::l1 : Norm::l2;
    o.color = EdgeColor(pick(0, 2));
    const double low = pick(0, 300);
    if (pick(0, 1)) o.thresholds = Given{low, low + pick(0, 600)};
    return o;
  };
  compare(
      60, 4,
      [&](auto& from, auto& to, auto& bands, auto& exec) { run(from, to, options(), bands, exec); },
      [&](ConstAnyView picture, auto& to) { write(to, edges(picture, options())); });
}

TEST_P(FileBands, StrengthsAreTheWholesWhoeverFindsTheirSigma) {
  const auto options = [] {
    CannyEdges o{.strength = true};
    if (pick(0, 2) == 0) o.sigma = std::array{0.0, 1.4, 6.0}[size_t(pick(0, 2))];
    o.norm = pick(0, 1) ? Norm::l1 : Norm::l2;
    o.aperture = 3 + 2 * pick(0, 2);
    o.color = EdgeColor(pick(0, 2));
    return o;
  };
  compare(
      40, 4,
      [&](auto& from, auto& to, auto& bands, auto& exec) { run(from, to, options(), bands, exec); },
      [&](ConstAnyView picture, auto& to) { write(to, edges(picture, options())); });
}

// Recipes and files that bands cannot have are made of whole pictures.
TEST_P(FilesOwnBands, WholePicturesWhereBandsAreNoHelp) {
  const TempFolder folder;
  const std::string source = folder / "source.tif", target = folder / "edges.tif";
  const AnyImage picture = drawn(90, 70, 3, PixelType::u8);
  write(source, picture);
  edges_file(source, target, BoundaryOptions{}, {.rows = 10}, exec());
  write(folder / "whole.tif", edges(picture, BoundaryOptions{}));
  EXPECT_TRUE(bytes_of(target) == bytes_of(folder / "whole.tif"));
  Image<float> floats(90, 70);
  for (int32_t y = 0; y < 70; ++y)
    for (int32_t x = 0; x < 90; ++x) floats.at(x, y) = float((x / 9 + y / 7) % 5) / 4;
  write(folder / "floats.tif", floats);
  const FileResult made = edges_file(folder / "floats.tif", target, CannyEdges{}, {}, exec());
  write(folder / "whole.tif", edges(read(folder / "floats.tif")));
  EXPECT_TRUE(bytes_of(target) == bytes_of(folder / "whole.tif"));
  EXPECT_GT(made.edge_pixels, 0);
  EXPECT_EQ(made.bands, 1);
}

// Filters leave the last of 2 or 4 channels as it is.
void keep_alpha(ConstAnyView from, AnyView to) {
  if (from.channels % 2 != 0) return;
  for (int32_t y = 0; y < from.height; ++y) {
    for (int32_t x = 0; x < from.width; ++x) {
      const int32_t c = from.channels - 1;
      if (from.type == PixelType::u8)
        to.as<uint8_t>().at(x, y, c) = from.as<uint8_t>().at(x, y, c);
      else
        to.as<uint16_t>().at(x, y, c) = from.as<uint16_t>().at(x, y, c);
    }
  }
}

template <class Options, class Filter>
void FileBands::compare_filter(Options&& options, Filter&& filter, int32_t max_channels) {
  compare(
      40, max_channels,
      [&](auto& from, auto& to, auto& bands, auto& exec) { run(from, to, options(), bands, exec); },
      [&](ConstAnyView picture, auto& to) {
        AnyImage out(picture.size(), picture.channels, picture.type);
        filter(picture, out, options());
        keep_alpha(picture, out);
        write(to, out);
      });
}

TEST_P(FileBands, FiltersAreTheWholes) {
  compare_filter(
      [] {
        return GaussianOptions{pick(1, 30) / 10.0, 0, drawn_border()};
      },
      [](ConstAnyView in, AnyView out, auto o) { gaussian(in, out, o); });
  compare_filter(
      [] {
        return BoxOptions{pick(1, 12), drawn_border()};
      },
      [](ConstAnyView in, AnyView out, auto o) { box(in, out, o); });
  compare_filter(
      [] {
        return SharpenOptions{3 + 2 * pick(0, 3), drawn_border()};
      },
      [](ConstAnyView in, AnyView out, auto o) { sharpen(in, out, o); });
  compare_filter(
      [] {
        return MedianOptions{1 + 2 * pick(0, 5), drawn_border()};
      },
      [](ConstAnyView in, AnyView out, auto o) { median(in, out, o); });
  compare_filter(
      [] {
        const int width = pick(1, 6), height = pick(1, 9);
        std::vector<int32_t> taps(size_t(width * height), 0);
        for (int32_t& tap : taps) tap = pick(-5, 9);
        return StencilFilter{Stencil::integers(width, height, taps, pick(1, 20)),
                             {drawn_border(), pick(0, 1) == 1, pick(-20, 20)}};
      },
      [](ConstAnyView in, AnyView out, const auto& o) {
        correlate(in, out, o.stencil, o.options);
      });
}

TEST_P(FileBands, MorphologyIsTheWholes) {
  compare_filter(
      [] {
        const int width = pick(1, 7), height = pick(1, 9);
        std::vector<uint8_t> cells(size_t(width * height), 0);
        for (uint8_t& cell : cells) cell = uint8_t(pick(0, 2) > 0);
        cells[size_t(pick(0, width * height - 1))] = 1;
        MorphologyFilter step{Morph(pick(0, 3)), StructuringElement(width, height, cells)};
        if (pick(0, 1)) step.options.border = drawn_border();
        return step;
      },
      [](ConstAnyView in, AnyView out, const auto& o) {
        morphology(in, out, o.what, o.element, o.options);
      },
      1);
}

TEST_P(FileBands, ComponentsAreTheWholes) {
  const TempFolder folder;
  const std::string source = folder / "source.png";
  size_t found = 0;
  for (int i = 0; i < of(60); ++i) {
    const auto type = pick(0, 2) ? PixelType::u8 : PixelType::u16;
    const int32_t width = pick(1, 200), height = pick(1, 150);
    const AnyImage picture = drawn(width, height, pick(1, 4), type);
    write(source, picture);
    const double highest = type == PixelType::u8 ? 255 : 65535;
    const LabelFile what{{pick(0, 1) ? 8 : 4}, pick(0, 4) ? highest * pick(30, 90) / 100 : 0};
    AnyImage gray;
    std::vector<Component> expected;
    label(threshold(gray_of(picture, gray), what.limit), {}, &expected, what.options);
    const BandOptions bands{.rows = pick(1, 30)};
    const LabelFileResult made = GetParam() == Where::makers
                                     ? label_by_makers(source, what, bands)
                                     : label_file(source, what, bands, exec());
    ASSERT_EQ(made.components, expected) << "picture " << i << ", bands of " << bands.rows;
    EXPECT_EQ(made.size, picture.size());
    EXPECT_EQ(made.bands, (height + bands.rows - 1) / bands.rows);
    found += expected.size();
    ASSERT_EQ(names_in(folder), std::set<std::string>{"source.png"});
  }
  EXPECT_GT(found, 5U);  // makers have ten pictures, some of a few pixels
}

TEST_P(FilesOwnBands, PackedFilesAreDecodedOnceForThresholds) {
  const TempFolder folder;
  const std::string source = folder / "source.png", target = folder / "edges.tif";
  for (const int32_t channels : {1, 3}) {
    const AnyImage picture = drawn(300, 400, channels, PixelType::u8);
    Image<uint8_t> black(300, 400);
    for (int32_t y = 0; y < 400; ++y) std::fill_n(black.row(y), 300, uint8_t(0));
    write(folder / "whole.tif", edges(picture));
    write(source, picture);
    BandOptions bands{.rows = 50};
    // What comes after the pass of the histogram does not look at the file's samples any more.
    bands.progress = [&](int64_t done, int64_t) {
      if (done == 400) write(source, black);
    };
    edges_file(source, target, CannyEdges{}, bands, exec());
    EXPECT_TRUE(bytes_of(target) == bytes_of(folder / "whole.tif")) << channels;
    EXPECT_EQ(names_in(folder), (std::set<std::string>{"source.png", "edges.tif", "whole.tif"}));
  }
}

TEST(Bands, SeveralKindsOfTiff) {
  const TempFolder folder;
  const AnyImage picture = drawn(700, 900, 1, PixelType::u8);
  write(folder / "source.tif", picture);
  const CannyEdges options{.thresholds = Given{100, 300}};
  const AnyImage whole = edges(picture, options);
  write(folder / "whole.tif", whole);
  for (const auto layout : {TiffLayout::tiled, TiffLayout::pyramid}) {
    const std::string made = folder / "made.tif", again = folder / "again.tif";
    edges_file(folder / "source.tif", made, options, {.rows = 130, .layout = layout});
    const AnyImage back = read(made);
    ASSERT_EQ(back.size(), whole.size());
    for (int32_t y = 0; y < 900; ++y)
      ASSERT_EQ(std::memcmp(back.as<uint8_t>().row(y), whole.as<uint8_t>().row(y), 700), 0);
    EXPECT_TRUE(bytes_of(made) != bytes_of(folder / "whole.tif"));
    // Tiles are read in bands, too.
    filter_file(made, again, MedianOptions{}, {.rows = 33});
    Image<uint8_t> smooth(whole.size());
    median(ConstAnyView(whole), smooth);
    write(folder / "smooth.tif", smooth);
    EXPECT_TRUE(bytes_of(again) == bytes_of(folder / "smooth.tif"));
  }
  EXPECT_EQ(
      error_of(ErrorCode::output,
               [&] {
                 edges_file(folder / "source.tif", folder / "made.png", options,
                            {.layout = TiffLayout::tiled});
               }),
      "cannot write " + (folder / "made.png") + ": tiles and pyramids are supported by .tif only");
}

TEST_P(FileBands, WorkThatWasCutOffGoesOn) {
  struct Killed {};
  const TempFolder folder;
  const std::string source = folder / "source.tif", target = folder / "edges.tif";
  const AnyImage picture = drawn(300, 400, 1, PixelType::u8);
  write(source, picture);
  const CannyEdges options{.sigma = 0};
  write(folder / "whole.tif", edges(picture, options));
  // What a killed process leaves is what there is when progress is reported; a copy of it stands
  // for its files.
  const auto left = [&](int64_t rows) {
    BandOptions bands{.rows = 50};
    bands.progress = [&](int64_t done, int64_t) {
      if (done < rows) return;
      for (const char* name : {".edges.tif.cuesta-rows", ".edges.tif.cuesta-journal"})
        std::filesystem::copy_file(folder / name, folder / (std::string("kept") + name),
                                   std::filesystem::copy_options::overwrite_existing);
      throw Killed();
    };
    EXPECT_THROW(run(source, target, options, bands, exec()), Killed);
    EXPECT_FALSE(std::filesystem::exists(target));
    for (const char* name : {".edges.tif.cuesta-rows", ".edges.tif.cuesta-journal"}) {
      EXPECT_FALSE(std::filesystem::exists(folder / name));
      std::filesystem::rename(folder / (std::string("kept") + name), folder / name);
    }
  };
  for (const auto& [rows, resumed] : {std::pair(100, 0), std::pair(401, 50), std::pair(600, 200),
                                      std::pair(800, 400), std::pair(900, 400)}) {
    left(rows);
    // Half a line, and rows that no line speaks of, are nothing.
    std::ofstream(folder / ".edges.tif.cuesta-journal", std::ios::app) << "rows 40";
    std::ofstream(folder / ".edges.tif.cuesta-rows", std::ios::app) << "half a row";
    const FileResult result = run(source, target, options, {.rows = 70}, exec());
    EXPECT_EQ(result.resumed_rows, resumed) << rows;
    EXPECT_TRUE(bytes_of(target) == bytes_of(folder / "whole.tif")) << rows;
    std::filesystem::remove(target);
  }
  // Other options, another source, or no wish to continue: from the beginning.
  left(600);
  EXPECT_EQ(edges_file(source, target, options, {.rows = 70, .resume = false}).resumed_rows, 0);
  std::filesystem::remove(target);
  left(600);
  EXPECT_EQ(edges_file(source, target, CannyEdges{}, {.rows = 70}).resumed_rows, 0);
  std::filesystem::remove(target);
  left(600);
  write(source, picture);
  EXPECT_EQ(edges_file(source, target, options, {.rows = 70}).resumed_rows, 0);
  EXPECT_TRUE(bytes_of(target) == bytes_of(folder / "whole.tif"));
}

// What a process that was killed left of a picture of 400 rows, when 200 were made; a copy of each
// file stands for it.
class LeftBands : public testing::Test {
 protected:
  static constexpr const char* rows_name = ".made.tif.cuesta-rows";
  static constexpr const char* journal_name = ".made.tif.cuesta-journal";

  FileResult make(const std::string& to, const BandOptions& bands) {
    return edges_file(source, to, CannyEdges{}, bands);
  }
  void SetUp() override {
    write(source, drawn(300, 400, 1, PixelType::u8));
    make(folder / "whole.tif", {.rows = 50});
    struct Killed {};
    BandOptions bands{.rows = 50};
    bands.progress = [&](int64_t done, int64_t) {
      if (done < 600) return;
      rows = bytes_of(folder / rows_name);
      journal = bytes_of(folder / journal_name);
      throw Killed();
    };
    EXPECT_THROW(make(target, bands), Killed);
  }
  void lay(const std::string& name, const std::string& bytes) {
    std::filesystem::remove(folder / name);
    std::ofstream(folder / name, std::ios::binary) << bytes;
    chmod((folder / name).c_str(), 0600);
  }
  // Continues from these files, and returns how many rows were taken over.
  int64_t resumed(const std::string& of_rows, const std::string& of_journal) {
    lay(rows_name, of_rows);
    lay(journal_name, of_journal);
    std::filesystem::remove(target);
    const FileResult result = make(target, {.rows = 50});
    EXPECT_TRUE(bytes_of(target) == bytes_of(folder / "whole.tif"));
    return result.resumed_rows;
  }

  const TempFolder folder;
  const std::string source = folder / "source.tif", target = folder / "made.tif";
  std::string rows, journal;
};

TEST_F(LeftBands, AreTakenAsTheyWereWritten) { EXPECT_EQ(resumed(rows, journal), 200); }

TEST_F(LeftBands, AreMadeAgainWhereAnyByteWasChanged) {
  for (size_t at = 0; at < rows.size(); at += 997) {
    std::string changed = rows;
    changed[at] = char(changed[at] ^ 4);
    EXPECT_LE(resumed(changed, journal), int64_t(at * 400 / rows.size())) << at;
  }
  for (size_t at = 0; at + 4096 <= rows.size(); at += 4096) {
    std::string lost = rows;
    std::fill_n(lost.begin() + ptrdiff_t(at), 4096, '\0');
    if (lost == rows) continue;
    EXPECT_LT(resumed(lost, journal), 200) << at;
  }
  for (size_t at = 0; at < journal.size(); ++at) {
    std::string changed = journal;
    changed[at] = char(changed[at] ^ 1);
    EXPECT_LT(resumed(rows, changed), 200) << changed;
  }
}

TEST_F(LeftBands, ByAForgedJournalAreForgotten) {
  for (const char* line :
       {"rows 100000 5 0", "rows 2147483647 5 0", "rows -5 1 0", "rows 400 0 0"}) {
    const std::string text(line);
    // With the checksum that the line before continues in, too.
    const std::string last = journal.substr(0, journal.size() - 1);
    const uint64_t before = std::stoull(last.substr(last.rfind(' ')), nullptr, 16);
    const auto sum = checksum_of(text, before);
    EXPECT_EQ(resumed(rows + std::string(1 << 20, 'x'),
                      fmt::format("{}{} {:016x}\n", journal, text, sum)),
              200);
    EXPECT_EQ(resumed(rows, journal + text + "\n"), 200);
  }
}

TEST_F(LeftBands, OfASourceWhoseTimesWereSetBackAreForgotten) {
  struct stat before {};
  ASSERT_EQ(stat(source.c_str(), &before), 0);
  const std::string old = bytes_of(source);
  std::fstream file(source, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(int64_t(old.size()) / 2);
  file.put(char(old[old.size() / 2] ^ 64));
  file.close();
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, source.c_str(), times, 0), 0);
  make(folder / "whole.tif", {.rows = 50});
  EXPECT_EQ(resumed(rows, journal), 0);
}

TEST_F(LeftBands, ThatAreNotOursAloneAreRefused) {
  const auto refused = [&](const char* name, const char* what) {
    const auto text = error_of(ErrorCode::output, [&] { make(target, {.rows = 50}); });
    EXPECT_NE(text.find(name), text.npos) << text;
    EXPECT_NE(text.find("not yours alone"), text.npos) << what << ": " << text;
    EXPECT_FALSE(std::filesystem::exists(target)) << what;
  };
  const std::string precious = folder / "precious";
  for (const char* name : {rows_name, journal_name}) {
    const std::string path = folder / name;
    const auto fresh = [&] {
      std::filesystem::remove(path);
      lay("precious", "precious");
    };
    fresh();
    std::filesystem::create_hard_link(precious, path);
    refused(name, "another name of it");
    fresh();
    std::filesystem::create_symlink(precious, path);
    refused(name, "a link");
    fresh();
    lay(name, rows);
    ASSERT_EQ(chmod(path.c_str(), 0666), 0);
    refused(name, "others may write to it");
    fresh();
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    refused(name, "a pipe");
    fresh();
    lay(name, rows);
    if (geteuid() == 0) {
      ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
      refused(name, "another user's");
    }
    EXPECT_EQ(bytes_of(precious), "precious");
    std::filesystem::remove(path);
  }
}

TEST(Bands, WhatIsNoBandIsSaid) {
  const TempFolder folder;
  const std::string source = folder / "source.tif", target = folder / "edges.tif";
  write(source, drawn(30, 40, 1, PixelType::u8));
  const io::BandSettings settings = io::band_settings({}, {});
  const auto sobel = io::band_works(std::make_shared<recipes::EdgesRecipe>(SobelEdges{}), {});
  io::BandMaker maker(source, settings, sobel);
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { maker.make(30, 41); }),
            "bands: rows [30, 41) are not inside the picture of 40 rows");
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { maker.count(0, 40); }),
            "bands: counts are supported by canny only");
  io::LabelMaker labels(source, settings, {}, {});
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { labels.find(30, 41); }),
            "bands: rows [30, 41) are not inside the picture of 40 rows");
  io::BandJoin join(source, target, settings, sobel);
  EXPECT_FALSE(join.wants_counts());
  const std::vector<uint8_t> made = maker.make(0, 30);
  join.add(made);
  EXPECT_EQ(
      error_of(ErrorCode::invalid_argument, [&] { join.add(made); }),
      "bands: data has 900 bytes; it must be whole rows of 30 bytes (30 of 40 rows were added)");
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { join.finish(); }),
            "bands: 30 of 40 rows were added; add all rows first");
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST(Bands, WhatCannotBeDoneIsSaid) {
  const TempFolder folder;
  const std::string source = folder / "source.tif", target = folder / "edges.tif";
  write(source, drawn(300, 400, 1, PixelType::u8));
  EXPECT_NE(error_of(ErrorCode::invalid_argument,
                     [&] { edges_file(source, target, CannyEdges{}, {.memory = 1000}); })
                .find("1000 bytes of memory hold too few rows of 300 pixels"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorCode::input, [&] { edges_file(folder / "none.tif", target); })
                .find("No such file"),
            std::string::npos);
  Image<float> floats(20, 20);
  for (int32_t y = 0; y < 20; ++y) std::fill_n(floats.row(y), 20, 0.5F);
  write(folder / "floats.tif", floats);
  EXPECT_NE(error_of(ErrorCode::invalid_argument,
                     [&] { edges_file(folder / "floats.tif", target, {}, {.memory = 100}); })
                .find("100 bytes of memory hold too few rows"),
            std::string::npos);
  const std::string whole = bytes_of(source);
  std::ofstream(folder / "cut.tif", std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_NE(error_of(ErrorCode::input, [&] { edges_file(folder / "cut.tif", target); }),
            "no error");
  write(folder / "colors.tif", drawn(30, 40, 3, PixelType::u8));
  EXPECT_EQ(error_of(ErrorCode::invalid_argument,
                     [&] {
                       filter_file(folder / "colors.tif", target,
                                   MorphologyFilter{Morph::open, StructuringElement::disk(5)});
                     }),
            "filter: the picture has 3 channels; morphology requires 1");
  EXPECT_NE(
      error_of(ErrorCode::input,
               [&] { edges_file(folder / "floats.tif", target, LogEdges{}, {.memory = 100}); })
          .find(
              "20 x 20 pixels of 4 bytes exceed the memory limit of 100 bytes (its numbers "
              "become levels by the whole picture, so that it cannot be read in bands; convert it "
              "to 16 bits first or raise the memory limit)"),
      std::string::npos);
  EXPECT_NE(
      error_of(ErrorCode::input,
               [&] { edges_file(folder / "colors.tif", target, RegionEdges{}, {.memory = 100}); })
          .find("bytes (regions are of all rows; raise the memory limit)"),
      std::string::npos);
  EXPECT_NE(error_of(ErrorCode::invalid_argument, [&] { label_file(source, {}, {.memory = 1000}); })
                .find("1000 bytes of memory hold too few rows of 300 pixels"),
            std::string::npos);
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { label_file(source, {{6}}); }),
            "label: connectivity is 6; it must be 4 or 8");
  EXPECT_EQ(names_in(folder),
            (std::set<std::string>{"source.tif", "floats.tif", "cut.tif", "colors.tif"}));
}

TEST(Bands, FloatsHaveTheirOwnNumbers) {
  const TempFolder folder;
  Image<float> floats(20, 20);
  for (int32_t y = 0; y < 20; ++y) std::fill_n(floats.row(y), 20, y < 8 ? -0.5F : -0.75F);
  write(folder / "floats.tif", floats);
  const auto found = label_file(folder / "floats.tif", {{}, -0.6}, {.rows = 3});
  ASSERT_EQ(found.components.size(), 1U);
  EXPECT_EQ(found.components[0].area, 160);
  EXPECT_GT(found.bands, 1);
}

}  // namespace
}  // namespace cuesta
#endif
