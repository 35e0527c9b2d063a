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

// The state of the spool's descriptor: opened by the program's thread, taken by ours.
enum class Descriptor { kOffered, kTaken, kShared };

// Mapped, never freed: the thread uses it until the process ends.
struct InProcessConsumer {
  SegmentDrain drain;
  SpoolFile spool;
  DiskBudget budget;
  Doorbell bell;
  std::atomic<Descriptor> descriptor{Descriptor::kOffered};
};

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
  const OwnThread thread(kThreadStackBytes);
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
    own->drain.Drain(&fullest);
    own->drain.Anchors(kAnchorEveryNs);
    SleepOnBell(&own->bell, pace.Next(fullest));
  }
  return nullptr;
}

// The thread for the present segment, whose spool is open. False: said why.
bool Begin(ProcessState* process, InProcessConsumer* own) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  own->drain.LocateBy(LocateRing, NotesOf(process, header));
  if (!own->drain.Open(header, process->session.bytes, &own->spool, header->facts.pid,
                       ConsumerKind::kProcess)) {
    Log(LogLevel::kError,
        "cannot write records (is the file system full?); this process is not recorded:",
        own->spool.path());
    return false;
  }
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
  return true;
}

}  // namespace

void RememberLoadingProcess() { g_loading_pid = SysPid(); }

bool IsLoadingProcess() { return g_loading_pid == 0 || g_loading_pid == SysPid(); }

bool SanitizerForbidsThread() {
  if (IsLoadingProcess() || __tsan_init == nullptr) return false;
  const char* options = Environment("TSAN_OPTIONS");
  return options == nullptr || std::strstr(options, "die_after_fork=0") == nullptr;
}

bool StartInProcessConsumer(ProcessState* process, const InProcessFiles& files) {
  auto* own = static_cast<InProcessConsumer*>(
      SysMap(sizeof(InProcessConsumer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (own == nullptr) {
    Log(LogLevel::kError,
        "no memory for records (ulimit -v is too small); this process is not recorded");
    return false;
  }
  new (own) InProcessConsumer();
  own->budget.process_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.process")));
  own->budget.node_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.node")));
  own->budget.reserve_bytes = static_cast<uint64_t>(OptionNumber(OptionIndex("disk.reserve")));
  if (!own->spool.Create(files.spool.text(), &own->budget)) {
    Log(LogLevel::kError,
        "cannot write records (choose another --output); this process is not recorded:",
        files.folder.text());
    return false;
  }
  if (!Begin(process, own)) {
    own->spool.Close();  // the program gets its number back
    return false;
  }
  GiveDescriptor(own);
  return true;
}

}  // namespace syncline
