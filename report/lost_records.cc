// SPDX-License-Identifier: Apache-2.0
// A rank's losses are those of all its processes: which devices they were of, nobody knows.
#include "report/lost_records.h"

#include <map>

#include "base/text.h"
#include "model/run/losses.h"

namespace syncline {

LostRecords LostOf(const RankPart& part) {
  LostRecords lost;
  for (const auto& [name, count] : part.losses) {
    if (name == kNoEnd) continue;  // how many, nobody knows: told beside it
    const LossFacts* facts = FindLoss(name);
    if (facts != nullptr && facts->of != LossOf::kDevices && facts->of != LossOf::kAnything)
      continue;
    lost.certain = lost.certain && facts != nullptr && facts->of == LossOf::kDevices;
    lost.lost += count;
  }
  if (part.device_ops == 0 && !(lost.certain && lost.lost != 0)) return {};
  lost.of = part.device_ops + lost.lost;
  return lost;
}

void MarkLost(const RunFindings& findings, std::vector<ReportFinding>* answers) {
  std::map<std::string, LostRecords> of_ranks;  // as findings name them
  LostRecords all;
  for (const auto& [name, part] : findings.ranks) {
    const LostRecords lost = LostOf(part);
    if (!lost.Matters()) continue;
    all.Add(lost);
    of_ranks[part.rank < 0 ? name : Text("rank ", part.rank)] = lost;
  }
  if (of_ranks.empty()) return;
  for (ReportFinding& finding : *answers) {
    const bool of_one = finding.rank.starts_with("rank ");
    const auto own = of_ranks.find(finding.rank);
    if (of_one && own == of_ranks.end()) continue;
    finding.lost = own == of_ranks.end() ? all : own->second;
    finding.priced = false;
    finding.gain_ns = 0;
    finding.gain_percent = 0;
  }
}

void MarkLost(const RunFindings& findings, Report* report) {
  std::map<std::string, LostRecords> of_ranks;
  for (const auto& [name, part] : findings.ranks) {
    const LostRecords lost = LostOf(part);
    of_ranks[name] = lost;
    report->lost.Add(lost);
    if (!lost.Matters()) continue;
    report->lost_matters = true;
    report->health.push_back(Text(name, ": ", LostText(lost),
                                  ": how busy its GPUs were, and what a change would gain there, "
                                  "is not known; times and counts of kernels and copies are those "
                                  "of the rest"));
  }
  for (ReportRank& rank : report->ranks) rank.lost = of_ranks[rank.name];
  for (ReportDevice& device : report->devices) device.lost = of_ranks[device.rank];
}

}  // namespace syncline
