// SPDX-License-Identifier: Apache-2.0
// Who reads half of a run finds small numbers, and a contract that holds.
#include "launcher/show/measured_run.h"

#include <algorithm>
#include <set>

#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"
#include "offline/rank_paths.h"
#include "report/report_endings.h"

namespace syncline {
namespace {

// A job of which a rank is not there; empty: all are, or the user left them out.
std::string MissingRanks(const std::string& directory, const RunFindings& findings) {
  std::set<int> there = LeftOutRanks(directory);
  int world_size = 0;
  for (const auto& [name, part] : findings.ranks) {
    if (!IsWholeRank(name, part.rank)) continue;
    if (part.rank >= 0) there.insert(part.rank);
    world_size = std::max(world_size, part.world_size);
  }
  if (static_cast<int>(there.size()) >= world_size) return "";
  return Text("of ", world_size, " ranks only ", there.size(), " have findings. `syncline report ",
              ShellQuote(directory), "` says which are missing.");
}

// Why numbers of the run would be too small; empty: they are not.
std::string UnfitToMeasure(const Report& report, const RunFindings& findings) {
  // Those of which nobody knows whether they ended well stand last.
  if (!report.endings.empty() && report.endings.front().end.how != kUnknownEnding)
    return Text("the program did not end well: ", EndingText(report.endings.front()),
                ". What it would have done is not in the numbers.");
  for (const auto& [name, part] : findings.ranks) {
    if (part.calls == 0 && part.device_ops != 0)
      return Text("of ", name, " operations of a GPU were recorded and none of the calls that ",
                  "began them: nobody knows what waited. Record it without options that leave ",
                  "calls out.");
  }
  return "";
}

}  // namespace

bool ReadMeasuredRun(const std::string& directory, KeptRun* run) {
  const std::string where = ShellQuote(directory);
  if (IsDirectory(directory) && IsLauncherAtWork(directory)) {
    SayError(Text("the run in ", where, " is not over: measure it when it is."));
    return false;
  }
  if (!ReadKeptRun(directory, {}, false, run)) return false;
  std::string unfit =
      run->whole ? MissingRanks(directory, run->findings) : "not all of its files could be read.";
  if (unfit.empty()) unfit = UnfitToMeasure(run->report, run->findings);
  if (unfit.empty()) return true;
  SayError(Text("the run in ", where, " measures nothing: ", unfit));
  return false;
}

}  // namespace syncline
