// SPDX-License-Identifier: Apache-2.0
// Replaces the link in one step.
#include "launcher/jobs/latest_link.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

std::string LinkIn(const std::string& parent) { return parent + "/latest"; }

// Whether the link is there and leads to `run`.
bool PointsTo(const std::string& link, const std::string& run) {
  char target[512];
  const ssize_t bytes = readlink(link.c_str(), target, sizeof(target));
  return bytes > 0 && std::string_view(target, static_cast<size_t>(bytes)) == run;
}

// "": there is none.
std::string NewestRun(const std::string& parent) {
  std::vector<std::string> runs;
  for (const std::string& name : ListDirectory(parent)) {
    if (IsRealDirectory(Text(parent, "/", name))) runs.push_back(Text(parent, "/", name));
  }
  const std::string newest = NewestOf(runs);
  return newest.substr(newest.rfind('/') + 1);
}

}  // namespace

std::string NewestOf(const std::vector<std::string>& runs) {
  std::string newest;
  int64_t newest_ns = -1;
  for (const std::string& run : runs) {
    struct stat job;
    if (stat((run + "/run/job.json").c_str(), &job) != 0) continue;
    const int64_t made_ns = int64_t{job.st_mtim.tv_sec} * 1000000000 + job.st_mtim.tv_nsec;
    if (made_ns <= newest_ns) continue;
    newest_ns = made_ns;
    newest = run;
  }
  return newest;
}

std::string LatestRun(const std::string& parent) {
  char target[512];
  const ssize_t bytes = readlink(LinkIn(parent).c_str(), target, sizeof(target));
  const std::string run(target, bytes > 0 ? static_cast<size_t>(bytes) : 0);
  const bool is_run = !run.empty() && run.find('/') == std::string::npos &&
                      Exists(Text(parent, "/", run, "/run/job.json"));
  return is_run ? run : NewestRun(parent);
}

void PointLatestTo(const std::string& parent, const std::string& run) {
  const std::string temporary = Text(parent, "/.latest-", getpid());
  unlink(temporary.c_str());
  if (symlink(run.c_str(), temporary.c_str()) != 0) return;
  // Rename over a directory fails, and that is right.
  struct stat there;
  const bool is_file = lstat(LinkIn(parent).c_str(), &there) == 0 && !S_ISLNK(there.st_mode);
  if (is_file || rename(temporary.c_str(), LinkIn(parent).c_str()) != 0) unlink(temporary.c_str());
}

void PointLatestAway(const std::string& parent, const std::string& run) {
  std::string gone = run;
  while (PointsTo(LinkIn(parent), gone)) {
    const std::string newest = NewestRun(parent);
    if (newest.empty()) {
      unlink(LinkIn(parent).c_str());
      return;
    }
    PointLatestTo(parent, newest);
    // Its launcher may have removed it meanwhile, and not seen the link.
    if (Exists(Text(parent, "/", newest, "/run/job.json"))) return;
    gone = newest;
  }
}

}  // namespace syncline
