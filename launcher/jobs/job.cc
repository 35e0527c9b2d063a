// SPDX-License-Identifier: Apache-2.0
// Joining and renaming runs, and making way for them; run/job.json.
#include "launcher/jobs/job.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/run_file.h"
#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "inject/core/version.h"
#include "launcher/host/build_text.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/latest_link.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr char kSchema[] = "syncline.job/1";
constexpr int kMaxJobs = 10000;           // below one directory
constexpr int kWaitForOthersMs = 5000;    // for another launcher's file to be whole
constexpr int kWaitForMoveMs = 1000;      // for a renamed directory to be there again
constexpr uint64_t kLeastFree = 1 << 20;  // job.json and a manifest at least

void SleepMs(long ms) {
  const timespec time = {ms / 1000, (ms % 1000) * 1000000};
  nanosleep(&time, nullptr);
}

int64_t RealtimeNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// The longest part of an absolute path that is there.
std::string ExistingPart(std::string path) {
  while (path.size() > 1 && !Exists(path)) path.resize(std::max<size_t>(path.rfind('/'), 1));
  return path;
}

bool IsAbsolute(const std::string& path) { return path.starts_with("/"); }

std::string NoWorkingDirectory(const std::string& path) {
  return Text("the output directory ", ShellQuote(path),
              " is named from the working directory, which has been removed or has no name. Change "
              "to one that is there, or give -o an absolute path.");
}

// On this node, for runs of this user that find no place where they were asked to be. Not in
// memory, which the program needs.
std::vector<std::string> OwnLocalParents() {
  const char* temporary = Environment("TMPDIR");
  std::vector<std::string> parents;
  for (const char* parent : {temporary, "/tmp", "/var/tmp"}) {
    if (parent != nullptr && parent[0] == '/')
      parents.push_back(Text(parent, "/", kDefaultParent, "-", getuid()));
  }
  return parents;
}

// A directory of the run's own; ENOENT where the one around it has gone meanwhile, which would
// otherwise be made again, open to others.
int MakeInside(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno == ENOENT) return ENOENT;
  return MakeOwnDirectory(directory, 0700);
}

std::string CannotUse(const std::string& directory, int error) {
  if (error == kPreparedByOther) {
    struct stat status = {};
    lstat(directory.c_str(), &status);
    return Text("the output directory ", ShellQuote(directory), " belongs to another user (uid ",
                status.st_uid, ") and lies where everybody can write: it may have been put there ",
                "to lead what is written elsewhere. Choose another directory with -o DIR.");
  }
  std::string advice = "Choose a directory that you can write to with -o DIR.";
  if (error == ENOSPC || error == EDQUOT)
    advice = "Free some space there, or choose another directory with -o DIR.";
  if (error == ENOTDIR || error == EEXIST)
    advice = "A file is in the way: choose another directory with -o DIR.";
  return Text("cannot write to the output directory ", ShellQuote(directory), ": ",
              ErrorText(error), ". ", advice);
}

Json AnchorJson(const Anchor& anchor) {
  return {{"ticks", anchor.ticks},
          {"error_ticks", anchor.error_ticks},
          {"monotonic_ns", anchor.monotonic_ns},
          {"monotonic_raw_ns", anchor.monotonic_raw_ns},
          {"realtime_ns", anchor.realtime_ns},
          {"boottime_ns", anchor.boottime_ns}};
}

Anchor AnchorFromJson(const Json& json) {
  return {json.value("ticks", uint64_t{0}),        json.value("error_ticks", uint64_t{0}),
          json.value("monotonic_ns", uint64_t{0}), json.value("monotonic_raw_ns", uint64_t{0}),
          json.value("realtime_ns", uint64_t{0}),  json.value("boottime_ns", uint64_t{0})};
}

struct JobFacts {
  Job job;
  std::string allocation;
  std::string name;
  std::string created;
};

bool ParseFacts(const Json& json, JobFacts* facts) {
  try {
    if (json.value("schema", "") != kSchema) return false;
    facts->job.key = json.value("key", "");
    facts->job.base_time = {json.value("base_time_ns", uint64_t{0}),
                            BaseFromOf(json.value("base_time_from", ""))};
    facts->job.first_anchor = AnchorFromJson(json.value("anchor", Json::object()));
    facts->job.node = json.value("node", "");
    facts->allocation = json.value("allocation", "");
    facts->name = json.value("name", "");
    facts->created = json.value("created", "");
  } catch (const Json::exception&) {
    return false;
  }
  return true;
}

// 0: read; ENOENT: not there; EBUSY: still being written after waiting; EINVAL: not ours.
int ReadFacts(const std::string& directory, JobFacts* facts) {
  for (int waited = 0;; waited += 10) {
    std::string text;
    if (const int error = ReadRunFile(JobFile(directory), kMostRunText, &text); error != 0)
      return error == ELOOP || error == EFBIG ? EINVAL : error;
    const Json json = ParseJson(text);
    if (json.is_object()) {
      facts->job.directory = directory;
      return ParseFacts(json, facts) ? 0 : EINVAL;
    }
    // Another launcher has made the file and not finished writing it, or it was cut off.
    if (waited >= kWaitForOthersMs) return text.empty() ? EBUSY : EINVAL;
    SleepMs(10);
  }
}

std::string DescribeUnreadable(const std::string& directory, int error) {
  if (error == EBUSY || error == EINVAL) {
    return Text(ShellQuote(JobFile(directory)), " is ",
                error == EBUSY ? "empty" : "damaged or of another version",
                ": the run there cannot be joined. Choose another directory with -o DIR, or move "
                "this one away.");
  }
  return CannotUse(directory, error);
}

enum class Entry { kCreated, kJoined, kTaken, kOther, kFailed };

// A project with its sources, say, for `-o .`: it is not renamed with the run in it.
bool HoldsMoreThanRuns(const std::string& directory) {
  const std::vector<std::string> names = ListDirectory(directory);
  if (names.empty()) return access(directory.c_str(), R_OK) != 0 && errno == EACCES;  // not known
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const bool is_run = name == "run" || name == "report" || name.starts_with("rank-") ||
                        name.starts_with("launcher.") || name.starts_with("job-");
    return !is_run;
  });
}

// One launcher's way into the run of one job.
class JobEntrance {
 public:
  explicit JobEntrance(const JobRequest& request) : request_(request), key_(request.key) {
    start_ns_ = RealtimeNs();
    if (key_.empty()) key_ = Text("own+", request.node, "+", getpid(), "+", start_ns_);
  }

  // A run of another job is left alone: this one goes beside it, into NAME.2 and so on.
  JobOutcome EnterNamed() {
    const std::string asked = AbsolutePath(request_.output);
    if (!IsAbsolute(asked)) return Fail(NoWorkingDirectory(asked));
    std::string beside;
    for (int number = 1; number <= kMaxJobs; ++number) {
      const std::string top = number == 1 ? asked : Text(asked, ".", number);
      was_there_ = ExistingPart(top);
      // What nobody named is not renamed.
      if (EnterBelow(top, request_.force && number == 1) != Entry::kOther) {
        outcome_.elsewhere = beside;
        return outcome_;
      }
      if (number > 1) continue;
      std::string advice =
          Text(", or give --force to rename the old run to ", ShellQuote(asked + ".old-1"));
      if (HoldsMoreThanRuns(asked))
        advice = request_.force ? ": --force renames no directory in which other files lie" : "";
      beside = Text(ShellQuote(asked), " already holds the run of ", found_.name, " (",
                    found_.created, "). Choose another directory with -o DIR", advice, ".");
    }
    return Fail(Text("there are too many runs beside ", ShellQuote(asked),
                     ". Choose another directory with -o DIR."));
  }

  JobOutcome EnterDefault(const std::string& parent) {
    if (!IsAbsolute(parent)) return Fail(NoWorkingDirectory(parent));
    was_there_ = ExistingPart(parent);
    if (const int error = MakeOwnDirectory(parent, 0777); error != 0)
      return Fail(CannotUse(parent, error));
    for (int number = 1; number <= kMaxJobs; ++number) {
      const std::string directory =
          request_.key.empty() ? NewName(parent, number) : AgreedName(parent, number);
      if (directory.empty()) return outcome_;
      const Entry entry = Enter(directory);
      if (entry == Entry::kCreated) PointLatestTo(parent, directory.substr(parent.size() + 1));
      outcome_.job.has_default_name = true;
      outcome_.job.key_link = key_link_;
      if (entry != Entry::kTaken && entry != Entry::kOther) return outcome_;
    }
    return Fail(Text(ShellQuote(parent),
                     " holds too many runs of this name. Name a directory with -o DIR."));
  }

 private:
  JobOutcome Fail(const std::string& error) {
    outcome_.error = error;
    return outcome_;
  }

  // Into `top`, or for a further job of those that are in it, into job-N below. kOther: it is
  // another job's.
  Entry EnterBelow(const std::string& top, bool may_rename) {
    for (int number = 1; number <= kMaxJobs; ++number) {
      const Entry entry = Enter(number == 1 ? top : Text(top, "/job-", number));
      if (entry != Entry::kTaken && entry != Entry::kOther) return entry;
      if (entry == Entry::kTaken || number > 1) continue;
      if (may_rename && !HoldsMoreThanRuns(top)) {
        if (!RenameOld(top)) return Entry::kFailed;
        number = 0;
      } else if (request_.allocation.empty() || found_.allocation != request_.allocation) {
        return Entry::kOther;
      }
    }
    Fail(Text(ShellQuote(top), " holds too many jobs. Choose another directory with -o DIR."));
    return Entry::kFailed;
  }

  std::string DirectoryName(int number) const {
    const std::string base =
        Text(request_.name, "-", request_.job_id.empty() ? UtcName(start_ns_) : request_.job_id);
    return number == 1 ? base : Text(base, "-", number);
  }

  std::string NewName(const std::string& parent, int number) const {
    return Text(parent, "/", DirectoryName(number));
  }

  // All ranks of a job agree on one name, also when their commands differ and their clocks are a
  // second apart: the first leaves a link named after the key, whose target is the name. Making a
  // link is atomic, also on NFS.
  std::string AgreedName(const std::string& parent, int number) {
    const std::string jobs = parent + "/.jobs";
    const std::string link = Text(jobs, "/", HexText(HashText(key_)), "-", number);
    char target[512];
    ssize_t bytes = -1;
    for (int waited = 0; bytes <= 0; waited += 10) {
      if (const int error = MakeOwnDirectory(jobs, 0777); error != 0)
        return Fail(CannotUse(jobs, error)), "";
      // A name that is taken belongs to another job of this second.
      int suffix = 1;
      while (Exists(Text(parent, "/", DirectoryName(suffix)))) ++suffix;
      if (symlink(DirectoryName(suffix).c_str(), link.c_str()) == 0 || errno == EEXIST)
        bytes = readlink(link.c_str(), target, sizeof(target));
      if (bytes > 0) break;
      // A launcher that leaves takes its link away, and the directory of links when it is empty.
      const int error = bytes < 0 ? errno : EINVAL;
      if (error != ENOENT || waited >= kWaitForMoveMs) return Fail(CannotUse(jobs, error)), "";
      SleepMs(10);
    }
    const std::string name(target, static_cast<size_t>(bytes));
    if (name.find('/') != std::string::npos || name == "..")
      return Fail(CannotUse(link, EINVAL)), "";
    key_link_ = link;
    return Text(parent, "/", name);
  }

  Entry Enter(const std::string& directory) {
    const std::string was_there = ExistingPart(directory + "/run/joined");
    std::string refused = directory;
    int error = 0;
    // The directory may go away between two of our steps: another rank renames the old run
    // (--force), or a launcher that recorded nothing leaves.
    for (int waited = 0; waited <= kWaitForMoveMs; waited += 10) {
      if (waited > 0) SleepMs(10);
      error = CreateOrRead(directory, &refused);
      if (error == ENOENT) continue;
      if (error != 0) break;
      if (!outcome_.job.created && found_.job.key != key_) return Entry::kOther;
      if (!outcome_.job.created) outcome_.job = found_.job;
      outcome_.job.was_there = was_there_;
      error = TakePlace(directory);
      if (error == EEXIST) return Entry::kTaken;
      if (error == 0) return outcome_.job.created ? Entry::kCreated : Entry::kJoined;
      if (error != ENOENT) break;
    }
    Fail(error == EBUSY || error == EINVAL ? DescribeUnreadable(directory, error)
                                           : CannotUse(refused, error));
    // What is around a run's directory that was not there may be new too.
    RemoveMade(directory, was_there.size() < directory.size() ? was_there_ : was_there);
    return Entry::kFailed;
  }

  // What was made for a run that cannot be there: all below `was_there`.
  void RemoveMade(const std::string& directory, const std::string& was_there) const {
    if (!key_link_.empty()) {
      unlink(key_link_.c_str());
      rmdir(key_link_.substr(0, key_link_.rfind('/')).c_str());
    }
    for (std::string path = directory + "/run/joined"; path.size() > was_there.size();) {
      if (rmdir(path.c_str()) != 0 && errno != ENOENT) return;
      path.resize(path.rfind('/'));
    }
  }

  // 0 with outcome_.job made, or with found_ read; else what ReadFacts or the system answered, in
  // *refused of a directory that another user prepared its name.
  int CreateOrRead(const std::string& directory, std::string* refused) {
    const std::string run = directory + "/run";
    int error = MakeOwnDirectory(directory, 0700);
    if (error == 0) {
      error = MakeInside(run);
      if (error == kPreparedByOther) *refused = run;
    }
    if (error == 0 && FreeBytes(run) < kLeastFree) error = ENOSPC;
    if (error == 0) error = CreateExclusively(JobFile(directory), MakeText(directory));
    outcome_.job.created = error == 0;
    return error == EEXIST ? ReadFacts(directory, &found_) : error;
  }

  // A rank's second command under one key (a script that runs two programs, a job started again, a
  // key inherited from a run that has ended) is another job: the n-th command of each rank meets
  // the n-th of the others. EEXIST: this is such a command.
  int TakePlace(const std::string& directory) const {
    const std::string place = PlaceFile(directory, request_.rank);
    const int error = MakeInside(place.substr(0, place.rfind('/')));
    return error == 0 ? CreateExclusively(place, "") : error;
  }

  std::string MakeText(const std::string& directory) {
    Job& job = outcome_.job;
    job.directory = directory;
    job.key = key_;
    job.node = request_.node;
    job.first_anchor = TakeAnchor(NodeClock());
    job.base_time =
        request_.inherited_base_ns >= 0
            ? BaseTime{static_cast<uint64_t>(request_.inherited_base_ns), BaseFrom::kInherited}
            : BaseTimeOf(ChooseBase(request_, IsNetworkFileSystem(directory)),
                         job.first_anchor.realtime_ns);
    Json options = Json::object();
    for (const auto& [name, text] : request_.options) options[name] = text;
    Json json = {{"schema", kSchema},
                 {"key", key_},
                 {"allocation", request_.allocation},
                 {"name", request_.name},
                 {"version", kVersion},
                 {"commit", BuildCommit()},
                 {"layout_version", kLayoutVersion},
                 {"created", UtcName(static_cast<int64_t>(job.first_anchor.realtime_ns))},
                 {"base_time_ns", job.base_time.ns},
                 {"base_time_from", BaseFromName(job.base_time.from)},
                 {"anchor", AnchorJson(job.first_anchor)},
                 {"node", request_.node},
                 {"options", options}};
    if (!request_.command.empty()) json["command"] = request_.command;
    return JsonText(json, 2);
  }

  // Several launchers of one new job may find the old run: the one that makes the claim renames,
  // and only if the old run is still there; the others wait for the new one.
  bool RenameOld(const std::string& directory) {
    const std::string claim = Text(directory, ".force-", HexText(HashText(key_)));
    for (int waited = 0;; waited += 10) {
      const int error = CreateExclusively(claim, "");
      if (error == 0) break;
      if (error != EEXIST) return Fail(CannotUse(directory, error)), false;
      if (waited >= kWaitForOthersMs) {
        return Fail(Text("another launcher has been renaming ", ShellQuote(directory),
                         " for too long. If none is running, remove ", ShellQuote(claim),
                         " and try again.")),
               false;
      }
      SleepMs(10);
    }
    JobFacts now;
    int error = 0;
    if (ReadFacts(directory, &now) == 0 && now.job.key != key_) {
      int number = 1;
      while (Exists(Text(directory, ".old-", number))) ++number;
      if (rename(directory.c_str(), Text(directory, ".old-", number).c_str()) != 0) error = errno;
      // The new run's file is made under the claim: whoever gets the claim next finds it.
      if (error == 0) error = MakeDirectories(directory + "/run", 0700);
      if (error == 0) error = CreateExclusively(JobFile(directory), MakeText(directory));
      was_there_ = ExistingPart(directory.substr(0, directory.rfind('/')));
      if (error == EEXIST) error = 0;  // one of our job saw the free place first
    }
    unlink(claim.c_str());
    if (error != 0)
      return Fail(Text("cannot rename the old run ", ShellQuote(directory), ": ", ErrorText(error),
                       ". Rename it yourself, or choose another directory with -o DIR.")),
             false;
    return true;
  }

  const JobRequest& request_;
  std::string key_;
  int64_t start_ns_;
  JobOutcome outcome_;
  JobFacts found_;
  std::string was_there_;  // of the path that was asked for, before anything was made
  std::string key_link_;   // where AgreedName found the name
};

}  // namespace

std::string JobFile(const std::string& directory) { return directory + "/run/job.json"; }

std::string PlaceFile(const std::string& directory, int rank) {
  return Text(directory, "/run/joined/", rank < 0 ? "main" : Text("rank-", rank));
}

BaseFrom ChooseBase(const JobRequest& request, bool shared_directory) {
  if (request.kinetos_base) return BaseFrom::kKineto;
  return request.several_nodes && !shared_directory ? BaseFrom::kGrid : BaseFrom::kJob;
}

JobOutcome EnterJob(const JobRequest& request) {
  const std::string usual = AbsolutePath(kDefaultParent);
  JobOutcome asked = request.output.empty() ? JobEntrance(request).EnterDefault(usual)
                                            : JobEntrance(request).EnterNamed();
  if (asked.error.empty()) return asked;
  std::vector<std::string> parents = OwnLocalParents();
  if (!request.output.empty()) parents.insert(parents.begin(), usual);
  for (const std::string& parent : parents) {
    JobOutcome outcome = JobEntrance(request).EnterDefault(parent);
    if (!outcome.error.empty()) continue;
    outcome.elsewhere = asked.error;
    return outcome;
  }
  return asked;
}

bool HoldsJob(const Job& job) {
  JobFacts facts;
  switch (ReadFacts(job.directory, &facts)) {
    case 0:
      return facts.job.key == job.key;
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
    case EBUSY:
    case EINVAL:
      return false;
    default:
      return true;  // such as EMFILE: nothing is known, and the file was there
  }
}

bool ParseJob(const std::string& text, Job* job) {
  const Json json = ParseJson(text);
  JobFacts facts;
  if (!json.is_object() || !ParseFacts(json, &facts)) return false;
  *job = facts.job;
  return true;
}

bool ReadJob(const std::string& directory, Job* job, std::string* error) {
  JobFacts facts;
  const int failure = ReadFacts(AbsolutePath(directory), &facts);
  if (failure != 0) {
    *error =
        failure == ENOENT || failure == ENOTDIR
            ? Text(
                  ShellQuote(directory),
                  " is not the directory of a run: it has no run/job.json. Name the directory that "
                  "`syncline run` printed.")
            : DescribeUnreadable(directory, failure);
    return false;
  }
  *job = facts.job;
  return true;
}

std::string FindAllocation(const char* (*lookup)(const char* name)) {
  for (const char* name :
       {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "TORCHELASTIC_RUN_ID"}) {
    const char* value = lookup(name);
    if (value != nullptr && *value != '\0') return Text(name, "+", value);
  }
  return "";
}

std::string UtcName(int64_t realtime_ns) {
  const time_t seconds = realtime_ns / 1000000000;
  tm parts;
  char text[32];
  gmtime_r(&seconds, &parts);
  std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

}  // namespace syncline
