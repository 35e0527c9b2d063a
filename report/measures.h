// SPDX-License-Identifier: Apache-2.0
// The measures of a run as numbers with units: what a contract is checked against, and what two
// runs are compared by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

enum class MeasureUnit : uint8_t { kCount, kTime, kBytes, kShare };  // ns; bytes; 0 to 1
enum class MeasureOf : uint8_t { kRun, kLine, kStage, kCause };
enum class Better : uint8_t { kLess, kMore, kNeither };

// What a measure's name means.
struct MeasureFacts {
  const char* name;  // "waits_per_step"
  MeasureUnit unit;
  bool per_step;  // of one step of one rank, in the mean
  Better better;
  bool of_device;  // times, or memory of kernels: a device that only seems to work has none
  bool at_lines, in_stages, by_causes;  // also measured there
  const char* help;
};
const std::vector<MeasureFacts>& AllMeasures();
const MeasureFacts* FindMeasure(std::string_view name);  // null: there is none

struct Measure {
  const MeasureFacts* facts = nullptr;
  MeasureOf of = MeasureOf::kRun;
  std::string where{};  // "train.py:38 main()", "backward", "host busy"; empty: the whole run
  double value = 0;
  std::string unknown{};    // why there is no value; empty: there is one
  std::string statement{};  // the source text of a line; empty: not known
};

// Measure::where of waits whose line is not known.
inline constexpr char kUnknownLine[] = "(line not known)";

// Of waits_per_step and its like: for a device, because the code says so. Loading of code at its
// first use happens once, and a queue is full where a device is behind: these come and go with the
// machine.
bool CountsAsWait(WaitClass wait_class);

// Of the measure `idle`: "waiting", "host busy".
std::vector<std::string> IdleCauses();

// With fewer complete steps nothing is said of a step.
inline constexpr size_t kLeastSteps = 3;

// The measures of the whole run in the order of AllMeasures, each once, known or not; those of
// lines, stages and causes behind that of the run, largest first, where they are known.
// Steps are those of the report. Of several kinds, that with most of them of each rank says how
// many there are, and what the time of devices goes by with. Times and counts are those of the kind
// that has most of it in a step: none hides behind another one.
std::vector<Measure> MeasuresOf(const RunFindings& findings, const Report& report);

// "2.5", "3.20 ms", "81 %", "1.2 GiB".
std::string MeasureText(const MeasureFacts& facts, double value);

}  // namespace syncline
