// SPDX-License-Identifier: Apache-2.0
// Names, keys and their order are those that Kineto writes and HTA reads.
#include "writers/chrome/call_events.h"

namespace syncline {
namespace {

// Only calls of sources with devices have a correlation as a rule.
uint64_t KeyOfWait(const SourceFacts& facts, uint32_t correlation, uint64_t begin) {
  return facts.has_devices ? correlation : begin;
}

}  // namespace

CallEvents::CallEvents(const SourceJob& job, const FindingText& text, CallFlows* flows)
    : job_(job),
      findings_(job.source->findings),
      text_(text),
      flows_(flows),
      line_(job.out, job.time),
      places_(job.own == nullptr ? kNoOwnCode : *job.own) {
  for (size_t i = 0; i < findings_.waits.size(); ++i) {
    const Wait& wait = findings_.waits[i];
    waits_.try_emplace(KeyOfWait(job.source->facts, wait.correlation, wait.begin_ns), i);
  }
}

const char* CallEvents::CategoryOf(const CallRecord& call) const {
  const SourceFacts& facts = job_.source->facts;
  return (call.head.flags & kDriverCall) != 0 ? facts.lower_call_category : facts.call_category;
}

// Null: none, as of a call inside another one.
const Wait* CallEvents::WaitOf(const CallRecord& call, uint32_t tid, uint64_t begin) const {
  if ((call.head.flags & kInnerCall) != 0) return nullptr;
  const auto found = waits_.find(KeyOfWait(job_.source->facts, call.correlation, begin));
  if (found == waits_.end()) return nullptr;
  const Wait& wait = findings_.waits[found->second];
  return job_.source->facts.has_devices || wait.tid == tid ? &wait : nullptr;
}

void CallEvents::Write(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end,
                       uint32_t pid, uint32_t tid, const char* closed_because) {
  const bool plain = call.result == 0 && call.correlation != 0 && closed_because == nullptr;
  if ((call.head.flags & kInnerCall) != 0 || !plain || stream.arguments() != nullptr ||
      stream.stack() != nullptr || WaitOf(call, stream.tid(), begin) != nullptr)
    return WriteOdd(stream, call, begin, end, pid, tid, closed_because);
  bool known;
  EventParts* parts =
      parts_.Find({uint64_t{stream.serial()} << 32 | call.head.id, uint64_t{pid} << 32 | tid,
                   uint64_t{call.head.flags} & kDriverCall},
                  &known);
  if (!known) {
    const std::string_view* name = stream.Name(call.head.id);
    line_.Head(CategoryOf(call), name == nullptr ? "(name lost)" : *name, pid, tid);
    parts->head = line_.Take();
    line_.BeginArguments();
    line_.Number("cbid", stream.CallNumber(call.head.id));
    line_.Key("correlation");
    parts->middle = line_.Take();
  }
  line_.Write(*parts, begin, end, job_.Correlation(call.correlation), {});
  flows_->Starts(call.correlation, pid, tid, begin);
}

// With arguments that other calls of its name do not have.
void CallEvents::WriteOdd(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end,
                          uint32_t pid, uint32_t tid, const char* closed_because) {
  const std::string_view* name = stream.Name(call.head.id);
  const bool inner = (call.head.flags & kInnerCall) != 0;
  line_.Begin(CategoryOf(call), name == nullptr ? "(name lost)" : *name, pid, tid, begin, end);
  line_.Number("cbid", stream.CallNumber(call.head.id));
  // HTA takes one call for each correlation.
  if (!inner && call.correlation != 0)
    line_.Number("correlation", job_.Correlation(call.correlation));
  if (call.result != 0) line_.Number("error", call.result);
  if (stream.queries() > 1) line_.Number("queries", stream.queries());
  if (const Wait* wait = WaitOf(call, stream.tid(), begin))
    line_.Members(text_.CallArguments(*wait));
  const uint32_t stack = PlaceInCode(stream);
  AppendArguments(stream, &line_);
  if (closed_because != nullptr) {
    line_.Text("closed_by", "syncline");
    line_.Text("reason", closed_because);
  }
  line_.Finish(stack);
  if (!inner) flows_->Starts(call.correlation, pid, tid, begin);
}

uint32_t CallEvents::PlaceInCode(const Stream& stream) {
  if (stream.stack() == nullptr) return 0;
  const CodeLocation& place = places_.Of(stream.stack());
  if (!place.where.empty()) line_.Text("where", place.where);
  line_.Text("stack", place.stack);
  if (job_.stacks == nullptr) return 0;
  const auto [number, is_new] = stack_numbers_.try_emplace(stream.stack(), 0);
  if (is_new) number->second = job_.stacks->Add(*stream.stack());
  return number->second;
}

}  // namespace syncline
