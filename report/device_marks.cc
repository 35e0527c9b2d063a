// SPDX-License-Identifier: Apache-2.0
// By uuid, or by process where that is one.
#include "report/device_marks.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kPartOfUuid = 8;

using Uses = std::vector<const DeviceUse*>;
using Part = std::string_view (*)(std::string_view);

std::string_view Beginning(std::string_view uuid) { return uuid.substr(0, kPartOfUuid); }
std::string_view End(std::string_view uuid) {
  return uuid.substr(uuid.size() - std::min(uuid.size(), kPartOfUuid));
}
std::string_view Whole(std::string_view uuid) { return uuid; }

// What tells the device from all of `others`; empty: nothing does.
std::string PartOfUuid(const std::string& uuid, const Uses& others) {
  if (uuid.empty()) return "";
  for (const Part part : {Beginning, End, Whole}) {
    const bool tells = std::none_of(others.begin(), others.end(), [&](const DeviceUse* other) {
      return part(other->uuid) == part(uuid);
    });
    if (tells) return Text(part == End ? "..." : "", part(uuid));
  }
  return "";
}

bool HaveOneNumber(const DeviceUse& a, const DeviceUse& b) {
  return a.source == b.source && a.device == b.device;
}

// Another device of the machine, in another rank, by the number that each rank gives its own
// (CUDA_VISIBLE_DEVICES).
bool IsAnotherOfItsNumber(const RunFindings& findings, const ReportDevice& device,
                          const ReportDevice& other) {
  return other.rank != device.rank && HaveOneNumber(other.use, device.use) &&
         !other.use.uuid.empty() && other.use.uuid != device.use.uuid &&
         findings.ranks.at(other.rank).host == findings.ranks.at(device.rank).host;
}

std::string ApartOf(const RunFindings& findings, const ReportDevice& device,
                    const std::vector<ReportDevice>& all) {
  Uses of_rank, others;  // that would be called the same
  for (const ReportDevice& other : all) {
    const bool is_of_rank = &other != &device && other.rank == device.rank;
    if (is_of_rank && HaveOneNumber(other.use, device.use)) of_rank.push_back(&other.use);
    if (IsAnotherOfItsNumber(findings, device, other)) others.push_back(&other.use);
  }
  others.insert(others.end(), of_rank.begin(), of_rank.end());
  if (others.empty()) return "";
  const std::string part = PartOfUuid(device.use.uuid, others);
  if (!part.empty() || of_rank.empty()) return part;
  return Text("process ", device.use.pid);
}

// The other parts of the job that used it at the same time.
std::set<std::string> SharersOf(const RunFindings& findings, const std::string& name,
                                const DeviceUse& use) {
  std::set<std::string> sharers;
  if (use.uuid.empty()) return sharers;
  const std::string& host = findings.ranks.at(name).host;
  for (const auto& [other, part] : findings.ranks) {
    if (other == name || part.host != host) continue;
    for (const DeviceUse& its : part.devices) {
      if (its.uuid == use.uuid && its.source == use.source && its.begin_ns < use.end_ns &&
          use.begin_ns < its.end_ns)
        sharers.insert(other);
    }
  }
  return sharers;
}

}  // namespace

void MarkDevices(const RunFindings& findings, Report* report) {
  for (ReportDevice& device : report->devices) {
    device.apart = ApartOf(findings, device, report->devices);
    device.idle_known =
        SharersOf(findings, device.rank, device.use).size() <= device.use.other_ranks;
  }
}

std::vector<std::string> UnknownIdleTexts(const RunFindings& findings) {
  std::set<std::set<std::string>> groups;
  for (const auto& [name, part] : findings.ranks) {
    for (const DeviceUse& use : part.devices) {
      std::set<std::string> group = SharersOf(findings, name, use);
      if (group.size() <= use.other_ranks) continue;
      group.insert(name);
      groups.insert(std::move(group));
    }
  }
  std::vector<std::string> texts;
  for (const std::set<std::string>& group : groups) {
    std::string names;
    for (const std::string& name : group) names += (names.empty() ? "" : ", ") + name;
    texts.push_back(Text(names,
                         " used one GPU, and were recorded by launchers that do not know of each "
                         "other's work: what is told as idle may be that of another"));
  }
  return texts;
}

}  // namespace syncline
