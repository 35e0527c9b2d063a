// SPDX-License-Identifier: Apache-2.0
// How late any of the times so far ends says where the look back may stop.
#include "launcher/show/lent_threads.h"

#include <algorithm>

#include "model/devices/source_facts.h"

namespace syncline {

void LentThreads::AddRow(uint64_t process, uint64_t thread, std::string_view name) {
  if (IsHelperThread(name)) helpers_.emplace(process, thread);
}

bool LentThreads::IsLent(std::string_view name, std::string_view domain) {
  return std::any_of(kSourceFacts, kSourceFacts + kSourceFactsCount, [&](const SourceFacts* each) {
    return !each->backward_range.empty() && domain == each->name &&
           name.starts_with(each->backward_range);
  });
}

void LentThreads::Finish() {
  // What a helper asks for itself is a part of what it was asked for.
  std::erase_if(times_, [this](const LentTime& time) {
    return helpers_.contains({time.process, time.thread});
  });
  std::sort(times_.begin(), times_.end(),
            [](const LentTime& a, const LentTime& b) { return a.begin_ns < b.begin_ns; });
  for (const LentTime& time : times_)
    latest_end_.push_back(std::max(latest_end_.empty() ? 0 : latest_end_.back(), time.end_ns));
}

void LentThreads::EachFor(uint64_t process, uint64_t thread, uint64_t ns,
                          const std::function<bool(const LentTime&)>& take) const {
  if (!helpers_.contains({process, thread})) return;
  auto next = static_cast<size_t>(
      std::upper_bound(times_.begin(), times_.end(), ns,
                       [](uint64_t at, const LentTime& time) { return at < time.begin_ns; }) -
      times_.begin());
  while (next > 0 && latest_end_[next - 1] > ns) {
    const LentTime& time = times_[--next];
    if (time.process == process && time.end_ns > ns && take(time)) return;
  }
}

}  // namespace syncline
