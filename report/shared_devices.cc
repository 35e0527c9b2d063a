// SPDX-License-Identifier: Apache-2.0
// By host and uuid: machines that are copies of one may have the same uuids.
#include "report/shared_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/stable_sort.h"

namespace syncline {
namespace {

using DeviceId = std::pair<std::string, std::string>;  // host and uuid

constexpr uint64_t kLeastPartOfWork = 10;  // a tenth of what a rank's devices do

// What the processes of a rank do on a device.
struct Work {
  const DeviceUse* first = nullptr;
  uint64_t begin_ns = UINT64_MAX;
  uint64_t end_ns = 0;
  uint64_t busy_ns = 0;
};
using WorkOfRanks = std::map<int, Work>;

std::map<DeviceId, WorkOfRanks> WorkOfDevices(const RunFindings& findings) {
  std::map<DeviceId, WorkOfRanks> devices;
  for (const auto& [name, part] : findings.ranks) {
    uint64_t busy_ns = 0;
    for (const DeviceUse& use : part.devices) {
      busy_ns += use.busy_ns;
      if (use.uuid.empty() || part.rank < 0) continue;
      Work& work = devices[{part.host, use.uuid}][part.rank];
      if (work.first == nullptr) work.first = &use;
      work.begin_ns = std::min(work.begin_ns, use.begin_ns);
      work.end_ns = std::max(work.end_ns, use.end_ns);
      work.busy_ns += use.busy_ns;
    }
    for (auto& [id, ranks] : devices) {
      const auto work = ranks.find(part.rank);
      if (work != ranks.end() && work->second.busy_ns * kLeastPartOfWork < busy_ns)
        ranks.erase(work);
    }
  }
  std::erase_if(devices, [](const auto& device) { return device.second.empty(); });
  return devices;
}

// For half of the shorter time.
bool AreAtOneTime(const Work& a, const Work& b) {
  const uint64_t begin = std::max(a.begin_ns, b.begin_ns), end = std::min(a.end_ns, b.end_ns);
  const uint64_t shorter = std::min(a.end_ns - a.begin_ns, b.end_ns - b.begin_ns);
  return begin <= end && (end - begin) * 2 >= shorter;
}

std::vector<int> SharingRanks(const WorkOfRanks& works) {
  std::vector<int> sharing;
  for (const auto& [rank, work] : works) {
    const bool shares =
        std::any_of(works.begin(), works.end(), [&, rank = rank, &work = work](const auto& other) {
          return other.first != rank && AreAtOneTime(work, other.second);
        });
    if (shares) sharing.push_back(rank);
  }
  return sharing;
}

}  // namespace

SharedDevices FindSharedDevices(const RunFindings& findings) {
  SharedDevices found;
  const std::map<DeviceId, WorkOfRanks> devices = WorkOfDevices(findings);
  std::set<int> sharing;
  for (const auto& [id, works] : devices) {
    std::vector<int> ranks = SharingRanks(works);
    if (ranks.empty()) continue;
    sharing.insert(ranks.begin(), ranks.end());
    found.shared.push_back({works.at(ranks[0]).first, std::move(ranks)});
  }
  found.ranks.assign(sharing.begin(), sharing.end());
  StableSort(&found.shared, [](const SharedDevice& a, const SharedDevice& b) {
    return a.ranks.size() > b.ranks.size();
  });
  std::set<DeviceId> idle;
  for (const auto& [name, part] : findings.ranks) {
    if (!sharing.contains(part.rank)) continue;
    for (const std::string& uuid : part.idle_devices) {
      if (!devices.contains({part.host, uuid})) idle.insert({part.host, uuid});
    }
  }
  found.idle = idle.size();
  return found;
}

double RanksOfEachDevice(const RunFindings& findings) {
  const std::map<DeviceId, WorkOfRanks> devices = WorkOfDevices(findings);
  size_t ranks = 0;
  for (const auto& [id, works] : devices) ranks += std::max<size_t>(SharingRanks(works).size(), 1);
  return devices.empty() ? 1 : static_cast<double>(ranks) / static_cast<double>(devices.size());
}

}  // namespace syncline
