// SPDX-License-Identifier: Apache-2.0
// The checks behind `syncline doctor`.
#include "launcher/commands/doctor_checks.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"
#include "launcher/start/cupti_folder.h"
#include "launcher/start/env_plan.h"
#include "launcher/start/library.h"
#include "launcher/start/stamp_facts.h"
#include "launcher/start/unrecorded.h"
#include "symbols/libdw.h"

namespace syncline {
namespace {

CheckResult Good(const char* name, const std::string& text) {
  return {name, Health::kGood, text, ""};
}

CheckResult CheckSystem() {
  utsname system = {};
  uname(&system);
  return Good("system", Text("Linux ", system.release, " on ", system.machine, ", glibc ",
                             gnu_get_libc_version()));
}

CheckResult CheckLibrary() {
  std::string error;
  const std::string path = FindLibrary(&error);
  if (path.empty()) return {"library", Health::kBad, error, ""};
  if (const std::string problem = PreloadPathProblem(path); !problem.empty())
    return {"library", Health::kBad, problem, ""};
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    return {"library", Health::kBad, Text("it does not load: ", dlerror()),
            "build it again on this machine, or use the portable build"};
  }
  return Good("library", path);
}

CheckResult CheckSockets() {
  SocketPlace place;
  std::string error;
  if (!place.Make(&error)) {
    return {"sockets", Health::kLimited, error,
            "processes drain their records themselves (--consumer process)"};
  }
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, place.prefix().c_str(), sizeof(address.sun_path) - 1);
  const bool bound =
      fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  const int failure = errno;
  if (fd >= 0) close(fd);
  if (bound)
    return Good("sockets", Text("processes reach the launcher through ",
                                place.prefix().substr(
                                    0, place.prefix().rfind('/', place.prefix().rfind('/') - 1))));
  return {"sockets", Health::kLimited, Text("Unix sockets do not work: ", ErrorText(failure)),
          "processes drain their records themselves (--consumer process)"};
}

CheckResult CheckMemory() {
  // By number: glibc 2.17 has no such function.
  const long fd = syscall(SYS_memfd_create, "syncline-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0) {
    close(static_cast<int>(fd));
    return Good("memory",
                "anonymous shared memory (memfd) works: records survive the death of a program");
  }
  return {"memory", Health::kLimited, Text("memfd_create is refused: ", ErrorText(errno)),
          "records are kept in files under /dev/shm or $TMPDIR; allow memfd_create in the sandbox"};
}

CheckResult CheckShm() {
  constexpr uint64_t kComfortable = 256 << 20;
  if (!IsDirectory("/dev/shm") || access("/dev/shm", W_OK) != 0) {
    return {"/dev/shm", Health::kLimited,
            "is not there or not writable; only needed without a launcher",
            "mount a tmpfs there, or set TMPDIR"};
  }
  const uint64_t free = FreeBytes("/dev/shm");
  const std::string text = Text(SizeText(free), " free; only needed without a launcher");
  if (free >= kComfortable) return Good("/dev/shm", text);
  return {"/dev/shm", Health::kLimited, text, "give the container more (docker: --shm-size 1g)"};
}

CheckResult CheckClock() {
  std::string source;
  ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource", &source);
  while (source.ends_with("\n")) source.pop_back();
  const StampFacts facts = MeasureStamps(NodeClock());
  char measured[96];
  std::snprintf(measured, sizeof(measured), "%.1f ns a reading, in steps of %.2f ns", facts.cost_ns,
                facts.step_ns);
  if (NodeClock() == ClockId::kTsc)
    return Good("clock", Text("the CPU's time stamp counter: ", measured));
  return {"clock", Health::kLimited,
          Text("CLOCK_MONOTONIC: ", measured, "; the kernel's clock source is ",
               source.empty() ? "unknown" : source),
          "records cost more time each than with the CPU's time stamp counter; nothing is lost"};
}

CheckResult CheckRights() {
  return Good("rights", Text("none needed: neither root, nor ptrace, nor perf_event; you are ",
                             geteuid() == 0 ? "root" : "not root"));
}

CheckResult CheckOutput() {
  const std::string here = AbsolutePath(".");
  const uint64_t free = FreeBytes(here);
  if (access(here.c_str(), W_OK) != 0) {
    return {"output", Health::kBad, Text("cannot write to ", ShellQuote(here)),
            "change to another directory or give -o DIR"};
  }
  // As the spool's writer counts (SpoolFile::WithinBudget).
  struct statvfs system = {};
  statvfs(here.c_str(), &system);
  const uint64_t reserve =
      std::min(static_cast<uint64_t>(OptionNumber(OptionIndex("disk.reserve"))),
               static_cast<uint64_t>(system.f_blocks) * system.f_frsize / 10);
  if (free < reserve) {
    return {"output", Health::kBad, Text("only ", SizeText(free), " free in ", ShellQuote(here)),
            "free some space, give -o DIR, or lower --disk-reserve"};
  }
  const char* network =
      IsNetworkFileSystem(here) ? ", a network file system: records go to a local disk first" : "";
  return Good("output", Text(SizeText(free), " free in ", ShellQuote(here), network));
}

CheckResult CheckRank() {
  const RankFacts facts = FindRank(Environment);
  if (facts.rank < 0) return Good("rank", "no rank variables here: the command is rank 0 of 1");
  const std::string_view launcher = LauncherName(facts.launcher);
  std::string text =
      Text("rank ", facts.rank, launcher.starts_with("by ") ? " " : " by ", launcher);
  if (facts.world_size >= 0) text += Text(" of ", facts.world_size);
  return Good("rank", text);
}

CheckResult CheckLines() {
  if (FindLibdw() != nullptr)
    return Good("lines",
                "elfutils' libdw is there: C, C++ and Fortran code is named with its lines");
  return {"lines", Health::kLimited,
          "elfutils' libdw is not there: C, C++ and Fortran code is named without its lines",
          "apt-get install libdw1, or dnf install elfutils-libs; only where recordings are read"};
}

struct LimitFacts {
  const char* name;
  uint64_t needed;  // below it nothing is recorded
  uint64_t wanted;
  const char* consequence;  // below `wanted`
  const char* remedy;
};

CheckResult JudgeLimit(const LimitFacts& facts, uint64_t value, const std::string& text) {
  if (value == RLIM_INFINITY) return Good(facts.name, "unlimited");
  if (value >= facts.wanted) return Good(facts.name, text);
  if (value >= facts.needed)
    return {facts.name, Health::kLimited, Text(text, ": ", facts.consequence), facts.remedy};
  return {facts.name, Health::kBad, Text(text, ": too little to record anything"), facts.remedy};
}

void AddLimits(std::vector<CheckResult>* results) {
  int64_t segment = 0;
  const OptionRow& row = kOptions[OptionIndex("memory.process")];
  ParseOptionValue(row, row.least, &segment);
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  results->push_back(JudgeLimit({"ulimit -n", kLeastDescriptors, 1024,
                                 "that many recorded processes at once at most, less a few",
                                 "raise the hard limit of open files"},
                                limit.rlim_max, std::to_string(limit.rlim_max)));
  getrlimit(RLIMIT_AS, &limit);
  results->push_back(JudgeLimit(
      {"ulimit -v", static_cast<uint64_t>(segment), uint64_t{4} << 30,
       "processes get a sixteenth of it for their records", "raise it (ulimit -v unlimited)"},
      limit.rlim_cur, SizeText(limit.rlim_cur)));
  getrlimit(RLIMIT_FSIZE, &limit);
  results->push_back(
      JudgeLimit({"ulimit -f", static_cast<uint64_t>(segment), uint64_t{1} << 30,
                  "no segment, spool or trace can be larger", "raise it (ulimit -f unlimited)"},
                 limit.rlim_cur, SizeText(limit.rlim_cur)));
}

CheckResult CheckCollector(const CollectorDescription& collector) {
  const std::string name = Text("collector ", collector.name);
  if (collector.probe == nullptr) return {name, Health::kGood, collector.help, ""};
  const ProbeResult probe = collector.probe();
  return {name, probe.usable ? Health::kGood : Health::kLimited,
          probe.reason != nullptr ? probe.reason : collector.help,
          probe.remedy != nullptr ? probe.remedy : ""};
}

void AddCollectors(std::vector<CheckResult>* results) {
  std::map<std::string_view, const CollectorDescription*> by_name;
  for (size_t i = 0; i < kCollectorCount; ++i) by_name[kCollectors[i]->name] = kCollectors[i];
  for (const auto& [name, collector] : by_name) results->push_back(CheckCollector(*collector));
}

}  // namespace

std::vector<CheckResult> RunChecks() {
  // As in a recorded program, before the collectors look.
  if (const std::string cupti = FindCuptiFolder(""); !cupti.empty())
    setenv(VariableName(Variable::kCupti), cupti.c_str(), 0);
  std::vector<CheckResult> results = {CheckSystem(), CheckLibrary(), CheckSockets(), CheckMemory(),
                                      CheckShm(),    CheckClock(),   CheckRights(),  CheckOutput(),
                                      CheckRank(),   CheckLines()};
  AddLimits(&results);
  AddCollectors(&results);
  return results;
}

}  // namespace syncline
