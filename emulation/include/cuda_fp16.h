// Halves and pairs of them, each operation rounded once to the nearest, ties to even.
#pragma once

#include <cuda_runtime.h>

struct __half {
  _Float16 value;
};
struct __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half low, __half high) : x(low), y(high) {}
};

namespace emulated {

template <class F, class... Pairs>
__half2 of_halves(const F& f, Pairs... pairs) {
  return {__half{_Float16(f(double(pairs.x.value)...))},
          __half{_Float16(f(double(pairs.y.value)...))}};
}

}  // namespace emulated

// Sums and products of halves are exact in a double, so each is rounded once.
inline __half2 __hadd2(__half2 a, __half2 b) {
  return emulated::of_halves([](double x, double y) { return x + y; }, a, b);
}
inline __half2 __hsub2(__half2 a, __half2 b) {
  return emulated::of_halves([](double x, double y) { return x - y; }, a, b);
}
/// Cut to 0 to 1.
inline __half2 __hsub2_sat(__half2 a, __half2 b) {
  return emulated::of_halves(
      [](double x, double y) { return std::fmin(std::fmax(x - y, 0.0), 1.0); }, a, b);
}
inline __half2 __hmul2(__half2 a, __half2 b) {
  return emulated::of_halves([](double x, double y) { return x * y; }, a, b);
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return emulated::of_halves([](double x, double y, double z) { return x * y + z; }, a, b, c);
}
inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return emulated::of_halves([](double x, double y, double z) { return std::fmax(x * y + z, 0.0); },
                             a, b, c);
}
inline __half2 __hmax2(__half2 a, __half2 b) {
  return emulated::of_halves([](double x, double y) { return std::fmax(x, y); }, a, b);
}
inline __half2 __habs2(__half2 a) {
  return emulated::of_halves([](double x) { return std::fabs(x); }, a);
}
inline __half2 __float2half2_rn(float v) {
  const __half half{_Float16(v)};
  return {half, half};
}
inline __half __int2half_rn(int v) { return {_Float16(double(v))}; }
inline float __low2float(__half2 v) { return float(v.x.value); }
inline float __high2float(__half2 v) { return float(v.y.value); }
inline float2 __half22float2(__half2 v) { return make_float2(__low2float(v), __high2float(v)); }
inline unsigned short __half_as_ushort(__half v) { return std::bit_cast<unsigned short>(v); }
