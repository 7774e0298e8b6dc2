// The descriptions of all options, for interfaces that have every operation.
#pragma once

#include "lines/options.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/clean/options.hpp"
#include "ops/convolve/options.hpp"
#include "ops/label/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/morphology/options.hpp"
#include "ops/motion/options.hpp"
#include "ops/regions/options.hpp"
#include "ops/sobel/options.hpp"
#include "recipes/options.hpp"
#include "track/options.hpp"
