// SPDX-License-Identifier: Apache-2.0
// Running maxima.
#include "analysis/waits/submitted_work.h"

#include <algorithm>

#include "analysis/waits/waits.h"

namespace syncline {
namespace {

constexpr size_t kMostLookedAt = 64;

}  // namespace

SubmittedWork::SubmittedWork(const GpuRecords& records, uint32_t default_queue)
    : ops_(records.ops), default_queue_(default_queue) {
  for (const GpuStreamFacts& facts : records.streams) {
    kinds_[Key(facts.context, facts.stream)] = facts.kind;
  }
}

uint32_t SubmittedWork::Later(uint32_t a, uint32_t b) const {
  if (a == kNoOp) return b;
  if (b == kNoOp) return a;
  return ops_[b].end_ns >= ops_[a].end_ns ? b : a;
}

bool SubmittedWork::IsLegacy(uint32_t context, uint32_t stream) const {
  const auto kind = kinds_.find(Key(context, stream));
  if (kind != kinds_.end()) return kind->second == StreamKind::kLegacy;
  return default_queue_ != 0 && stream == default_queue_;
}

SubmittedWork::Stream& SubmittedWork::StreamOf(uint32_t context, uint32_t stream) {
  const auto [found, is_new] = streams_.try_emplace(Key(context, stream));
  if (is_new) {
    const auto kind = kinds_.find(found->first);
    found->second.context = context;
    found->second.legacy = IsLegacy(context, stream);
    found->second.gathered = kind == kinds_.end() || kind->second != StreamKind::kNonBlocking;
  }
  return found->second;
}

const SubmittedWork::Stream* SubmittedWork::Find(uint32_t context, uint32_t stream) const {
  const auto found = streams_.find(Key(context, stream));
  return found == streams_.end() ? nullptr : &found->second;
}

void SubmittedWork::Note(Stream* stream, uint32_t op) {
  if (op == kNoOp) return;
  Context& context = contexts_[stream->context];
  stream->latest = Later(stream->latest, op);
  context.latest = Later(context.latest, op);
  if (stream->gathered) context.gathered = Later(context.gathered, op);
}

void SubmittedWork::Add(uint32_t index) {
  const GpuOp& op = ops_[index];
  Stream& stream = StreamOf(op.context, op.stream);
  const bool same = !stream.ops.empty() && ops_[stream.ops.back()].correlation == op.correlation;
  const uint32_t latest = stream.launches.empty() ? 0 : stream.launches.back();
  stream.launches.push_back(same ? latest : latest + 1);
  stream.ops.push_back(index);
  stream.function = 0;
  Note(&stream, index);
  contexts_[op.context].device = op.device;
  all_ = Later(all_, index);
}

// A command that works and signals an event: the event stands for it, whatever else is in its
// stream.
void SubmittedWork::Add(const GpuEventRecord& record) {
  const Stream* stream = Find(record.context, record.stream);
  const uint32_t last = stream == nullptr || stream->ops.empty() ? kNoOp : stream->ops.back();
  const bool own = last != kNoOp && ops_[last].correlation == record.correlation;
  const uint32_t work = own ? last : Tail(record.context, record.stream);
  events_[Key(record.context, record.event)] = work;
  latest_events_[record.event] = work;
  if (has_functions_)
    functions_of_events_[Key(record.context, record.event)] =
        own ? 0 : FunctionOf(record.context, record.stream);
}

void SubmittedWork::Add(const GpuHostFunction& function) {
  StreamOf(function.context, function.stream).function = function.correlation;
  has_functions_ = true;
}

void SubmittedWork::Add(const GpuSync& wait) {
  Stream& stream = StreamOf(wait.context, wait.stream);
  Note(&stream, OfEvent(wait.context, wait.event));
  stream.function = std::max(stream.function, FunctionOfEvent(wait.context, wait.event));
}

template <typename Choose>
uint32_t SubmittedWork::LastFunction(uint32_t context, const Choose& choose) const {
  uint32_t last = 0;
  if (!has_functions_) return last;
  for (const auto& [key, stream] : streams_) {
    if (stream.context == context && choose(stream)) last = std::max(last, stream.function);
  }
  return last;
}

uint32_t SubmittedWork::FunctionOf(uint32_t context, uint32_t id) const {
  if (IsLegacy(context, id))
    return LastFunction(context, [](const Stream& stream) { return stream.gathered; });
  const Stream* found = Find(context, id);
  return found == nullptr ? 0 : found->function;
}

uint32_t SubmittedWork::FunctionOfContext(uint32_t context) const {
  return LastFunction(context, [](const Stream&) { return true; });
}

uint32_t SubmittedWork::FunctionOfEvent(uint32_t context, uint32_t event) const {
  const auto found = functions_of_events_.find(Key(context, event));
  return found == functions_of_events_.end() ? 0 : found->second;
}

uint32_t SubmittedWork::OfContext(uint32_t context) const {
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? kNoOp : found->second.latest;
}

std::vector<uint32_t> SubmittedWork::LastOfContext(uint32_t context, uint64_t after) const {
  std::vector<uint32_t> found;
  for (const auto& [key, stream] : streams_) {
    if (context != kNoId && stream.context != context) continue;
    size_t left = std::min(stream.ops.size(), kMostLookedAt);
    for (auto op = stream.ops.rbegin(); left > 0 && ops_[*op].end_ns > after; ++op, --left)
      found.push_back(*op);
  }
  return found;
}

uint32_t SubmittedWork::Tail(uint32_t context, uint32_t stream) const {
  if (IsLegacy(context, stream)) {
    const auto found = contexts_.find(context);
    return found == contexts_.end() ? kNoOp : found->second.gathered;
  }
  const Stream* found = Find(context, stream);
  return found == nullptr ? kNoOp : found->latest;
}

uint32_t SubmittedWork::OfEvent(uint32_t context, uint32_t event) const {
  const auto found = events_.find(Key(context, event));
  if (found != events_.end()) return found->second;
  const auto elsewhere = latest_events_.find(event);
  return elsewhere == latest_events_.end() ? kNoOp : elsewhere->second;
}

uint32_t SubmittedWork::TailEndingIn(uint32_t context, uint64_t after, uint64_t until) const {
  uint32_t here = kNoOp;
  uint32_t elsewhere = kNoOp;
  for (const auto& [key, stream] : streams_) {
    if (stream.latest == kNoOp) continue;
    const uint64_t end = ops_[stream.latest].end_ns;
    if (end <= after || end > until) continue;
    uint32_t& best = stream.context == context ? here : elsewhere;
    best = Later(best, stream.latest);
  }
  return here != kNoOp ? here : elsewhere;
}

uint32_t SubmittedWork::DeviceOf(uint32_t context) const {
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? kNoId : found->second.device;
}

SubmittedWork::Queue SubmittedWork::QueueAt(uint32_t context, uint32_t id, uint64_t at_ns) {
  const auto found = streams_.find(Key(context, id));
  if (found == streams_.end()) return {};
  Stream& stream = found->second;
  while (stream.started < stream.ops.size() && ops_[stream.ops[stream.started]].begin_ns <= at_ns) {
    ++stream.started;
  }
  if (stream.started == stream.ops.size()) return {};
  return {static_cast<uint32_t>(stream.ops.size() - stream.started),
          stream.launches.back() - stream.launches[stream.started] + 1, stream.ops[stream.started]};
}

}  // namespace syncline
