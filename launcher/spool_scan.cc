// SPDX-License-Identifier: Apache-2.0
// Walks the spool folders of a run.
#include "launcher/spool_scan.h"

#include <algorithm>
#include <cstring>

#include "inject/consumer/left_segments.h"
#include "inject/core/spool_format.h"
#include "inject/core/text.h"
#include "launcher/files.h"
#include "launcher/node_places.h"
#include "launcher/text.h"

namespace syncline {
namespace {

class Scanner {
 public:
  Scanner(const std::string& node, const std::vector<std::string>& known, SpoolScan* scan)
      : node_(node), known_(known), scan_(scan) {}

  void Folder(const std::string& folder, const std::string& host) {
    const bool here = host == node_;
    if (here) DrainLeft(folder);
    for (const std::string& name : ListDirectory(folder)) {
      const std::string path = folder + "/" + name;
      const std::string noted = NotedFolder(path);
      if (name.ends_with(kSpoolSuffix)) {
        Spool(path, here);
      } else if (const int launcher = here ? LauncherAtWork(path) : 0; launcher > 0) {
        scan_->busy_launchers.push_back(launcher);
      } else if (!noted.empty() && !IsDirectory(noted)) {
        scan_->problems.push_back(Text("some records of ", host, " are in ", ShellQuote(noted),
                                       " on that node: run `syncline recover` there."));
      } else if (!noted.empty()) {
        Folder(noted, host);
      }
    }
  }

 private:
  void DrainLeft(const std::string& folder) {
    DrainLeftSegments(folder, [this](const LeftSegment& left) {
      if (!left.problem.empty())
        scan_->problems.push_back(Text(left.spool, ": ", left.problem, "."));
    });
  }

  void Spool(const std::string& path, bool here) {
    if (std::find(known_.begin(), known_.end(), path) != known_.end()) return;
    FoundSpool spool;
    spool.path = path;
    if (const Status status = ReadSpoolFacts(path, &spool.facts); !status.ok()) {
      spool.problem = status.message();
    } else {
      spool.running = here && ProcessRuns(spool.facts.pid, spool.facts.start_time);
    }
    scan_->spools.push_back(std::move(spool));
  }

  const std::string& node_;
  const std::vector<std::string>& known_;
  SpoolScan* scan_;
};

}  // namespace

SpoolScan ScanSpools(const std::string& run_directory, const std::string& node,
                     const std::vector<std::string>& known) {
  SpoolScan scan;
  Scanner scanner(node, known, &scan);
  const std::string root = SpoolRoot(run_directory);
  for (const std::string& host : ListDirectory(root)) scanner.Folder(root + "/" + host, host);
  return scan;
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
