// SPDX-License-Identifier: Apache-2.0
// The range that is a whole call bears its details: of what is awaited the one across the awaits,
// whose stretches bear its labels alone.
#include "collectors/python/watched_calls.h"

#include "collectors/python/awaited_results.h"
#include "collectors/python/parameters.h"

namespace syncline::python {
namespace {

void BeginAwaited(const WatchedCode& watched, const void* frame, const CallDetails* details,
                  bool* is_recorded) {
  const size_t labels = details == nullptr ? 0 : details->label_count;
  *is_recorded = BeginCall(*watched.function, frame, details);
  if (labels == 0) return Enter(*watched.function);
  EnterWith(*watched.function, details->words, labels);
}

__attribute__((noinline)) void BeginWithDetails(const WatchedCode& watched, const void* frame) {
  CallDetails details;
  bool is_recorded;
  ReadDetails(watched, frame, &details);
  if (watched.is_awaited) {
    BeginAwaited(watched, frame, &details, &is_recorded);
  } else {
    is_recorded = EnterWith(*watched.function, details.words, details.count);
  }
  if (details.form == 0 || !is_recorded) return;
  NoteForm(*watched.function, details);
  if (watched.parameters->has_result) AwaitResult(frame, details);
}

}  // namespace

void BeginDetailed(const WatchedCode& watched, const void* frame) {
  bool is_recorded;
  if (watched.parameters != nullptr) return BeginWithDetails(watched, frame);
  BeginAwaited(watched, frame, nullptr, &is_recorded);
}

void ResumeDetailed(const WatchedCode& watched, const void* frame) {
  const LabelWords labels = LabelsOfCall(frame);
  if (labels.count == 0) return Enter(*watched.function);
  EnterWith(*watched.function, labels.words, labels.count);
}

void EndDetailed(const WatchedCode& watched, const void* frame, Object* result) {
  CallDetails* details = TakeAwaited(frame);
  if (details != nullptr) AddResult(result, details);
  if (details != nullptr && !watched.is_awaited)
    return LeaveWith(*watched.function, details->words, details->count);
  Leave(*watched.function);
  if (watched.is_awaited) EndCall(*watched.function, frame, details);
}

}  // namespace syncline::python
