// Everything Cuesta offers without files: edges, filters, objects, lines, motion, tracking.
#pragma once

#include "cuesta/batch.hpp"
#include "cuesta/border.hpp"
#include "cuesta/device.hpp"
#include "cuesta/device_components.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/error.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/image.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/stencil.hpp"
#include "cuesta/tracking.hpp"
#include "cuesta/typed.hpp"
#include "cuesta/version.hpp"
