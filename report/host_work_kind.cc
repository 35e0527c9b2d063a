// SPDX-License-Identifier: Apache-2.0
// By the span between two calls, and its length.
#include "report/host_work_kind.h"

#include "model/devices/source_facts.h"
#include "model/run/called_words.h"

namespace syncline {
namespace {

constexpr uint64_t kLongestLaunchNs = 2'000'000;  // what takes longer is no launch of a framework
constexpr uint64_t kLongestWayNs = 500'000;       // ... over some lines of a program's own

}  // namespace

ProblemKind KindOfHostWork(const PriceKey& key, uint64_t each_ns) {
  if (IsSaving(key.below) || IsSaving(key.before)) return ProblemKind::kSaving;
  const HostSpan span = key.span;
  if (span == HostSpan::kExchange) return ProblemKind::kExchange;
  if (span == HostSpan::kAwaits) return ProblemKind::kAwaitsOthers;
  if (span == HostSpan::kData) return ProblemKind::kDataWork;
  const bool is_short = each_ns < kLongestLaunchNs || OnlyLaunches(key.statement);
  const bool is_launch = (span == HostSpan::kWithin && is_short) ||
                         (span == HostSpan::kBetween && each_ns < kLongestWayNs);
  return is_launch ? ProblemKind::kSlowLaunch : ProblemKind::kHostWork;
}

}  // namespace syncline
