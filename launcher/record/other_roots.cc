// SPDX-License-Identifier: Apache-2.0
// A walk of /proc, now and then.
#include "launcher/record/other_roots.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "inject/core/clock.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"
#include "launcher/record/hand_over_server.h"

namespace syncline {
namespace {

constexpr uint64_t kFirstPauseNs = 50'000'000;
constexpr uint64_t kLongestPauseNs = 1'000'000'000;
// The share of a processor, as its inverse: some early looks may cost more. Each rank of a node may
// have a launcher that looks.
constexpr uint64_t kFirstShare = 20;
constexpr uint64_t kShare = 500;
constexpr uint32_t kFirstLooks = 10;
constexpr size_t kMostOthers = 100'000;
constexpr size_t kMostRoots = 1000;

bool IsThere(const std::string& path, struct stat* status) {
  return stat(path.c_str(), status) == 0;
}

// Whether the run's folder of spools is there below `root`, and is not the run's own.
bool HasSpools(const std::string& root, const std::string& run_directory) {
  struct stat theirs, ours;
  const std::string spools = SpoolRoot(run_directory);
  if (!IsThere(root + spools, &theirs)) return false;
  return !IsThere(spools, &ours) || theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino;
}

// The path of `root` from here; "" in another mount namespace.
std::string PathOf(const std::string& link, const struct stat& root) {
  char path[PATH_MAX];
  const ssize_t bytes = readlink(link.c_str(), path, sizeof(path));
  if (bytes <= 0) return "";
  const std::string found(path, static_cast<size_t>(bytes));
  struct stat status;
  const bool same =
      IsThere(found, &status) && status.st_dev == root.st_dev && status.st_ino == root.st_ino;
  return same ? found : "";
}

}  // namespace

void OtherRoots::LookAt(int pid) {
  const std::string link = Text("/proc/", pid, "/root");
  struct stat root, own;
  if (!IsThere(link, &root) || !IsThere("/", &own)) return;
  if (root.st_dev == own.st_dev && root.st_ino == own.st_ino) return;
  if (others_.contains({pid, root.st_ino})) return;
  if (!IsBelowThis(pid)) {
    if (others_.size() >= kMostOthers) others_.clear();
    others_.insert({pid, root.st_ino});
    return;
  }
  if (seen_.size() >= kMostRoots && !seen_.contains({root.st_dev, root.st_ino})) return;
  Seen& seen = seen_.try_emplace({root.st_dev, root.st_ino}, Seen{pid, PathOf(link, root), false})
                   .first->second;
  seen.has_spools = seen.has_spools || HasSpools(link, run_directory_);
}

void OtherRoots::Look() {
  const uint64_t begin = MonotonicNs();
  if (begin < next_ns_) return;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return;
  while (const dirent* entry = readdir(processes)) {
    if (const int pid = std::atoi(entry->d_name); pid > 0) LookAt(pid);
  }
  closedir(processes);
  const uint64_t end = MonotonicNs();
  const uint64_t share = looks_++ < kFirstLooks ? kFirstShare : kShare;
  pause_ns_ = std::clamp(pause_ns_ * 2, kFirstPauseNs, kLongestPauseNs);
  next_ns_ = end + std::max(pause_ns_, (end - begin) * share);
}

std::vector<std::string> OtherRoots::Describe() const {
  std::vector<std::string> sentences;
  for (const auto& [directory, seen] : seen_) {
    if (!seen.path.empty() && HasSpools(seen.path, run_directory_)) {
      sentences.push_back(Text("records of processes with the root directory ",
                               ShellQuote(seen.path), " (the first: pid ", seen.pid,
                               ") lie there: they could not reach the launcher. ",
                               "Write their traces with `syncline recover ",
                               ShellQuote(seen.path + run_directory_), "`."));
    } else if (seen.path.empty() && seen.has_spools) {
      sentences.push_back(Text(
          "records of processes in a container, or in another mount namespace (the first: pid ",
          seen.pid, "), lie there: they could not reach the launcher. Write their traces with ",
          "`syncline recover ", ShellQuote(run_directory_),
          "` inside it, or let it share that directory and the launcher's network."));
    }
  }
  return sentences;
}

}  // namespace syncline
