#include "bench/production/production.hpp"

#include <algorithm>
#include <utility>

namespace cuesta::bench {
namespace {

const char* name_of(Measure measure) {
  switch (measure) {
    case Measure::copies: return "times a copy";
    case Measure::picture: return "us a picture";
    case Measure::bandwidth: return "of a copy's bandwidth";
    case Measure::aligned: return "times the aligned";
    case Measure::natural: return "times the natural";
  }
  return "";
}

void add_goal(Session& session, const ProductionRow& request) {
  const ConstAnyView src = request.work.sources.at(0);
  const std::pair<const char*, double> values[] = {{"reach", request.goal.reach},
                                                   {"stretch", request.goal.stretch}};
  for (const auto& [subject, value] : values) {
    if (value <= 0) continue;
    session.add_figure({.experiment = production,
                        .parameters = request.work.parameters,
                        .width = src.width,
                        .height = src.height,
                        .source = "goal",
                        .subject = subject,
                        .detail = request.beside,
                        .what = name_of(request.goal.measure),
                        .value = value});
  }
}

void measure(Session& session, ProductionRow& request) {
  Work& work = request.work;
  work.automatic = !session.every_row();
  if (session.every_row())
    work.takes = [](const StrategyDescription& row) { return row.tier == Tier::production; };
  work.reference.clear();  // the serial one would take minutes
  // A quick run is for the GPU's figures.
  work.host = !session.gpu() || !session.quick();
  add_goal(session, request);
  session.measure(work, [&](Row& row) {
    if (request.pictures > 1) row.statistics.emplace_back("pictures a call", request.pictures);
  });
}

// Three columns less, a sample past an aligned address, and rows of an odd length.
ProductionRow oddly(const ProductionRow& request) {
  ProductionRow odd = request;
  odd.beside = request.work.parameters;
  odd.goal = {1.15, 0, Measure::aligned};
  Work& work = odd.work;
  work.parameters += ", odd";
  const ConstAnyView src = work.sources[0];
  work.sources = {src.region({0, 0, src.width - 3, src.height})};
  work.placement = {.offset = 1, .padding = 2};
  work.opencv = {};
  work.npp = {};
  return odd;
}

}  // namespace

void bench_production(Session& session) {
  const bool gpu = session.gpu() != nullptr;
  const auto usual = !gpu              ? std::vector<int32_t>{512}
                     : session.quick() ? std::vector<int32_t>{1024, 8192}
                                       : std::vector<int32_t>{512, 1024, 2048, 4096, 8192, 16384};
  for (const int32_t side : session.sizes(usual)) {
    // Below, launches alone would be compared.
    const bool variants = gpu && side >= 1024 && side <= (session.quick() ? 2048 : 8192);
    ProductionPictures pictures(session, side);
    for (ProductionRow& request : production_requests(session, pictures, variants)) {
      measure(session, request);
      if (!request.oddly) continue;
      ProductionRow odd = oddly(request);
      measure(session, odd);
    }
  }
  if (!gpu) return;  // the host's detector is in experiment `cpu`
  Video video;
  for (ProductionRow& request : detector_requests(session, video)) measure(session, request);
}

}  // namespace cuesta::bench
