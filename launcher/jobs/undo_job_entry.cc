// SPDX-License-Identifier: Apache-2.0
// Removes what EnterJob made, in the opposite order; removes no file that it has not made.
#include "launcher/jobs/undo_job_entry.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/run_file.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/latest_link.h"

namespace syncline {
namespace {

std::string ParentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Why rmdir of the run's directory, or of "run/" below it, failed. "": another launcher has found
// the place free and made a run of its own there.
std::string WhyItStays(const Job& job, const std::string& below, int error) {
  const std::vector<std::string> names = ListDirectory(Text(job.directory, "/", below));
  if (names.empty())
    return error == ENOTEMPTY ? "" : Text("it cannot be removed: ", ErrorText(error));
  const auto is_there = [&names](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_there(below.empty() ? "run" : "job.json")) return "";
  if (!below.empty() && is_there("joined")) return "other launchers of the job are in it";
  return Text(ShellQuote(below + names.front()),
              names.size() == 1 ? " is in it" : " and more are in it");
}

bool IsGone(const std::string& folder) { return rmdir(folder.c_str()) == 0 || errno == ENOENT; }

// run/ and job.json. Another launcher of the job may have read job.json and make its place just
// now: then the file comes back. Another one may also have found the place free: then the run is
// its own, and nothing here is ours.
std::string RemoveRun(const Job& job) {
  std::string text;
  ReadRunFile(JobFile(job.directory), kMostRunText, &text);
  if (unlink(JobFile(job.directory).c_str()) != 0 && errno != ENOENT)
    return Text("it cannot be removed: ", ErrorText(errno));
  const std::string run = job.directory + "/run";
  if (IsGone(run)) return "";
  const std::string why = WhyItStays(job, "run/", errno);
  if (why.empty()) {
    rmdir(run.c_str());  // where the other one has left meanwhile
  } else {
    CreateExclusively(JobFile(job.directory), text);
  }
  return why;
}

// The links that lead to the run, if it is nobody else's by now.
void RemoveLinks(const Job& job) {
  if (Exists(JobFile(job.directory))) return;
  const std::string parent = ParentOf(job.directory);
  if (job.has_default_name) PointLatestAway(parent, NameOf(job.directory));
  if (job.key_link.empty()) return;
  unlink(job.key_link.c_str());
  rmdir(ParentOf(job.key_link).c_str());
}

}  // namespace

std::string LeaveJob(const Job& job, int rank) {
  unlink(PlaceFile(job.directory, rank).c_str());
  if (rank >= 0) return "other ranks of the job may record into it";
  if (!IsGone(ParentOf(PlaceFile(job.directory, rank))))
    return "other launchers of the job are in it";
  if (std::string why = RemoveRun(job); !why.empty()) return why;
  std::string why;
  if (job.was_there != job.directory && !IsGone(job.directory)) why = WhyItStays(job, "", errno);
  RemoveLinks(job);
  for (std::string folder = job.directory; why.empty() && folder.size() > job.was_there.size();
       folder = ParentOf(folder)) {
    if (!IsGone(folder)) break;
  }
  return why;
}

}  // namespace syncline
