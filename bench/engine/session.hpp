// What experiments are written with: pictures and requests to measure. bench/README.md shows a
// whole one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/photographs.hpp"
#include "bench/engine/result.hpp"
#include "bench/engine/settings.hpp"
#include "bench/peers/device_peer.hpp"
#include "bench/peers/peer.hpp"
#include "cuesta/device.hpp"
#include "cuesta/image.hpp"
#include "cuesta/strategies.hpp"

namespace cuesta::bench {

/// The strategies whose upload, run and download are timed, too.
enum class EndToEnd : uint8_t {
  none,
  fastest,  ///< of each strategy its fastest variant: transfers do not depend on a launch shape
  all,
};

class Predictor;

/// What a model of the device's kernels asks of a request besides its size and types.
struct Window {
  int width = 0, height = 0;  ///< taps a side; 0: the operation has none, or they are its own
  bool separable = false;
  bool frame = false;  ///< pixels whose window leaves the picture take a launch of their own
  /// Of canny, whose window is the Gaussian's: the steps of its breadth-first search, where they
  /// are known before it runs; below 0 they are not.
  double search_depth = -1;
};

/// Where device pictures are: this many samples (of bits: words) past an aligned address, with
/// strides of this many past their width.
struct Placement {
  int offset = 0, padding = 0;
  bool is_aligned() const { return offset == 0 && padding == 0; }
};

/// One request that strategies of host and device answer, for Session::measure.
struct Work {
  std::string experiment{}, operation{};
  std::string parameters{};  ///< of the request, "gaussian 5x5"; part of a row's identity
  /// Host pictures of one size and type: one, or the frames of a video, which go round.
  std::vector<ConstAnyView> sources{};
  /// The sources ask for different work: every time is a mean over whole rounds of them.
  bool rounds = false;
  /// The picture `call` writes, of the sources' size; none where it writes no picture.
  PixelType result = PixelType::u8;
  int32_t result_channels = 1;
  double bytes_per_pixel = 0, flops_per_pixel = 0;
  Window window{};
  /// How far f32 results of strategies that do not promise equal bytes may be from the reference's.
  double bound = 0;
  /// One call. Source and destination are where `exec.strategy` runs; it must not wait for the GPU.
  std::function<void(ConstAnyView src, AnyView dst, const Exec& exec)> call{};
  /// The last call's results that are no picture, as text; compared like the picture. May be empty.
  std::function<std::string()> answer{};
  /// Whether a strategy takes part; empty takes all.
  std::function<bool(const StrategyDescription&)> takes{};
  /// Of each space only the strategy that a call without a name takes: what a user gets.
  bool automatic = false;
  /// On the device the call waits for its result, whatever its strategy says.
  bool waits = false;
  Placement placement{};
  /// What the copy row copies: one channel of this type, of the source's size; none copies the
  /// source.
  PixelType copied = PixelType::none;
  /// Parameter values that the experiment tries, besides Settings::sweeps.
  std::vector<Sweep> sweeps{};
  /// The host's strategy that answers are held against; empty takes automatic choice's. `serial_ms`
  /// is of the table's reference, so absent where another one stands in.
  std::string reference = "serial";
  std::string border{};     ///< what strategies do at the picture's edge; OpenCV's and NPP's differ
  bool host = true;         ///< time the host's strategies and OpenCV
  bool device = true;       ///< where there is a GPU, its strategies too
  bool one_thread = false;  ///< time the host's production, and OpenCV, on one thread too
  bool brief = false;       ///< one of many cells: batches as in a quick run
  EndToEnd end_to_end = EndToEnd::none;
  bool picture_costs = false;  ///< time what the pictures cost beside the kernels
  bool stages = false;         ///< time the stages of strategies that name them
  /// OpenCV on the host, and whether its answer must be equal, as a picture and, where the work has
  /// an `answer`, by what it leaves for that; empty: no row.
  std::function<void(Peer& opencv, ConstAnyView src, AnyView dst)> opencv{};
  bool opencv_equal = false;
  /// NPP on the device; empty: no row. A note says whether its answer is equal: its borders and its
  /// rounding are its own.
  std::function<void(DevicePeer& npp, ConstAnyView src, AnyView dst, void* stream)> npp{};
  /// Where NPP's answer is of another kind: the note, instead of a comparison.
  std::string npp_note{};
};

class Session {
 public:
  Session(const Settings& settings, Result& result, std::unique_ptr<Peer> opencv,
          std::unique_ptr<DevicePeer> npp = nullptr);
  ~Session();

  /// The sizes the user gave, else these.
  std::vector<int32_t> sizes(std::vector<int32_t> usual = {1024, 4096}) const {
    return settings_.sizes.empty() ? usual : settings_.sizes;
  }
  bool quick() const { return settings_.quick; }
  bool every_row() const { return settings_.every_row; }
  int threads() const { return threads_; }
  /// Of experiments `cpu` and `production`, by Settings::only.
  bool wants_table(std::string_view name) const;
  /// Null where the device's strategies are left out; Result::why_no_gpu says why.
  const Gpu* gpu() const { return result_.gpu ? &*result_.gpu : nullptr; }
  /// Null where no module was found; experiments then leave its rows out.
  Peer* opencv() { return opencv_.get(); }
  DevicePeer* npp() { return npp_.get(); }
  void add_theory(TheoryPoint point) { result_.theory.push_back(std::move(point)); }
  /// For one call of ours on the host that is not timed.
  Exec exec(std::string_view strategy = {});
  void add_figure(Figure figure) { result_.figures.push_back(std::move(figure)); }
  /// A line for the reader, in the result and in print.
  void note(std::string text);
  /// Rows and notes that were found not as by measure().
  void add_measured(Measured measured);
  /// The path of the command, to be timed as a user starts it; empty where this is another program.
  const std::string& command() const { return settings_.command; }
  /// Called with everything that measure() finds, as it is found.
  void on_measured(std::function<void(const Measured&)> listener) {
    measured_ = std::move(listener);
  }

  /// A photograph mirrored to the size where CUESTA_OPENCV_DATA names a folder of them, else a
  /// made-up picture: shapes with sharp edges, shading, noise.
  Image<uint8_t> photograph(int32_t width, int32_t height);
  /// The middles of the first `most` photographs by name that are at least as large as the square
  /// (photographs.hpp).
  std::vector<Photograph> photographs(int32_t side, size_t most);
  /// The picture of the papers' experiments that time one: the first photograph that is large
  /// enough, else a made-up picture. add_input() says which.
  Image<uint8_t> papers_picture(std::string_view experiment, int32_t side);
  /// Puts the name of an experiment's source picture into the result.
  void add_input(std::string_view experiment, std::string parameters, int32_t side,
                 std::string name);
  /// Uniform noise, as the papers' random pictures; f32 holds the same whole numbers.
  static Image<uint8_t> noise(int32_t width, int32_t height, uint64_t seed = 1);
  static Image<float> floats_of(const Image<uint8_t>& bytes);
  /// Spread over the whole range of 2 bytes.
  static Image<uint16_t> words_of(const Image<uint8_t>& bytes);

  /// Whoever is asked of every device row, and of rows that there are none of; null: nobody.
  void predict_with(const Predictor* predictor) { predictor_ = predictor; }

  /// Compares every strategy of the operation, in every variant, with the reference on the very
  /// input, then times those that are equal, host and device apart, each beside a copy. Rows, notes
  /// and differences go into the result, each row once `annotate` has added what the experiment
  /// knows of it. measure.cpp.
  Measured measure(const Work& work, const std::function<void(Row&)>& annotate = {});

  /// Whether Settings::verify found the operation's strategies equal; it is asked once.
  bool verified(const std::string& operation);
  /// Notes a difference; returns `equal`.
  bool expect(bool equal, std::string_view what);

 private:
  friend class Measurement;
  const Settings& settings_;
  Result& result_;
  int threads_;
  std::unique_ptr<Peer> opencv_;
  std::unique_ptr<DevicePeer> npp_;
  std::unique_ptr<Stream> stream_;  // with a GPU only
  Workspace workspace_, device_workspace_;
  Image<uint8_t> tile_;
  std::optional<std::vector<Photograph>> photographs_;  // at their own sizes
  std::function<void(const Measured&)> measured_ = [](const Measured&) {};
  const Predictor* predictor_ = nullptr;
  std::map<std::string, bool> verified_;  // operations
};

/// Rows over threads, copying a picture on the host.
void copy_rows(ConstAnyView from, AnyView to, int threads);

}  // namespace cuesta::bench
