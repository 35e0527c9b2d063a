// SPDX-License-Identifier: Apache-2.0
// Whether a run is as a contract says, and which lines of code are not.
#pragma once

#include <string>
#include <vector>

#include "contract/expression.h"
#include "contract/run_measures.h"

namespace syncline {

enum class Outcome : uint8_t { kHolds, kBroken, kUnknown };  // unknown is never good
const char* OutcomeName(Outcome outcome);                    // "holds"

struct Verdict {
  std::string expression;
  Outcome outcome = Outcome::kUnknown;
  std::string measured{};           // "2.5"; empty: not known
  std::string wanted{};             // "at most 2": of a base with its value
  double value = 0;                 // in the unit of the measure
  std::string unit{};               // "ns", "bytes", "share", "count"; empty: it is no number
  std::string why{};                // it is not known; empty: it is
  std::vector<LineOfStep> lines{};  // that break it, the worst first
  size_t lines_of = 0;              // how many there are
  std::string lines_are{};          // "waits per step": what their value says
  std::string hint{};               // how to have lines, where there are none
  std::string note{};               // what makes it doubtful, or where the expression is wrong
};

inline constexpr size_t kMostLinesOfVerdict = 8;

// `base`: null: the expression needs none.
Verdict Check(const Expression& expression, const RunMeasures& run, const RunMeasures* base);

// Lines of a run that wait and are not among those that the other run has: by function and source
// text, so that a line that moved is none.
std::vector<LineOfStep> NewLines(const std::vector<LineOfStep>& lines,
                                 const std::vector<LineOfStep>& before);

}  // namespace syncline
