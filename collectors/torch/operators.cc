// SPDX-License-Identifier: Apache-2.0
// Each function that PyTorch announces owns its range, by its address.
#include "collectors/torch/operators.h"

#include <string_view>

#include "collectors/torch/argument_words.h"
#include "collectors/torch/group_arrival.h"
#include "collectors/torch/inputs.h"
#include "collectors/torch/named_ranges.h"
#include "collectors/torch/record_function.h"
#include "inject/core/call_stacks.h"
#include "inject/core/defined_contents.h"
#include "inject/core/domain_marks.h"
#include "inject/core/owned_ranges.h"
#include "inject/core/range_gate.h"
#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_torch;
constexpr OwnedDomain kOperators = {kSource, kOperatorsDomain, uint64_t{kSource} << 32,
                                    kDomainOfOperators};
constexpr OwnedDomain kOperatorsWithLines = {kSource, kOperatorsDomain, uint64_t{kSource} << 32,
                                             kDomainOfOperators | kOperatorsHaveLines};

uint64_t OwnerOf(const void* function) { return reinterpret_cast<uintptr_t>(function); }

// Written before anybody is heard, or before the inputs are known.
Wanted g_wanted;
std::atomic<bool> g_groups_wanted;  // inputs of collectives, from the first group on

// The family of torch.distributed's operators, whatever moves their data.
bool IsOfGroup(std::string_view name) { return name.starts_with("c10d::"); }

bool IsRecorded(const OpenRange* range) {
  return range == nullptr || (range->flags & kBegunClosed) == 0;
}

void ReadFunction(ThreadLog& log, const void* function, bool with_inputs,
                  RangeAttributes* attributes) {
  uint64_t words[kMostArgumentWords];
  const size_t count = with_inputs ? ReadInputs(function, words) : 0;
  attributes->payload = static_cast<uint64_t>(SequenceOf(function));
  attributes->arguments = count == 0 ? 0 : ContentId(log, words, count);
  attributes->forward_thread = static_cast<uint32_t>(ForwardThreadOf(function));
}

bool IsInOperator(const ThreadLog& log) {
  for (uint32_t i = log.depth; i-- > 0;) {
    if (log.stack[i].attributes.payload_type == static_cast<uint32_t>(PayloadType::kOperator) &&
        (log.stack[i].flags & kHasAttributes) != 0)
      return true;
  }
  return false;
}

// What goes back has the line of what it goes back through.
void AddLine(ThreadLog& log, RangeAttributes* attributes) {
  attributes->own_thread = static_cast<uint32_t>(NumberOfThread());
  const bool is_backward =
      attributes->forward_thread != 0 && static_cast<int64_t>(attributes->payload) >= 0;
  if (!is_backward) attributes->stack = CheapStack(log);
}

// What autograd calls a backward function in says nothing of itself: it has the number of what it
// calls.
void LendToCaller(const ThreadLog& log, const OpenRange& range) {
  if (log.depth < 2 || static_cast<int64_t>(range.attributes.payload) < 0) return;
  OpenRange& caller = log.stack[log.depth - 2];
  if (caller.domain != range.domain || (caller.flags & kHasAttributes) == 0 ||
      caller.attributes.arguments != 0 || static_cast<int64_t>(caller.attributes.payload) >= 0)
    return;
  caller.attributes.payload = range.attributes.payload;
  caller.attributes.forward_thread = range.attributes.forward_thread;
}

// Whether the operator that begins now is recorded. Its inputs are read before its time begins.
bool EnterOperator(const void* function) {
  const std::string_view name(NameOf(function));
  const HookScope scope;
  if (!scope) return true;
  ThreadLog& log = scope.log();
  const bool with_inputs =
      g_wanted.inputs || (g_groups_wanted.load(std::memory_order_relaxed) && IsOfGroup(name));
  const OwnedDomain& domain = g_wanted.lines ? kOperatorsWithLines : kOperators;
  const bool to_read = AreInputsKnown() && (with_inputs || g_wanted.sequence);
  if (!(to_read || g_wanted.lines) || IsClosedFor(log, GateOf(log)))
    return IsRecorded(EnterNamed(log, domain, name, OwnerOf(function)));
  RangeAttributes attributes = {};
  attributes.payload_type = static_cast<uint32_t>(PayloadType::kOperator);
  attributes.payload = UINT64_MAX;
  if (to_read) ReadFunction(log, function, with_inputs, &attributes);
  if (g_wanted.lines && !IsInOperator(log)) AddLine(log, &attributes);
  OpenRange* const range = EnterNamed(log, domain, name, OwnerOf(function));
  if (range == nullptr) return true;
  range->attributes = attributes;
  // After them: whoever reads the range after a crash finds them.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kHasAttributes;
  if (attributes.forward_thread != 0) LendToCaller(log, *range);
  return IsRecorded(range);
}

void Leave(const void* function, void*) {
  if (IsOperatorOfOurs()) return;
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kSource, OwnerOf(function), end);
}

// Whoever changes the gate has done so before it comes here, and whoever is the last one here looks
// at it once more: so both agree in the end, without a lock of ours.
void FollowGate() {
  const ErrnoKeeper keeper;
  bool shut;
  do {
    shut = IsShut();
    HearOperators(!shut);
  } while (IsShut() != shut);
}

void** BeginOperator(void** context, const void* function) {
  *context = nullptr;
  if (IsOperatorOfOurs()) return context;
  LearnInputsFirst();
  if (__builtin_expect(!EnterOperator(function), 0) && IsShut()) FollowGate();
  return context;
}

Module g_libtorch;

// The program has made a group of processes. What is asked for already stays.
void ListenToGroups() {
  static std::atomic<bool> begun;
  if (begun.exchange(true)) return;
  if (!g_wanted.inputs && !g_wanted.sequence)
    WantInputs(g_libtorch, "collectives are not told apart:");
  g_groups_wanted.store(true);
  if (g_wanted.inputs) return;
  HearInputs();
  FollowGate();
}

}  // namespace

const char* ListenToTorch(const Module& library, const Wanted& wanted) {
  const Callback of_operators{BeginOperator, Leave};
  g_libtorch = library;
  g_wanted = wanted;
  g_wanted.sequence = wanted.sequence || wanted.inputs || wanted.lines;
  if (g_wanted.sequence) {
    WantInputs(library, wanted.inputs ? "--torch shapes records operators without their inputs:"
                                      : "--torch modules and lines do not know whose the backward "
                                        "operators are:");
  }
  const char* why_not = Listen(library, wanted.operators ? &of_operators : nullptr, wanted.inputs,
                               {BeginNamed, LeaveNamed});
  if (why_not != nullptr || !wanted.operators) return why_not;
  WhenOpened(FollowGate);
  WhenGroupsArrive(ListenToGroups);
  return nullptr;
}

}  // namespace syncline::torch
