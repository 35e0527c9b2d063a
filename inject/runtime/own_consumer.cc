// SPDX-License-Identifier: Apache-2.0
// The consumer thread inside a traced process.
#include "inject/runtime/own_consumer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "inject/consumer/poll_pace.h"
#include "inject/consumer/segment_drain.h"
#include "inject/core/clock.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr size_t kThreadStackBytes = 256 << 10;
constexpr uint64_t kAnchorEveryNs = 4000000000;
constexpr long kCloseRange =
    436;  // SYS_close_range and its flag, of Linux 5.9; older headers lack them
constexpr long kCloseRangeUnshare = 2;
constexpr uint64_t kTakeWaitNs = 5000000;
constexpr uint64_t kLookEveryNs = 100000000;

// Of the spool's descriptor: opened by the program's thread, taken by ours.
enum class Descriptor { kOffered, kTaken, kShared };

// Mapped, never freed: the thread uses it until the process ends.
struct OwnConsumer {
  SegmentDrain drain;
  SpoolFile spool;
  DiskBudget budget;
  Doorbell bell;
  std::atomic<Descriptor> descriptor{Descriptor::kOffered};
};

// Where this process writes: a directory that `syncline recover` is given, its spool folder, and
// the name of our files.
struct Place {
  TextBuffer output;  // empty: a launcher's, which formats by itself
  TextBuffer folder;
  TextBuffer stem;
};

// Written before the thread starts; read by SpawnRecovery.
TextBuffer* g_recover_output;
int32_t g_recover_pid;  // a fork's child inherits the pointer, not the duty

bool MakeFolders(const char* path) {
  TextBuffer partial;
  for (const char* at = path; *at != '\0';) {
    const char* end = strchrnul(at + 1, '/');
    partial.Add(at, static_cast<size_t>(end - at));
    const long result = SysCall(SYS_mkdirat, AT_FDCWD, AsLong(partial.text()), 0700);
    if (result != 0 && result != -EEXIST && *end == '\0') return false;
    at = end;
  }
  return true;
}

// The current directory is the program's and may change: relative paths are made absolute at once.
void AddAbsolute(TextBuffer* out, const char* path) {
  if (*path != '/') {
    char here[512];
    if (SysCall(SYS_getcwd, AsLong(here), sizeof(here)) > 0) out->Add(here).Add("/");
  }
  out->Add(path);
}

void FindPlace(const ProcessFacts& facts, bool launcher_near, Place* place) {
  const char* spool = VariableText(Variable::kSpool);
  const char* output = OptionText(OptionIndex("output"));
  if (*spool != '\0') {
    AddAbsolute(&place->folder, spool);
    // Its launcher is on another node, or died: nobody else recovers what this node has.
    if (!launcher_near && *output != '\0') AddAbsolute(&place->output, output);
  } else {
    if (*output != '\0') {
      AddAbsolute(&place->output, output);
    } else {
      AddAbsolute(&place->output, "syncline-out/");
      place->output.Add(facts.comm).Add("-").AddNumber(static_cast<uint64_t>(facts.pid));
    }
    place->folder.Add(place->output.text()).Add("/run/spool");
  }
  if (facts.host[0] != '\0') place->folder.Add("/").Add(facts.host);
  place->stem.Add("/")
      .AddNumber(static_cast<uint64_t>(facts.pid))
      .Add("-")
      .AddNumber(facts.start_time);
}

// Creates the spool under the first free number, and the link to the segment.
bool CreateFiles(const Place& place, const char* segment_path, OwnConsumer* own) {
  if (!MakeFolders(place.folder.text())) return false;
  for (uint64_t number = 0; number < 100; ++number) {
    TextBuffer path;
    path.Add(place.folder.text()).Add(place.stem.text()).Add("-").AddNumber(number);
    TextBuffer link = path;
    path.Add(kSpoolSuffix);
    if (path.cut()) return false;
    if (own->spool.Create(path.text(), &own->budget)) {
      link.Add(kSegmentLinkSuffix);
      if (*segment_path != '\0')
        SysCall(SYS_symlinkat, AsLong(segment_path), AT_FDCWD, AsLong(link.text()));
      return true;
    }
    if (own->spool.error() != EEXIST) return false;
  }
  return false;
}

// Whether the program's threads have all ended: main by pthread_exit (a zombie until the process
// ends), and every other.
bool OnlyWeAreLeft() {
  char stat_line[1024];
  if (ReadSmallFile("/proc/self/stat", stat_line, sizeof(stat_line)) <= 0) return false;
  const char* state = std::strrchr(stat_line, ')');
  return state != nullptr && state[1] == ' ' && state[2] == 'Z' && StatField(stat_line, 20) == 2;
}

// Makes this thread's table of descriptors its own, with nothing in it but the spool: the program
// cannot close ours, and none of its files stays open through us. A kernel before 5.9 has no such
// call: the table stays shared.
void TakeDescriptor(OwnConsumer* own) {
  const long fd = own->spool.descriptor();
  const long last = static_cast<long>(~0u);
  const bool alone = SysCall(kCloseRange, fd + 1, last, kCloseRangeUnshare) == 0;
  if (alone && fd > 0) SysCall(kCloseRange, 0, fd - 1, 0);
  own->descriptor.store(alone ? Descriptor::kTaken : Descriptor::kShared,
                        std::memory_order_release);
}

// The program's half: when the thread has its own table, the number is the program's again.
void GiveDescriptor(OwnConsumer* own) {
  const uint64_t deadline = MonotonicNs() + kTakeWaitNs;
  while (own->descriptor.load(std::memory_order_acquire) == Descriptor::kOffered &&
         MonotonicNs() < deadline)
    SysSleepNs(50000);
  if (own->descriptor.load(std::memory_order_acquire) == Descriptor::kTaken)
    SysClose(own->spool.descriptor());
}

void* Run(void* argument) {
  auto* own = static_cast<OwnConsumer*>(argument);
  SysCall(SYS_prctl, PR_SET_NAME, AsLong("syncline"));
  TakeDescriptor(own);
  PollPace pace;
  uint64_t looked_ns = MonotonicNs();
  for (;;) {
    if (MonotonicNs() - looked_ns > kLookEveryNs) {
      looked_ns = MonotonicNs();
      if (OnlyWeAreLeft())
        exit(0);  // what glibc does when the last thread ends; without us it would have been the
                  // last
    }
    uint32_t fullest = 0;
    own->drain.Drain(&fullest);
    own->drain.Anchors(kAnchorEveryNs);
    SleepOnBell(&own->bell, pace.Next(fullest));
  }
  return nullptr;
}

bool StartThread(OwnConsumer* own) {
  // The thread inherits this mask: no signal of the program is ever handled on it.
  SignalBlocker blocker;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  pthread_t thread;
  const int result = pthread_create(&thread, &attributes, Run, own);
  pthread_attr_destroy(&attributes);
  return result == 0;
}

// Whether the claim in `path` is of a process that still runs, and is not this one.
bool ClaimedByAnother(const char* path, const TextBuffer& own_claim) {
  char claim[64];
  if (ReadSmallFile(path, claim, sizeof(claim)) <= 0 || std::strcmp(claim, own_claim.text()) == 0)
    return false;
  TextBuffer stat_path;
  stat_path.Add("/proc/")
      .Add(claim, static_cast<size_t>(strchrnul(claim, ' ') - claim))
      .Add("/stat");
  char stat_line[1024];
  if (ReadSmallFile(stat_path.text(), stat_line, sizeof(stat_line)) <= 0) return false;
  TextBuffer start;
  start.AddNumber(StatField(stat_line, 22));
  const char* claimed_start = std::strchr(claim, ' ');
  return claimed_start != nullptr && std::strcmp(claimed_start + 1, start.text()) == 0;
}

// The first process of a rank to come here owns the rank's recovery; after an exec it still does,
// and when it is dead the next one takes it over.
bool ClaimRank(const Place& place, const ProcessFacts& facts) {
  TextBuffer path;
  path.Add(place.folder.text()).Add("/rank-");
  if (facts.rank.rank >= 0) {
    path.AddNumber(static_cast<uint64_t>(facts.rank.rank));
  } else {
    path.Add("none");
  }
  path.Add(".owner");
  TextBuffer claim;
  claim.AddNumber(static_cast<uint64_t>(facts.pid)).Add(" ").AddNumber(facts.start_time);
  int fd = SysOpen(path.text(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd == -EEXIST && !ClaimedByAnother(path.text(), claim))
    fd = SysOpen(path.text(), O_WRONLY | O_TRUNC);
  if (fd < 0) return false;
  SysWrite(fd, claim.text(), claim.length());
  SysClose(fd);
  return true;
}

// bin/syncline beside lib/libsyncline.so, unless a launcher told where it is.
void FindLauncher(TextBuffer* out) {
  const char* told = VariableText(Variable::kRecover);
  if (*told != '\0') {
    out->Add(told);
    return;
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&StartOwnConsumer), &info) == 0) return;
  const char* slash = std::strrchr(info.dli_fname, '/');
  out->Add(info.dli_fname, slash == nullptr ? 0 : static_cast<size_t>(slash - info.dli_fname));
  out->Add(slash == nullptr ? "../bin/syncline" : "/../bin/syncline");
}

}  // namespace

bool StartOwnConsumer(ProcessState* process, const char* segment_path, bool launcher_near) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  auto* own = static_cast<OwnConsumer*>(
      SysMap(sizeof(OwnConsumer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (own == nullptr) return false;
  new (own) OwnConsumer();
  own->budget.process_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.process")));
  own->budget.node_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.node")));
  own->budget.reserve_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.reserve")));
  Place place;
  FindPlace(header->facts, launcher_near, &place);
  if (!CreateFiles(place, segment_path, own)) {
    Log(LogLevel::kError,
        "cannot write records (choose another --output); this process is not recorded:",
        place.folder.text());
    if (*segment_path != '\0') SysCall(SYS_unlink, AsLong(segment_path));
    return false;
  }
  if (!own->drain.Open(header, process->session.bytes, &own->spool, header->facts.pid,
                       ConsumerKind::kProcess)) {
    Log(LogLevel::kError,
        "cannot write records (is the file system full?); this process is not recorded:",
        own->spool.path());
    return false;
  }
  process->session.doorbell.store(&own->bell, std::memory_order_release);
  if (!StartThread(own)) {
    Log(LogLevel::kError,
        "cannot start a thread (ulimit -u or -v is too small); this process is not recorded");
    return false;
  }
  GiveDescriptor(own);
  if (place.output.length() != 0 && ClaimRank(place, header->facts)) {
    static TextBuffer output;
    output = place.output;
    g_recover_pid = header->facts.pid;
    g_recover_output = &output;
  }
  return true;
}

void SpawnRecovery() {
  if (g_recover_output == nullptr || g_recover_pid != SysPid()) return;
  TextBuffer launcher;
  FindLauncher(&launcher);
  TextBuffer pid;
  pid.AddNumber(static_cast<uint64_t>(SysPid()));
  const char* const arguments[] = {launcher.text(), "recover",  "--quiet",
                                   "--wait-pid",    pid.text(), g_recover_output->text(),
                                   nullptr};
  const char* const environment[] = {"PATH=/usr/bin:/bin", nullptr};
  SignalBlocker blocker;  // the child of a vfork runs on our memory: no handler may run in it
  const long child = SysCall(SYS_vfork);
  if (child != 0) return;
  // The program's standard files would otherwise stay open for whoever waits for their end.
  for (long fd = 0; fd < 3; ++fd) SysCall(SYS_close, fd);
  SysOpen("/dev/null", O_RDWR);
  SysCall(SYS_dup, 0);
  SysCall(SYS_dup, 0);
  SysCall(SYS_setsid);
  SysCall(SYS_execve, AsLong(launcher.text()), AsLong(arguments), AsLong(environment));
  SysCall(SYS_exit_group, 127);
}

}  // namespace syncline
