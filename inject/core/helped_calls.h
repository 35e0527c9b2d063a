// SPDX-License-Identifier: Apache-2.0
// Calls that other threads work for, as autograd's do for one of backward(): whoever knows of such
// a call says so, and whoever takes stacks may ask to be told. Nobody is until somebody asks.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace syncline {

// Code in which each thread began that may work for the call.
struct HelperCode {
  uintptr_t begin = 0, end = 0;
};

// On the thread of the call, outside of hooks: no lock, no heap. What `begin` returned is given to
// `end`; 0: there is nothing to end. `end` returns whether a thread that worked for it was held up:
// for what it did there whoever takes stacks had to learn the way.
using BeginHelped = uint64_t (*)(const HelperCode& helpers);
using EndHelped = bool (*)(uint64_t call);

struct HelpedCalls {
  std::atomic<BeginHelped> begin{nullptr};
  std::atomic<EndHelped> end{nullptr};  // written before `begin`
};
extern HelpedCalls g_helped_calls;

// Asks to be told of all of them from now on.
void TellHelpedCalls(BeginHelped begin, EndHelped end);

inline bool AreHelpedCallsWanted() {
  return g_helped_calls.begin.load(std::memory_order_relaxed) != nullptr;
}

// Around the call.
class HelpedCall {
 public:
  explicit HelpedCall(const HelperCode& helpers) {
    // Acquire: pairs with the release in TellHelpedCalls.
    const BeginHelped begin = g_helped_calls.begin.load(std::memory_order_acquire);
    if (begin != nullptr) call_ = begin(helpers);
  }
  ~HelpedCall() { End(); }
  // At most once. What EndHelped says.
  bool End() {
    const uint64_t call = std::exchange(call_, 0);
    return call != 0 && g_helped_calls.end.load(std::memory_order_relaxed)(call);
  }
  HelpedCall(const HelpedCall&) = delete;
  HelpedCall& operator=(const HelpedCall&) = delete;

 private:
  uint64_t call_ = 0;
};

}  // namespace syncline
