// Steps of u8 by an octagon (octagon.hpp), of `fused`, in one pass over memory: what
// octagon_bits.cu does to words of bits, to a strip's lanes of 16 samples. 10 joins a pair of
// samples for disk:15, most of them of three. Earlier rows stay in registers, four samples each.
// Bound by the integer pipe.
#include "ops/morphology/join.cuh"
#include "ops/morphology/octagon.hpp"

namespace cuesta {
namespace {

using namespace morphology_cuda;
using cuda::Packed;
using cuda::Pairs;

using Row = Packed<uint8_t>;
template <int Length>
using Kept = Folded<uint8_t, Length>;

/// Joins with itself moved by K to all four sides, of the row K above the newest.
template <class J, int K>
struct FourPoints {
  Kept<2 * K> rows;
  __device__ __forceinline__ Pairs push(const Pairs& v) {
    const Pairs middle = rows.back(K), ends = J::of(v, rows.back(2 * K));
    rows.push(v);
    return J::of(ends, cuda::before<K>(middle), cuda::after<K>(middle));
  }
};

template <class J, int Square, int Rhombus>
class OctagonStep {
 public:
  static constexpr int reach = Square + Rhombus + 1, round = round_rows;
  static constexpr int min_marches = 8, ahead = 4;

  __device__ __forceinline__ Row push(const Row& in) {
    const Pairs v = cuda::pairs_of<uint8_t>(in);
    Pairs all = down_.push(across<J, Square>(v));
    if constexpr (Rhombus >= 1) all = one_.push(all);
    if constexpr (Rhombus >= 2) all = two_.push(all);
    const Row out =
        cuda::packed_of<uint8_t>(J::of(cuda::unfold<uint8_t>(octagon_), tips_.back(reach), v));
    tips_.push(J::of(cuda::pairs_of<uint8_t>(rows_.line.back(reach)), cuda::before<reach>(v),
                     cuda::after<reach>(v)));
    rows_.push(in);
    octagon_ = cuda::fold<uint8_t>(all);
    return out;
  }

 private:
  Down<J, Kept, Square> down_;
  FourPoints<J, 1> one_;
  FourPoints<J, Rhombus == 3 ? 2 : 1> two_;
  Row octagon_ = {};
  Kept<reach> rows_, tips_;
};

template <int Square, int Rhombus>
struct Of {
  template <class J>
  using Step = OctagonStep<J, Square, Rhombus>;
};

}  // namespace

void morphology_cuda::step_by_octagon(ConstAnyView src, AnyView dst, const morph::Octagon& octagon,
                                      const Rule& rule, Call& call) {
  // Marches a multiprocessor, two waves of eight. (H200, 2026-11-22, 8192²: marches of 50, 74, 82
  // and 106 rows 0.090, 0.085, 0.091 and 0.095 ms.)
  constexpr int marches = 16;
  switch (octagon.square * 4 + octagon.rhombus) {
    case 2 * 4 + 0: return launch_step<Of<2, 0>::Step, uint8_t>(src, dst, rule, marches, call);
    case 2 * 4 + 1: return launch_step<Of<2, 1>::Step, uint8_t>(src, dst, rule, marches, call);
    case 3 * 4 + 1: return launch_step<Of<3, 1>::Step, uint8_t>(src, dst, rule, marches, call);
    case 3 * 4 + 2: return launch_step<Of<3, 2>::Step, uint8_t>(src, dst, rule, marches, call);
    default: return launch_step<Of<3, 3>::Step, uint8_t>(src, dst, rule, marches, call);
  }
}

}  // namespace cuesta
