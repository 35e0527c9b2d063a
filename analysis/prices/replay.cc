// SPDX-License-Identifier: Apache-2.0
// One pass over the points in the order in which they were recorded.
#include "analysis/prices/replay.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr int64_t kNeedlessNs = 500;     // what a call that waits for nothing takes
constexpr int64_t kSubmitNs = 5000;      // what a call takes at most that submits
constexpr int64_t kAnotherNs = 100'000;  // calls that are further apart are not one's making

int64_t Signed(uint64_t ns) { return static_cast<int64_t>(ns); }

bool IsLaunched(const ReplayOp& op) {
  return op.copy == CopyKind::kNone && op.function == kNoIndex;
}

void JoinSets(const ItemSet& more, ItemSet* set) {
  if (more.size() > set->size()) set->resize(more.size());
  for (size_t i = 0; i < more.size(); ++i) {
    if (more[i]) (*set)[i] = true;
  }
}

}  // namespace

void Scenario::Join(const Scenario& more) {
  JoinSets(more.waits, &waits);
  JoinSets(more.allocations, &allocations);
  JoinSets(more.gaps, &gaps);
  JoinSets(more.functions, &functions);
  JoinSets(more.communications, &communications);
  ahead = ahead || more.ahead;
  copies = copies || more.copies;
  launches = launches || more.launches;
  default_stream = default_stream || more.default_stream;
}

void Replay::Note(uint32_t index, int64_t end_ns) {
  ends_[index] = end_ns;
  const ReplayStream& stream = window_->streams[window_->ops[index].stream];
  Context& context = contexts_[stream.context];
  int64_t& stream_end = stream_ends_[window_->ops[index].stream];
  stream_end = std::max(stream_end, end_ns);
  context.all = std::max(context.all, end_ns);
  if (stream.is_default) context.default_stream = std::max(context.default_stream, end_ns);
  if (stream.gathered) context.gathered = std::max(context.gathered, end_ns);
  last_ns_ = std::max(last_ns_, end_ns);
}

// `is_pinned`: it copies from memory that was not, and now is.
int64_t Replay::DurationOf(const ReplayOp& op, const Scenario* scenario, bool is_pinned) const {
  int64_t duration = Signed(op.end_ns - op.begin_ns);
  if (scenario != nullptr && Has(scenario->functions, op.function)) return 0;
  if (scenario != nullptr) duration -= std::min(duration, Signed(op.late_ns));
  const double rate = window_->pinned_bytes_per_ns[static_cast<size_t>(op.copy)];
  if (!is_pinned || op.is_pinned || rate == 0) return duration;
  return std::min(duration, static_cast<int64_t>(static_cast<double>(op.bytes) / rate));
}

void Replay::Place(uint32_t index, int64_t host_ns, const Scenario* scenario, bool is_pinned) {
  const ReplayOp& op = window_->ops[index];
  recorded_ns_ = std::max(recorded_ns_, Signed(op.end_ns));
  const int64_t duration = DurationOf(op, scenario, is_pinned);
  if (op.leader != kNoIndex) {
    begins_[index] = begins_[op.leader] + Signed(op.begin_ns - window_->ops[op.leader].begin_ns);
    return Note(index, begins_[index] + duration);
  }
  const ReplayStream& stream = window_->streams[op.stream];
  const Context& context = contexts_[stream.context];
  if (scenario != nullptr && scenario->copies && op.copy != CopyKind::kNone)
    return PlaceBeside(index, host_ns, duration);
  int64_t ready = stream_ends_[op.stream];
  for (uint32_t i = 0; i < op.awaited; ++i)
    ready = std::max(ready, ends_[window_->awaited[op.first_awaited + i]]);
  if (scenario == nullptr || !scenario->default_stream) {
    if (stream.is_default) ready = std::max(ready, context.gathered);
    if (stream.gathered) ready = std::max(ready, context.default_stream);
  }
  begins_[index] = std::max(host_ns + op.latency_ns, ready == 0 ? 0 : ready + op.gap_ns);
  if (scenario != nullptr && Has(scenario->communications, op.communication))
    return PlaceHidden(index, begins_[index], duration);
  Note(index, begins_[index] + duration);
}

// What is ready is communicated while other work goes on, one after the other.
void Replay::PlaceHidden(uint32_t index, int64_t ready, int64_t duration) {
  Note(index, ready);
  communicated_ns_ = std::max(communicated_ns_, ready) + duration;
  last_ns_ = std::max(last_ns_, communicated_ns_);
}

// A copy in a queue of its own: nothing stands behind it but who waits for it. What is copied to
// the host has to be computed first.
void Replay::PlaceBeside(uint32_t index, int64_t host_ns, int64_t duration) {
  const ReplayOp& op = window_->ops[index];
  const bool out = op.copy == CopyKind::kToHost;
  Context& context = contexts_[window_->streams[op.stream].context];
  int64_t& queue_end = out ? context.copies_out : context.copies_in;
  const int64_t ready = out ? std::max(queue_end, stream_ends_[op.stream]) : queue_end;
  begins_[index] = std::max(host_ns + op.latency_ns, ready);
  ends_[index] = queue_end = begins_[index] + duration;
  last_ns_ = std::max(last_ns_, queue_end);
}

// What the host did between the two moments.
void Replay::TakeOutWork(Clock* clock, uint64_t from_ns, uint64_t to_ns, bool ahead) {
  const int64_t work = Signed(to_ns) - Signed(from_ns);
  const int64_t now = Signed(to_ns) - clock->ahead_ns;
  // Piece after piece, from when the program itself began with the first one.
  if (!worker_works_) worker_ns_ = now - work;
  worker_ns_ += work;
  worker_works_ = true;
  clock->ahead_ns += ahead ? now - std::clamp(worker_ns_, now - work, now) : work;
}

void Replay::Submit(const ReplayPoint& point, const Scenario* scenario) {
  Clock& clock = clocks_[point.clock];
  if (scenario != nullptr && scenario->launches && clock.last != nullptr &&
      clock.last->kind == PointKind::kSubmit && IsLaunched(window_->ops[point.op]) &&
      IsLaunched(window_->ops[clock.last->op])) {
    const int64_t apart = Signed(point.begin_ns) - Signed(clock.last->begin_ns);
    if (apart > 0 && apart <= kAnotherNs) clock.ahead_ns += apart;
  }
  if (scenario != nullptr && Has(scenario->waits, point.reads_for)) {
    for (uint32_t i = 0; i < point.ops; ++i)
      ends_[point.op + i] = stream_ends_[window_->ops[point.op + i].stream];
    // It still comes there, after what it did before.
    last_ns_ = std::max(last_ns_, Signed(point.begin_ns) - clock.ahead_ns);
    clock.ahead_ns += Signed(point.end_ns) - Signed(point.begin_ns);
    clock.removed_until_ns = point.end_ns;
    return;
  }
  clock.removed_until_ns = 0;
  const int64_t host = Signed(point.begin_ns) - clock.ahead_ns;
  const bool is_pinned = scenario != nullptr && (Has(scenario->waits, point.sends_for) ||
                                                 Has(scenario->waits, point.sent_for));
  for (uint32_t i = 0; i < point.ops; ++i) Place(point.op + i, host, scenario, is_pinned);
  // The call that copied to a pinned buffer first now only submits.
  if (is_pinned && !window_->ops[point.op].is_pinned)
    clock.ahead_ns += std::max<int64_t>(0, Signed(point.staged_ns) - kSubmitNs);
}

int64_t Replay::EndOfAwaited(const ReplayPoint& point) const {
  const int64_t own = ends_[point.op];
  const Context& context = contexts_[point.context];
  if (point.awaits == Awaits::kContext) return std::max(own, context.all);
  if (point.awaits == Awaits::kGathered)
    return std::max({own, context.gathered, context.default_stream});
  return own;
}

// A kept one ends when what it waits for has ended, and not earlier than a call can.
void Replay::Wait(const ReplayPoint& point, bool removed) {
  Clock& clock = clocks_[point.clock];
  const int64_t begin = Signed(point.begin_ns), end = Signed(point.end_ns);
  const int64_t now = begin - clock.ahead_ns;
  if (removed && clock.removed_until_ns != 0) {
    // What is read back is not asked for either: of all its calls nothing is left. What the host
    // did meanwhile, it still does.
    const int64_t from = Signed(clock.removed_until_ns);
    clock.ahead_ns += std::max<int64_t>(0, end - (begin - from <= kAnotherNs ? from : begin));
    clock.removed_until_ns = std::max(clock.removed_until_ns, point.end_ns);
    return;
  }
  if (removed) {
    clock.ahead_ns += std::max<int64_t>(0, end - begin - kNeedlessNs);
    return;
  }
  clock.removed_until_ns = 0;
  if (point.awaits == Awaits::kNothing) return;
  const int64_t recorded = std::clamp(Signed(window_->ops[point.op].end_ns), begin, end);
  clock.ahead_ns = end - (std::max(now, EndOfAwaited(point)) + (end - recorded));
}

// When the thread came there and devices had done what was submitted before, less when they would
// have: a thread may be far ahead of its devices.
int64_t Replay::GainBefore(const Clock& clock, uint64_t at_ns) const {
  const int64_t host_ns = Signed(at_ns) - clock.ahead_ns;
  return std::max(Signed(at_ns), recorded_ns_) - std::max(host_ns, last_ns_);
}

void Replay::Begin(const ReplayWindow& window) {
  window_ = &window;
  begins_.assign(window.ops.size(), 0);
  ends_.assign(window.ops.size(), 0);
  stream_ends_.assign(window.streams.size(), 0);
  contexts_.assign(window.contexts, {});
  clocks_.assign(window.clocks, {});
  last_ns_ = recorded_ns_ = communicated_ns_ = 0;
  worker_ns_ = 0;
  worker_works_ = false;
  for (uint32_t i = 0; i < window.ops.size(); ++i) {
    const ReplayOp& op = window.ops[i];
    if (op.before) Note(i, Signed(op.end_ns));
    if (op.before) recorded_ns_ = std::max(recorded_ns_, Signed(op.end_ns));
  }
}

Replayed Replay::Run(const ReplayWindow& window, const Scenario* scenario, uint64_t steps_ns) {
  Begin(window);
  Replayed result;
  for (const ReplayOp& op : window.ops) result.end_ns = std::max(result.end_ns, op.end_ns);
  bool in_steps = false;
  for (const ReplayPoint& point : window.points) {
    Clock& clock = clocks_[point.clock];
    const bool taken = scenario != nullptr && Has(scenario->gaps, point.gap);
    // What a thread did before its first point nobody knows, but for that it was in the steps.
    const bool is_known = clock.last != nullptr || in_steps;
    uint64_t from_ns = is_known ? std::min(clock.busy_until_ns, point.begin_ns) : point.begin_ns;
    clock.submits = clock.submits || point.kind == PointKind::kSubmit;
    // A thread that submits nothing does not tell how far the others are.
    if (!in_steps && point.begin_ns >= steps_ns && clock.submits) {
      in_steps = true;
      // What the host did until the steps began is no part of them.
      const uint64_t at_ns = std::clamp(steps_ns, from_ns, point.begin_ns);
      if (taken) TakeOutWork(&clock, from_ns, at_ns, scenario->ahead);
      result.before_ns = GainBefore(clock, at_ns);
    }
    if (in_steps) from_ns = std::clamp(steps_ns, from_ns, point.begin_ns);  // of other threads
    if (taken) {
      TakeOutWork(&clock, from_ns, point.begin_ns, scenario->ahead);
    } else if (point.handed_over) {
      clock.ahead_ns = std::min<int64_t>(clock.ahead_ns, 0);
    }
    if (point.kind == PointKind::kSubmit) {
      Submit(point, scenario);
    } else if (scenario != nullptr && Has(scenario->allocations, point.allocation)) {
      clock.ahead_ns += Signed(point.end_ns) - Signed(point.begin_ns);
    } else {
      Wait(point, scenario != nullptr && Has(scenario->waits, point.wait));
    }
    clock.busy_until_ns = std::max(clock.busy_until_ns, point.end_ns);
    clock.last = &point;
  }
  result.new_end_ns = static_cast<uint64_t>(last_ns_);
  if (!in_steps) result.before_ns = static_cast<int64_t>(result.end_ns - result.new_end_ns);
  return result;
}

}  // namespace syncline
