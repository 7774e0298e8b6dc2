// Strategy `plain`: the definition, stage after stage through device memory, a thread a pixel.
#include <array>

#include "cuda/launch.cuh"
#include "cuda/marks.cuh"
#include "ops/boundaries/cuda.hpp"
#include "ops/boundaries/pixels.hpp"

namespace cuesta {
namespace {

using namespace boundary;

using Plane = ImageView<int32_t, Space::device>;

// ---- stages: what a thread does with its pixel

struct Channels {
  int32_t count;
  Plane of[3];
};

template <class T>
struct Respond {
  ImageView<const T, Space::device> src;
  Channels to;
  std::array<uint8_t, 256> table;

  __device__ void operator()(int32_t x, int32_t y) const {
    const Opponents found = opponents_at(src, table.data(), x, y);
    for (int32_t c = 0; c < to.count; ++c) to.of[c].at(x, y) = found.of[c];
  }
};

struct Reduce {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = reduced(from, x, y); }
};

// fine + E(coarse)
struct AddExpanded {
  Plane coarse, fine, to;
  __device__ void operator()(int32_t x, int32_t y) const {
    to.at(x, y) = fine.at(x, y) + expanded(coarse, x, y);
  }
};
struct Expand {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = expanded(from, x, y); }
};
struct Double {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = 2 * from.at(x, y); }
};

struct MeasureActivity {
  Channels from;
  Plane to;
  __device__ void operator()(int32_t x, int32_t y) const {
    to.at(x, y) = activity(tensor_at(from.of, from.count, x, y));
  }
};
struct Smooth {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = smoothed(from, x, y); }
};
struct Limit {
  int64_t threshold;
  Plane surround;
  __device__ void operator()(int32_t x, int32_t y) const {
    surround.at(x, y) = limit(threshold, surround.at(x, y));
  }
};

struct MeasureStrength {
  Channels from;
  Plane strengths, octants;
  __device__ void operator()(int32_t x, int32_t y) const {
    const Tensor j = tensor_at(from.of, from.count, x, y);
    strengths.at(x, y) = strength(j);
    octants.at(x, y) = octant(j);
  }
};

struct MarkMaxima {
  Plane strengths, octants, limits;
  ImageView<uint8_t, Space::device> marks;
  __device__ void operator()(int32_t x, int32_t y) const {
    marks.at(x, y) = mark_at(strengths, octants, limits, x, y);
  }
};
static_assert(uint8_t(none) == cuda::no_mark && uint8_t(candidate) == cuda::candidate_mark &&
              uint8_t(strong) == cuda::strong_mark);

// ---- the order of the stages

class Stages {
 public:
  Stages(const BoundariesArgs& args, Call& call) : args_(args), call_(call) {}

  void run() {
    call_.stage("pyramid");
    const Channels first = responses_of_source();
    Channels sums{first.count};
    for (int32_t c = 0; c < first.count; ++c) {
      const Plane second = level_above(first.of[c]), third = level_above(second);
      each(third, Double{third, third});
      sums.of[c] = added(first.of[c], added(second, third));
    }
    call_.stage("surround");
    const Plane limits = surround_limits(first);
    call_.stage("strength");
    const Plane half_strengths = like(first.of[0]), octants = like(first.of[0]);
    each(octants, MeasureStrength{sums, half_strengths, octants});
    const Plane strengths = plane(args_.src.width, args_.src.height);
    each(strengths, Expand{half_strengths, strengths});
    call_.stage("suppression");
    const auto marks =
        call_.scratch().image<uint8_t, Space::device>(args_.src.width, args_.src.height);
    each(strengths, MarkMaxima{strengths, octants, limits, marks});
    call_.stage("hysteresis");
    cuda::join_marks("boundaries", marks, args_.dst.as<uint8_t, Space::device>(), false, call_);
  }

 private:
  template <class Body>
  void each(const Plane& of, const Body& body) {
    cuda::for_each_pixel("boundaries", of.width, of.height, body, call_);
  }
  Plane plane(int32_t width, int32_t height) {
    return call_.scratch().image<int32_t, Space::device>(width, height);
  }
  Plane like(const Plane& other) { return plane(other.width, other.height); }
  Plane level_above(const Plane& from) {
    const Plane to = plane(half(from.width), half(from.height));
    each(to, Reduce{from, to});
    return to;
  }
  Plane added(const Plane& fine, const Plane& coarse) {
    const Plane to = like(fine);
    each(to, AddExpanded{coarse, fine, to});
    return to;
  }

  Channels responses_of_source() {
    Channels to{args_.src.channels};
    for (int32_t c = 0; c < to.count; ++c)
      to.of[c] = plane(half(args_.src.width), half(args_.src.height));
    if (args_.src.type == PixelType::u8)
      respond<uint8_t>(to);
    else
      respond<uint16_t>(to);
    return to;
  }
  template <class T>
  void respond(const Channels& to) {
    each(to.of[0], Respond<T>{args_.src.as<T, Space::device>(), to, responses()});
  }

  Plane surround_limits(const Channels& first) {
    Plane around = like(first.of[0]);
    each(around, MeasureActivity{first, around});
    for (int level = 1; level < 4; ++level) around = level_above(around);
    for (int time = 0; time < 2; ++time) {
      const Plane to = like(around);
      each(to, Smooth{around, to});
      around = to;
    }
    each(around, Limit{fixed_threshold(args_.options), around});
    return around;
  }

  const BoundariesArgs& args_;
  Call& call_;
};

}  // namespace

void boundary_cuda::plain(const BoundariesArgs& args, Call& call) { Stages(args, call).run(); }

}  // namespace cuesta
