// What the clean strategies share, and their entries.
#pragma once

#include <vector>

#include "cuesta/objects.hpp"
#include "ops/clean/args.hpp"
#include "ops/shared/mask_at.hpp"

namespace cuesta {

/// Whether pixels of this component change, at label - 1; of all components in label order.
std::vector<uint8_t> changes(const CleanArgs& args, std::span<const Component> components);

/// Strategy `serial`.
void clean_serial(const CleanArgs& args, Call& call);
/// Strategy `labels`.
void clean_labels(const CleanArgs& args, Call& call);

}  // namespace cuesta
