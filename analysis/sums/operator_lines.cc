// SPDX-License-Identifier: Apache-2.0
// Operators wait for the one around them, and what goes back waits until its number is counted: the
// records of two threads come in no order.
#include "analysis/sums/operator_lines.h"

#include <algorithm>

#include "inject/core/domain_marks.h"

namespace syncline {
namespace {

constexpr uint32_t kNoLine = 0;
constexpr uint32_t kOtherGroup = UINT32_MAX;
constexpr size_t kMostOpen = 1 << 14;  // within one operator
constexpr size_t kMostWaiting = 1 << 12;
constexpr size_t kMostCounted = 1 << 20;

}  // namespace

uint32_t OperatorLines::LineOf(const CodeStack* stack) {
  if (stack == nullptr) return kNoLine;
  const std::string& where = places_.WhereOf(stack);
  if (where.empty()) return kNoLine;
  const auto [known, is_new] =
      line_numbers_.try_emplace(where, static_cast<uint32_t>(lines_.size()));
  if (is_new) lines_.push_back(where);
  return known->second;
}

void OperatorLines::Place(const Calls& calls, uint32_t line) {
  for (const Call& call : calls) {
    const std::pair<uint32_t, uint32_t> key(call.name, line);
    const bool fits = groups_.size() < kMostGroups || groups_.contains(key);
    groups_[fits ? key : std::pair(kOtherGroup, kNoLine)].Add(call.sums);
  }
}

void OperatorLines::Count(const Calls& calls, uint32_t line, ForwardThread* thread) {
  int64_t first = INT64_MAX, last = -1;
  for (const Call& call : calls) {
    if (call.sequence < 0) continue;
    first = std::min(first, call.sequence);
    last = std::max(last, call.sequence);
  }
  if (last < 0) return;
  std::vector<Counted>& all = thread->counted;
  // One that makes nothing to go back through has the number of the next one that does, which comes
  // later and so is found.
  if (!all.empty() && all.back().line == line && first <= all.back().last + 1 &&
      first >= all.back().first) {
    all.back().last = std::max(all.back().last, last);
  } else {
    if (all.size() == kMostCounted) all.erase(all.begin(), all.begin() + kMostCounted / 2);
    all.push_back({first, last, line});
  }
  Settle(first, thread);
}

void OperatorLines::Settle(int64_t known, ForwardThread* thread) {
  const auto settled = [&](const Waiting& waiting) {
    if (waiting.sequence >= known) return false;
    const std::vector<Counted>& all = thread->counted;
    const auto behind =
        std::upper_bound(all.begin(), all.end(), waiting.sequence,
                         [](int64_t wanted, const Counted& one) { return wanted < one.first; });
    const bool counted = behind != all.begin() && (behind - 1)->last >= waiting.sequence;
    Place(waiting.calls, counted ? (behind - 1)->line : kNoLine);
    return true;
  };
  std::erase_if(thread->waiting, settled);
}

void OperatorLines::GoBack(Calls calls, int64_t sequence, ForwardThread* thread) {
  thread->waiting.push_back({sequence, std::move(calls)});
  const bool full = thread->waiting.size() == kMostWaiting;
  Settle(full                      ? INT64_MAX
         : thread->counted.empty() ? INT64_MIN
                                   : thread->counted.back().first,
         thread);
}

void OperatorLines::Add(const RangeEvent& event, uint32_t name, const OperatorSums& sums) {
  if ((event.stream.marks() & kOperatorsHaveLines) == 0) return;
  Calls& open = open_[event.stream.id()];
  if (open.size() == kMostOpen) {
    Place(open, kNoLine);
    open.clear();
  }
  const RangeAttributes* const attributes = event.attributes;
  const int64_t sequence = attributes == nullptr ? -1 : static_cast<int64_t>(attributes->payload);
  open.push_back({event.record.begin, sequence, name, sums});
  const uint32_t own_thread = attributes == nullptr ? 0 : attributes->own_thread;
  if (own_thread == 0) return;  // it is in another one
  const auto within = std::find_if(open.rbegin(), open.rend(), [&](const Call& call) {
                        return call.begin < event.record.begin;
                      }).base();
  Calls calls(within, open.end());
  open.erase(within, open.end());
  Place(open, kNoLine);  // what was around these was not recorded
  open.clear();
  if (attributes->forward_thread != 0 && sequence >= 0)
    return GoBack(std::move(calls), sequence, &forward_[attributes->forward_thread]);
  const uint32_t line = LineOf(event.stream.stack());
  Place(calls, line);
  Count(calls, line, &forward_[own_thread]);
}

void OperatorLines::Finish(const std::function<RangeKey(uint32_t)>& key_of, RunFindings* findings) {
  if (lines_.size() == 1) return;  // none is known
  for (const auto& [stream, calls] : open_) Place(calls, kNoLine);
  for (auto& [number, thread] : forward_) Settle(INT64_MAX, &thread);
  for (const auto& [key, sums] : groups_) {
    OperatorGroup group;
    if (key.first == kOtherGroup) {
      group.of.name = kOtherNames;
    } else {
      group.of = key_of(key.first);
    }
    group.by = lines_[key.second];
    findings->operator_lines[std::move(group)].Add(sums);
  }
}

}  // namespace syncline
