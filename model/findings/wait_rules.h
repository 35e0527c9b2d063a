// SPDX-License-Identifier: Apache-2.0
// What a source's calls make the host wait for: a table for each source, by roles, in its folder
// (collectors/NAME/wait_rules.cc). The engines that use it are analysis/waits/wait_finder.h and,
// for sources without devices, outside_waits.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "inject/core/record.h"
#include "model/findings/findings.h"

namespace syncline {

enum class WaitsFor : uint8_t {
  kNothing,
  kDevice,      // all work that was submitted in its context
  kQueue,       // the last work of the queue that it names
  kEvent,       // the work before the event that it names
  kOwnWork,     // its own operation, where the process's launches block; the loading of its code
  kItself,      // its own operations: it returns when they are done
  kCopy,        // as the rows of copies say
  kSet,         // as the rows of sets say
  kSomeDevice,  // perhaps the work of one device: measured by the call's length
  kAllDevices,  // perhaps the work of all devices: the same
  kOutside,     // something outside of the process, as its class says: from its begin to its end
};

// Whether a queue that is full holds the call up.
enum class FullQueue : uint8_t { kNo, kYes, kOfGraphs };  // graphs: many operations are one entry

// When a call that may or may not wait for a device's work counts as held up.
enum class Held : uint8_t {
  kAsRule,       // it waits whenever something is pending
  kAsException,  // it seldom waits: only what explains its length counts
  kByLoading,    // only where the vendor told that it loaded code, and for that
  kOrByLoading,  // as an exception; where the vendor told of loading, for that
};

struct RoleRule {
  WaitsFor waits_for = WaitsFor::kNothing;
  WaitClass wait_class = WaitClass::kDevice;
  FullQueue full_queue = FullQueue::kNo;
  Held held = Held::kAsRule;
  bool leaves_work = false;  // a device has something to do when it has returned
};

// By role and form: asynchronous calls stand kAsyncRole higher.
inline constexpr size_t kAsyncRole = kCallRole + 1;
using RoleRules = std::array<RoleRule, 2 * kAsyncRole>;
constexpr size_t RuleIndex(uint8_t role) {
  return static_cast<size_t>(RoleOf(role)) + ((role & kCallIsAsync) != 0 ? kAsyncRole : 0);
}

enum class CopyWait : uint8_t {
  kNothing,
  kTail,     // what stood in the copy's queue before it
  kItself,   // its own end
  kMeasure,  // the memory's kind is not known
};

using MemoryKinds = uint8_t;  // a bit for each MemoryKind
constexpr MemoryKinds Kind(MemoryKind kind) {
  if (kind > MemoryKind::kManaged) return 0;  // of a damaged spool
  return static_cast<MemoryKinds>(1u << static_cast<unsigned>(kind));
}
inline constexpr MemoryKinds kAnyMemory = 0xff;

// The first row that fits a copy counts; where none fits, the copy waits for nothing.
struct CopyRow {
  MemoryKinds from;
  MemoryKinds to;
  uint64_t least;  // bytes
  CopyWait wait;
  WaitClass wait_class;
};

// A source without devices has roles only.
struct WaitRules {
  RoleRules roles{};
  std::span<const CopyRow> copies{};  // of calls that return when the copy is done, or seem to
  std::span<const CopyRow> async_copies{};  // of the asynchronous form
  std::span<const CopyRow> sets{};          // `from` is not looked at
  uint32_t full_queue = 0;                  // entries
  uint32_t default_queue = 0;  // number of the one that waits for the others of its context and
                               // makes them wait, where no record tells; 0: there is none
  uint16_t not_ready = 0;      // result of a query
};

}  // namespace syncline
