// SPDX-License-Identifier: Apache-2.0
// One pass in the order of submission: what each stream still has to wait for.
#include "analysis/waits/host_functions.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/waits/call_finder.h"

namespace syncline {
namespace {

constexpr uint64_t kHeldNs = 20'000;  // an operation that is free to begin does so earlier

class FunctionFinder {
 public:
  FunctionFinder(const GpuRecords& records, const WaitRules& rules)
      : records_(records), default_stream_(rules.default_queue), calls_(records.calls) {
    for (const GpuStreamFacts& facts : records.streams)
      kinds_[Key(facts.context, facts.stream)] = facts.kind;
  }

  void Find() {
    size_t op = 0, sync = 0, event = 0;
    const auto head = [](const auto& rows, size_t next) {
      return next < rows.size() ? uint64_t{rows[next].correlation} : UINT64_MAX;
    };
    for (const GpuHostFunction& function : records_.host_functions) {
      if (!found_.empty() && found_.back().correlation == function.correlation) continue;
      AddUntil(function.correlation, &op, &sync, &event, head);
      Add(function);
    }
    AddUntil(UINT64_MAX, &op, &sync, &event, head);
  }

  // The first wait for a function that nothing else tells of.
  void Add(const std::vector<Wait>& waits) {
    for (const Wait& wait : waits) {
      if (wait.op != kNoOp || wait.lost || wait.open) continue;
      const auto function = std::lower_bound(
          found_.begin(), found_.end(), wait.waited_for,
          [](const HostFunction& row, uint32_t wanted) { return row.correlation < wanted; });
      if (function == found_.end() || function->correlation != wait.waited_for) continue;
      const bool known = function->end_ns > function->begin_ns;
      if (wait.end_ns > function->begin_ns && (!known || wait.end_ns < function->end_ns))
        function->end_ns = wait.end_ns;
    }
  }

  std::vector<HostFunction> Take() { return std::move(found_); }

 private:
  // What something stands behind that is submitted now.
  struct Front {
    uint64_t ready_ns = 0;            // operations have ended
    uint32_t function = kNoFunction;  // the last one that no operation stands behind
    void Join(const Front& other) {
      ready_ns = std::max(ready_ns, other.ready_ns);
      if (function == kNoFunction || (other.function != kNoFunction && other.function > function))
        function = other.function;
    }
  };
  struct Stream {
    uint32_t context = 0;
    StreamKind kind = StreamKind::kBlocking;
    Front front;
  };

  struct Context {
    Front legacy, gathered;
  };

  static uint64_t Key(uint32_t context, uint32_t id) { return uint64_t{context} << 32 | id; }

  template <typename Head>
  void AddUntil(uint64_t correlation, size_t* op, size_t* sync, size_t* event, const Head& head) {
    for (;;) {
      const uint64_t of_op = head(records_.ops, *op), of_sync = head(records_.syncs, *sync);
      const uint64_t of_event = head(records_.events, *event);
      const uint64_t first = std::min({of_op, of_sync, of_event});
      if (first >= correlation) return;
      if (first == of_op) {
        AddOp(static_cast<uint32_t>((*op)++));
      } else if (first == of_sync) {
        Add(records_.syncs[(*sync)++]);
      } else {
        const GpuEventRecord& record = records_.events[(*event)++];
        events_[Key(record.context, record.event)] =
            FrontOf(StreamOf(record.context, record.stream));
      }
    }
  }

  Stream& StreamOf(uint32_t context, uint32_t id) {
    const auto [at, is_new] = streams_.try_emplace(Key(context, id));
    if (!is_new) return at->second;
    const auto kind = kinds_.find(at->first);
    at->second.context = context;
    if (kind != kinds_.end()) {
      at->second.kind = kind->second;
    } else if (default_stream_ != 0 && id == default_stream_) {
      at->second.kind = StreamKind::kLegacy;
    }
    return at->second;
  }

  // The legacy stream stands behind all that do not go their own way, and they behind it.
  Front FrontOf(const Stream& stream) {
    Front front = stream.front;
    Context& context = contexts_[stream.context];
    if (stream.kind == StreamKind::kLegacy) front.Join(context.gathered);
    if (IsGathered(stream)) front.Join(context.legacy);
    return front;
  }
  static bool IsGathered(const Stream& stream) {
    return stream.kind == StreamKind::kBlocking || stream.kind == StreamKind::kPerThread;
  }
  // What the stream has now besides, or no longer has.
  void Note(const Stream& stream, uint32_t gone) {
    Context& context = contexts_[stream.context];
    if (stream.kind == StreamKind::kNonBlocking) return;
    Front& front = stream.kind == StreamKind::kLegacy ? context.legacy : context.gathered;
    if (front.function == gone) front.function = kNoFunction;
    front.Join(stream.front);
  }

  void Add(const GpuSync& sync) {
    if (sync.kind != GpuSyncKind::kStreamWaitEvent) return;
    const auto event = events_.find(Key(sync.context, sync.event));
    if (event == events_.end()) return;
    Stream& stream = StreamOf(sync.context, sync.stream);
    stream.front.Join(event->second);
    Note(stream, kNoFunction);
  }

  void Add(const GpuHostFunction& function) {
    const SourceCall* call = calls_.Find(function.correlation);
    if (call == nullptr) return;
    Stream& stream = StreamOf(function.context, function.stream);
    HostFunction found;
    found.begin_ns = found.end_ns = std::max(call->begin_ns, FrontOf(stream).ready_ns);
    found.submitted_ns = call->begin_ns;
    found.tid = call->tid;
    found.correlation = function.correlation;
    found.context = function.context;
    found.stream = function.stream;
    found.name = call->name;
    stream.front.function = static_cast<uint32_t>(found_.size());
    found_.push_back(found);
    Note(stream, kNoFunction);
  }

  void AddOp(uint32_t index) {
    const GpuOp& op = records_.ops[index];
    Stream& stream = StreamOf(op.context, op.stream);
    const Front front = FrontOf(stream);
    if (front.function != kNoFunction) Judge(index, front);
    stream.front.function = kNoFunction;
    stream.front.ready_ns = std::max(stream.front.ready_ns, op.end_ns);
    Note(stream, front.function);
  }

  // Did the operation begin when the function had returned?
  void Judge(uint32_t index, const Front& front) {
    const GpuOp& op = records_.ops[index];
    HostFunction& function = found_[front.function];
    const SourceCall* call = calls_.Find(op.correlation);
    if (call == nullptr || function.end_ns > function.begin_ns) return;
    const uint64_t free_ns = std::max({front.ready_ns, call->begin_ns, function.begin_ns});
    if (op.begin_ns <= free_ns + kHeldNs) return;
    function.end_ns = op.begin_ns;
    function.held = index;
  }

  const GpuRecords& records_;
  const uint32_t default_stream_;
  CallFinder calls_;
  std::unordered_map<uint64_t, StreamKind> kinds_;
  std::unordered_map<uint64_t, Stream> streams_;
  std::unordered_map<uint32_t, Context> contexts_;
  std::unordered_map<uint64_t, Front> events_;
  std::vector<HostFunction> found_;
};

}  // namespace

std::vector<HostFunction> FindHostFunctions(const GpuRecords& records, const WaitRules& rules,
                                            const std::vector<Wait>& waits) {
  if (records.host_functions.empty()) return {};
  FunctionFinder finder(records, rules);
  finder.Find();
  finder.Add(waits);
  return finder.Take();
}

}  // namespace syncline
