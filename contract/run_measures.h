// SPDX-License-Identifier: Apache-2.0
// A run as a contract sees it: its measures, and the lines of code that these come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/line_place.h"
#include "report/measures.h"
#include "report/report.h"

namespace syncline {

// What happens at one line of the user's code in a step.
struct LineOfStep {
  std::string where;        // "train.py:38 main()"
  std::string statement{};  // its source text; empty: not known
  double value = 0;         // how often, in a step
  std::string ways{};       // the calls that wait, or the operators that submit
  std::string does{};       // what tells it from others where its source text is not known
};

struct RunMeasures {
  std::string name;  // of the run, for messages
  std::vector<Measure> measures;
  std::vector<LineOfStep> waits;       // by line, most often first; in steps
  std::vector<LineOfStep> waits_ever;  // outside of steps, too: how often in all
  std::vector<LineOfStep> launches;    // what was submitted, most first; empty: not recorded
  std::vector<std::string> stages;     // names
  std::vector<std::pair<std::string, uint64_t>> steps;  // of all ranks: kinds, and how many
  bool simulated = false;
  // Files of the program: lines that findings name, words of command lines, what lies where the
  // sources do, and packages. All but the first are their reader's to fill in.
  std::vector<std::string> lines;
  std::vector<std::string> command_files, source_files, package_files;
  bool has_all_sources = false;  // as far as they lie here
};
RunMeasures RunMeasuresOf(const RunFindings& findings, const Report& report);

// Whether a line is one that `wanted` names: "train.py:38", "train.py", "main()", "main",
// "train.py main()", or all of the text. A file is named by the end of its path.
bool IsLine(std::string_view where, std::string_view wanted);
// Whether two paths are of one file, as far as the shorter one says: by its end.
bool IsFile(std::string_view known, std::string_view wanted);

}  // namespace syncline
