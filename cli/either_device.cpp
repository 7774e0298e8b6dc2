#include "cli/either_device.hpp"

#include <algorithm>
#include <vector>

#include "core/memory.hpp"
#include "cuesta/device.hpp"

namespace cuesta::cli {
namespace {

constexpr size_t alignment = 256;

size_t bytes_of(ConstAnyView picture) {
  return size_t(detail::row_bytes(picture)) * size_t(picture.height);
}

// A picture like this one, elsewhere and without samples; none where there is none.
AnyView like(ConstAnyView picture, Space space) {
  if (!picture) return {};
  return placeholder(picture.width, picture.height, picture.type, picture.channels, space);
}

// Whether work that `choice` tells of goes to the GPU. With --device auto it does where a
// production strategy takes it there, or the one that is pinned; else -v says why not.
bool may_go_to_gpu(const CommonOptions& common, const Choice& choice) {
  const bool automatic = common.device == "auto";
  std::string why = choice.refusal;
  if (why.empty() && automatic && choice.tier == Tier::baseline && common.strategy.empty())
    why =
        fmt::format("{}: only the plain strategy on the GPU takes this request", choice.operation);
  if (why.empty()) return true;
  if (!automatic) throw Error(ErrorCode::unsupported, why, common.strategy);
  detail_once(fmt::format("running on the CPU: {}", why));
  return false;
}

}  // namespace

EitherDevice::EitherDevice(const CommonOptions& common, Work work)
    : common_(common), work_(std::move(work)) {
  execs_.pinned = common.exec();
  execs_.around.threads = execs_.pinned.threads;
  explainer_.watch(execs_.pinned, common.explain);
  explainer_.watch(execs_.around, common.explain);
  may_use_gpu_ = find_gpu(common, why_not_);
  if (!may_use_gpu_) return;
  gpu_ = current_device();
  execs_.pinned.stream = execs_.around.stream = stream_.emplace().get();
}

void PinnedRoom::reserve(size_t bytes, size_t pictures) {
  used_ = 0;
  const size_t wanted = bytes + pictures * alignment;
  const ConstAnyView have = memory_.view();
  if (have && size_t(have.width) * size_t(have.height) >= wanted) return;
  constexpr size_t row = 4096;
  memory_ = {};  // before the next is taken
  memory_ = PinnedPicture({PixelType::u8, {int32_t(row), int32_t((wanted + row - 1) / row)}});
}

AnyView PinnedRoom::place(ConstAnyView like) {
  const ptrdiff_t stride = detail::row_bytes(like);
  const AnyView made(static_cast<char*>(memory_.view().data) + used_, like.width, like.height,
                     like.channels, stride, like.type);
  used_ += (bytes_of(like) + alignment - 1) / alignment * alignment;
  return made;
}

std::vector<Choice> EitherDevice::ask(std::span<const ConstAnyView> sources, ConstAnyView out,
                                      Space space) const {
  std::vector<ConstAnyView> there;
  for (const ConstAnyView& source : sources) there.push_back(like(source, space));
  std::vector<Choice> choices;
  Execs asking = execs_;
  for (Exec* exec : {&asking.pinned, &asking.around}) {
    exec->choices = &choices;
    exec->observer = nullptr;
  }
  work_(there, like(out, space), asking);
  return choices;
}

void EitherDevice::check(PixelType source, std::optional<PixelType> out) const {
  const ConstAnyView in = placeholder(8, 8, source);
  ask(std::span(&in, 1), out ? placeholder(8, 8, *out) : AnyView(), Space::host);
}

bool EitherDevice::goes_to_gpu(std::span<const ConstAnyView> sources, ConstAnyView out) {
  const auto shape =
      std::tuple(sources[0].type, sources[0].width, sources[0].height, sources[0].channels);
  if (const auto known = decided_.find(shape); known != decided_.end()) return known->second;
  bool goes = false;
  if (may_use_gpu_) {
    const std::vector<Choice> choices = ask(sources, out, Space::device);
    goes = std::all_of(choices.begin(), choices.end(),
                       [&](const Choice& choice) { return may_go_to_gpu(common_, choice); });
  } else if (!why_not_.empty()) {
    detail_once(fmt::format("running on the CPU: {}", std::exchange(why_not_, {})));
  }
  decided_[shape] = goes;
  return goes;
}

void EitherDevice::run(std::initializer_list<ConstAnyView> sources, AnyView out) {
  const std::span<const ConstAnyView> given(sources.begin(), sources.size());
  if (may_use_gpu_) use_device(gpu_);  // frames come on whichever thread
  if (goes_to_gpu(given, out))
    run_on_gpu(given, out);
  else
    work_(given, out, execs_);
  explainer_.end();
}

void EitherDevice::run_on_gpu(std::span<const ConstAnyView> sources, AnyView out) {
  while (sources_.size() < sources.size()) sources_.emplace_back();
  std::vector<ConstAnyView> there;
  size_t bytes = 0;
  for (const ConstAnyView& source : sources) bytes += source ? bytes_of(source) : 0;
  up_.reserve(bytes, sources.size());
  for (const ConstAnyView& source : sources) {
    if (!source) {
      there.emplace_back();
      continue;
    }
    const AnyView copy =
        sources_[there.size()].create(source.size(), source.channels, source.type, Space::device);
    const AnyView staged = up_.place(source);
    cuesta::copy(source, staged);
    upload(staged, copy, stream_->get());
    there.push_back(copy);
  }
  try {
    if (!out) {
      work_(there, {}, execs_);
      return wait(stream_->get());  // the next picture takes the same memory
    }
    const AnyView result = out_.create(out.size(), out.channels, out.type, Space::device);
    work_(there, result, execs_);
    explainer_.end();
    down_.reserve(bytes_of(out), 1);
    const AnyView back = down_.place(out);
    download(result, back, stream_->get());
    cuesta::copy(back, out);
  } catch (...) {
    wait(stream_->get());
    throw;
  }
}

void EitherDevice::explain() const {
  if (common_.explain) print_explanation(explainer_.text());
}

}  // namespace cuesta::cli
