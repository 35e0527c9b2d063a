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

struct Users {
  const DeviceUse* first = nullptr;
  std::set<int> ranks;
};

std::map<DeviceId, Users> UsersOfDevices(const RunFindings& findings) {
  std::map<DeviceId, Users> devices;
  for (const auto& [name, part] : findings.ranks) {
    for (const DeviceUse& use : part.devices) {
      if (use.uuid.empty() || part.rank < 0) continue;
      Users& users = devices[{part.host, use.uuid}];
      if (users.first == nullptr) users.first = &use;
      users.ranks.insert(part.rank);
    }
  }
  return devices;
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
  const std::map<DeviceId, Users> devices = UsersOfDevices(findings);
  std::set<int> sharing;
  for (const auto& [id, users] : devices) {
    if (users.ranks.size() < 2) continue;
    found.shared.push_back({users.first, {users.ranks.begin(), users.ranks.end()}});
    sharing.insert(users.ranks.begin(), users.ranks.end());
  }
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
  const std::map<DeviceId, Users> devices = UsersOfDevices(findings);
  size_t uses = 0;
  for (const auto& [id, users] : devices) uses += users.ranks.size();
  return devices.empty() ? 1 : static_cast<double>(uses) / static_cast<double>(devices.size());
}

}  // namespace syncline
