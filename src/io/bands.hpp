// Pictures larger than memory: files in, files out, a band of rows at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/round_trip.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/io.hpp"
#include "cuesta/recipes/recipe.hpp"
#include "io/picture_rows.hpp"
#include "io/settled_canny.hpp"

namespace cuesta::io {

/// What becomes of rows, one band at a time. band_work() makes it from a recipe.
struct BandWork {
  std::string key{};               ///< of the recipe: equal keys, equal results
  int32_t reach = 0;               ///< rows above and below a row that decide what becomes of it
  bool wraps = false;              ///< the last row is above the first
  std::string_view whole_only{};   ///< why no bands can be made of it; empty where they can
  PixelType type = PixelType::u8;  ///< of the result
  int32_t channels = 1;            ///< of the result
  /// Makes what the operations see of the file's rows, in host memory that is valid until the next
  /// call. Empty: they see the rows themselves.
  std::function<ConstAnyView(ConstAnyView rows)> see{};
  int32_t seen_channels = 1;
  PixelType seen_type = PixelType::u8;
  /// Makes `out` of that, both of one size; of the outermost `reach` rows only those at the
  /// picture's own ends are used.
  std::function<void(ConstAnyView seen, AnyView out)> run{};
  /// Completes `out` on the host after that.
  std::function<void(ConstAnyView seen, AnyView out)> finish{};
  std::optional<CannyOptions> canny{};  ///< hysteresis joins bands, or where there is `run`, its
                                        ///< sigma is found in all rows before
  bool finds_sigma = false;             ///< of canny: from the picture
  std::function<void(double sigma)> settle{};  ///< gives `run` the sigma that was found
  double sigma = 0;                            ///< of strengths, for the report
  Exec exec{};                                 ///< of canny
  /// Where `run` and canny get their pictures: copies on this GPU, else host pictures.
  std::shared_ptr<RoundTrip> gpu{};
  double scratch_bytes = 0;  ///< a pixel in host memory, beside rows and out
  bool is_mask = false;      ///< u8 of 0 and 255, whose edges are counted

  /// Whether bands are marks that hysteresis joins.
  bool joins() const { return canny && !run; }
  WriteOptions writing{};
};

/// Where the operations of a band run.
struct BandPlace {
  recipes::Execs execs{};
  std::shared_ptr<RoundTrip> gpu{};  ///< whose stream the execs have; null: the CPU
  std::function<void()> done{};      ///< called after each band that `run` made
};
/// The work of a recipe on a file with these facts. Throws Error{invalid_argument} where the recipe
/// needs whole pictures or other channels.
BandWork band_work(std::shared_ptr<const recipes::Recipe> recipe, const PictureFacts& facts,
                   const BandPlace& place);

struct BandSettings {
  BandOptions bands{};
  ReadLimits limits{};
  std::optional<Rect> region{};
  /// Bands that are worked on concurrently, each on a thread of its own by work of its own; 1: on
  /// one after the other while the next is read.
  int at_once = 1;
  std::vector<int> devices{};  ///< GPUs that the work goes to; empty: the CPU

  /// For these GPUs: of each a band goes up, a band is worked on, a band comes down.
  void use(std::vector<int> gpus) {
    devices = std::move(gpus);
    at_once = std::max(1, 3 * int(devices.size()));
  }
};

/// Makes the file `target` of the file `source` by work that `make` has for such a picture; it is
/// asked settings.at_once times. Throws Error{input}, Error{output}; Error{invalid_argument} where
/// the memory is too little, Error{device}, Error{out_of_memory}.
FileResult run_bands(const std::filesystem::path& source, const std::filesystem::path& target,
                     const BandSettings& settings,
                     const std::function<BandWork(const PictureFacts&)>& make);

/// The bands of one picture, worked on in several processes: each has a BandMaker and makes some of
/// them, and one has a BandJoin, which makes the file of all. All of them are given the same
/// settings and the same work, of a file with the same samples; there are no GPUs among the
/// settings.
class BandMaker {
 public:
  /// Throws as run_bands() does.
  BandMaker(const std::filesystem::path& source, const BandSettings& settings,
            const std::function<BandWork(const PictureFacts&)>& make);
  BandMaker(const BandMaker&) = delete;
  BandMaker& operator=(const BandMaker&) = delete;
  ~BandMaker();

  /// The histograms of Canny's magnitudes in rows [first, end) of the picture. Bands come in any
  /// order, and downwards fastest: to go up is to decode again from the first row. Throws
  /// Error{input}, Error{invalid_argument} for rows that the picture does not have.
  std::vector<uint64_t> count(int32_t first, int32_t end);
  /// Those that BandJoin found, where make() needs them.
  void settle(const CannyFound& found);
  /// What BandJoin::add() takes of rows [first, end). Throws as count() does.
  std::vector<uint8_t> make(int32_t first, int32_t end);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Keeps what is made beside `target`, with a journal, as run_bands() does: rows() are there
/// already, of a process that was killed.
class BandJoin {
 public:
  /// Throws as run_bands() does.
  BandJoin(const std::filesystem::path& source, const std::filesystem::path& target,
           const BandSettings& settings, const std::function<BandWork(const PictureFacts&)>& make);
  BandJoin(const BandJoin&) = delete;
  BandJoin& operator=(const BandJoin&) = delete;
  ~BandJoin();

  const PictureFacts& facts() const;
  /// Rows of a band that the settings' memory holds.
  int32_t band_rows() const;
  /// Rows that are there; the next ones go to add().
  int32_t rows() const;
  /// Whether every band's counts are wanted, in any order, and then find().
  bool wants_counts() const;
  void add_counts(std::span<const uint64_t> counts);
  /// Those that are used; before the first add().
  CannyFound find();
  /// What was made of the rows below those that are there, of all that fit into it. Throws
  /// Error{output}; Error{invalid_argument} where it is of no whole rows, or of more than there
  /// are.
  void add(std::span<const uint8_t> made);
  /// Joins all rows, which must be there, and writes the file. Throws as run_bands() does.
  FileResult finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

BandSettings band_settings(const BandOptions& options, const Exec& exec);
/// Bands of a recipe on exec.devices in turn, else on the CPU.
std::function<BandWork(const PictureFacts&)> band_works(
    std::shared_ptr<const recipes::Recipe> recipe, const Exec& exec);

/// Makes the file `target` of `source` by a recipe: in bands, or of the whole picture where the
/// recipe or the file needs that and settings.bands.memory holds it. On exec.devices, else on the
/// CPU. Throws as run_bands() does.
FileResult run_recipe(const std::filesystem::path& source, const std::filesystem::path& target,
                      const BandSettings& settings,
                      const std::shared_ptr<const recipes::Recipe>& recipe, const Exec& exec);

/// Works on rows, at the same time as others of its kind; what it returns is called band after
/// band, downwards.
using BandStep = std::function<std::function<void()>(ConstAnyView rows)>;
/// Gives the rows of a file to steps that `make` makes, as run_bands does; `scratch_bytes` a pixel
/// are what a step takes beside them. Returns the picture's facts and the number of bands. Throws
/// as run_bands does.
FileResult read_bands(const std::filesystem::path& source, const BandSettings& settings,
                      double scratch_bytes,
                      const std::function<BandStep(const PictureFacts&)>& make);

/// Bands of one picture's rows. Throws as run_bands() does.
class BandRows {
 public:
  BandRows(const std::filesystem::path& source, const BandSettings& settings);
  BandRows(const BandRows&) = delete;
  BandRows& operator=(const BandRows&) = delete;
  ~BandRows();

  const PictureFacts& facts() const;
  /// Rows of a band that the settings' memory holds with `scratch_bytes` a pixel beside them.
  int32_t band_rows(double scratch_bytes) const;
  /// Rows [first, end) of the picture, which hold until the next call; bands come as they come to
  /// BandMaker.
  ConstAnyView take(int32_t first, int32_t end);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Components of one picture's bands, found in several processes: each has a LabelMaker, and one a
/// LabelBands, which takes what all of them find, downwards. On the CPU.
class LabelMaker {
 public:
  /// Throws as label_file() does.
  LabelMaker(const std::filesystem::path& source, const BandSettings& settings,
             const LabelFile& what, const Exec& exec);

  const PictureFacts& facts() const { return rows_.facts(); }
  /// Rows of a band that the settings' memory holds.
  int32_t band_rows() const;
  /// Those of rows [first, end); bands come as they come to BandMaker.
  LabelBands::Found find(int32_t first, int32_t end);

 private:
  BandRows rows_;
  LabelBands labels_;
  std::function<LabelBands::Found(const LabelBands&, ConstAnyView)> find_;
};

/// A picture's samples, and what they are.
struct PictureOf {
  ConstAnyView view{};
  recipes::PictureKind kind{};
};
/// Components of a picture, and of a file's in bands. Throw as label() and read_bands().
/// Bytes that a whole one takes, about.
int64_t label_bytes(const PictureFacts& facts, const LabelFile& what);
/// `other`: whose intensities are measured; none: the picture's own. what.intensity is its name.
LabelFileResult label_picture(const PictureOf& picture, const std::optional<PictureOf>& other,
                              const LabelFile& what, const Exec& exec);
LabelFileResult label_bands(const std::filesystem::path& source, const BandSettings& settings,
                            const LabelFile& what, const Exec& exec);

/// Bytes that a whole picture of these facts takes beside its result, about.
int64_t whole_bytes(const PictureFacts& facts, const BandWork& work);

}  // namespace cuesta::io
