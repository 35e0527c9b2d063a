// SPDX-License-Identifier: Apache-2.0
// Which steps are recorded: --steps and --schedule.
#pragma once

#include <cstdint>
#include <string_view>

#include "inject/core/text.h"

namespace syncline {

// Steps count from 0. Those below `skip_first` are not recorded; then cycles follow, `repeat` of
// them (0: without end), each of `idle` steps that are not recorded and `active` ones that are.
struct StepSchedule {
  uint64_t skip_first = 0;
  uint64_t idle = 0;
  uint64_t active = 0;  // 0: there is no schedule, all steps are recorded
  uint64_t repeat = 0;

  constexpr bool empty() const { return active == 0; }
  constexpr bool Records(uint64_t step) const {
    if (empty()) return true;
    if (step < skip_first) return false;
    const uint64_t cycle = idle + active;
    const uint64_t since = step - skip_first;
    return (repeat == 0 || since / cycle < repeat) && since % cycle >= idle;
  }
  // Whether neither this step nor a later one is recorded.
  constexpr bool IsOver(uint64_t step) const {
    return !empty() && repeat != 0 && step >= skip_first &&
           (step - skip_first) / (idle + active) >= repeat;
  }
};

inline constexpr uint64_t kMostSteps = 1'000'000'000;

// At most nine digits and nothing else. False: it is not.
constexpr bool ParseSteps(std::string_view text, uint64_t* number) {
  if (text.empty() || text.size() > 9) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  *number = value;
  return true;
}

// "5:8": steps 5, 6, 7. "5:": from 5 on. ":8": up to 7. False: not of this form, or no step.
constexpr bool ParseStepWindow(std::string_view text, StepSchedule* out) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  std::string_view end = text;
  end.remove_prefix(colon + 1);
  text.remove_suffix(text.size() - colon);
  uint64_t first = 0, last = kMostSteps;
  if (!text.empty() && !ParseSteps(text, &first)) return false;
  if (!end.empty() && !ParseSteps(end, &last)) return false;
  if ((text.empty() && end.empty()) || last <= first) return false;
  *out = {first, 0, last - first, 1};
  return true;
}

// The keys of torch.profiler.schedule; "skip_first" means skip-first.
enum class ScheduleError : uint8_t { kNone, kUnknownKey, kBadNumber, kNoActive };

struct ParsedSchedule {
  StepSchedule schedule;
  ScheduleError error = ScheduleError::kNone;
  std::string_view word;  // the one that is wrong
};

// "wait=4 warmup=1 active=3 repeat=1 skip-first=0", in any order, separated by spaces or commas;
// what is not named is 0. Warm-up steps are not recorded: what they are for, that collectors run,
// holds anyway. `list` must last as long as what is returned.
inline ParsedSchedule ParseSchedule(std::string_view list) {
  ParsedSchedule out;
  uint64_t wait = 0, warmup = 0;
  while (!list.empty()) {
    std::string_view word = list;
    const size_t end = list.find_first_of(", ");
    if (end != std::string_view::npos) word.remove_suffix(list.size() - end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    if (word.empty()) continue;
    out.word = word;
    std::string_view key = word, value;
    if (const size_t equals = word.find('='); equals != std::string_view::npos) {
      value = word;
      value.remove_prefix(equals + 1);
      key.remove_suffix(word.size() - equals);
    }
    uint64_t* field = key == "wait"                                ? &wait
                      : key == "warmup"                            ? &warmup
                      : key == "active"                            ? &out.schedule.active
                      : key == "repeat"                            ? &out.schedule.repeat
                      : key == "skip-first" || key == "skip_first" ? &out.schedule.skip_first
                                                                   : nullptr;
    out.error = field == nullptr            ? ScheduleError::kUnknownKey
                : !ParseSteps(value, field) ? ScheduleError::kBadNumber
                                            : ScheduleError::kNone;
    if (out.error != ScheduleError::kNone) return out;
  }
  out.schedule.idle = wait + warmup;
  if (out.schedule.empty()) out.error = ScheduleError::kNoActive;
  return out;
}

}  // namespace syncline
