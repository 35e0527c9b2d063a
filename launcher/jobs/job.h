// SPDX-License-Identifier: Apache-2.0
// The directory of a run: found or made by each launcher of a job, together with the others and
// without talking to them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inject/core/segment.h"
#include "model/run/base_time.h"

namespace syncline {

inline constexpr char kDefaultParent[] = "syncline-out";

struct JobRequest {
  std::string output;  // -o; empty: a directory of its own below kDefaultParent
  bool force = false;
  std::string
      key;  // of the launcher of ranks, the same in all ranks; empty: this command is its own job
  std::string allocation;  // what several jobs of one user's allocation have in common; empty: none
  std::string name;        // JobName
  std::string job_id;      // for the directory's name; empty: UTC time
  int rank = -1;
  int64_t inherited_base_ns = -1;  // an outer launcher's base of times; -1: none
  bool kinetos_base = false;       // --base-time kineto
  bool several_nodes = false;      // ranks may have launchers on nodes other than this one
  std::string node;
  std::vector<std::string> command;                          // empty: not to be recorded
  std::vector<std::pair<std::string, std::string>> options;  // in force, name and text
};

struct Job {
  std::string directory;  // absolute
  std::string key;
  BaseTime base_time;  // ns is 0: not known
  Anchor first_anchor = {};
  std::string node;      // on which first_anchor was taken
  bool created = false;  // by this launcher
  // What LeaveJob needs to know.
  std::string was_there;          // the part of `directory` that was there before
  std::string key_link;           // that led the launchers of the job here; empty: none
  bool has_default_name = false;  // below kDefaultParent, and `latest` leads here
};

// What the base of times is taken from if none is inherited. The job's own second only where all
// ranks read this run/job.json; nodes without a shared directory have one each.
BaseFrom ChooseBase(const JobRequest& request, bool shared_directory);

struct JobOutcome {
  Job job;
  std::string error;      // empty: good; else what, why, what to do
  std::string elsewhere;  // why it is not the directory that was asked for, and what to do; or ""
};

// Finds or makes the run's directory (0700), `run/` and `run/job.json`. The same key joins; a
// second job of the same allocation, and a second command of the same rank under the same key,
// becomes job-2/ below; a job with another key gets NAME.2 beside it, or with `force` the old run
// is renamed to NAME.old-N. Where the directory cannot be used at all: one below kDefaultParent, or
// on a local disk. Safe against other launchers doing the same at the same time, also on other
// nodes over a shared file system.
JobOutcome EnterJob(const JobRequest& request);

// DIR/run/job.json, and DIR/run/joined/rank-3: the place of a launcher, which no other one takes.
std::string JobFile(const std::string& directory);
std::string PlaceFile(const std::string& directory, int rank);

// Whether its directory is still the job's: neither gone nor another job's.
bool HoldsJob(const Job& job);

// What run/job.json of `directory` says. False: *error says why.
bool ReadJob(const std::string& directory, Job* job, std::string* error);

// The same of a text. False: it is no run/job.json.
bool ParseJob(const std::string& text, Job* job);

// The key's allocation, from the environment: batch job, else torchrun's run id.
std::string FindAllocation(const char* (*lookup)(const char* name));

// "20251121T131415Z".
std::string UtcName(int64_t realtime_ns);

}  // namespace syncline
