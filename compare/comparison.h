// SPDX-License-Identifier: Apache-2.0
// What changed from runs of one program to runs of another one: told where the runs' own spread
// does not explain it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/run_facts.h"

namespace syncline {

// A comparison tells so many of those differences that are chance.
inline constexpr double kFalseRate = 0.01;

enum class RowChange : uint8_t {
  kNone,   // or the spread explains it
  kGone,   // B does not have it
  kNew,    // A did not
  kRarer,  // fewer a step
  kOftener,
  kLess,  // shorter, fewer bytes
  kMore
};
const char* RowChangeName(RowChange change);  // "gone"

struct ComparedRow {
  FactKey key;            // as B has it; as A, if it is gone
  std::string was;        // where its line was in A, if it moved
  Fact a, b;              // on an average of the runs
  Difference difference;  // of the amounts
  RowChange change = RowChange::kNone;
};

// What became of a finding of A.
enum class FindingFate : uint8_t {
  kGone,
  kBringsNothing,  // it is still there, and nothing would be gained any more
  kStill
};
const char* FindingFateName(FindingFate fate);  // "gone"

struct ComparedFinding {
  ReportFinding finding;  // of A
  FindingFate fate = FindingFate::kGone;
  double was_ns = 0;  // gain of a step
  double now_ns = 0;
  std::string now_where;  // its line in B; empty: gone
};

struct ComparedSide {
  std::vector<std::string> runs;  // directories
  std::string name;               // "before", "before-1 to before-4"
  uint64_t ranks = 0;
  bool simulated = false;
  double steps = 0;
  std::string step_name;
  double step_ns = 0;
  double median_step_ns = 0;
  double length_ns = 0;
  double busy = -1;
  std::vector<double> series_ns;  // of the run in the middle
};

struct Comparison {
  ComparedSide a, b;
  bool repeated = false;  // a side has several runs
  // Of single runs: steps take longer or shorter, and nothing that the program does is another: it
  // may be the machine. Then the step is not told.
  bool perhaps = false;
  Difference step;  // of the average step; of runs without steps, of their length
  bool step_told = false;
  std::vector<ComparedRow> rows;  // told ones first
  size_t told = 0;                // so many of `rows`
  std::vector<ComparedFinding> findings;
  std::vector<ReportFinding> limits;  // what limits B now: its findings, best first
  double limits_steps = 0;            // of the run that they are of
  std::vector<std::string> notes;     // to know about these numbers, in sentences
};

// Neither may be empty.
Comparison CompareRuns(const std::vector<RunFacts>& a, const std::vector<RunFacts>& b);

}  // namespace syncline
