// SPDX-License-Identifier: Apache-2.0
// By host and uuid: machines that are copies of one may have the same uuids.
#include "report/shared_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"

namespace syncline {
namespace {

using DeviceId = std::pair<std::string, std::string>;  // host and uuid

constexpr uint64_t kLeastPartOfWork = 10;  // a tenth of what a rank's devices do

struct User {
  int rank;
  const DeviceUse* use;
};
using UsersOfDevices = std::map<DeviceId, std::vector<User>>;

UsersOfDevices FindUsers(const RunFindings& findings) {
  UsersOfDevices devices;
  for (const auto& [name, part] : findings.ranks) {
    uint64_t busy_ns = 0;
    for (const DeviceUse& use : part.devices) busy_ns += use.busy_ns;
    for (const DeviceUse& use : part.devices) {
      if (!use.uuid.empty() && part.rank >= 0 && use.busy_ns * kLeastPartOfWork >= busy_ns)
        devices[{part.host, use.uuid}].push_back({part.rank, &use});
    }
  }
  return devices;
}

// For half of the shorter time.
bool AreAtOneTime(const DeviceUse& a, const DeviceUse& b) {
  const uint64_t begin = std::max(a.begin_ns, b.begin_ns), end = std::min(a.end_ns, b.end_ns);
  const uint64_t shorter = std::min(a.end_ns - a.begin_ns, b.end_ns - b.begin_ns);
  return begin <= end && (end - begin) * 2 >= shorter;
}

std::set<int> SharingRanks(const std::vector<User>& users) {
  std::set<int> ranks;
  for (const User& user : users) {
    for (const User& other : users) {
      if (user.rank != other.rank && AreAtOneTime(*user.use, *other.use)) ranks.insert(user.rank);
    }
  }
  return ranks;
}

}  // namespace

std::string SharedDevices::RanksText(const std::vector<int>& ranks) {
  std::string text = "ranks ";
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += Text(i == 0 ? "" : ", ", ranks[i]);
    if (last > i) text += Text(last == i + 1 ? ", " : "-", ranks[last]);
    i = last + 1;
  }
  return text;
}

SharedDevices FindSharedDevices(const RunFindings& findings) {
  SharedDevices found;
  const UsersOfDevices devices = FindUsers(findings);
  std::set<int> sharing;
  for (const auto& [id, users] : devices) {
    const std::set<int> ranks = SharingRanks(users);
    if (ranks.empty()) continue;
    found.shared.push_back({users[0].use, {ranks.begin(), ranks.end()}});
    sharing.insert(ranks.begin(), ranks.end());
  }
  found.ranks.assign(sharing.begin(), sharing.end());
  std::stable_sort(
      found.shared.begin(), found.shared.end(),
      [](const SharedDevice& a, const SharedDevice& b) { return a.ranks.size() > b.ranks.size(); });
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

double UsesOfEachDevice(const RunFindings& findings) {
  const UsersOfDevices devices = FindUsers(findings);
  size_t uses = 0;
  for (const auto& [id, users] : devices) uses += std::max<size_t>(SharingRanks(users).size(), 1);
  return devices.empty() ? 1 : static_cast<double>(uses) / static_cast<double>(devices.size());
}

}  // namespace syncline
