// Which candidates of a picture that was cut into strips of rows are connected to a strong pixel,
// over any number of seams between them. Of a strip, what its first and last rows are connected to
// is all that is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuesta/bands.hpp"

namespace cuesta {

class CannySeams {
 public:
  explicit CannySeams(int32_t width);

  /// Rows of marks (CannyBandMarks) below those that were added before, cut into strips over
  /// threads.
  void add(const uint64_t* marks, int32_t rows, int threads);
  /// After the last row.
  void join();
  std::span<const CannyBands::Strip> strips() const { return strips_; }
  /// The edges of a strip: words() of each row.
  void resolve(int32_t strip, const uint64_t* marks, uint64_t* edges) const;
  int32_t words() const { return words_; }

 private:
  struct Ends;
  void connect(const uint64_t* marks, int32_t rows, Ends& ends) const;

  int32_t width_, words_;
  std::vector<CannyBands::Strip> strips_;
  std::vector<std::vector<uint32_t>> top_, bottom_;  // of each strip: the sets of its rows' runs
  std::vector<uint32_t> parents_;                    // of sets
  std::vector<uint8_t> strong_;                      // of their roots
  struct Run {
    int32_t begin, end;  // pixels [begin, end)
  };
  std::vector<Run> last_;  // runs of the last row that was added
  // Memory that resolve() takes, kept for the next: malloc would hold several times as much.
  struct Spare;
  std::shared_ptr<Spare> spare_;
};

}  // namespace cuesta
