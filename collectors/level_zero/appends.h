// SPDX-License-Identifier: Apache-2.0
// What all functions have in common that append a command to a list.
#pragma once

#include "collectors/level_zero/commands.h"
#include "collectors/level_zero/level_zero_source.h"
#include "collectors/level_zero/notes.h"

namespace syncline::level_zero {

// A call by what it does: into a list that is executed later, into an immediate list, into one that
// is synchronous.
struct AppendNames {
  CallName later, immediate, synchronous;
};
template <size_t kBytes>
constexpr AppendNames NamesOf(const char (&text)[kBytes], CallRole role, CallRole synchronous) {
  return {CallName(text, kBytes - 1, static_cast<uint8_t>(CallRole::kOther), 0, false),
          CallName(text, kBytes - 1, static_cast<uint8_t>(role) | kCallIsAsync, 0, false),
          CallName(text, kBytes - 1, static_cast<uint8_t>(synchronous), 0, false)};
}
// Of commands that leave no record of their own: a synchronous one waits for what is in the list.
template <size_t kBytes>
constexpr AppendNames OtherNames(const char (&text)[kBytes]) {
  return NamesOf(text, CallRole::kEnqueue, CallRole::kSynchronizeQueue);
}

// One call that appends.
class Append {
 public:
  // `signal`: the program's event, null: none.
  Append(ze_command_list_handle_t list, const AppendNames& names, ze_event_handle_t signal);

  // It goes into a graph.
  bool is_captured() const { return list_ != nullptr && list_->captures; }

  // Where a device will work for it: before the vendor's function. The facts are asked for only
  // then.
  bool is_followed() const { return list_ != nullptr; }
  ze_context_handle_t context() const { return list_->context_handle; }
  void Work(const WorkFacts& facts);

  // The event to give to the vendor's function: the program's, or one of ours.
  ze_event_handle_t signal() const { return given_; }

  // Its arguments.
  void Waits(uint32_t count, const ze_event_handle_t* events);

  ze_result_t End(ze_result_t result);

 private:
  void EndImmediate();
  void EndLater();

  List* list_;
  Event* event_;  // the program's
  ze_event_handle_t program_;
  ze_event_handle_t given_;
  uint32_t operation_ = kNone;
  uint32_t wait_count_ = 0;
  const ze_event_handle_t* waits_ = nullptr;
  Loss lost_ = kLossKinds;  // why the work will have no times
  bool synchronous_;
  WatchedCall call_;
  uint64_t not_before_ns_;
  uint64_t wait_begin_ = 0;
  uint64_t begun_;
};

// Has the helper look for finished work, now and then, if there is any of its own.
void CountSubmitted();
// By the helper: there is nothing to look for, and the next work rings its bell.
bool AwaitsBell();

// Milliseconds may be missing: a few nanoseconds to ask.
inline uint64_t AboutNow() { return ReadClockNs(CLOCK_MONOTONIC_COARSE); }

}  // namespace syncline::level_zero
