// What recipes on files share: steps on a band's rows, and the ways to GPUs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/round_trip.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/recipes/recipe.hpp"
#include "io/bands.hpp"

namespace cuesta::io {

/// Runs steps on a band's rows, into memory that the next band takes again; empty without steps.
inline std::function<ConstAnyView(ConstAnyView)> maker(recipes::Steps steps, const Exec& caller) {
  if (steps.empty()) return {};
  const auto holder = std::make_shared<AnyImage>();
  const Exec exec{.threads = caller.threads};  // a pinned strategy is another operation's
  return [holder, steps = std::move(steps), execs = recipes::Execs{exec, exec}](ConstAnyView rows) {
    const recipes::Step& last = steps.back();
    if (holder->height() < rows.height || holder->width() != rows.width)
      holder->create(rows.size(), last.channels, last.type);
    AnyView made = *holder;
    made.height = rows.height;
    recipes::run_steps(steps, rows, made, execs);
    return ConstAnyView(made);
  };
}

inline recipes::PictureKind kind_of(const PictureFacts& facts) {
  return {facts.type, facts.channels, facts.has_alpha};
}

/// Says why a file cannot be worked on in rows; empty where it can.
std::string needs_whole(const std::filesystem::path& source, const BandSettings& settings);
/// Reads a picture that cannot be divided into bands, for the reason `why`, within the memory of
/// bands. Throws TooMuchMemory with the reason.
Picture read_whole(const std::filesystem::path& source, const BandSettings& settings,
                   std::string_view why);

/// The way to a GPU for each of the bands that are worked on concurrently, in turn; none to the
/// CPU.
class Ways {
 public:
  explicit Ways(std::vector<int> devices) : devices_(std::move(devices)) {}
  std::shared_ptr<RoundTrip> next() {
    if (devices_.empty()) return {};
    return std::make_shared<RoundTrip>(devices_[turn_++ % devices_.size()]);
  }

 private:
  std::vector<int> devices_;
  size_t turn_ = 0;
};

/// The caller's, on that way's stream.
inline Exec on(const std::shared_ptr<RoundTrip>& gpu, const Exec& exec) {
  return gpu ? gpu->exec(exec) : exec;
}

}  // namespace cuesta::io
