#include "bench/profile/asked.hpp"

#include <algorithm>
#include <cctype>
#include <memory>

#include "bench/papers/climb.hpp"
#include "bench/production/production.hpp"
#include "cuesta/device.hpp"

namespace cuesta::bench {
namespace {

// "model-f32-gaussian-5x5-1024"
std::string name_of(const Work& work, std::string_view kind) {
  const ConstAnyView src = work.sources.at(0);
  std::string name = std::string(kind) + "-" + std::string(cuesta::name_of(src.type)) + "-" +
                     work.parameters + "-" + std::to_string(src.width);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.') c = '-';
  return name;
}

AnyImage picture(ConstAnyView like, PixelType type, int32_t channels) {
  return type == PixelType::none ? AnyImage()
                                 : AnyImage(like.width, like.height, channels, type, Space::device);
}

// What a call without a name takes on the GPU; empty where there is none.
std::string chosen(const Work& work) {
  if (list_devices().empty()) return {};
  const ConstAnyView src = work.sources.at(0);
  const AnyView from = placeholder(src.width, src.height, src.type, src.channels, Space::device);
  const AnyView to = work.result == PixelType::none
                         ? AnyView()
                         : placeholder(src.width, src.height, work.result, 1, Space::device);
  for (const Choice& choice :
       which_all([&](const Exec& exec) { work.call(from, to, exec); }, Exec{}))
    if (choice.operation == work.operation) return std::string(choice.strategy);
  return {};
}

}  // namespace

Asked asked_of(const Work& work, std::string_view kind) {
  const ConstAnyView src = work.sources.at(0);
  const std::string type(cuesta::name_of(src.type));
  return {work.operation,
          name_of(work, kind),
          type + ", " + work.parameters,
          src.width,
          src.height,
          [&work, src](Pictures*, const Exec& exec) {
            const auto from = std::make_shared<AnyImage>(picture(src, src.type, src.channels));
            const auto to = std::make_shared<AnyImage>(picture(src, work.result, 1));
            upload(src, *from);
            return [&work, from, to, exec] { work.call(*from, *to, exec); };
          },
          work.parameters,
          type};
}

const std::vector<Asked>& climb_asked() {
  static Result result;
  static const Settings settings;
  static Session session(settings, result, nullptr);
  static const ClimbPictures pictures(session, 2048);
  static const std::vector<Work> works = climb_works(session, pictures);
  static const std::vector<Image<uint8_t>> video = climb_video(2048);
  static const Work detector = climb_detector_work(session, video);
  static const std::vector<Asked> all = [] {
    std::vector<Asked> asked;
    for (const Work& work : works) asked.push_back(asked_of(work, "climb"));
    asked.push_back(asked_of(detector, "climb"));
    // The first call initialises the background, before the profiler looks.
    asked.back().prepare = [first = asked.back().prepare](Pictures* given, const Exec& exec) {
      std::function<void()> call = first(given, exec);
      call();
      return call;
    };
    return asked;
  }();
  return all;
}

const std::vector<Asked>& production_asked(const std::vector<std::string_view>& operations) {
  constexpr int32_t side = 8192;
  static Result result;
  static const Settings settings;
  static Session session(settings, result, nullptr);
  static ProductionPictures pictures(session, side);
  static const std::vector<ProductionRow> works = production_requests(session, pictures, false);
  static const std::vector<Asked> all = [&] {
    std::vector<Asked> asked;
    for (const ProductionRow& request : works) {
      const Work& work = request.work;
      if (!operations.empty() &&
          std::find(operations.begin(), operations.end(), work.operation) == operations.end())
        continue;
      asked.push_back(asked_of(work, "production"));
      asked.back().takes = [name = chosen(work)](const StrategyDescription& strategy) {
        return name.empty() ? strategy.tier == Tier::production : strategy.name == name;
      };
    }
    return asked;
  }();
  return all;
}

}  // namespace cuesta::bench
