// SPDX-License-Identifier: Apache-2.0
// Names of kinds of time, and their sums.
#include "model/findings/time_shares.h"

#include <numeric>

namespace syncline {

const char* TimeKindName(TimeKind kind) {
  constexpr const char* kNames[kTimeKinds] = {
      "computing",    "communicating",      "copying",   "waiting",   "making data",
      "host busy",    "host awaits others", "launching", "other GPU", "host function",
      "loading code", "setting up",         "other"};
  return kNames[static_cast<size_t>(kind)];
}

uint64_t TimeShares::Sum() const { return std::accumulate(ns, ns + kTimeKinds, uint64_t{0}); }

void TimeShares::Add(const TimeShares& other) {
  for (size_t kind = 0; kind < kTimeKinds; ++kind) ns[kind] += other.ns[kind];
}

double TimeShares::Share(TimeKind kind) const {
  const uint64_t sum = Sum();
  return sum == 0 ? 0 : static_cast<double>((*this)[kind]) / static_cast<double>(sum);
}

std::optional<MoreTime> MostBeyond(const TimeShares& stretch, const TimeShares& all,
                                   double usual_ns) {
  std::optional<MoreTime> most;
  for (size_t i = 0; i < kTimeKinds; ++i) {
    const auto kind = static_cast<TimeKind>(i);
    const double more = static_cast<double>(stretch[kind]) - usual_ns * all.Share(kind);
    if (more >= 1 && (!most || more > static_cast<double>(most->ns)))
      most = MoreTime{kind, static_cast<uint64_t>(more)};
  }
  return most;
}

}  // namespace syncline
