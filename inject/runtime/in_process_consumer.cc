// SPDX-License-Identifier: Apache-2.0
// The consumer thread inside a traced process.
#include "inject/runtime/in_process_consumer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstring>
#include <new>

#include "inject/consumer/poll_pace.h"
#include "inject/consumer/segment_drain.h"
#include "inject/core/clock.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/own_thread.h"
#include "inject/core/sys.h"
#include "inject/runtime/hand_over.h"
#include "inject/runtime/left_spool.h"
#include "inject/runtime/rings.h"

// ThreadSanitizer's, in programs built with it: a weak reference, because a lookup would take the
// loader's lock and change what dlerror says.
extern "C" __attribute__((weak, visibility("default"))) void __tsan_init();

namespace syncline {
namespace {

constexpr size_t kThreadStackBytes = 256 << 10;  // of which draining needs a small part: no guard
constexpr uint64_t kAnchorEveryNs = 4000000000;
constexpr long kCloseRange =
    436;  // SYS_close_range and its flag, of Linux 5.9; older headers lack them
constexpr long kCloseRangeUnshare = 2;
constexpr uint64_t kTakeWaitNs = 5000000;
constexpr uint64_t kExitWaitNs = 1000000000;
constexpr uint64_t kExitStepNs = 100000;
constexpr uint64_t kNsWhileEnding = 1000000;

// The state of the spool's descriptor: opened by the program's thread, taken by ours.
enum class Descriptor { kOffered, kTaken, kShared };

}  // namespace

// Mapped, never freed: the thread uses it until the process ends.
struct InProcessConsumer {
  SegmentDrain drain;
  SpoolFile spool;
  DiskBudget budget;
  Doorbell bell;
  std::atomic<Descriptor> descriptor{Descriptor::kOffered};
  std::atomic<bool> at_work{false};  // a lock of `drain`: the thread, or one that ends the process
  std::atomic<bool> ending{false};
  bool is_rest = false;   // the launcher has ended, and told of all that was before
  uint64_t began_at = 0;  // bytes of that spool
  bool over = false;      // under the lock: no spool stays
};

namespace {

int32_t g_loading_pid;  // written once, when the library is loaded; 0: linked in, as in tests

// Makes this thread's table of descriptors its own, with nothing in it but the spool: the program
// cannot close ours, and none of its files stays open through us. A kernel before 5.9 has no such
// call: the table stays shared.
void TakeDescriptor(InProcessConsumer* own) {
  const long fd = own->spool.descriptor();
  const long last = 0xffffffffL;
  const bool alone = SysCall(kCloseRange, fd + 1, last, kCloseRangeUnshare) == 0;
  if (alone && fd > 0) SysCall(kCloseRange, 0, fd - 1, 0);
  own->descriptor.store(alone ? Descriptor::kTaken : Descriptor::kShared,
                        std::memory_order_release);
}

// The program's half: when the thread has its own table, the number is the program's again.
void GiveDescriptor(InProcessConsumer* own) {
  const uint64_t deadline = MonotonicNs() + kTakeWaitNs;
  while (own->descriptor.load(std::memory_order_acquire) == Descriptor::kOffered &&
         MonotonicNs() < deadline)
    SysSleepNs(50000);
  if (own->descriptor.load(std::memory_order_acquire) == Descriptor::kTaken)
    SysClose(own->spool.descriptor());
}

void* Run(void* argument) {
  auto* own = static_cast<InProcessConsumer*>(argument);
  SysCall(SYS_prctl, PR_SET_NAME, AsLong("syncline"));
  TakeDescriptor(own);
  PollPace pace;
  uint64_t looked_ns = MonotonicNs();
  for (;;) {
    if (MustLookForEnd() && MonotonicNs() - looked_ns > kLookForEndEveryNs) {
      looked_ns = MonotonicNs();
      EndProcessIfLast();
    }
    uint32_t fullest = 0;
    if (!own->at_work.exchange(true, std::memory_order_acquire)) {
      if (!own->over) own->drain.Drain(&fullest);
      if (!own->over) own->drain.Anchors(kAnchorEveryNs);
      own->at_work.store(false, std::memory_order_release);
    }
    const uint64_t ns = pace.Next(fullest);
    SleepOnBell(&own->bell, own->ending.load(std::memory_order_relaxed) ? kNsWhileEnding : ns);
  }
  return nullptr;
}

InProcessConsumer* MakeConsumer(ProcessState* process) {
  auto* own = static_cast<InProcessConsumer*>(
      SysMap(sizeof(InProcessConsumer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (own == nullptr) {
    Log(LogLevel::kError,
        "no memory for records (ulimit -v is too small); this process is not recorded");
    return nullptr;
  }
  new (own) InProcessConsumer();
  own->budget.process_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.process")));
  own->budget.node_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.node")));
  own->budget.reserve_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.reserve")));
  own->spool.KeepHigh();
  own->drain.LocateBy(LocateRing, CountRings,
                      process->session.notes.load(std::memory_order_acquire));
  return own;
}

// The thread that drains into the open spool. False: said why.
bool StartThread(ProcessState* process, InProcessConsumer* own) {
  if (SanitizerForbidsThread()) {
    Log(LogLevel::kError,
        "ThreadSanitizer allows no thread after fork (record with the syncline command, or set "
        "TSAN_OPTIONS=die_after_fork=0); this process is not recorded");
    return false;
  }
  process->session.doorbell.store(&own->bell, std::memory_order_release);
  if (!StartOwnThread(Run, own, kThreadStackBytes, 0)) {
    Log(LogLevel::kError,
        "cannot start a thread (ulimit -u or -v is too small); this process is not recorded");
    return false;
  }
  process->session.consumer.store(own, std::memory_order_release);
  GiveDescriptor(own);
  return true;
}

// Without a thread the rings grow, and are drained at the process's end.
void DrainOnlyAtExit(ProcessState* process, InProcessConsumer* own) {
  process->session.doorbell.store(nullptr, std::memory_order_release);
  process->session.consumer.store(own, std::memory_order_release);
  SysClose(own->spool.descriptor());  // opened again when it is needed
}

bool OpenDrain(ProcessState* process, InProcessConsumer* own) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  if (own->drain.Open(header, process->session.bytes, &own->spool, header->facts.pid,
                      ConsumerKind::kProcess))
    return true;
  Log(LogLevel::kError,
      "cannot write records (is the file system full?); this process is not recorded:",
      own->spool.path());
  return false;
}

// Whether `spool` begins as one of this process's.
bool IsOwnSpool(const SpoolFile& spool, const ProcessFacts& facts, bool* is_rest) {
  static struct {  // not on the stack, which may be a small one; one thread at a time is here
    BlockHead head;
    SpoolProcess process;
  } first;
  static_assert(sizeof(first) == sizeof(BlockHead) + sizeof(SpoolProcess));
  const long got = SysCall(SYS_pread64, spool.descriptor(), AsLong(&first), sizeof(first), 0);
  *is_rest = first.process.consumer == static_cast<uint32_t>(ConsumerKind::kProcess);
  return got == sizeof(first) && first.head.magic == kBlockMagic &&
         first.head.type == static_cast<uint16_t>(BlockType::kProcess) &&
         first.process.facts.pid == facts.pid && first.process.facts.start_time == facts.start_time;
}

// Opens what the launcher has left of the segment, if it holds it no more. While it ends it may
// leave another spool in place of the first.
Continued OpenLeftSpool(SegmentHeader* header, const ProcessFacts& facts, InProcessConsumer* own) {
  static char path[kSpoolPathBytes];  // as above
  static char now[kSpoolPathBytes];
  for (int tries = 0; tries < 2; ++tries) {
    CopySpoolPath(*header, path);
    const int fd = OpenLeftSpoolFile(path, facts);
    const bool open = fd >= 0 && own->spool.Continue(fd, path, &own->budget, *header, true);
    if (fd >= 0 && !open && own->spool.error() == EWOULDBLOCK) return Continued::kLauncherLives;
    CopySpoolPath(*header, now);
    const bool same = std::strcmp(path, now) == 0;
    if (same && LauncherListens()) break;  // it has not begun yet, or not over a network
    if (same && open && IsOwnSpool(own->spool, facts, &own->is_rest)) return Continued::kYes;
    own->spool.Close();
    if (same) return Continued::kFailed;
  }
  own->spool.Close();
  return Continued::kLauncherLives;
}

}  // namespace

void RememberLoadingProcess() { g_loading_pid = SysPid(); }

bool IsLoadingProcess() { return g_loading_pid == 0 || g_loading_pid == SysPid(); }

bool SanitizerForbidsThread() {
  if (IsLoadingProcess() || __tsan_init == nullptr) return false;
  const char* options = Environment("TSAN_OPTIONS");
  return options == nullptr || std::strstr(options, "die_after_fork=0") == nullptr;
}

bool StartInProcessConsumer(ProcessState* process, const InProcessFiles& files, bool ends) {
  InProcessConsumer* own = MakeConsumer(process);
  if (own == nullptr) return false;
  if (!own->spool.Create(files.spool.text(), &own->budget)) {
    Log(LogLevel::kError,
        "cannot write records (choose another --output); this process is not recorded:",
        files.folder.text());
    return false;
  }
  const bool good = OpenDrain(process, own) && (ends || StartThread(process, own));
  if (good && ends) DrainOnlyAtExit(process, own);
  if (!good) own->spool.Close();  // the program gets its number back
  return good;
}

Continued ContinueAfterLauncher(ProcessState* process, bool ends) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  InProcessConsumer* own = MakeConsumer(process);
  if (own == nullptr) return Continued::kFailed;
  Continued result = OpenLeftSpool(header, NotesOf(process)->facts, own);
  if (result == Continued::kYes &&
      !own->drain.Resume(header, process->session.bytes, &own->spool)) {
    own->spool.Close();
    result = Continued::kFailed;
  }
  if (result != Continued::kYes) {
    SysUnmap(own, sizeof(InProcessConsumer));
    return result;
  }
  own->began_at = own->spool.bytes();
  if (ends || !StartThread(process, own)) DrainOnlyAtExit(process, own);
  return Continued::kYes;
}

bool DrainAtExit(ProcessState* process) {
  InProcessConsumer* own = process->session.consumer.load(std::memory_order_acquire);
  const SegmentNotes* notes = process->session.notes.load(std::memory_order_acquire);
  if (own == nullptr || notes->path[0] != '\0') return true;  // a file outlives the process
  own->ending.store(true, std::memory_order_relaxed);
  const uint64_t deadline = MonotonicNs() + kExitWaitNs;
  while (own->at_work.exchange(true, std::memory_order_acquire)) {
    if (MonotonicNs() > deadline) return true;
    SysSleepNs(kExitStepNs);
  }
  if (own->is_rest && !own->over && own->spool.bytes() == own->began_at &&
      own->drain.HasNothingToTell()) {
    RemoveLeftSpoolFile(own->spool, notes->facts);
    own->over = true;
  }
  if (!own->over) own->drain.Finish(false, false, 0);
  own->at_work.store(false, std::memory_order_release);
  return !own->over;
}

}  // namespace syncline
