// SPDX-License-Identifier: Apache-2.0
// Walks the spool folders of a run.
#include "launcher/jobs/spool_scan.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "inject/consumer/left_segments.h"
#include "inject/core/spool_format.h"
#include "inject/core/text.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/local_folder.h"
#include "launcher/jobs/node_places.h"

namespace syncline {
namespace {

class Scanner {
 public:
  Scanner(const std::string& node, const std::vector<std::string>& known, bool leave_claimed,
          uint64_t disk_reserve, SpoolScan* scan)
      : node_(node),
        known_(known),
        leave_claimed_(leave_claimed),
        disk_reserve_(disk_reserve),
        scan_(scan) {}

  // Of the run, or on a local disk and noted there: those have no notes of their own.
  void Folder(const std::string& folder, const std::string& host, bool noted = false) {
    const bool here = host == node_;
    if (leave_claimed_ && Claimed(folder)) {
      for (const std::string& name : ListDirectory(folder)) {
        const std::string path = Text(folder, "/", name);
        if (name.ends_with(kSpoolSuffix) && !Known(path)) scan_->elsewhere.emplace_back(host, path);
      }
      return;
    }
    DrainLeft(
        folder,
        host);  // of other nodes too: names of nodes are not proof that their memory is not ours
    for (const std::string& name : ListDirectory(folder)) {
      const std::string path = Text(folder, "/", name);
      if (name.ends_with(kSpoolSuffix)) {
        Spool(path);
      } else if (const int launcher = here ? LauncherAtWork(path) : 0; launcher > 0) {
        scan_->busy_launchers.push_back(launcher);
      } else if (!noted) {
        Note(path, host);
      }
    }
  }

 private:
  void Note(const std::string& note, const std::string& host) {
    const LocalFolder local = ReadNote(note);
    if (local.state == LocalFolder::State::kElsewhere) {
      scan_->problems.push_back(Text("some records of ", host, " are in ", ShellQuote(local.path),
                                     " on that node: run `syncline recover` there."));
    } else if (local.state == LocalFolder::State::kNotOurs) {
      scan_->problems.push_back(Text(ShellQuote(note), " names ", ShellQuote(local.path),
                                     ", which does not carry its mark: it is left alone."));
    } else if (local.state == LocalFolder::State::kOurs && visited_.insert(local.path).second) {
      Folder(local.path, host, true);
    }
  }

  bool Known(const std::string& path) const {
    return std::find(known_.begin(), known_.end(), path) != known_.end();
  }

  static bool Claimed(const std::string& folder) {
    const auto names = ListDirectory(folder);
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.ends_with(".owner"); });
  }

  void DrainLeft(const std::string& folder, const std::string& host) {
    DrainLeftSegments(folder, host == node_, disk_reserve_, [this, &host](const LeftSegment& left) {
      if (left.other_layout) scan_->other_layout.push_back(left.spool);
      if (left.elsewhere) scan_->elsewhere.emplace_back(host, left.spool);
      if (left.gone) {
        scan_->problems.push_back(Text(
            "the memory of a process that died was removed before it could be read (a reboot, or a "
            "clean-up of /dev/shm): what it recorded last, mostly less than a second, is lost: ",
            left.spool));
      }
      if (!left.problem.empty())
        scan_->problems.push_back(Text(left.spool, ": ", left.problem, "."));
    });
  }

  void Spool(const std::string& path) {
    if (Known(path)) return;
    const auto is_this = [&](const auto& left) { return left.second == path; };
    if (std::any_of(scan_->elsewhere.begin(), scan_->elsewhere.end(), is_this)) return;
    const auto& other = scan_->other_layout;
    if (std::find(other.begin(), other.end(), path) != other.end()) return;
    FoundSpool spool;
    spool.path = path;
    if (const Status status = ReadSpoolFacts(path, &spool.facts); !status.ok()) {
      spool.problem = status.message();
    } else {
      spool.running = ProcessRuns(spool.facts.pid, spool.facts.start_time);
    }
    scan_->spools.push_back(std::move(spool));
  }

  const std::string& node_;
  const std::vector<std::string>& known_;
  const bool leave_claimed_;
  const uint64_t disk_reserve_;
  std::set<std::string> visited_;  // folders on a local disk
  SpoolScan* scan_;
};

}  // namespace

SpoolScan ScanSpools(const std::string& run_directory, const std::string& node,
                     const std::vector<std::string>& known, bool leave_claimed,
                     uint64_t disk_reserve) {
  SpoolScan scan;
  Scanner scanner(node, known, leave_claimed, disk_reserve, &scan);
  const std::string root = SpoolRoot(run_directory);
  // A link leads to another run's records, which are not ours to take.
  if (!IsRealDirectory(run_directory + "/run") || !IsRealDirectory(root)) return scan;
  for (const std::string& host : ListDirectory(root)) {
    const std::string folder = Text(root, "/", host);
    if (IsRealDirectory(folder)) scanner.Folder(folder, host);
  }
  return scan;
}

std::string DescribeElsewhere(const SpoolScan& scan, const std::string& run_directory) {
  if (scan.elsewhere.empty()) return "";
  std::set<std::string> hosts;
  for (const auto& [host, spool] : scan.elsewhere) hosts.insert(host);
  std::string names;
  for (const std::string& host : hosts) names += Text(names.empty() ? "" : ", ", host);
  return Text("records of ", Counted(scan.elsewhere.size(), "process"),
              " are still in the memory of ", names,
              ": if what they recorded does not appear, run `syncline recover ",
              ShellQuote(run_directory), "` there.");
}

bool ProcessRuns(int pid, uint64_t start_time) {
  std::string stat;
  if (pid <= 0 || ReadFile(Text("/proc/", pid, "/stat"), &stat) != 0) return false;
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return false;
  const char state = stat[name_end + 2];
  return state != 'Z' && state != 'X' && StatField(stat.c_str(), 22) == start_time;
}

}  // namespace syncline
