// SPDX-License-Identifier: Apache-2.0
// The time that each device computes, against the mean.
#include "report/uneven_device.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "report/lost_records.h"
#include "report/uneven_rank.h"

namespace syncline {
namespace {

struct Computed {
  const DeviceUse* use = nullptr;  // the first of it
  uint64_t computing_ns = 0;
  uint64_t beside_ns = 0;
};

using Devices = std::map<std::tuple<std::string, std::string, uint32_t>, Computed>;

std::optional<UnevenDevice> UnevenOf(const std::string& name, const Devices& devices) {
  if (devices.size() < 2) return std::nullopt;
  Computed most;
  uint64_t sum_ns = 0, beside_ns = 0;
  for (const auto& [id, of] : devices) {
    sum_ns += of.computing_ns;
    beside_ns += of.beside_ns;
    if (of.computing_ns > most.computing_ns) most = of;
  }
  // The others have to be at work while it is, for half of their time.
  const uint64_t others_ns = sum_ns - most.computing_ns;
  const uint64_t mean_ns = sum_ns / devices.size();
  if (others_ns == 0 || (beside_ns - most.beside_ns) * 2 < others_ns ||
      (most.computing_ns - mean_ns) * 100 < mean_ns * kLeastBeyondPercent)
    return std::nullopt;
  return UnevenDevice{name, most.use, devices.size(), most.computing_ns - mean_ns};
}

// Two processes have no work to share: only devices of one of them are compared, that it alone
// used. Of several processes the one that would win most counts.
std::optional<UnevenDevice> UnevenOf(const std::string& name, const RankPart& part) {
  if (LostOf(part).Matters() || !part.endings.empty() || part.analysed_until_ns != 0)
    return std::nullopt;
  std::map<int32_t, Devices> processes;
  std::set<int32_t> shares;
  for (const DeviceUse& use : part.devices) {
    if (use.processes > 1) shares.insert(use.pid);
    Computed& of = processes[use.pid][{use.source, use.uuid, use.uuid.empty() ? use.device : 0}];
    if (of.use == nullptr) of.use = &use;
    of.computing_ns += use.computing_ns;
    of.beside_ns = std::max(of.beside_ns, use.beside_ns);
  }
  std::optional<UnevenDevice> most;
  for (const auto& [pid, devices] : processes) {
    const std::optional<UnevenDevice> uneven =
        shares.contains(pid) ? std::nullopt : UnevenOf(name, devices);
    if (uneven && (!most || uneven->beyond_mean_ns > most->beyond_mean_ns)) most = uneven;
  }
  return most;
}

}  // namespace

std::optional<UnevenDevice> FindUnevenDevice(const RunFindings& findings) {
  std::optional<UnevenDevice> least;
  for (const auto& [name, part] : findings.ranks) {
    if (part.devices.empty()) continue;
    const std::optional<UnevenDevice> uneven = UnevenOf(name, part);
    if (!uneven) return std::nullopt;
    if (!least || uneven->beyond_mean_ns < least->beyond_mean_ns) least = uneven;
  }
  return least;
}

ReportFinding FindingOfDevice(const UnevenDevice& uneven, bool several_ranks) {
  ReportFinding finding;
  finding.where = Text("device ", uneven.use->device, ": ", uneven.use->name);
  if (several_ranks)
    finding.rank = uneven.rank.starts_with("rank-") ? "rank " + uneven.rank.substr(5) : uneven.rank;
  finding.count = 1;
  finding.blocked_ns = uneven.beyond_mean_ns;
  return finding;
}

}  // namespace syncline
