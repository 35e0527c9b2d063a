// SPDX-License-Identifier: Apache-2.0
// What a run did in one step of one rank, as rows that can be held beside another run's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compare/estimate.h"
#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

enum class FactKind : uint8_t {
  kWait,      // amount: blocked
  kHostWork,  // amount: no device worked, because of what the host did at a line
  kKernel,
  kCopy,
  kOperator,  // amount: of devices, else of the host; without operators within
  kStage,
  kIdle,      // amount: of devices, by what they did or waited for
  kMemory,    // amount: bytes at the peak
  kLateRank,  // amount: others waited for it
};
inline constexpr size_t kFactKinds = 9;
const char* FactKindName(FactKind kind);  // "wait"

struct FactKey {
  FactKind kind = FactKind::kWait;
  std::string name;      // kernel, range, call with its class, kind of time
  std::string where;     // "train.py:42 step()"; empty: not known, or it has no line
  bool outside = false;  // of the steps that count: then it is of the whole run of a rank
  auto operator<=>(const FactKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Of one steady step of one rank, on an average; outside of them, and of a run without, of one
// rank.
struct Fact {
  double amount = 0;  // ns; of memory bytes
  double count = 0;
  double bytes = 0;           // copied
  bool communicates = false;  // a kernel that waits for other ranks' ones
  // Of the amount, within the run: how far it may be off; 0: not known.
  double error = 0;
  double freedom = 0;
  // Of single ones, ns: half of them take between these; 0: not known.
  double low_ns = 0;
  double high_ns = 0;
  double middle_ns = 0;
  std::string statement{};  // the source text of the line; empty: not known
  double whole_count = 0;   // in the whole run of a rank, in steps and outside
  std::string operators{};  // that a compiler made into a kernel; empty: none, or not known
};

// How often it happens depends on how fast devices and other threads are, not on the program alone.
bool IsCountOfChance(const FactKey& key);

struct RunFacts {
  std::string directory;
  std::string name;  // the last part of it
  bool simulated = false;
  uint64_t ranks = 0;
  uint64_t length_ns = 0;
  double steps = 0;       // of a rank; 0: the run has none
  std::string step_name;  // "train_step #"
  double step_ns = 0;     // on an average, from the first steady one on
  double median_step_ns = 0;
  Estimate step{};                // the same as far as the run alone tells
  std::vector<double> series_ns;  // of the first rank that has steps: the steady ones
  size_t first_steps = 0;         // of that rank: so many before those took far longer
  double first_steps_ns = 0;
  double busy = -1;         // share of the steps that devices worked; -1: not known
  bool parts_known = true;  // else there was too much to tell steady steps from the rest
  std::map<FactKey, Fact> facts;
  std::vector<ReportFinding> findings;  // gains are of the run
  std::vector<std::string> marks;       // why its numbers may say less, in sentences
};

// `report` is of `findings`. `by_steps`: else rows are of the whole run of a rank.
RunFacts FactsOf(const RunFindings& findings, const Report& report, bool by_steps = true);
// Whether the report has steps by which rows can be told.
bool HasSteps(const Report& report);

}  // namespace syncline
