// SPDX-License-Identifier: Apache-2.0
// The pass: which records belong to a call, and what its row of docs/waits.md asks of them.
#include "analysis/waits/wait_finder.h"

#include <algorithm>
#include <utility>

#include "analysis/waits/outside_waits.h"

namespace syncline {
namespace {

constexpr uint64_t kUnexplainedNs = 100'000;  // after the work's end a wait lasts no longer
constexpr uint64_t kHeldUpNs = 10'000'000;    // an asynchronous copy takes no time of its own
constexpr uint64_t kLeastWaitNs = 100;        // a shorter one is a look at a queue with room
constexpr uint32_t kMostDevices = 1024;       // more only a damaged spool has
constexpr size_t kMostOvertaken = 64;         // so many calls with later ids may have begun before

// The first of `rows` from *next on with this correlation; those before it are passed by.
template <typename Row>
const Row* Own(const std::vector<Row>& rows, size_t* next, uint32_t correlation) {
  while (*next < rows.size() && rows[*next].correlation < correlation) ++*next;
  return *next < rows.size() && rows[*next].correlation == correlation ? &rows[*next] : nullptr;
}

}  // namespace

WaitFinder::WaitFinder(const GpuRecords& records, const WaitRules& rules)
    : records_(records),
      rules_(rules),
      submitted_(records, rules.default_queue),
      held_(records),
      spins_(rules.not_ready) {
  for (const GpuOverhead& overhead : records.overheads) {
    const bool loading = overhead.kind == GpuOverheadKind::kLoading;
    (loading ? overheads_tell_loading_ : overheads_tell_full_queues_) = true;
  }
}

void WaitFinder::AddOp() {
  const auto index = static_cast<uint32_t>(next_op_++);
  const GpuOp& op = records_.ops[index];
  if (op.kernel != 0) kernels_.insert(uint64_t{op.context} << 32 | op.kernel);
  submitted_.Add(index);
}

// Ops, event records and waits of streams for events, each in its place among the others.
void WaitFinder::AddSubmittedBefore(uint32_t correlation) {
  for (;;) {
    const uint64_t none = uint64_t{1} << 32;
    const auto head = [&](const auto& rows, size_t next) {
      return next < rows.size() ? uint64_t{rows[next].correlation} : none;
    };
    const uint64_t op = head(records_.ops, next_op_);
    const uint64_t sync = head(records_.syncs, next_sync_);
    const uint64_t event = head(records_.events, next_event_);
    const uint64_t function = head(records_.host_functions, next_function_);
    const uint64_t first = std::min({op, sync, event, function});
    if (first >= correlation) return;
    if (first == function) {
      submitted_.Add(records_.host_functions[next_function_++]);
    } else if (first == op) {
      AddOp();
    } else if (first == sync) {
      const GpuSync& row = records_.syncs[next_sync_++];
      if (row.kind == GpuSyncKind::kStreamWaitEvent) submitted_.Add(row);
    } else {
      submitted_.Add(records_.events[next_event_++]);
    }
  }
}

// The calls inside one stand beside it: they have its correlation. All that they share is looked at
// once, however many a damaged or hostile spool names.
void WaitFinder::EnterRun(std::span<const SourceCall> run) {
  const uint32_t correlation = run[0].correlation;
  AddSubmittedBefore(correlation);
  inner_begins_.clear();
  for (const SourceCall& call : run) {
    if (call.inner) inner_begins_.push_back(call.begin_ns);
  }
  std::sort(inner_begins_.begin(), inner_begins_.end());
  copy_rules_[0].reset();
  copy_rules_[1].reset();
  const std::vector<GpuOp>& ops = records_.ops;
  size_t end = next_op_;
  auto latest = static_cast<uint32_t>(next_op_);
  for (; end < ops.size() && ops[end].correlation == correlation; ++end) {
    if (ops[end].end_ns > ops[latest].end_ns) latest = static_cast<uint32_t>(end);
  }
  run_ = {std::span(ops).subspan(next_op_, end - next_op_),
          static_cast<uint32_t>(next_op_),
          latest,
          Own(records_.syncs, &next_sync_, correlation),
          Own(records_.events, &next_event_, correlation),
          Own(records_.memory, &next_memory_, correlation),
          nullptr,
          nullptr};
  Own(records_.overheads, &next_overhead_, correlation);
  for (size_t i = next_overhead_; i < records_.overheads.size(); ++i) {
    const GpuOverhead& overhead = records_.overheads[i];
    if (overhead.correlation != correlation) break;
    if (overhead.kind == GpuOverheadKind::kLoading) {
      run_.loading = &overhead;
    } else if (overhead.end_ns >= overhead.begin_ns + kLeastWaitNs) {
      run_.queue_full = &overhead;
    }
  }
}

WaitFinder::Call WaitFinder::Gather(const SourceCall& call) {
  Call at{run_, call, call.begin_ns, call.begin_ns};
  const auto after = std::upper_bound(inner_begins_.begin(), inner_begins_.end(), call.end_ns);
  if (after != inner_begins_.begin()) at.entry_ns = std::max(call.begin_ns, *(after - 1));
  if (!at.ops.empty()) contexts_[call.tid] = at.ops[0].context;
  if (at.sync != nullptr) {
    contexts_[call.tid] = at.sync->context;
    at.entry_ns = std::clamp(at.sync->begin_ns, call.begin_ns, call.end_ns);
  }
  return at;
}

std::vector<Wait> WaitFinder::Find() {
  const std::span<const SourceCall> calls(records_.calls);
  for (size_t i = 0, end = 0; i < calls.size(); i = end) {
    const uint32_t correlation = calls[i].correlation;
    while (end < calls.size() && calls[end].correlation == correlation) ++end;
    if (correlation == 0) continue;
    EnterRun(calls.subspan(i, end - i));
    for (const SourceCall& call : calls.subspan(i, end - i)) {
      if (!call.inner) Look(call);
    }
  }
  spins_.Finish([this](const Spin& spin) { Add(spin); });
  for (const Measured& measured : measured_) {
    if (measured.proof == Proof::kPending || held_.Explained(measured.call, measured.released_ns)) {
      waits_.push_back(measured.wait);
    }
  }
  AddBlockingLaunches(&waits_);
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.correlation < b.correlation;
  });
  return std::move(waits_);
}

void WaitFinder::Look(const SourceCall& call) {
  const RoleRule& rule = rules_.roles[RuleIndex(call.role)];
  const CallRole role = RoleOf(call.role);
  Call at = Gather(call);
  if (call.open) return JudgeOpen(at, rule);
  if (rule.leaves_work && call.result == 0) {
    launch_ = call.correlation;
    launch_ns_ = call.begin_ns;
    if (at.ops.empty()) missing_ = call.correlation;
  }
  if (role == CallRole::kQuery) return Query(at);
  if (role == CallRole::kQueryError) return;
  if (const auto spin = spins_.OnOtherCall(call)) Add(*spin);
  if (role == CallRole::kHostFunction && call.result == 0) host_function_ = call.correlation;
  const bool in_stream_order = (call.role & kCallIsAsync) != 0;
  if (role == CallRole::kFree && in_stream_order && call.result == 0) frees_pend_ = true;
  Judge(&at, rule);
}

void WaitFinder::Judge(Call* at, const RoleRule& rule) {
  if (rule.full_queue != FullQueue::kNo) QueueFull(at, rule);
  switch (rule.waits_for) {
    case WaitsFor::kNothing:
      return;
    case WaitsFor::kDevice:
      return DeviceSync(*at);
    case WaitsFor::kQueue:
      return StreamSync(*at);
    case WaitsFor::kEvent:
      return EventSync(*at);
    case WaitsFor::kOwnWork:
      return Launch(at);
    case WaitsFor::kItself:
      if (!at->ops.empty()) Certain(*at, rule.wait_class, at->latest_op);
      return;
    case WaitsFor::kOutside:
      return waits_.push_back(WholeCall(at->call, rule.wait_class));
    case WaitsFor::kCopy:
      return Copy(*at, rule.wait_class);
    case WaitsFor::kSet:
      return Set(*at);
    case WaitsFor::kSomeDevice:
    case WaitsFor::kAllDevices:
      return JudgeHeld(*at, rule);
  }
}

// Device records at the end are missing if the process was killed or its work hangs.
bool WaitFinder::IsAfterTheLastRecord() const {
  return launch_ > (records_.ops.empty() ? 0 : records_.ops.back().correlation);
}

// Whether a wait that seems to be for `op` may be for work of a time that was not recorded. Work
// that was under way when such a time began has no record either.
bool WaitFinder::MayBeUnseen(const GpuOp* op, uint64_t until_ns) const {
  return MeetsCoverageGap(records_.unseen, op == nullptr ? 0 : op->end_ns, until_ns);
}

// What it waits for has not ended and so left no record: only of a device it is certain that the
// last launch is part of it.
void WaitFinder::JudgeOpen(const Call& at, const RoleRule& rule) {
  if (rule.waits_for == WaitsFor::kOutside)
    return waits_.push_back(WholeCall(at.call, rule.wait_class));
  const bool waits = rule.waits_for == WaitsFor::kDevice || rule.waits_for == WaitsFor::kQueue ||
                     rule.waits_for == WaitsFor::kEvent || rule.waits_for == WaitsFor::kCopy ||
                     rule.waits_for == WaitsFor::kItself;
  const bool is_long = at.call.end_ns - at.call.begin_ns >= kHeldUpNs;
  // A launch takes no time of its own: what it waits for is room in the queue.
  if (!waits && rule.full_queue != FullQueue::kNo && is_long) {
    Wait wait = Begin(at, WaitClass::kQueueFull, kNoOp);
    wait.open = true;
    waits_.push_back(wait);
  }
  if (!waits) return;
  // An asynchronous copy that is held up is one of pageable memory.
  const bool async_copy = rule.waits_for == WaitsFor::kCopy && (at.call.role & kCallIsAsync) != 0;
  if (async_copy && !is_long) return;
  Wait wait = Begin(at, rule.wait_class, kNoOp);
  wait.open = true;
  const bool unseen = MeetsCoverageGap(records_.unseen, launch_ns_, at.call.begin_ns);
  if (rule.wait_class == WaitClass::kDevice && IsAfterTheLastRecord() && !unseen)
    wait.waited_for = launch_;
  waits_.push_back(wait);
}

void WaitFinder::JudgeHeld(const Call& at, const RoleRule& rule) {
  const bool loading = at.loading != nullptr;
  if (rule.held == Held::kByLoading && !loading) return;
  // What an allocation can wait for are frees in stream order: without one its length is its own.
  if (RoleOf(at.call.role) == CallRole::kAllocate && !frees_pend_ && records_.unseen.empty())
    return;
  const bool by_loading = loading && rule.held == Held::kOrByLoading;
  const bool exception = rule.held == Held::kAsException || rule.held == Held::kOrByLoading;
  Measure(at, by_loading ? WaitClass::kModuleLoad : rule.wait_class,
          WorkThatHolds(at, rule.waits_for), exception ? Proof::kException : Proof::kPending);
}

uint32_t WaitFinder::ContextOf(const Call& at) const {
  if (at.sync != nullptr) return at.sync->context;
  const auto found = contexts_.find(at.call.tid);
  if (found != contexts_.end()) return found->second;
  return submitted_.OfAll() == kNoOp ? kNoId : records_.ops[submitted_.OfAll()].context;
}

Wait WaitFinder::Begin(const Call& at, WaitClass wait_class, uint32_t work) const {
  Wait wait;
  wait.begin_ns = at.from_ns;
  wait.end_ns = at.call.end_ns;
  wait.tid = at.call.tid;
  wait.correlation = at.call.correlation;
  wait.name = at.call.name;
  wait.wait_class = wait_class;
  wait.op = work;
  const GpuOp* op = Op(work);
  wait.waited_for = op == nullptr ? 0 : op->correlation;
  wait.device = op == nullptr ? submitted_.DeviceOf(ContextOf(at)) : op->device;
  return wait;
}

Wait WaitFinder::Lost(const Call& at, WaitClass wait_class) const {
  Wait wait = Begin(at, wait_class, kNoOp);
  wait.lost = true;
  return wait;
}

// Where no stream of functions is known: one that was submitted after all that is waited for.
uint32_t WaitFinder::AnyFunction(uint32_t work) const {
  const GpuOp* op = Op(work);
  return op == nullptr || host_function_ > op->correlation ? host_function_ : 0;
}

// `function`: of the host, the last one that may be waited for, 0: none.
// A failed call was refused, unless it was held up: then the work itself may have failed. One whose
// time was over has waited until then.
void WaitFinder::Explicit(const Call& at, WaitClass wait_class, uint32_t work, uint32_t function) {
  if (at.call.result != 0 && at.call.result == rules_.not_ready) {
    waits_.push_back(Begin(at, wait_class, work));
    return;
  }
  if (at.call.result != 0) {
    Measure(at, wait_class, work, Proof::kPending);
    return;
  }
  const GpuOp* op = Op(work);
  // What was launched last and has no record may be what it waited for.
  const bool missing =
      records_.device_records_lost && missing_ > (op == nullptr ? 0 : op->correlation);
  if (IsAfterTheLastRecord() || missing || MayBeUnseen(op, at.call.end_ns)) {
    waits_.push_back(Lost(at, wait_class));
    return;
  }
  Wait wait = Begin(at, wait_class, work);
  wait.already_done = op == nullptr || op->end_ns <= at.entry_ns;
  const uint64_t done = op == nullptr ? at.call.begin_ns : std::max(op->end_ns, at.call.begin_ns);
  // Nothing that the devices recorded explains the length: host functions leave no record, nor does
  // what was lost. A thread that lost its processor inside the call looks the same, so what was
  // lost is thought of only where the process lost something: else needless waits on busy machines,
  // the ones to be found, would be "not known".
  const bool unexplained = at.call.end_ns > done + kUnexplainedNs;
  if (unexplained && function != 0) {
    wait.waited_for = function;
    wait.op = kNoOp;
    wait.already_done = false;
  } else if (unexplained && records_.device_records_lost) {
    wait = Lost(at, wait_class);
  }
  waits_.push_back(wait);
}

// Ends when the work did; what follows in the call is the host's own. If that work is not known:
// when the call's own operation, which stands behind it, began.
void WaitFinder::Certain(const Call& at, WaitClass wait_class, uint32_t work) {
  if (at.call.result != 0) {
    Measure(at, wait_class, work, Proof::kPending);
    return;
  }
  const GpuOp* op = Op(work);
  if (MayBeUnseen(op, at.call.end_ns)) {
    Wait wait = Lost(at, wait_class);
    wait.end_ns = std::clamp(at.ops[0].begin_ns, at.from_ns, at.call.end_ns);
    waits_.push_back(wait);
    return;
  }
  Wait wait = Begin(at, wait_class, work);
  wait.already_done = op == nullptr || op->end_ns <= std::max(at.entry_ns, at.from_ns);
  wait.end_ns = std::clamp(op == nullptr ? 0 : op->end_ns, at.from_ns, at.call.end_ns);
  waits_.push_back(wait);
}

// Correlation ids are given before a call is seen to begin: the call that submitted `work` may have
// a smaller one and begin later.
bool WaitFinder::BeganAfter(uint32_t work, const SourceCall& call) const {
  const std::span<const SourceCall> its = CallsThatSubmitted(work);
  const auto earlier = [](const SourceCall& a, const SourceCall& b) {
    return a.begin_ns < b.begin_ns;
  };
  const auto first = std::min_element(its.begin(), its.end(), earlier);
  return first != its.end() && first->begin_ns > call.begin_ns;
}

// None: they were not recorded.
std::span<const SourceCall> WaitFinder::CallsThatSubmitted(uint32_t work) const {
  const std::vector<SourceCall>& calls = records_.calls;
  const uint32_t correlation = Op(work)->correlation;
  const auto before = [](const SourceCall& a, uint32_t wanted) { return a.correlation < wanted; };
  const auto first = std::lower_bound(calls.begin(), calls.end(), correlation, before);
  auto end = first;
  while (end != calls.end() && end->correlation == correlation) ++end;
  return {first, end};
}

bool WaitFinder::Measure(const Call& at, WaitClass wait_class, uint32_t work, Proof proof) {
  if (work != kNoOp && BeganAfter(work, at.call)) work = kNoOp;
  if (!held_.MayBeHeld(at.call, at.entry_ns, Op(work))) return false;
  Wait wait = Begin(at, wait_class, work);
  wait.end_ns = std::clamp(Op(work)->end_ns, at.from_ns, at.call.end_ns);
  measured_.push_back({wait, at.call, Op(work)->end_ns, proof});
  return true;
}

// For each device, of what was under way there the operation that ended last and whose call began
// before this one. Correlation ids do not tell that order: each is given before its call is seen to
// begin, and a thread may lose its processor in between. Calls that were under way came after this
// one where their work outlived it.
std::vector<uint32_t> WaitFinder::PendingAtEntry(const Call& at) const {
  std::vector<uint32_t> latest;
  const auto consider = [&](uint32_t work) {
    const GpuOp& op = *Op(work);
    if (op.end_ns <= at.entry_ns || op.device >= kMostDevices) return;
    if (op.device >= latest.size()) latest.resize(size_t{op.device} + 1, kNoOp);
    uint32_t& best = latest[op.device];
    if (best != kNoOp && op.end_ns <= Op(best)->end_ns) return;
    const bool outlived = op.end_ns > at.call.end_ns && WasUnderWay(work, at.call);
    if (!outlived && !BeganAfter(work, at.call)) best = work;
  };
  const uint32_t all = submitted_.OfAll();
  if (all != kNoOp && Op(all)->end_ns > at.entry_ns) {
    for (const uint32_t work : submitted_.LastOfContext(kNoId, at.entry_ns)) consider(work);
  }
  const std::span<const SourceCall> calls(records_.calls);
  const auto own = static_cast<size_t>(&at.call - calls.data());
  const auto before = [](const GpuOp& op, uint32_t wanted) { return op.correlation < wanted; };
  for (const SourceCall& next : calls.subspan(own, std::min(calls.size() - own, kMostOvertaken))) {
    if (next.tid == at.call.tid || next.begin_ns > at.call.begin_ns) continue;
    auto op = std::lower_bound(records_.ops.begin() + static_cast<ptrdiff_t>(next_op_),
                               records_.ops.end(), next.correlation, before);
    for (; op != records_.ops.end() && op->correlation == next.correlation; ++op)
      consider(static_cast<uint32_t>(op - records_.ops.begin()));
  }
  return latest;
}

// Calls that free or allocate do not say of which device. Where no record does either: of those
// whose work ended meanwhile, the one that ended last held the call up.
uint32_t WaitFinder::WorkThatHolds(const Call& at, WaitsFor whose) const {
  const std::vector<uint32_t> devices = PendingAtEntry(at);
  const bool known = whose == WaitsFor::kSomeDevice && at.memory != nullptr;
  if (known) return at.memory->device < devices.size() ? devices[at.memory->device] : kNoOp;
  uint32_t best = kNoOp;
  for (const uint32_t work : devices) {
    if (work == kNoOp) continue;
    const bool within = held_.IsWithin(at.call, at.entry_ns, Op(work)->end_ns);
    if (whose == WaitsFor::kSomeDevice && !within) continue;
    if (best == kNoOp || Op(work)->end_ns > Op(best)->end_ns) best = work;
  }
  return best;
}

void WaitFinder::DeviceSync(const Call& at) {
  const uint32_t context = ContextOf(at);
  const uint32_t work = submitted_.OfContext(context);
  const bool known = !records_.host_functions.empty();
  Explicit(at, WaitClass::kDevice, work,
           known ? submitted_.FunctionOfContext(context) : AnyFunction(work));
}

void WaitFinder::StreamSync(const Call& at) {
  const bool known = at.sync != nullptr && at.sync->stream != kNoId;
  if (!known) {
    const uint32_t work = submitted_.TailEndingIn(ContextOf(at), at.call.begin_ns, at.call.end_ns);
    return Explicit(at, WaitClass::kStream, work, AnyFunction(work));
  }
  const uint32_t context = at.sync->context, stream = at.sync->stream;
  const uint32_t work = submitted_.Tail(context, stream);
  const bool legacy = submitted_.IsLegacy(context, stream);
  Explicit(
      at, legacy ? WaitClass::kLegacyStream : WaitClass::kStream, work,
      records_.host_functions.empty() ? AnyFunction(work) : submitted_.FunctionOf(context, stream));
}

void WaitFinder::EventSync(const Call& at) {
  const bool known = at.sync != nullptr && at.sync->event != kNoId;
  const uint32_t work =
      known ? submitted_.OfEvent(at.sync->context, at.sync->event)
            : submitted_.TailEndingIn(ContextOf(at), at.call.begin_ns, at.call.end_ns);
  Explicit(at, WaitClass::kEvent, work,
           known && !records_.host_functions.empty()
               ? submitted_.FunctionOfEvent(at.sync->context, at.sync->event)
               : AnyFunction(work));
}

void WaitFinder::Query(const Call& at) {
  QueriedObject object;
  object.context = ContextOf(at);
  object.number = at.call.queried;
  if (at.sync != nullptr) {
    const bool event = at.sync->event != kNoId;
    const uint32_t id = event ? at.sync->event : at.sync->stream;
    object.id = (uint64_t{id} << 1 | (event ? 1 : 0)) + 1;
    object.op =
        event ? submitted_.OfEvent(at.sync->context, id) : submitted_.Tail(at.sync->context, id);
    object.function = event ? submitted_.FunctionOfEvent(at.sync->context, id)
                            : submitted_.FunctionOf(at.sync->context, id);
  }
  if (const auto spin = spins_.OnQuery(at.call, object)) Add(*spin);
}

void WaitFinder::Add(const Spin& spin) {
  Wait wait = spin.wait;
  wait.op = spin.object.op;
  if (wait.op == kNoOp && spin.object.id == 0) {
    wait.op = submitted_.TailEndingIn(spin.object.context, wait.begin_ns, wait.end_ns);
  }
  wait.lost = MayBeUnseen(Op(wait.op), wait.end_ns);
  if (wait.lost) wait.op = kNoOp;
  if (const GpuOp* op = Op(wait.op)) {
    wait.waited_for = op->correlation;
    wait.device = op->device;
  } else {
    wait.device = submitted_.DeviceOf(spin.object.context);
  }
  const GpuOp* op = Op(wait.op);
  const uint64_t done_ns = op == nullptr ? wait.begin_ns : std::max(op->end_ns, wait.begin_ns);
  if (!wait.lost && spin.object.function != 0 && wait.end_ns > done_ns + kUnexplainedNs) {
    wait.waited_for = spin.object.function;
    wait.op = kNoOp;
  }
  waits_.push_back(wait);
}

}  // namespace syncline
