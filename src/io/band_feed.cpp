#if defined(CUESTA_HAS_PICTURES)
#include "io/band_feed.hpp"

#include <cstring>
#include <tuple>

namespace cuesta::io {
namespace {

void copy_rows(ConstAnyView from, int32_t first, int32_t count, AnyView to, int32_t at) {
  const size_t bytes =
      size_t(from.width) * size_t(from.channels) * size_t(bytes_per_sample(from.type));
  for (int32_t i = 0; i < count; ++i) {
    std::memcpy(row_at(to, at + i),
                static_cast<const char*>(from.data) + ptrdiff_t(first + i) * from.stride_bytes,
                bytes);
  }
}

}  // namespace

char* row_at(AnyView view, int32_t y) {
  return static_cast<char*>(view.data) + ptrdiff_t(y) * view.stride_bytes;
}

BandFeed::BandFeed(const std::filesystem::path& source, const BandSettings& settings,
                   const BandWork& work, int32_t band_rows)
    : source_(source, settings.limits, settings.region),
      reach_(work.reach),
      band_rows_(band_rows),
      wraps_(work.wraps),
      pinned_(!settings.devices.empty()),
      facts_(source_.facts()) {
  if (!wraps_) return;
  PictureRows ends(source, settings.limits, settings.region);
  const auto [size, channels, type] = std::tuple(facts().size, facts().channels, facts().type);
  const int32_t kept = std::min(reach_, size.height);
  for (AnyImage* part : {&head_, &tail_}) part->create({size.width, kept}, channels, type);
  if (kept == 0) return;
  ends.read(0, head_);
  const int32_t rest = std::max(kept, size.height - kept), again = size.height - kept;
  copy_rows(head_, again, rest - again, tail_, 0);
  if (rest < size.height)
    ends.read(rest, AnyView(tail_).region({0, rest - again, size.width, size.height - rest}));
}

bool BandFeed::take(Band& band, const Band* before) {
  const int32_t height = facts().size.height;
  if (next_ >= height) return false;
  band.begin = next_;
  band.end = int32_t(std::min<int64_t>(height, int64_t(next_) + band_rows_));
  band.low = wraps_ ? band.begin - reach_ : std::max(0, band.begin - reach_);
  band.high =
      int32_t(wraps_ ? band.end + reach_ : std::min<int64_t>(height, int64_t(band.end) + reach_));
  const Size size{facts().size.width, band.high - band.low};
  band.rows.reserve({facts().type, size, facts().channels}, pinned_);
  const AnyView rows = band.rows.view();
  int32_t have = band.low;  // rows before it are there
  if (before && before->high > have) {
    copy_rows(before->rows.view(), have - before->low, std::min(before->high, band.high) - have,
              rows, 0);
    have = std::min(before->high, band.high);
  }
  const auto wrapped = [&](int32_t end) {
    for (; have < end; ++have) {
      const int32_t y = ((have % height) + height) % height, kept = head_.height();
      const bool in_head = y < kept;
      copy_rows(in_head ? head_ : tail_, in_head ? y : y - (height - kept), 1, rows,
                have - band.low);
    }
  };
  wrapped(std::min(0, band.high));
  if (const int32_t end = std::min(height, band.high); have < end) {
    const AnyView wanted = rows.region({0, have - band.low, size.width, end - have});
    kept_ ? kept_->read(have, wanted) : source_.read(have, wanted);
    have = end;
  }
  wrapped(band.high);
  next_ = band.end;
  return true;
}

}  // namespace cuesta::io
#endif
