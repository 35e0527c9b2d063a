// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors, and what its options choose.
#include <atomic>

#include "collectors/stacks/known_stacks.h"
#include "inject/core/call_stacks.h"
#include "inject/core/collector.h"
#include "inject/core/foreign_memory.h"
#include "inject/core/helped_calls.h"
#include "inject/core/log.h"
#include "inject/core/options.h"

namespace syncline {
namespace stacks {
namespace {

enum Chosen : int64_t { kWaits, kLaunches, kAll, kNothing };  // the words of --stacks

constexpr uint32_t Roles() { return 0; }
template <typename... More>
constexpr uint32_t Roles(CallRole role, More... more) {
  return 1u << static_cast<uint32_t>(role) | Roles(more...);
}

// What waits for a device or something outside of the process, or may; what makes a device wait for
// the host.
constexpr uint32_t kMayWait =
    Roles(CallRole::kGraphLaunch, CallRole::kCopy, CallRole::kSet, CallRole::kAllocate,
          CallRole::kAllocateHost, CallRole::kFree, CallRole::kFreeHost, CallRole::kTrim,
          CallRole::kSynchronizeDevice, CallRole::kSynchronizeQueue, CallRole::kSynchronizeEvent,
          CallRole::kReset, CallRole::kRelease, CallRole::kQuery, CallRole::kHostFunction,
          CallRole::kLoad, CallRole::kUnload, CallRole::kGraphInstantiate, CallRole::kGraphPrepare,
          CallRole::kCommunicate, CallRole::kRead, CallRole::kWrite);

std::atomic<bool> g_native;
std::atomic<const Python*> g_found;   // before anybody reads it
std::atomic<const Python*> g_python;  // null: none, or its frames are not as expected
std::atomic<const char*> g_why_not;
std::atomic<const char*> g_not_this_thread{
    "some calls have no Python lines: their thread's state says that it is another thread's"};
std::atomic<const char*> g_wrong_frames{
    "calls have no Python lines from here on: this Python's frames are not as expected"};
std::atomic<const char*> g_uncounted{
    "calls have no Python lines from here on: other tools keep replacing the code type's "
    "tp_dealloc"};

std::atomic<const char*> g_unreadable{
    "calls have no native lines: the kernel lets this process read its own memory neither by "
    "process_vm_readv nor by /proc/self/mem; allow one of them in the container's filter"};

std::atomic<size_t> g_depth;
std::atomic<LentFrames*> g_lent;  // null: no call has lent yet

size_t Depth() {
  const int64_t depth = OptionNumber(OptionIndex("stack.depth"));
  return depth < 1 ? 1 : depth > int64_t{kMostDepth} ? kMostDepth : static_cast<size_t>(depth);
}

// Each thing is said once, where a call would have had a stack.
void Say(std::atomic<const char*>* what) {
  const char* text = what->exchange(nullptr, std::memory_order_relaxed);
  if (text != nullptr) Log(LogLevel::kWarn, text);
}

enum class Frames : uint8_t { kAll, kCheap };

// Of a thread that runs Python, cheap are its frames alone. Inline: whoever called its caller is
// where a walk begins.
template <Frames kFrames>
inline __attribute__((always_inline)) uint32_t TakeFrames(ThreadLog& log) {
  if (__builtin_expect(g_why_not.load(std::memory_order_relaxed) != nullptr, 0)) Say(&g_why_not);
  Standing standing;
  TakeRegisters(&standing.registers);
  standing.slot = static_cast<const uint64_t*>(__builtin_frame_address(0)) + 1;
  Wanted wanted = {g_python.load(std::memory_order_acquire),
                   g_native.load(std::memory_order_relaxed),
                   g_depth.load(std::memory_order_relaxed), g_lent.load(std::memory_order_acquire)};
  if (wanted.python == nullptr && !wanted.native) {
    TakeStacksOf(0, nullptr);
    return 0;
  }
  if (kFrames == Frames::kCheap && wanted.python != nullptr) wanted.native = false;
  Walked walked;
  const uint32_t stack = StackId(wanted, standing, log, &walked);
  if (__builtin_expect(IsForeignMemoryClosed(), 0) && wanted.native) {
    Say(&g_unreadable);
    g_native.store(false, std::memory_order_relaxed);
  }
  if (__builtin_expect(walked == Walked::kOther, 0)) Say(&g_not_this_thread);
  if (__builtin_expect(walked == Walked::kWrong, 0)) {
    Say(&g_wrong_frames);
    g_python.store(nullptr, std::memory_order_relaxed);
  }
  if (__builtin_expect(walked == Walked::kUncounted, 0)) {
    Say(&g_uncounted);
    g_python.store(nullptr, std::memory_order_relaxed);
  }
  return stack;
}

__attribute__((noinline)) uint32_t Take(ThreadLog& log) { return TakeFrames<Frames::kAll>(log); }
__attribute__((noinline)) uint32_t TakeCheaply(ThreadLog& log) {
  return TakeFrames<Frames::kCheap>(log);
}

// Made by the first call that lends. Several may come at once.
LentFrames* Lender() {
  // Acquire: pairs with the release below, for what Make wrote.
  LentFrames* lent = g_lent.load(std::memory_order_acquire);
  if (__builtin_expect(lent != nullptr, 1)) return lent;
  LentFrames* made = LentFrames::Make();
  if (made == nullptr || g_lent.compare_exchange_strong(lent, made, std::memory_order_acq_rel))
    return made;
  LentFrames::Destroy(made);
  return lent;
}

uint64_t Lend(const HelperCode& helpers) {
  const Python* python = g_python.load(std::memory_order_acquire);
  LentFrames* lent = python == nullptr ? nullptr : Lender();
  if (lent == nullptr) return 0;
  return lent->Begin(*python, g_depth.load(std::memory_order_relaxed), helpers);
}

bool TakeBack(uint64_t call) {
  LentFrames* lent = g_lent.load(std::memory_order_acquire);
  lent->End(call);
  return lent->WereNew();
}

void ForgetLent() {
  LentFrames* lent = g_lent.load(std::memory_order_relaxed);
  if (lent != nullptr) lent->Forget();
}

// Launches are many: by default now and then one has its stack.
bool OfLaunchesToo() { return OptionNumber(OptionIndex("stacks")) == kWaits; }

uint32_t ChosenRoles() {
  switch (OptionNumber(OptionIndex("stacks"))) {
    case kLaunches:
      return kMayWait | Roles(CallRole::kLaunch);
    case kAll:
      return UINT32_MAX;
    case kNothing:
      return 0;
    default:
      return kMayWait;
  }
}

void TakeNative() {
  const uint32_t roles = ChosenRoles();
  if (roles == 0 || !kWalksNative || OptionNumber(OptionIndex("stack.native")) == 0) return;
  PrepareModules();
  g_native.store(true, std::memory_order_relaxed);
  g_depth.store(Depth(), std::memory_order_relaxed);
  TakeStacksCheaply(TakeCheaply);
  TakeStacksOf(roles, Take, OfLaunchesToo());
}

void Begin() {
  if (ChosenRoles() != 0) TellHelpedCalls(Lend, TakeBack);
  TakeNative();
}

// True too if Python is there and cannot be read: the calls say so.
bool IsPythonThere() {
  if (ChosenRoles() == 0) return false;
  const char* why_not;
  g_found.store(FindPython(&why_not), std::memory_order_relaxed);
  g_why_not.store(why_not, std::memory_order_relaxed);
  return g_found.load(std::memory_order_relaxed) != nullptr || why_not != nullptr;
}

void TakePython() {
  const bool found = g_found.load(std::memory_order_relaxed) != nullptr ||
                     g_why_not.load(std::memory_order_relaxed) != nullptr;
  if (!found && !(KeepPythonLoaded() && IsPythonThere())) return;
  g_depth.store(Depth(), std::memory_order_relaxed);
  // Release: pairs with Take's acquire, for what FindPython wrote.
  g_python.store(g_found.load(std::memory_order_relaxed), std::memory_order_release);
  TakeStacksCheaply(TakeCheaply);
  TakeStacksOf(ChosenRoles(), Take, OfLaunchesToo());
}

ProbeResult Probe() {
  return {true,
          kWalksNative
              ? "the stack of each call that may wait: C, C++, Fortran, and CPython 3.8 to "
                "3.13 with a GIL"
              : "the Python line of each call that may wait, of CPython 3.8 to 3.13 with a GIL",
          nullptr};
}

}  // namespace
}  // namespace stacks

extern const CollectorDescription kCollector_stacks;
const CollectorDescription kCollector_stacks = {
    .name = "stacks",
    .help = "Lines of calls that wait",
    .source = SYNCLINE_SOURCE_stacks,
    .probe = stacks::Probe,
    .at_load = stacks::Begin,
    .start_at = StartAt::kLibrary,
    .libraries = {"libpython3.8.so.1.0", "libpython3.9.so.1.0", "libpython3.10.so.1.0",
                  "libpython3.11.so.1.0", "libpython3.12.so.1.0", "libpython3.13.so.1.0",
                  "libpython3.14.so.1.0"},
    .linked_in = stacks::IsPythonThere,
    .start = stacks::TakePython,
    .fork_child = stacks::ForgetLent,
    .children_inherit = true,
    .is_companion = true,
};

}  // namespace syncline
