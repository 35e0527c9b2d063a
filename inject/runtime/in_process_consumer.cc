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
#include "inject/runtime/not_recorded.h"
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
constexpr uint64_t kOpenWaitNs = 5000000;
constexpr uint64_t kExitWaitNs = 1000000000;
constexpr uint64_t kExitStepNs = 100000;
constexpr uint64_t kNsWhileEnding = 1000000;
constexpr long kFutexWake = 1;  // also for another process's

}  // namespace

// Mapped, never freed: the thread uses it until the process ends.
struct InProcessConsumer {
  SegmentDrain drain;
  SpoolFile spool;
  DiskBudget budget;
  ProcessFacts facts;
  Doorbell bell;
  std::atomic<uint32_t> thread{0};   // its number, once it runs and has the spool; 0: there is none
  std::atomic<bool> at_work{false};  // a lock of what is above and of `over`
  std::atomic<bool> ending{false};
  std::atomic<uint32_t> asked{0};  // how often the process wanted all to be drained
  std::atomic<uint32_t> done{0};   // the last of those that was
  bool is_rest = false;            // the launcher has ended, and told of all that was before
  uint64_t began_at = 0;           // bytes of that spool
  bool over = false;               // no spool stays
};

namespace {

int32_t g_loading_pid;  // written once, when the library is loaded; 0: linked in, as in tests

// A fork's child inherits this, unlike the process's state, and maybe the spool's descriptor.
std::atomic<InProcessConsumer*> g_consumer;

// With the lock.
void DrainToTheEnd(InProcessConsumer* own) {
  if (own->is_rest && !own->over && own->spool.bytes() == own->began_at &&
      own->drain.HasNothingToTell()) {
    RemoveLeftSpoolFile(own->spool, own->facts);
    own->over = true;
  }
  if (!own->over) own->drain.Finish(false, false, 0);
}

void DrainOnce(InProcessConsumer* own, uint32_t* fullest) {
  if (own->at_work.exchange(true, std::memory_order_acquire)) return;
  const uint32_t asked = own->asked.load(std::memory_order_acquire);
  if (asked != own->done.load(std::memory_order_relaxed)) {
    DrainToTheEnd(own);
    own->done.store(asked, std::memory_order_release);
  } else if (!own->over) {
    own->drain.Drain(fullest);
    own->drain.Anchors(kAnchorEveryNs);
  }
  own->at_work.store(false, std::memory_order_release);
}

void Wake(InProcessConsumer* own) {
  own->bell.futex.fetch_add(1, std::memory_order_seq_cst);
  SysCall(SYS_futex, AsLong(&own->bell.futex), kFutexWake, 1);
}

// The thread has a table of descriptors of its own, which begins empty: the program cannot close
// the spool, a fork's child does not get it, and none of the program's files stays open through us.
// A kernel before 5.9 has no such call: the table stays shared.
void* Run(void* argument) {
  auto* own = static_cast<InProcessConsumer*>(argument);
  SysCall(SYS_prctl, PR_SET_NAME, AsLong("syncline"));
  SysCall(kCloseRange, 0, 0xffffffffL, kCloseRangeUnshare);
  if (!own->at_work.exchange(true, std::memory_order_acquire)) {
    own->spool.Reopen();
    own->at_work.store(false, std::memory_order_release);
  }
  own->thread.store(SysTid(), std::memory_order_release);
  PollPace pace;
  uint64_t looked_ns = MonotonicNs();
  for (;;) {
    if (MustLookForEnd() && MonotonicNs() - looked_ns > kLookForEndEveryNs) {
      looked_ns = MonotonicNs();
      EndProcessIfLast();
    }
    uint32_t fullest = 0;
    DrainOnce(own, &fullest);
    const uint64_t ns = pace.Next(fullest);
    SleepOnBell(&own->bell, own->ending.load(std::memory_order_relaxed) ? kNsWhileEnding : ns);
  }
  return nullptr;
}

InProcessConsumer* MakeConsumer(ProcessState* process) {
  auto* own = static_cast<InProcessConsumer*>(
      SysMap(sizeof(InProcessConsumer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (own == nullptr) {
    TellNotRecorded("no memory for records (ulimit -v is too small)");
    return nullptr;
  }
  new (own) InProcessConsumer();
  own->budget.process_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.process")));
  own->budget.node_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.node")));
  own->budget.reserve_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.reserve")));
  own->spool.KeepHigh();
  SegmentNotes* notes = process->session.notes.load(std::memory_order_acquire);
  own->facts = notes->facts;
  own->drain.LocateBy(LocateRing, CountRings, notes);
  g_consumer.store(own, std::memory_order_relaxed);
  return own;
}

// The thread that drains into the spool, which it opens itself. Null: it runs; else why not.
const char* StartThread(ProcessState* process, InProcessConsumer* own) {
  if (SanitizerForbidsThread())
    return "ThreadSanitizer allows no thread after fork (record with the syncline command, or set "
           "TSAN_OPTIONS=die_after_fork=0)";
  if (!StartOwnThread(Run, own, kThreadStackBytes, 0))
    return "cannot start a thread (ulimit -u or -v is too small)";
  process->session.doorbell.store(&own->bell, std::memory_order_release);
  // The program may be about to change its root.
  const uint64_t deadline = MonotonicNs() + kOpenWaitNs;
  while (own->thread.load(std::memory_order_acquire) == 0 && MonotonicNs() < deadline)
    SysSleepNs(50000);
  return nullptr;
}

bool OpenDrain(ProcessState* process, InProcessConsumer* own) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  if (own->drain.Open(header, process->session.bytes, &own->spool, header->facts.pid,
                      ConsumerKind::kProcess))
    return true;
  TellNoFiles(own->spool.error(), own->spool.path());
  return false;
}

// Whoever ends meanwhile drains by `own`. `ends`: this process does, and a thread would be too
// late. False: nobody would drain what is recorded.
bool Begin(ProcessState* process, InProcessConsumer* own, bool ends) {
  own->spool.LetGo();
  process->session.consumer.store(own, std::memory_order_release);
  const char* why = ends ? nullptr : StartThread(process, own);
  if (!ends && why == nullptr) return true;
  const bool lasts = NotesOf(process)->path[0] != '\0';  // who recovers the run drains the file
  if (why != nullptr && lasts) TellNotRecorded(why);
  if (why != nullptr && !lasts)
    Log(LogLevel::kError, "records wait in memory for this process's end:", why);
  // Without a thread the rings grow, and are drained at the process's end.
  process->session.doorbell.store(nullptr, std::memory_order_release);
  return ends || !lasts;
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
    TellNoFiles(own->spool.error(), files.folder.text());
    return false;
  }
  if (OpenDrain(process, own) && Begin(process, own, ends)) return true;
  process->session.consumer.store(nullptr, std::memory_order_release);
  own->spool.Close();  // the program gets its number back
  SysCall(SYS_unlink, AsLong(files.spool.text()));
  return false;
}

Continued ContinueAfterLauncher(ProcessState* process, bool ends) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  InProcessConsumer* own = MakeConsumer(process);
  if (own == nullptr) return Continued::kFailed;
  Continued result = OpenLeftSpool(*header, own->facts, &own->budget, &own->spool, &own->is_rest);
  if (result == Continued::kYes &&
      !own->drain.Resume(header, process->session.bytes, &own->spool)) {
    own->spool.Close();
    result = Continued::kFailed;
  }
  if (result != Continued::kYes) {
    g_consumer.store(nullptr, std::memory_order_relaxed);
    SysUnmap(own, sizeof(InProcessConsumer));
    return result;
  }
  own->began_at = own->spool.bytes();
  Begin(process, own, ends);
  return Continued::kYes;
}

void CloseInheritedSpool() {
  InProcessConsumer* parents = g_consumer.exchange(nullptr, std::memory_order_relaxed);
  if (parents != nullptr) parents->spool.Close();
}

bool DrainAtExit(ProcessState* process) {
  InProcessConsumer* own = process->session.consumer.load(std::memory_order_acquire);
  if (own == nullptr || NotesOf(process)->path[0] != '\0') return true;  // a file outlives us
  own->ending.store(true, std::memory_order_relaxed);
  const uint32_t asked = own->asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  const uint32_t thread = own->thread.load(std::memory_order_acquire);
  const uint64_t deadline = MonotonicNs() + kExitWaitNs;
  for (;; SysSleepNs(kExitStepNs)) {
    // The thread has the file open, also where this one could not open it any more.
    if (thread != 0 && thread != SysTid()) {
      Wake(own);
    } else {
      uint32_t fullest = 0;
      DrainOnce(own, &fullest);
    }
    const bool done = own->done.load(std::memory_order_acquire) >= asked;
    if (done || MonotonicNs() > deadline) break;
  }
  return !own->over;
}

}  // namespace syncline
