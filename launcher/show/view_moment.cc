// SPDX-License-Identifier: Apache-2.0
// The time of a trace counts from its base, not from its begin.
#include "launcher/show/view_moment.h"

#include <algorithm>

#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr uint64_t kBeforeNs = 10'000'000;
constexpr uint64_t kVisibleNs = 50'000'000;
constexpr size_t kMostDigits = 9;  // before the point, and behind it

uint64_t UnitOf(std::string_view name) {
  if (name.empty() || name == "s") return 1'000'000'000;
  if (name == "ms") return 1'000'000;
  if (name == "us") return 1'000;
  return name == "ns" ? 1 : 0;
}

}  // namespace

bool ParseMoment(std::string_view text, uint64_t* ns) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const uint64_t unit = UnitOf(text.substr(number_end));
  const std::string_view number = text.substr(0, number_end);
  const size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view part = point == number.size() ? "" : number.substr(point + 1);
  const size_t most = unit == 1 ? 2 * kMostDigits : kMostDigits;
  if (unit == 0 || whole.empty() || whole.size() > most || part.size() > kMostDigits ||
      part.find('.') != std::string_view::npos)
    return false;
  uint64_t value = 0;
  for (const char c : whole) value = 10 * value + kDigits.find(c);
  value *= unit;
  uint64_t worth = unit;
  for (const char c : part) value += kDigits.find(c) * (worth /= 10);
  *ns = value;
  return true;
}

std::string ManifestOfTrace(const std::string& trace) {
  const size_t slash = trace.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  return Text(trace.substr(0, name), "run/", trace.substr(name, trace.find('.', name) - name),
              ".json");
}

std::string VisibleAt(const RankManifest& manifest, uint64_t at_ns) {
  const uint64_t base = manifest.base_time.ns;
  if (manifest.begin_ns < base || manifest.end_ns <= manifest.begin_ns) return "";
  const uint64_t length = manifest.end_ns - manifest.begin_ns;
  const uint64_t width = std::min(length, kVisibleNs);
  const uint64_t from = std::min(at_ns < kBeforeNs ? 0 : at_ns - kBeforeNs, length - width);
  const uint64_t begin = manifest.begin_ns - base + from;
  return Text("&visStart=", begin, "&visEnd=", begin + width);
}

}  // namespace syncline
