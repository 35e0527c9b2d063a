// SPDX-License-Identifier: Apache-2.0
// exit, quick_exit, _exit and _Exit as the program calls them.
#include "inject/runtime/exit_hooks.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "inject/core/clock.h"
#include "inject/core/sys.h"
#include "inject/runtime/collector_calls.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/process_state.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"
#include "inject/runtime/spawn_recovery.h"

#if SYNCLINE_EXIT_HOOKS
// Weak, because musl lacks them (session.cc). The second is what at_quick_exit calls.
extern "C" {
__attribute__((weak)) int on_exit(void (*)(int, void*), void*) noexcept;
__attribute__((weak)) int __cxa_at_quick_exit(void (*)(void*), void*);
}
#endif

namespace syncline {
namespace {

#if SYNCLINE_EXIT_HOOKS

// The segment of the process that calls, if it records. A vfork's child, and any clone that shares
// our memory, is another process. Needs no thread-local storage: Chromium's sandbox clones a helper
// whose storage is nowhere, and which calls _exit.
SegmentHeader* OwnSegment(ProcessState* process) {
  SegmentHeader* header =
      process == nullptr ? nullptr : process->session.header.load(std::memory_order_acquire);
  return header != nullptr && header->facts.pid == SysPid() ? header : nullptr;
}

// The segment's memory ends with this process: if nobody else drains it, this is the last moment.
void DrainWhatIsLeft(ProcessState* process) {
  const SignalBlocker blocker;
  const bool took_over = TakeOver(process, true);
  if (DrainAtExit(process) && took_over) RecoverAtExit(process);
}

// Any thread, more than once.
void ProcessEnds(int status) {
  ProcessState* process = FindProcess();
  SegmentHeader* header = OwnSegment(process);
  if (header == nullptr) return;
  ErrnoKeeper keeper;
  const bool first = header->exit_state.load(std::memory_order_relaxed) == 0;
  if (first) FlushCollectors();
  PublishAllHeld(process);
  header->exit_status.store(status, std::memory_order_relaxed);
  header->exit_ticks.store(Ticks(), std::memory_order_relaxed);
  header->exit_state.store(1, std::memory_order_release);
  DrainWhatIsLeft(process);
  if (first) SpawnRecovery();
}

void OnExit(int status, void*) { ProcessEnds(status); }
void OnQuickExit(void*) {
  ProcessEnds(0);
}  // quick_exit tells no status; _exit is called next and does

#endif

}  // namespace

void InstallExitHooks() {
#if SYNCLINE_EXIT_HOOKS
  static std::atomic<bool> installed;
  if (installed.exchange(true)) return;
  if (on_exit != nullptr) on_exit(OnExit, nullptr);
  if (__cxa_at_quick_exit != nullptr) __cxa_at_quick_exit(OnQuickExit, nullptr);
#endif
}

}  // namespace syncline

#if SYNCLINE_EXIT_HOOKS
extern "C" {

__attribute__((visibility("default"), noreturn)) void _exit(int status) {
  syncline::ProcessEnds(status);
  for (;;) syncline::SysCall(SYS_exit_group, status);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int status) noexcept {
  syncline::ProcessEnds(status);
  for (;;) syncline::SysCall(SYS_exit_group, status);
}
}
#endif
