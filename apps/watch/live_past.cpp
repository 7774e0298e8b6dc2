#include "apps/watch/live_past.hpp"

#include <algorithm>

#include "apps/watch/base64.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kept = int64_t(LiveBoard::events_kept);

// Whether the page can show it.
bool is_shown(const Json& about) {
  const auto are = [&](const char* key, auto is_one) {
    const Json& list = about.at(key);
    return list.is_array() && list.size() <= 256 && std::ranges::all_of(list, is_one);
  };
  const auto is_text = [](const Json& one) { return one.is_string(); };
  const auto is_way = [](const Json& one) {
    return one.at("line").is_string() && one.at("to").is_string() &&
           one.at("count").is_number_integer();
  };
  return about.at("state").is_string() && about.at("start").is_number() &&
         about.at("end").is_number() && about.at("start_clock").is_string() &&
         about.at("objects").is_number_integer() &&
         about.at("best").at("frame").is_number_integer() && are("zones", is_text) &&
         are("crossings", is_way);
}

}  // namespace

LivePast::LivePast(const std::string& folder, const fs::path& clips, uint64_t mask)
    : clips_(clips), mask_(mask), lock_(lock_folder(folder, "--live-history")) {
  journal_.emplace(fs::path(folder) / "live.ndjson",
                   [this](const std::string& key, const Json& value) { return take(key, value); });
}

bool LivePast::take(const std::string& key, const Json& value) {
  if (key.starts_with("event/")) return take_event(value);
  if (!key.starts_with("picture/")) return history.take(key, value);
  const auto picture = from_base64(value.at("jpeg").get_ref<const std::string&>());
  const auto event = events.find(value.at("id").get<int64_t>());
  const bool may_be_seen = mask_ == 0 || value.at("mask").get<uint64_t>() == mask_;
  if (picture && may_be_seen && event != events.end())
    event->second.picture = std::make_shared<const std::string>(*picture);
  return picture.has_value();
}

bool LivePast::take_event(const Json& value) {
  LiveEvent event{.id = value.at("id").get<int64_t>(), .about = value.at("about")};
  if (event.id < 1 || event.id > int64_t(1) << 50 || !is_shown(event.about)) return false;
  event.about["id"] = event.id;
  event.about["state"] = "ended";  // by now
  const fs::path clip = value.at("clip").get<std::string>();
  const bool may_be_seen = mask_ == 0 || value.at("mask").get<uint64_t>() == mask_;
  std::error_code error;
  if (may_be_seen && !clips_.empty() && clip == clip.filename() &&
      fs::is_regular_file(clips_ / clip, error))
    event.clip = clips_ / clip;
  if (const auto known = events.find(event.id); known != events.end())
    event.picture = known->second.picture;
  events[event.id] = std::move(event);
  while (events.begin()->first <= events.rbegin()->first - kept) events.erase(events.begin());
  return true;
}

void LivePast::put(const LiveEvent& event, const Jpeg& picture) {
  const int64_t slot = event.id % kept;
  journal_->put(fmt::format("event/{}", slot), {{"id", event.id},
                                                {"mask", mask_},
                                                {"about", event.about},
                                                {"clip", event.clip.filename().string()}});
  if (!picture) return;
  const std::span bytes(reinterpret_cast<const uint8_t*>(picture->data()), picture->size());
  journal_->put(fmt::format("picture/{}", slot),
                {{"id", event.id}, {"mask", mask_}, {"jpeg", base64(bytes)}});
}

void LivePast::flush(MotionHistory& now) {
  now.save(*journal_);
  journal_->flush();
}

}  // namespace cuesta::cli
