// The one argument of every strategy of the background models. The public entry has checked all of
// it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/motion.hpp"

namespace cuesta {

struct BackgroundArgs {
  static constexpr std::string_view operation = "background";
  static constexpr std::string_view summary = "models of the background of a video";
  static std::span<const Strategy<BackgroundArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<BackgroundArgs>> cases(verify::Level level);  // cases.cpp

  BackgroundModel model = BackgroundModel::first;
  bool founds = false;      // the frame founds the state, whatever it holds
  int32_t rate = 1;         // learn at 2^-rate, 1..12
  int32_t dither = 0;       // added before dividing by 2^rate, 0..2^rate − 1
  double limit = 0;         // not NaN
  ConstAnyView frame{};     // u8
  AnyView state{};          // background::layout_of(model): plane p of row y is row y · planes + p
  BackgroundOutputs out{};  // of the frame's size

  Space space() const { return frame.space; }
  PixelType type() const { return frame.type; }
};

}  // namespace cuesta
