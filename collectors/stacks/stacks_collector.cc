// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors, and what its options choose.
#include <atomic>

#include "collectors/stacks/known_stacks.h"
#include "inject/core/call_stacks.h"
#include "inject/core/collector.h"
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

// What waits for a device, or may.
constexpr uint32_t kMayWait =
    Roles(CallRole::kGraphLaunch, CallRole::kCopy, CallRole::kSet, CallRole::kAllocate,
          CallRole::kAllocateHost, CallRole::kFree, CallRole::kFreeHost, CallRole::kTrim,
          CallRole::kSynchronizeDevice, CallRole::kSynchronizeQueue, CallRole::kSynchronizeEvent,
          CallRole::kReset, CallRole::kRelease, CallRole::kQuery, CallRole::kLoad,
          CallRole::kUnload, CallRole::kGraphInstantiate, CallRole::kGraphPrepare);

std::atomic<const Python*> g_python;
std::atomic<const char*> g_why_not;
std::atomic<const char*> g_not_this_thread{
    "some calls have no Python lines: their thread's state says that it is another thread's"};
std::atomic<const char*> g_wrong_frames{
    "calls have no Python lines from here on: this Python's frames are not as expected"};

std::atomic<size_t> g_depth;

size_t Depth() {
  const int64_t depth = OptionNumber(OptionIndex("stack.depth"));
  return depth < 1 ? 1 : depth > int64_t{kMostDepth} ? kMostDepth : static_cast<size_t>(depth);
}

// Each thing is said once, where a call would have had a stack.
void Say(std::atomic<const char*>* what) {
  const char* text = what->exchange(nullptr, std::memory_order_relaxed);
  if (text != nullptr) Log(LogLevel::kWarn, text);
}

uint32_t TellWhyNot(ThreadLog&) {
  Say(&g_why_not);
  TakeStacksOf(0, nullptr);
  return 0;
}

uint32_t Take(ThreadLog& log) {
  Walked walked;
  const Python& python = *g_python.load(std::memory_order_relaxed);
  const uint32_t stack = TakePython(python, log, g_depth.load(std::memory_order_relaxed), &walked);
  if (__builtin_expect(walked == Walked::kOther, 0)) Say(&g_not_this_thread);
  if (__builtin_expect(walked == Walked::kWrong, 0)) {
    Say(&g_wrong_frames);
    TakeStacksOf(0, nullptr);
  }
  return stack;
}

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

bool IsPythonThere() {
  if (ChosenRoles() == 0) return false;
  const char* why_not;
  g_python.store(FindPython(&why_not), std::memory_order_relaxed);
  g_why_not.store(why_not, std::memory_order_relaxed);
  return g_python.load(std::memory_order_relaxed) != nullptr || why_not != nullptr;
}

void Start() {
  const bool found = g_python.load(std::memory_order_relaxed) != nullptr ||
                     g_why_not.load(std::memory_order_relaxed) != nullptr;
  if (!found && !(KeepPythonLoaded() && IsPythonThere())) return;
  g_depth.store(Depth(), std::memory_order_relaxed);
  const bool usable = g_python.load(std::memory_order_relaxed) != nullptr;
  TakeStacksOf(ChosenRoles(), usable ? Take : TellWhyNot);
}

ProbeResult Probe() {
  return {true, "the Python line of each call that may wait, of CPython 3.8 to 3.13 with a GIL",
          nullptr};
}

}  // namespace
}  // namespace stacks

extern const CollectorDescription kCollector_stacks;
const CollectorDescription kCollector_stacks = {
    .name = "stacks",
    .help = "Python lines of calls that wait",
    .source = SYNCLINE_SOURCE_stacks,
    .probe = stacks::Probe,
    .start_at = StartAt::kLibrary,
    .libraries = {"libpython3.8.so.1.0", "libpython3.9.so.1.0", "libpython3.10.so.1.0",
                  "libpython3.11.so.1.0", "libpython3.12.so.1.0", "libpython3.13.so.1.0",
                  "libpython3.14.so.1.0"},
    .linked_in = stacks::IsPythonThere,
    .start = stacks::Start,
    .children_inherit = true,
    .is_companion = true,
};

}  // namespace syncline
