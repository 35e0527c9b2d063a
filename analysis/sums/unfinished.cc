// SPDX-License-Identifier: Apache-2.0
// The longest few.
#include "analysis/sums/unfinished.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/stable_sort.h"
#include "base/text.h"

namespace syncline {
namespace {

constexpr size_t kMostTold = 3;
constexpr uint64_t kLeastNs = 10'000'000;  // a shorter one may have been about to return

}  // namespace

std::vector<std::string> UnfinishedWaits(const ProgramRun& run, const SourceRun& source) {
  const Findings& found = source.findings;
  std::vector<size_t> open;
  const auto length = [&](size_t i) { return found.waits[i].end_ns - found.waits[i].begin_ns; };
  for (size_t i = 0; i < found.waits.size(); ++i) {
    if (found.waits[i].open && length(i) >= kLeastNs) open.push_back(i);
  }
  StableSort(&open, [&](size_t a, size_t b) { return length(a) > length(b); });
  if (open.size() > kMostTold) open.resize(kMostTold);
  std::vector<std::string> sentences;
  for (const size_t i : open) {
    const std::string where = i < found.wait_where.size() ? found.wait_where[i] : "";
    sentences.push_back(Text("process ", run.outer_pid, " ended ", DurationText(length(i)),
                             " after it had called ", found.call_names[found.waits[i].name],
                             where.empty() ? "" : " at ", where, ", which had not returned"));
  }
  return sentences;
}

}  // namespace syncline
