// What experiments are written with: pictures, strategies to time, tables.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.hpp"
#include "bench/peer.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta::bench {

struct Contender {
  std::string operation, strategy;
  std::function<void()> run;
};

/// One request and everybody who answers it.
struct Table {
  std::string experiment, parameters;
  ConstPlane src;  ///< its size and type head the table; a copy of it is the first row
  double bytes_per_pixel = 0, flops_per_pixel = 0;
  std::vector<Contender> contenders;
};

class Session {
 public:
  Session(const Settings& settings, Result& result, std::unique_ptr<Peer> opencv);
  ~Session();

  const std::vector<int32_t>& sizes() const { return settings_.sizes; }
  int threads() const { return threads_; }
  /// Null where no module was found; experiments then leave its rows out.
  Peer* opencv() { return opencv_.get(); }
  /// For one call of ours that is not timed.
  Exec exec(std::string_view strategy = {});

  /// A photograph mirrored to the size where CUESTA_OPENCV_DATA names a folder of them, else a
  /// made-up picture: shapes with sharp edges, shading, noise.
  Image<uint8_t> photograph(int32_t width, int32_t height);

  /// `call` with every host strategy of the operation that takes the request: production always,
  /// plain loops and the reference where they take less than a tenth of a second.
  void add_strategies(Table& table, std::string_view operation,
                      const std::function<void(const Exec&)>& call);
  void add_opencv(Table& table, const std::string& operation, std::function<void()> call);
  /// Notes a difference from the peer; true when the bytes are equal.
  bool expect_equal(std::string_view what, ConstPlane ours, ConstPlane theirs);
  bool expect(bool equal, std::string_view what);

  /// Times the contenders in turns, prints the table, keeps its rows.
  void time(const Table& table);

 private:
  const Settings& settings_;
  Result& result_;
  int threads_;
  std::unique_ptr<Peer> opencv_;
  Workspace workspace_;
  Image<uint8_t> tile_;
};

/// Experiments, one file each.
struct Experiment {
  ExperimentInfo info;
  void (*run)(Session&);
};
void bench_canny(Session& session);
void bench_log(Session& session);
void bench_gaussian(Session& session);
void bench_sobel(Session& session);
void bench_convolve(Session& session);
void bench_morphology(Session& session);
void bench_components(Session& session);
void bench_motion(Session& session);

}  // namespace cuesta::bench
