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

/// Rows above and below a row that decide what sobel(), log_edges() and canny() (but for its
/// hysteresis) make of it. Throws Error{invalid_argument} as the operations do.
int32_t reach_of(const SobelOptions& options);
int32_t reach_of(const LogOptions& options);
int32_t reach_of(const CannyOptions& options);

/// Two passes, three where thresholds are to be found:
///
///     CannyBands bands(width, options);
///     if (bands.wants_counts()) {        for every band: bands.count(rows, first, end);
///                                        bands.find_thresholds(); }
///     for every band, downwards:         bands.mark(rows, first, end, marks); keep marks somewhere
///                                        bands.add(marks, end - first);
///     bands.join();
///     for every strip of bands.strips(): bands.resolve(strip, its marks, edges);
///
/// `rows` is a part of the picture, of all its columns, with at least reach() rows above `first`
/// and from `end` on, or as many as the picture has. Pictures of either space; marks are the
/// host's, and rows on a GPU are waited for. Several threads may count and mark bands at once.
class CannyBands {
 public:
  /// For pictures so wide. options.mask is not looked at: count() and mark() take it in bands, too.
  /// Throws Error{invalid_argument} naming the option.
  CannyBands(int32_t width, const CannyOptions& options);
  CannyBands(CannyBands&&) noexcept;
  CannyBands& operator=(CannyBands&&) noexcept;
  ~CannyBands();

  int32_t reach() const;
  /// Whether thresholds are still to be found.
  bool wants_counts() const;
  /// Counts the magnitudes of rows [first, end) of `rows`, in any order of the bands. A mask has
  /// the size of `rows`.
  void count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec = {},
             ConstAnyView mask = {});
  /// What was counted so far, and what another one of the same options counted elsewhere, of
  /// pictures of that type.
  std::vector<uint64_t> counts() const;
  void add_counts(std::span<const uint64_t> counts, PixelType type);
  /// The thresholds that canny() finds, once every row of the picture was counted.
  CannyResult find_thresholds();
  /// Those that are used: given, found, or set.
  CannyResult thresholds() const;
  void set_thresholds(const CannyResult& thresholds);

  /// Words that the marks of a row take: its candidates' bits, then those of the strong ones.
  int64_t mark_words() const;
  /// Marks of rows [first, end) of `rows`, one row after the other.
  void mark(ConstAnyView rows, int32_t first, int32_t end, uint64_t* marks, const Exec& exec = {},
            ConstAnyView mask = {}) const;

  /// Takes what the marks of the next `count` rows, downwards, connect: a few bytes for each run of
  /// candidates in every 128th row or so. `threads` as in Exec.
  void add(const uint64_t* marks, int32_t count, int threads = 0);
  /// After the last row: candidates connected to a strong pixel over any number of seams are known.
  void join();

  struct Strip {
    int32_t first = 0, end = 0;  ///< rows of the picture
  };
  /// The strips that resolve() takes, downwards; together they are all rows that were added.
  std::span<const Strip> strips() const;
  /// The edges of a strip by its marks: mark_words() / 2 words a row, one row after the other. Any
  /// number of threads may resolve strips at once.
  void resolve(int32_t strip, const uint64_t* marks, uint64_t* edges) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One pass for the list of components, a second one for a picture of labels:
///
///     LabelBands bands(width, options);
///     for every band, downwards:   bands.add(rows);
///     list = bands.join();
///     for band i as it was added:  bands.resolve(i, rows, labels);
///
/// A component takes some 52 bytes, those of a band that are one with others too; after join() 4
/// and its place in the list. Pictures of either space; rows on a GPU are waited for.
class LabelBands {
 public:
  /// For masks so wide. Throws Error{invalid_argument} naming the option.
  explicit LabelBands(int32_t width, const LabelOptions& options = {});
  LabelBands(LabelBands&&) noexcept;
  LabelBands& operator=(LabelBands&&) noexcept;
  ~LabelBands();

  /// A band's own components, and where they reach its first and last row.
  struct Found {
    int32_t rows = 0;
    std::vector<Component> components{};
    std::vector<int32_t> first{}, last{};  ///< labels of the pixels of these rows
  };
  /// Finds those of a mask as label() takes it, of any height. Any number of threads may do so at
  /// once. Throws Error{invalid_argument} naming the view.
  Found find(ConstAnyView rows, const Exec& exec = {}) const;
  /// Takes the next rows, downwards. Throws Error{unsupported} past 2,147,483,647 components.
  void add(const Found& found);
  void add(ConstAnyView rows, const Exec& exec = {}) {
    const Found found = find(rows, exec);
    if (!exec.choices) add(found);
  }
  /// After the last row: the components of all rows, in label order, as label() lists them.
  std::vector<Component> join();
  /// Labels of the rows that were added as the band-th, counted from 0, once all were joined;
  /// `rows` are the same again, and `labels` s32 of their size; both in host memory. Any number of
  /// threads may resolve bands at once. Throws Error{invalid_argument} naming the view.
  void resolve(int32_t band, ConstAnyView rows, AnyView labels, const Exec& exec = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
