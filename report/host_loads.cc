// SPDX-License-Identifier: Apache-2.0
// Each launcher sees all of its machine, and only its own part of the run.
#include "report/host_loads.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "report/words.h"

namespace syncline {

std::map<std::string, double> SharesOfOthers(const RunFindings& findings) {
  std::map<std::string, std::map<int32_t, HostLoad>> hosts;  // by launcher
  for (const auto& [name, part] : findings.ranks) {
    if (part.load.whole_ns != 0) hosts[part.host][part.load.launcher_pid] = part.load;
  }
  std::map<std::string, double> shares;
  for (const auto& [host, launchers] : hosts) {
    HostLoad longest;
    uint64_t own_ns = 0;
    for (const auto& [pid, load] : launchers) {
      own_ns += load.own_ns;
      if (load.whole_ns > longest.whole_ns) longest = load;
    }
    const uint64_t others_ns = longest.busy_ns - std::min(longest.busy_ns, own_ns);
    shares[host] = static_cast<double>(others_ns) / static_cast<double>(longest.whole_ns);
  }
  return shares;
}

std::string LoadText(const RunFindings& findings) {
  std::vector<std::string> hosts;
  double most = 0;
  for (const auto& [host, share] : SharesOfOthers(findings)) {
    if (share < kLoadedByOthers) continue;
    hosts.push_back(host);
    most = std::max(most, share);
  }
  if (hosts.empty()) return "";
  return Text("other programs used ", hosts.size() > 1 ? "up to " : "", ShareText(most),
              " of the processors of ", SomeNames(hosts), " meanwhile");
}

}  // namespace syncline
