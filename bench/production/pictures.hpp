// The pictures of experiment `production`: a natural one in every type that is requested, and the
// worst that we know.
#pragma once

#include <cstdint>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// Pictures of side × side, each made when it is first asked for, the same bytes in every run with
/// the same photographs.
class ProductionPictures {
 public:
  ProductionPictures(Session& session, int32_t side) : session_(session), side_(side) {}
  int32_t side() const { return side_; }

  /// Session::photograph in mirrored tiles with noise of 0 to 15, so that no two tiles are alike.
  const Image<uint8_t>& natural();
  const Image<uint16_t>& words();
  const Image<float>& floats();
  const Image<uint8_t>& rgb();
  /// What of the natural picture is above 127.
  const Image<uint8_t>& mask();
  /// The natural one with other noise.
  const Image<uint8_t>& next();

  /// One path from the corner to the middle, whose edges are weak but where it begins: hysteresis
  /// follows them all the way.
  const Image<uint8_t>& weak_spiral();
  const Image<uint8_t>& noise();
  /// Lines of one pixel, four apart in both directions: a strong edge nearly everywhere.
  const Image<uint8_t>& dense_grid();

  /// Masks. A path of one pixel, one pixel apart: the longest component.
  const Image<uint8_t>& spiral_mask();
  const Image<uint8_t>& noise_mask();
  /// Every second pixel of every second row: the most components.
  const Image<uint8_t>& grid_mask();

 private:
  Session& session_;
  int32_t side_;
  Image<uint8_t> natural_, next_, rgb_, mask_, weak_spiral_, noise_, dense_grid_;
  Image<uint8_t> spiral_mask_, noise_mask_, grid_mask_;
  Image<uint16_t> words_;
  Image<float> floats_;
};

/// Whether a cell of a grid of n × n is on the spiral that begins in its first cell and turns
/// inwards clockwise, a cell wide and a cell apart.
bool on_spiral(int32_t x, int32_t y, int32_t n);

}  // namespace cuesta::bench
