// Identities: the assignment against every permutation, the filter against SORT's matrices, the
// tracker against one made of both, and what it says of made-up paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "cuesta/tracking.hpp"
#include "support/errors.hpp"
#include "track/assignment.hpp"
#include "track/confirmation.hpp"
#include "track/geometry.hpp"
#include "track/groups.hpp"
#include "track/kalman.hpp"

namespace cuesta {
namespace {

using namespace track;

// ---- assignment

int64_t sum_of(const std::vector<int>& found, int columns, const std::vector<int64_t>& worth) {
  int64_t sum = 0;
  for (size_t r = 0; r < found.size(); ++r)
    if (found[r] >= 0) sum += worth[r * size_t(columns) + size_t(found[r])];
  return sum;
}

// The best of every way to give columns to rows.
std::vector<int> best_of_all(int rows, int columns, const std::vector<int64_t>& worth) {
  std::vector<int> order(size_t(std::max(rows, columns)));
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> best(size_t(rows), -1);
  do {
    std::vector<int> found(order.begin(), order.begin() + rows);
    for (int r = 0; r < rows; ++r) {
      int& c = found[size_t(r)];
      if (c >= columns || worth[size_t(r * columns + c)] == 0) c = -1;
    }
    if (sum_of(found, columns, worth) > sum_of(best, columns, worth)) best = found;
  } while (std::ranges::next_permutation(order).found);
  return best;
}

TEST(Assignment, IsTheBestOfEveryPermutation) {
  std::mt19937 random(1);
  int most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int rows = int(random() % 7), columns = int(random() % 7);
    // Few values: ties; many zeros: pairs that cannot be.
    const int64_t values = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 100 : int64_t(1) << 40;
    std::vector<int64_t> worth(size_t(rows * columns));
    for (auto& w : worth)
      w = random() % 4 == 0 ? 0 : int64_t(random() * (uint64_t(1) << 9)) % values;
    const auto found = best_assignment(rows, columns, worth);
    ASSERT_EQ(found.size(), size_t(rows));
    std::vector<int> taken;
    for (int r = 0; r < rows; ++r) {
      const int c = found[size_t(r)];
      if (c < 0) continue;
      ASSERT_LT(c, columns);
      ASSERT_GT(worth[size_t(r * columns + c)], 0);
      taken.push_back(c);
    }
    std::ranges::sort(taken);
    ASSERT_EQ(std::ranges::adjacent_find(taken), taken.end());
    most = std::max(most, int(taken.size()));
    ASSERT_EQ(sum_of(found, columns, worth),
              sum_of(best_of_all(rows, columns, worth), columns, worth))
        << rows << " x " << columns << ", trial " << trial;
  }
  EXPECT_EQ(most, 6);
}

// ---- the filter, as the paper writes it

using Vector = std::array<double, 7>;
using Matrix = std::array<Vector, 7>;

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j)
      for (int k = 0; k < 7; ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}
Matrix transposed(const Matrix& a) {
  Matrix out{};
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) out[j][i] = a[i][j];
  return out;
}

class MatrixFilter {
 public:
  explicit MatrixFilter(const Rect& box) {
    const auto z = measured(box);
    std::copy(z.begin(), z.end(), x_.begin());
    for (int i = 0; i < 7; ++i) p_[i][i] = i < 4 ? 10 : 1e4;
  }
  void predict() {
    if (x_[2] + x_[6] <= 0) x_[6] = 0;
    Matrix f{};
    for (int i = 0; i < 7; ++i) f[i][i] = 1;
    for (int i = 0; i < 3; ++i) f[i][i + 4] = 1;
    constexpr double noise[7] = {1, 1, 1, 1, 0.01, 0.01, 0.0001};
    Vector x{};
    for (int i = 0; i < 7; ++i)
      for (int k = 0; k < 7; ++k) x[i] += f[i][k] * x_[k];
    x_ = x;
    p_ = times(times(f, p_), transposed(f));
    for (int i = 0; i < 7; ++i) p_[i][i] += noise[i];
  }
  // One measured number after the other, which is the same where their noise is independent.
  void update(const Rect& box) {
    const auto z = measured(box);
    constexpr double noise[4] = {1, 1, 10, 10};
    for (int m = 0; m < 4; ++m) {
      Vector gain{};
      for (int i = 0; i < 7; ++i) gain[i] = p_[i][m] / (p_[m][m] + noise[m]);
      const double error = z[m] - x_[m];
      for (int i = 0; i < 7; ++i) x_[i] += gain[i] * error;
      const Vector row = p_[m];
      for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 7; ++j) p_[i][j] -= gain[i] * row[j];
    }
  }
  std::optional<Box> box() const {
    if (!(x_[2] > 0 && x_[3] > 0)) return std::nullopt;
    const double w = std::sqrt(x_[2] * x_[3]), h = x_[2] / w;
    return Box{x_[0] - w / 2, x_[1] - h / 2, x_[0] + w / 2, x_[1] + h / 2};
  }
  Point velocity() const { return {x_[4], x_[5]}; }

 private:
  static std::array<double, 4> measured(const Rect& b) {
    return {b.x + b.width / 2.0, b.y + b.height / 2.0, double(b.width) * b.height,
            double(b.width) / b.height};
  }
  Vector x_{};
  Matrix p_{};
};

double near(const Box& a, const Box& b) {
  return std::max(
      {std::abs(a.x0 - b.x0), std::abs(a.y0 - b.y0), std::abs(a.x1 - b.x1), std::abs(a.y1 - b.y1)});
}

TEST(BoxFilter, IsSortsSevenBySevenFilter) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    Rect box{int(random() % 300), int(random() % 300), 1 + int(random() % 80),
             1 + int(random() % 80)};
    BoxFilter filter(box);
    MatrixFilter wanted(box);
    for (int frame = 0; frame < 60; ++frame) {
      filter.predict();
      wanted.predict();
      box.x += int(random() % 9) - 3;
      box.y += int(random() % 9) - 3;
      box.width = std::max(1, box.width + int(random() % 7) - 3);
      box.height = std::max(1, box.height + int(random() % 7) - 3);
      if (random() % 4) {
        filter.update(box);
        wanted.update(box);
      }
      const auto got = filter.box(), want = wanted.box();
      ASSERT_EQ(got.has_value(), want.has_value());
      if (!got) break;
      ASSERT_LT(near(*got, *want), 1e-6);
      ASSERT_NEAR(filter.velocity().x, wanted.velocity().x, 1e-9);
      ASSERT_NEAR(filter.velocity().y, wanted.velocity().y, 1e-9);
    }
  }
}

// ---- the tracker

Detection at(int x, int y, int width = 20, int height = 40) {
  return {.box = {x, y, width, height},
          .area = int64_t(width) * height,
          .centroid_x = x + width / 2.0,
          .centroid_y = y + height / 2.0};
}

// SORT with nothing clever in it: matrices, and every permutation.
class PlainTracker {
 public:
  explicit PlainTracker(TrackingOptions options) : options_(options) {}

  // (id, index of the detection) of each object reported.
  std::vector<std::pair<int64_t, size_t>> push(const std::vector<Detection>& detections) {
    const int rows = int(targets_.size()), columns = int(detections.size());
    std::vector<int64_t> worth(size_t(rows * columns));
    for (int t = 0; t < rows; ++t) {
      Target& target = targets_[size_t(t)];
      target.filter.predict();
      if (target.missed++ > 0) target.streak = 0;
      for (int d = 0; d < columns; ++d) {
        const double overlap = overlap_of(*target.filter.box(), box_of(detections[size_t(d)].box));
        if (overlap > 0 && overlap >= options_.min_iou)
          worth[size_t(t * columns + d)] = std::llround(overlap * (1 << 30));
      }
    }
    auto found = best_of_all(rows, columns, worth);
    const auto steps = best_of_all(rows, columns, steps_of(detections, found));
    for (size_t t = 0; t < size_t(rows); ++t)
      if (found[t] < 0) found[t] = steps[t];
    std::vector<char> taken(detections.size());
    const auto see = [&](Target& target, size_t d) {
      target.seen = d;
      TrackedObject& object = target.object;
      object.detection = detections[d];
      ++object.hits;
      object.moved = std::max(object.moved, distance(target.begin, middle_of(detections[d].box)));
    };
    for (Target& target : targets_) target.seen.reset();
    for (size_t t = 0; t < size_t(rows); ++t) {
      if (found[t] < 0) continue;
      Target& target = targets_[t];
      taken[size_t(found[t])] = 1;
      target.missed = 0;
      ++target.streak;
      target.filter.update(detections[size_t(found[t])].box);
      target.seen_once.reset();
      see(target, size_t(found[t]));
    }
    for (size_t d = 0; d < detections.size(); ++d) {
      if (taken[d]) continue;
      const Rect& box = detections[d].box;
      targets_.push_back({MatrixFilter(box), middle_of(box), box});
      see(targets_.back(), d);
    }
    const auto reported = confirmed();
    std::erase_if(targets_,
                  [&](const Target& t) { return t.missed > options_.max_age || !t.filter.box(); });
    return reported;
  }

 private:
  // (id, index of the detection) of those who were seen for long enough.
  std::vector<std::pair<int64_t, size_t>> confirmed() {
    confirmation_.begin();
    for (const Target& target : targets_)
      if (target.seen && (target.object.id || target.streak >= options_.min_hits))
        confirmation_.stands(target.object.detection.box);
    for (const Target& target : targets_)
      if (!target.seen && target.missed == 1) confirmation_.lost(target.object);
    std::vector<std::pair<int64_t, size_t>> reported;
    for (Target& target : targets_) {
      TrackedObject& object = target.object;
      if (!target.seen) continue;
      if (!object.id && target.streak >= options_.min_hits &&
          (options_.min_hits == 1 || confirmation_.is_enough(object)))
        object.id = next_++;
      if (object.id) reported.emplace_back(object.id, *target.seen);
    }
    std::ranges::sort(reported);
    return reported;
  }

  // Of objects that were seen once, in the frame before, and detections that overlap nobody.
  std::vector<int64_t> steps_of(const std::vector<Detection>& detections,
                                const std::vector<int>& found) const {
    std::vector<int64_t> worth(targets_.size() * detections.size());
    for (size_t t = 0; t < targets_.size(); ++t) {
      if (found[t] >= 0 || !targets_[t].seen_once || targets_[t].missed > 1) continue;
      const Rect& from = *targets_[t].seen_once;
      for (size_t d = 0; d < detections.size(); ++d) {
        const Rect& to = detections[d].box;
        const double ratio = double(to.width) * to.height / (double(from.width) * from.height);
        if (std::ranges::count(found, int(d)) || ratio > 2 || ratio < 0.5) continue;
        if (std::min(to.width * to.height, from.width * from.height) < 144) continue;
        const double gate = options_.max_step * std::sqrt(double(from.width) * from.height);
        const double away = distance(middle_of(from), middle_of(to));
        if (away < gate)
          worth[t * detections.size() + d] = std::llround((1 - away / gate) * (1 << 30));
      }
    }
    return worth;
  }

  struct Target {
    MatrixFilter filter;
    Point begin;
    std::optional<Rect> seen_once{};  // where, until it is seen again
    int streak = 1, missed = 0;
    std::optional<size_t> seen{};  // its detection in this frame
    TrackedObject object{};
  };
  Confirmation confirmation_;
  TrackingOptions options_;
  std::vector<Target> targets_;
  int64_t next_ = 1;
};

TEST(Tracker, IsThePlainOneOnCrowdsThatMeet) {
  std::mt19937 random(3);
  int64_t reported = 0, ids = 0;
  for (int trial = 0; trial < 60; ++trial) {
    // Of the fast ones, boxes do not overlap; none is kept, as all permutations are tried.
    const bool fast = trial % 2 == 0;
    const TrackingOptions options{.min_hits = 1 + trial % 4,
                                  .max_age = fast ? 0 : trial % 3,
                                  .max_step = trial % 5 == 0 ? 0.0 : 0.5 * (trial % 5)};
    Tracker tracker(options);
    PlainTracker plain(options);
    struct Walker {
      double x, y, vx, vy;
      int w, h;
    };
    std::vector<Walker> walkers;
    for (int i = 0; i < 4; ++i) {
      const auto drawn = [&] { return double(random() % (fast ? 81 : 5)) - (fast ? 40 : 2); };
      // Lanes that overlap, but no box has most of another, so that all are objects of their own.
      const double y = fast ? double(random() % 60) : 13.0 * i;
      walkers.push_back({double(random() % 60), y, drawn(), fast ? drawn() : 0.0,
                         (fast ? 8 : 20) + int(random() % 20),
                         fast ? 20 + int(random() % 20) : 30});
    }
    for (int frame = 0; frame < 40; ++frame) {
      std::vector<Detection> detections;
      for (Walker& w : walkers) {
        w.x += w.vx;
        w.y += w.vy;
        if (random() % 8)
          detections.push_back(at(int(w.x + random() % 3), int(w.y + random() % 3), w.w, w.h));
      }
      const int beside = fast ? 0 : 200;
      if (random() % 8 == 0)
        detections.push_back(at(int(random() % 80), beside + int(random() % 80)));
      const auto wanted = plain.push(detections);
      const auto got = tracker.push({frame, frame / 25.0}, detections);
      ASSERT_EQ(got.size(), wanted.size()) << "trial " << trial << ", frame " << frame;
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].id, wanted[i].first);
        ASSERT_EQ(got[i].detection, detections[wanted[i].second]);
        ids = std::max(ids, got[i].id);
      }
      reported += int64_t(got.size());
    }
  }
  EXPECT_GT(reported, 1000);
  EXPECT_GT(ids, 5);
}

// ---- who was seen for long enough

TrackedObject object_of(Rect box, int64_t hits, double moved = 0) {
  return {.detection = at(box.x, box.y, box.width, box.height), .moved = moved, .hits = hits};
}

// After the given number of frames without anything.
Confirmation quiet_for(int frames) {
  Confirmation confirmation;
  for (int i = 0; i < frames; ++i) confirmation.begin();
  return confirmation;
}

TEST(Confirmation, ASmallPartOfWhatIsBesideItWaits) {
  Confirmation confirmation = quiet_for(100);
  EXPECT_TRUE(confirmation.is_enough(object_of({100, 100, 20, 40}, 1)));
  const Rect large{130, 60, 60, 120};
  confirmation.stands(large);
  EXPECT_TRUE(confirmation.is_enough(object_of(large, 1)));
  EXPECT_FALSE(confirmation.is_enough(object_of({100, 100, 20, 40}, 9, 500)));
  EXPECT_TRUE(confirmation.is_enough(object_of({100, 100, 20, 40}, 10)));
  EXPECT_FALSE(confirmation.is_enough(object_of({26, 100, 20, 40}, 9))) << "84 of 84.9 pixels away";
  EXPECT_TRUE(confirmation.is_enough(object_of({25, 100, 20, 40}, 1)));
  EXPECT_TRUE(confirmation.is_enough(object_of({100, 60, 20, 108}, 1))) << "nearly as high";
  EXPECT_TRUE(confirmation.is_enough(object_of({85, 100, 40, 90}, 1))) << "half as large";
  confirmation.begin();
  EXPECT_TRUE(confirmation.is_enough(object_of({100, 100, 20, 40}, 1))) << "it has gone";
}

TEST(Confirmation, WhatComesToNothingRaisesTheLimitForItsSize) {
  Confirmation confirmation = quiet_for(100);
  const Rect speck{10, 10, 10, 10};
  confirmation.lost(object_of(speck, 4, 9.9));
  for (int frame = 0; frame < 50; ++frame, confirmation.begin()) {
    EXPECT_FALSE(confirmation.is_enough(object_of(speck, 7))) << frame;
    EXPECT_TRUE(confirmation.is_enough(object_of(speck, 8))) << frame;
    EXPECT_FALSE(confirmation.is_enough(object_of({10, 10, 10, 20}, 7))) << "twice as large";
    EXPECT_TRUE(confirmation.is_enough(object_of({10, 10, 10, 21}, 1))) << "more than that";
    // No speck moves so far.
    EXPECT_TRUE(confirmation.is_enough(object_of(speck, 5, 2.5)));
    EXPECT_FALSE(confirmation.is_enough(object_of(speck, 4, 2.5)));
    EXPECT_TRUE(confirmation.is_enough(object_of(speck, 1, 10)));
  }
  EXPECT_TRUE(confirmation.is_enough(object_of(speck, 1))) << "that is long ago";
}

TEST(Confirmation, ObjectsAndTheirPartsDoNotComeToNothing) {
  Confirmation confirmation = quiet_for(100);
  const Rect box{100, 100, 20, 20};
  confirmation.lost(object_of(box, 10));
  confirmation.lost(object_of(box, 4, 20));
  confirmation.stands({130, 60, 60, 120});
  confirmation.lost(object_of(box, 4));
  confirmation.begin();
  EXPECT_TRUE(confirmation.is_enough(object_of(box, 1)));
  confirmation.lost(object_of(box, 9));
  EXPECT_FALSE(confirmation.is_enough(object_of(box, 9)));
  EXPECT_TRUE(confirmation.is_enough(object_of(box, 10))) << "that is always enough";
}

TEST(Confirmation, AYoungBackgroundHasSpecks) {
  Confirmation confirmation = quiet_for(1);
  EXPECT_FALSE(confirmation.is_enough(object_of({10, 10, 12, 24}, 5)));
  EXPECT_TRUE(confirmation.is_enough(object_of({10, 10, 12, 24}, 6)));
  EXPECT_TRUE(confirmation.is_enough(object_of({10, 10, 12, 25}, 1)));
  EXPECT_FALSE(quiet_for(50).is_enough(object_of({10, 10, 12, 24}, 5)));
  EXPECT_TRUE(quiet_for(51).is_enough(object_of({10, 10, 12, 24}, 1)));
}

// The ids in frames, each a list of detections.
std::vector<std::vector<int64_t>> ids_of(const std::vector<std::vector<Detection>>& frames,
                                         const TrackingOptions& options = {}) {
  Tracker tracker(options);
  std::vector<std::vector<int64_t>> out;
  for (size_t i = 0; i < frames.size(); ++i) {
    out.emplace_back();
    for (const auto& object : tracker.push({int64_t(i), double(i) / 10}, frames[i]))
      out.back().push_back(object.id);
  }
  return out;
}

TEST(Tracker, ReportsAfterMinHits) {
  std::vector<std::vector<Detection>> frames(6, {at(10, 10)});
  frames[1] = {};  // a break: the count begins again
  const std::vector<int64_t> none, one{1};
  EXPECT_EQ(ids_of(frames), (std::vector{none, none, none, none, one, one}));
  EXPECT_EQ(ids_of(frames, {.min_hits = 1}), (std::vector{one, none, one, one, one, one}));
}

TEST(Tracker, FollowsWhoGoesFurtherThanTheirWidth) {
  for (const int speed : {20, 30, 50}) {  // boxes of 20 x 40
    std::vector<std::vector<Detection>> frames;
    for (int i = 0; i < 8; ++i) frames.push_back({at(10 + speed * i, 10)});
    const std::vector<int64_t> none, one{1};
    EXPECT_EQ(ids_of(frames), (std::vector{none, none, one, one, one, one, one, one})) << speed;
    // Without the step there is an object in every frame, and none is seen twice.
    EXPECT_TRUE(ids_of(frames, {.max_step = 0}).back().empty()) << speed;
    // Others are too far away, or of another size, to be the same.
    EXPECT_TRUE(ids_of(frames, {.max_step = speed / 30.0}).back().empty()) << speed;
    for (size_t i = 0; i < frames.size(); i += 2) frames[i][0].box.height = 90;
    EXPECT_TRUE(ids_of(frames).back().empty()) << speed;
  }
}

TEST(Tracker, KeepsAnObjectForMaxAge) {
  const auto seen_again_after = [](int missing) {
    std::vector<std::vector<Detection>> frames(10, {at(10, 10)});
    frames.insert(frames.end(), size_t(missing), {});
    frames.push_back({at(10, 10)});
    return ids_of(frames, {.min_hits = 1, .max_age = 5}).back().front();
  };
  EXPECT_EQ(seen_again_after(5), 1);
  EXPECT_EQ(seen_again_after(6), 2);
}

TEST(Tracker, TwoThatPassEachOtherStayWhoTheyAre) {
  std::map<int64_t, int> last;
  Tracker tracker({.min_hits = 1});
  for (int i = 0; i < 40; ++i) {
    // In the middle their boxes are side by side; the order of the list changes all the time.
    std::vector<Detection> pair{at(10 + 8 * i, 100), at(330 - 8 * i, 112)};
    if (i % 2) std::swap(pair[0], pair[1]);
    for (const auto& object : tracker.push({i, i / 25.0}, pair)) {
      if (i > 0) {
        EXPECT_EQ(std::abs(object.detection.box.x - last[object.id]), 8) << "frame " << i;
      }
      last[object.id] = object.detection.box.x;
    }
  }
  EXPECT_EQ(last.size(), 2u);
}

// ---- objects that share a detection, and those that are covered in part

// What is found of boxes on a line: those that touch are one.
std::vector<Detection> found_of(std::vector<Rect> boxes) {
  std::ranges::sort(boxes, {}, &Rect::x);
  std::vector<Detection> found;
  for (const Rect& box : boxes) {
    if (box.width <= 0) continue;
    const Rect before = found.empty() ? Rect{} : found.back().box;
    const bool touches = !found.empty() && box.x <= before.x + before.width;
    const Rect whole = touches ? around(before, box) : box;
    if (touches) found.pop_back();
    found.push_back(at(whole.x, whole.y, whole.width, whole.height));
  }
  return found;
}

// The parts of a box beside a pole that covers columns [x, x + width).
std::vector<Rect> beside(const Rect& box, int x, int width) {
  const int left = std::clamp(x - box.x, 0, box.width);
  const int right = std::clamp(box.x + box.width - x - width, 0, box.width);
  return {{box.x, box.y, left, box.height}, {box.x + box.width - right, box.y, right, box.height}};
}

TEST(Groups, MembersHaveTheEdgesThatTheyReach) {
  const std::vector<std::optional<Box>> expected{
      Box{10, 10, 30, 60}, Box{35, 20, 55, 70}, Box{20, 30, 40, 50}, Box{200, 10, 220, 60}, {}};
  const std::vector<Detection> detections{at(11, 9, 45, 62), at(200, 10, 20, 50)};
  const auto groups = sharing_of(expected, std::vector<int>{0, -1, -1, 1, -1}, detections).groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].detection, 0u);
  ASSERT_EQ(groups[0].members.size(), 3u);
  EXPECT_EQ(groups[0].members[0].box, (Rect{11, 9, 20, 50}));   // left and upper edge
  EXPECT_EQ(groups[0].members[1].box, (Rect{36, 21, 20, 50}));  // right and lower edge
  EXPECT_EQ(groups[0].members[2].box, (Rect{20, 30, 20, 20}));  // behind both
  EXPECT_TRUE(groups[0].members[0].is_seen && groups[0].members[1].is_seen);
  EXPECT_FALSE(groups[0].members[2].is_seen);
  // One that is hardly smaller than the detection hides the other; two that are apart share
  // nothing.
  const auto alone = sharing_of(expected, std::vector<int>{0, -1, -1, 1, -1},
                                std::vector{at(10, 9, 24, 60), at(200, 10, 20, 50)});
  EXPECT_TRUE(alone.groups.empty());
  EXPECT_EQ(alone.hides, (std::vector<char>{1, 0}));
  const auto apart = sharing_of(expected, std::vector<int>{0, 1, -1, -1, -1},
                                std::vector{at(10, 10, 20, 50), at(35, 20, 20, 50)});
  EXPECT_TRUE(apart.groups.empty());
}

TEST(Groups, WhatIsCoveredKeepsItsSize) {
  const Box expected{100, 50, 140, 150};
  EXPECT_EQ(uncovered(expected, {101, 50, 20, 99}), (Rect{101, 50, 40, 99}));   // from the right
  EXPECT_EQ(uncovered(expected, {120, 51, 21, 99}), (Rect{101, 51, 40, 99}));   // from the left
  EXPECT_EQ(uncovered(expected, {100, 50, 40, 45}), (Rect{100, 50, 40, 100}));  // from below
  // Narrower on both sides, as legs are, hardly narrower, or elsewhere.
  for (const Rect& box : {Rect{110, 50, 20, 100}, Rect{100, 50, 37, 100}, Rect{110, 50, 15, 100}})
    EXPECT_EQ(uncovered(expected, box), box);
}

TEST(Tracker, TwoWhoCrossInOneDetectionKeepTheirIds) {
  for (const int gap : {0, 12, 30}) {             // how much lower the second is
    std::map<int64_t, std::pair<int, int>> seen;  // by id: where it was first, and last
    Tracker tracker;
    for (int i = 0; i < 80; ++i) {
      const std::vector<Rect> boxes{{20 + 4 * i, 100, 24, 60}, {320 - 3 * i, 100 + gap, 26, 62}};
      for (const auto& object : tracker.push({i, i / 25.0}, found_of(boxes))) {
        seen.try_emplace(object.id, object.detection.box.x, 0).first->second.second =
            object.detection.box.x;
        EXPECT_LE(object.detection.box.width, 32) << "frame " << i;  // of 50 together
      }
    }
    ASSERT_EQ(seen.size(), 2u) << gap;
    EXPECT_LT(seen[1].first, seen[2].first);
    EXPECT_EQ(seen[1].second, 20 + 4 * 79) << gap;
    EXPECT_EQ(seen[2].second, 320 - 3 * 79) << gap;
  }
}

TEST(Tracker, WhoeverGoesBehindAPoleKeepsTheId) {
  for (const int pole : {8, 16, 30}) {
    Tracker tracker;
    int64_t ids = 0;
    int frames = 0;
    for (int i = 0; i < 80; ++i) {
      std::vector<Detection> found;
      for (const Rect& part : beside({20 + 4 * i, 100, 24, 60}, 160, pole))
        if (part.width > 2) found.push_back(at(part.x, part.y, part.width, part.height));
      for (const auto& object : tracker.push({i, i / 25.0}, found)) {
        ids = std::max(ids, object.id);
        ++frames;
      }
    }
    EXPECT_EQ(ids, 1) << pole;

    EXPECT_GT(frames, 60) << pole;
  }
}

TEST(Tracker, EachIdIsThereOnceAFrame) {
  std::mt19937 random(7);
  int64_t reported = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Tracker tracker({.min_hits = 1 + trial % 3});
    std::vector<Rect> boxes;
    std::vector<int> speeds;
    for (int i = 0; i < 6; ++i) {
      boxes.push_back({int(random() % 200), int(random() % 30), 10 + int(random() % 50), 60});
      speeds.push_back(int(random() % 13) - 6);
    }
    for (int frame = 0; frame < 60; ++frame) {
      for (size_t i = 0; i < boxes.size(); ++i) boxes[i].x += speeds[i];
      // Together where they touch, and specks on top of them.
      std::vector<Detection> found = found_of(boxes);
      for (int i = 0; i < 3; ++i)
        found.push_back(at(int(random() % 200), int(random() % 60), 6, 6 + int(random() % 20)));
      int64_t before = 0;
      for (const auto& object : tracker.push({frame, frame / 25.0}, found)) {
        ASSERT_GT(object.id, before) << "trial " << trial << ", frame " << frame;
        before = object.id;
        ++reported;
      }
    }
  }
  EXPECT_GT(reported, 4000);
}

TEST(Tracker, TwoWhoWereOneBecomeTwo) {
  std::map<int64_t, int> seen;
  Tracker tracker;
  for (int i = 0; i < 60; ++i) {  // side by side for 20 frames, then apart
    const int apart = i < 20 ? 0 : 2 * (i - 19);
    const std::vector<Rect> boxes{{20 + 3 * i, 100, 24, 60}, {44 + 3 * i + apart, 100, 24, 60}};
    for (const auto& object : tracker.push({i, i / 25.0}, found_of(boxes)))
      seen[object.id] = object.detection.box.width;
  }
  EXPECT_EQ(seen, (std::map<int64_t, int>{{1, 24}, {2, 24}}));
}

TEST(Tracker, WhatSwaysWhenTheBackgroundIsYoungGetsNoId) {
  // As in the scene `sway` of bench/field/motion-scenes, and somebody who comes in meanwhile.
  std::vector<std::vector<Detection>> frames(60);
  const auto sways = [&](size_t begin, std::vector<Rect> boxes) {
    for (const Rect& box : boxes)
      frames[begin++].push_back(at(box.x, box.y, box.width, box.height));
  };
  sways(27, {{637, 57, 3, 5}, {636, 56, 4, 10}, {633, 56, 7, 21}});
  sways(30, {{637, 0, 3, 3}, {636, 0, 4, 3}, {635, 0, 5, 6}, {635, 0, 5, 6}});
  sways(30, {{615, 62, 6, 8}, {614, 60, 7, 10}, {613, 60, 8, 11}});
  sways(31, {{613, 32, 10, 12}, {612, 31, 11, 13}, {612, 31, 12, 13}});
  for (int i = 0; i < 30; ++i)
    frames[size_t(30 + i)].push_back(at(0, 230, std::min(24, 5 + 4 * i), 60));
  std::vector<std::vector<int64_t>> wanted(32);
  wanted.resize(60, {1});
  EXPECT_EQ(ids_of(frames), wanted);
  // min_hits 1 reports everything at once.
  EXPECT_EQ(ids_of(frames, {.min_hits = 1})[27].size(), 1u);
}

TEST(Tracker, PartsOfWhatComesInAreOneObject) {
  // What is found in the scene `near`, from when something large comes in until it is whole.
  const std::vector<std::vector<Rect>> found{
      {{0, 95, 8, 41}, {0, 189, 8, 23}, {0, 221, 8, 121}, {0, 353, 8, 7}},
      {{0, 83, 16, 55}, {0, 189, 17, 171}},
      {{0, 20, 24, 39}, {0, 83, 22, 54}, {8, 149, 16, 31}, {0, 181, 25, 179}},
      {{0, 20, 31, 40}, {0, 81, 22, 58}, {0, 149, 32, 211}},
      {{0, 20, 35, 42}, {0, 81, 22, 58}, {24, 128, 16, 16}, {0, 149, 41, 211}},
      {{0, 20, 36, 43}, {0, 74, 22, 65}, {33, 96, 15, 14}, {0, 149, 48, 211}},
      {{0, 20, 36, 43}, {44, 27, 12, 24}, {0, 74, 23, 65}, {0, 91, 56, 269}},
      {{0, 20, 36, 43}, {0, 69, 64, 291}, {0, 74, 23, 65}},
      {{0, 20, 36, 43}, {0, 21, 72, 339}, {0, 74, 23, 65}},
      {{0, 20, 37, 43}, {0, 21, 80, 339}},
      {{0, 20, 38, 43}, {0, 21, 88, 339}}};
  std::vector<std::vector<Detection>> frames(100);
  for (const auto& boxes : found) {
    frames.emplace_back();
    for (const Rect& box : boxes) frames.back().push_back(at(box.x, box.y, box.width, box.height));
  }
  for (int i = 0; i < 20; ++i) frames.push_back({at(0, 20, 96 + 8 * i, 340)});
  std::vector<std::vector<int64_t>> wanted(102);
  wanted.resize(frames.size(), {1});
  EXPECT_EQ(ids_of(frames), wanted);
}

TEST(Tracker, SaysSpeedDirectionAndHowFar) {
  Tracker tracker({.min_moved = 50});
  bool seen = false;
  TrackedObject object;
  for (int i = 0; i < 60; ++i) {  // 3 right and 4 up a frame, 10 frames a second
    const auto found = tracker.push({i, i / 10.0}, std::vector{at(50 + 3 * i, 400 - 4 * i)});
    EXPECT_EQ(found.size(), i >= 10 ? 1u : 0u) << "50 pixels are gone after 10 frames";
    if (found.empty()) continue;
    object = found[0];
    if (!std::exchange(seen, true)) {
      EXPECT_EQ(object.from, foot_of({50, 400, 20, 40})) << "where it was first seen";
      EXPECT_EQ(object.first.index, 0);
      EXPECT_EQ(object.hits, 11);
    }
  }
  ASSERT_TRUE(seen);
  EXPECT_NEAR(object.speed(), 50, 0.5);
  EXPECT_NEAR(object.speed_x, 30, 0.5);
  EXPECT_NEAR(object.speed_y, -40, 0.5);
  EXPECT_NEAR(object.direction(), 53.13, 0.5);
  EXPECT_DOUBLE_EQ(object.moved, 59 * 5);
}

TEST(Tracker, OneThatComesBackDidNotMoveOnTheSpot) {
  // A branch: up to 6 pixels to and fro, for ever.
  std::vector<std::vector<Detection>> frames;
  for (int i = 0; i < 100; ++i) frames.push_back({at(50 + std::abs(i % 12 - 6), 50, 60, 60)});
  for (const auto& ids : ids_of(frames, {.min_moved = 10})) EXPECT_TRUE(ids.empty());
  EXPECT_FALSE(ids_of(frames, {.min_moved = 6}).back().empty());
}

TEST(Tracker, RefusesWhatIsNoFrame) {
  const auto refused = [](FrameTime when, std::vector<Detection> detections,
                          std::vector<uint64_t> zones = {}) {
    Tracker tracker;
    tracker.push({5, 1}, {});
    return test::error_of(ErrorCode::invalid_argument,
                          [&] { tracker.push(when, detections, zones); });
  };
  EXPECT_EQ(refused({5, 2}, {}), "tracking: frame 5 follows frame 5; indices must increase");
  EXPECT_EQ(refused({6, NAN}, {}),
            "tracking: frame 6 has the time nan; times must be finite and increase");
  EXPECT_EQ(refused({6, 2}, {at(1, 1, 0, 5)}),
            "tracking: frame 6: a box is 0 x 5 pixels; both sides must be at least 1");
  EXPECT_EQ(refused({6, 2}, {at(1, 1)}, {1, 2}),
            "tracking: there are 1 detections and the zones of 2; the counts must match");
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument, [] { Tracker({.min_iou = 2}); }),
            "tracking: min_iou is 2; it must be 0 to 1");
}

TEST(Tracker, ResetForgetsObjectsAndKeepsCounting) {
  Tracker tracker({.min_hits = 1});
  EXPECT_EQ(tracker.push({0, 0}, std::vector{at(1, 1)})[0].id, 1);
  tracker.reset();
  EXPECT_EQ(tracker.push({0, 0}, std::vector{at(1, 1)})[0].id, 2);
}

}  // namespace
}  // namespace cuesta
