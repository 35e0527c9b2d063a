// SPDX-License-Identifier: Apache-2.0
// Which row of docs/waits.md a call belongs to, by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace syncline {

enum class CallRule : uint8_t {
  kNever,         // N1 to N8 and whatever the page does not name
  kDeviceSync,    // E1
  kStreamSync,    // E2, E3
  kEventSync,     // E4, E5
  kQuery,         // E6, E7
  kLastError,     // what a spin may do between its queries
  kReset,         // E8
  kRelease,       // E8, only the last one waits
  kLaunch,        // E9, Q1, D1
  kCopy,          // C1 to C9
  kAsyncCopy,     // A1 to A7
  kSet,           // M1 to M3
  kEnqueue,       // Q1 and nothing else
  kHostFunction,  // Q1; what it runs is waited for
  kFree,          // L1
  kFreeHost,      // L6
  kAllocate,      // L4, L8
  kTrim,          // L9, L11
  kUnload,        // D4
  kGraphLaunch,   // Q2
  kInstantiate,   // D1 for its kernels
  kUpload,        // G4
};

// Whether a device has something to do when a call of this row has returned.
constexpr bool SubmitsWork(CallRule rule) {
  return rule == CallRule::kLaunch || rule == CallRule::kGraphLaunch ||
         rule == CallRule::kAsyncCopy || rule == CallRule::kSet;
}

// Versions and forms share a row: _v2, _v3020, _ptsz, _ptds are not looked at.
CallRule RuleOf(std::string_view call);

}  // namespace syncline
