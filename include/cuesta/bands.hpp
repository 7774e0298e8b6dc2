// Canny and components of a picture that comes in bands of rows, because all of it does not fit
// into memory, or because its bands are worked on in several places: byte for byte what canny() and
// label() find in the whole, however it is cut. What only looks around a pixel needs no more than
// the rows around a band (reach_of). Files are worked on so by edges_file(), filter_file() and
// label_file() of cuesta/io.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuesta/edges.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {

/// Returns the number of rows above and below a row that determine its result.
/// Holds for sobel(), log_edges(), and canny() without its hysteresis. Throws
/// Error{invalid_argument} as the operations do.
int32_t reach_of(const SobelOptions& options);
int32_t reach_of(const LogOptions& options);
int32_t reach_of(const CannyOptions& options);

/// Finds the edges of canny() in bands of rows.
/// Two passes; three if thresholds have to be found:
///
///     CannyBands bands(width, options);
///     if (bands.wants_counts()) {        for every band: bands.count(rows, first, end);
///                                        bands.find_thresholds(); }
///     for every band, downwards:         bands.mark(rows, first, end, marks); store marks
///                                        bands.add(marks, end - first);
///     bands.join();
///     for every strip of bands.strips(): bands.resolve(strip, its marks, edges);
///
/// `rows` is a part of the picture, of all its columns, with at least reach() rows above `first`
/// and from `end` on, or as many as the picture has. Pictures may be in either space. Marks are in
/// host memory; calls wait for rows on a GPU. Several threads may count and mark bands
/// concurrently.
class CannyBands {
 public:
  /// Prepares for pictures of `width` columns.
  /// options.mask is ignored: count() and mark() take it in bands. Throws Error{invalid_argument}
  /// naming the option, and for a border that wraps.
  CannyBands(int32_t width, const CannyOptions& options);
  CannyBands(CannyBands&&) noexcept;
  CannyBands& operator=(CannyBands&&) noexcept;
  ~CannyBands();

  /// Returns reach_of() the options.
  int32_t reach() const;
  /// Returns whether thresholds have yet to be found.
  bool wants_counts() const;
  /// Counts the magnitudes of rows [first, end) of `rows`, in any order of the bands. A mask has
  /// the size of `rows`.
  void count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec = {},
             ConstAnyView mask = {});
  /// Returns the counts so far; add_counts() adds counts of another object.
  /// That object has the same options. `type` is the sample type of its pictures.
  std::vector<uint64_t> counts() const;
  void add_counts(std::span<const uint64_t> counts, PixelType type);
  /// Computes the thresholds that canny() finds; every row of the picture has been counted.
  CannyResult find_thresholds();
  /// Returns the thresholds in use: given, found, or set.
  CannyResult thresholds() const;
  void set_thresholds(const CannyResult& thresholds);

  /// Returns the number of words of a row of marks: bits of candidates, then of strong pixels.
  int64_t mark_words() const;
  /// Computes the marks of rows [first, end) of `rows`, one row after the other.
  void mark(ConstAnyView rows, int32_t first, int32_t end, uint64_t* marks, const Exec& exec = {},
            ConstAnyView mask = {}) const;

  /// Adds the connections in the marks of the next `count` rows, downwards.
  /// Stores a few bytes for each run of candidates in about every 128th row. `threads` as in Exec.
  void add(const uint64_t* marks, int32_t count, int threads = 0);
  /// Resolves connections across seams, after the last row.
  /// Candidates connected to a strong pixel over any number of seams are known then.
  void join();

  /// Rows that resolve() processes in one call.
  struct Strip {
    int32_t first = 0, end = 0;  ///< rows of the picture
  };
  /// Returns the strips for resolve(), downwards; together they are all rows that were added.
  std::span<const Strip> strips() const;
  /// Computes the edges of a strip from its marks.
  /// Writes mark_words() / 2 words a row, one row after the other. Any number of threads may
  /// resolve strips concurrently.
  void resolve(int32_t strip, const uint64_t* marks, uint64_t* edges) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Finds the sigma that edges() uses for a picture where none is given: 1, 1.4, 2 or 3 pixels.
/// Photographs of things, text, screenshots and drawings get the smaller ones, texture and noise
/// the larger ones. Bands come in any order; a whole picture is one band.
///
/// With the medians m1 and m3 of the gradient magnitudes at sigma 1 and 3, and Otsu's threshold t
/// at sigma 1, s is m1² / (t m3): how close the median is to the threshold, times how much of it
/// smoothing removes (m3 of whole samples counts as at least 1). Sigma is 1 where s <= 0.3, 1.4
/// where s <= 0.7, 2 where s <= 0.9, and 3 otherwise. It is also 1 where m1 is at least 110 of 255
/// levels, as in dense text; not of f32, whose levels have any unit (docs/dev/accuracy.md). The
/// magnitudes are those of canny() with Norm::l1, aperture 3 and ColorGradient::strongest.
class SigmaBands {
 public:
  /// The sigmas that can be found, ascending.
  static constexpr double sigmas[] = {1, 1.4, 2, 3};

  /// Prepares for pictures of `width` columns.
  explicit SigmaBands(int32_t width);
  SigmaBands(SigmaBands&&) noexcept;
  SigmaBands& operator=(SigmaBands&&) noexcept;
  ~SigmaBands();

  /// Returns the number of rows around a row that determine its counts.
  static int32_t reach();
  /// Counts the magnitudes of rows [first, end) of `rows`, as CannyBands::count() does.
  void count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec = {},
             ConstAnyView mask = {});
  /// Returns the counts so far; add_counts() adds counts of another object.
  /// `type` is the sample type of its pictures.
  std::vector<uint64_t> counts() const;
  void add_counts(std::span<const uint64_t> counts, PixelType type);
  /// Returns the sigma of the picture; every row has been counted.
  double find_sigma() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Finds the components of label() in bands of rows.
/// One pass for the list of components, a second one for a picture of labels:
///
///     LabelBands bands(width, options);
///     for every band, downwards:   bands.add(rows);
///     list = bands.join();
///     for band i as it was added:  bands.resolve(i, rows, labels);
///
/// A component of a band needs some 52 bytes, even if it joins others; after join() 4 and its entry
/// in the list. Pictures may be in either space; calls wait for rows on a GPU.
class LabelBands {
 public:
  /// Prepares for masks of `width` columns. Throws Error{invalid_argument} naming the option.
  explicit LabelBands(int32_t width, const LabelOptions& options = {});
  LabelBands(LabelBands&&) noexcept;
  LabelBands& operator=(LabelBands&&) noexcept;
  ~LabelBands();

  /// The components of one band, and the labels of its first and last row.
  struct Found {
    int32_t rows = 0;
    std::vector<Component> components{};
    std::vector<int32_t> first{}, last{};  ///< labels of the pixels of these rows
  };
  /// Finds the components of one band, a mask as for label(), of any height.
  /// Any number of threads may call this concurrently. Throws Error{invalid_argument} naming the
  /// view.
  Found find(ConstAnyView rows, const Exec& exec = {}) const;
  /// Adds the next rows, downwards. Throws Error{unsupported} past 2,147,483,647 components.
  void add(const Found& found);
  void add(ConstAnyView rows, const Exec& exec = {}) {
    const Found found = find(rows, exec);
    if (!exec.choices) add(found);
  }
  /// Returns the components of all rows as label() lists them, after the last row.
  std::vector<Component> join();
  /// Returns the labels of the components of a band, counted from 0 in the order of add(), after
  /// join(). They are in the order of Found::components. Throws Error{invalid_argument} for a band
  /// that was not added.
  std::span<const int32_t> labels_of(int32_t band) const;
  /// Computes the labels of a band, counted from 0 in the order of add(), after join().
  /// `rows` are the same as before and `labels` is s32 of their size; both in host memory. Any
  /// number of threads may resolve bands concurrently. Throws Error{invalid_argument} naming the
  /// view.
  void resolve(int32_t band, ConstAnyView rows, AnyView labels, const Exec& exec = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
