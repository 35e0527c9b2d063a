// SPDX-License-Identifier: Apache-2.0
// Launches are given to the ranges that end after them.
#include "analysis/collectives/collective_reader.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/collectives/communicator_fields.h"
#include "analysis/collectives/machine_clocks.h"
#include "model/spool/payload_walk.h"

namespace syncline {
namespace {

constexpr size_t kMostKernels = 1 << 22;
constexpr uint32_t kOfSeveral = UINT32_MAX;  // launched for several communicators at once
constexpr size_t kMostMessages = 1 << 20;
constexpr size_t kMostPending = 4096;  // launches of a thread, calls of a group

bool IsCollective(const CollectiveWords& words, std::string_view name) {
  return std::find(words.calls.begin(), words.calls.end(), name) != words.calls.end();
}

// Kernels are called as calls are: "AllGather_" and "xxAllGather".
bool CallNeedsAll(const CollectiveWords& words, std::string_view name) {
  return std::any_of(words.kinds.begin(), words.kinds.end(), [name](const auto& kind) {
    return AllNeedAll(kind.second) && name.ends_with(kind.first.substr(0, kind.first.size() - 1));
  });
}

// Times are the device's until Finish.
Collective DoneBy(const DeviceOpRecord& op) {
  Collective done;
  done.begin_ns = op.begin;
  done.end_ns = op.end;
  done.correlation = op.correlation;
  done.source = op.source;
  done.device = static_cast<uint8_t>(op.device);
  return done;
}

// Else what was not to be recorded looks like what was captured, and launches have no number.
bool AllWorkIsRecorded(const ProgramRun& run) {
  bool all = run.closed.empty() && !MayBeOfDevices(run.losses) && !run.damage.Any();
  run.sources.Each([&all](Source, const SourceRun& source) {
    all = all && std::all_of(source.coverage.begin(), source.coverage.end(),
                             [](const CoveragePeriod& period) {
                               return period.coverage == GpuCoverage::kAll;
                             });
  });
  return all;
}

}  // namespace

CollectiveReader::Thread& CollectiveReader::ThreadOf(const Stream& stream) {
  if (thread_ != nullptr && thread_stream_ == stream.id()) return *thread_;
  thread_ = &threads_[stream.tid()];
  thread_stream_ = stream.id();
  return *thread_;
}

void CollectiveReader::OnCall(Stream& stream, const CallRecord& call) {
  if ((call.head.flags & kInnerCall) != 0 || call.correlation == 0) return;
  const CallRole role = RoleOf(call.role);
  const uint64_t key = KeyOf(call.source, call.correlation);
  const bool makes = role == CallRole::kGraphInstantiate || role == CallRole::kGraphPrepare;
  if (call.result == 0 && makes) captured_.Instantiated(call.begin);
  if (call.result == 0 && role == CallRole::kGraphLaunch) captured_.Launched(key, call.begin);
  std::vector<Launch>& launches = ThreadOf(stream).launches;
  launches.push_back(
      {call.begin, key, role == CallRole::kLaunch && call.result == 0 && !GaveWork(call)});
  if (launches.size() >= 2 * kMostPending)
    launches.erase(launches.begin(), launches.begin() + kMostPending);
}

void CollectiveReader::OnRange(const RangeEvent& event) {
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  if (event.record.domain == 0 || domain == nullptr) return;
  const CollectiveWords* const words = WordsOfDomain(domain->name);
  if (words == nullptr) return;
  Thread& thread = ThreadOf(event.stream);
  const std::string_view* name = event.stream.Name(event.record.head.id);
  if (name == nullptr) return;
  if (*name == words->group_start) {
    if (thread.groups++ != 0) return;
    thread.pending.clear();
    thread.messages.clear();
    return;
  }
  if (*name == words->group_end) return EndGroup(&thread, event.record);
  if (event.payloads == nullptr) return;
  for (const ExtendedPayload& payload : *event.payloads) {
    CommunicatorFields fields(*words);
    const PayloadShape shape = WalkPayload(event.stream, payload, &fields);
    if (shape != PayloadShape::kWhole || !fields.communicator) continue;
    if (fields.ranks) sizes_[*fields.communicator] = static_cast<uint32_t>(*fields.ranks);
    if (fields.rank) own_[*fields.communicator] = static_cast<uint32_t>(*fields.rank);
    if (fields.peer && (*name == words->send || *name == words->receive))
      AskMessage(&thread, event.record,
                 {*fields.communicator, event.record.begin, event.stream.tid(),
                  static_cast<uint32_t>(*fields.peer), 0, *name == words->send});
    if (IsCollective(*words, *name))
      Ask(&thread, event.record,
          {*fields.communicator, event.record.begin, 0, CallNeedsAll(*words, *name), false});
    return;
  }
}

void CollectiveReader::Ask(Thread* thread, const RangeRecord& range, Asked asked) {
  if (asked_.size() >= kMostKernels) return;
  const auto index = static_cast<uint32_t>(asked_.size());
  asked_.push_back(asked);
  if (Give(thread, range, index)) captured_.Captured(asked.communicator, asked.all, asked.begin);
  if (thread->groups != 0 && thread->pending.size() < kMostPending)
    thread->pending.push_back(index);
}

void CollectiveReader::EndGroup(Thread* thread, const RangeRecord& range) {
  if (thread->groups != 0 && --thread->groups != 0) return;
  // Several of one communicator make one kernel, which has the number of the first. (Where they
  // make more it is not known which is whose.)
  const std::vector<uint32_t>& pending = thread->pending;
  if (pending.empty() && !thread->messages.empty())
    return GiveMessages(thread, range, std::exchange(thread->messages, {}));
  const bool of_one = std::all_of(pending.begin(), pending.end(), [&](uint32_t index) {
    return asked_[index].communicator == asked_[pending[0]].communicator;
  });
  std::optional<uint32_t> asked;
  if (!pending.empty()) asked = of_one ? pending[0] : kOfSeveral;
  if (Give(thread, range, asked)) {
    for (const uint32_t index : pending)
      captured_.Captured(asked_[index].communicator, asked_[index].all, asked_[index].begin);
  }
  thread->pending.clear();
}

bool CollectiveReader::Give(Thread* thread, const RangeRecord& range,
                            std::optional<uint32_t> asked) {
  std::vector<Launch>& launches = thread->launches;
  bool captured = false;
  while (!launches.empty() && launches.back().begin >= range.begin) {
    captured = captured || launches.back().captured;
    if (asked && launched_.size() < kMostKernels) launched_[launches.back().key] = *asked;
    launches.pop_back();
  }
  launches.clear();  // what is older was launched outside of the library's ranges
  return captured;
}

void CollectiveReader::AskMessage(Thread* thread, const RangeRecord& range,
                                  const AskedMessage& asked) {
  if (messages_.size() >= kMostMessages) return;
  const auto index = static_cast<uint32_t>(messages_.size());
  messages_.push_back(asked);
  if (thread->groups == 0) return GiveMessages(thread, range, {index});
  if (thread->messages.size() < kMostPending) thread->messages.push_back(index);
}

// Each kernel that was launched in the range does those of one communicator: where there are
// several communicators, or several kernels, nobody knows which is whose.
void CollectiveReader::GiveMessages(Thread* thread, const RangeRecord& range,
                                    std::vector<uint32_t> asked) {
  const bool of_one = std::all_of(asked.begin(), asked.end(), [&](uint32_t index) {
    return messages_[index].communicator == messages_[asked[0]].communicator;
  });
  std::vector<Launch>& launches = thread->launches;
  const auto first = std::find_if(launches.begin(), launches.end(), [&](const Launch& launch) {
    return launch.begin >= range.begin;
  });
  if (of_one && launches.end() - first == 1) messages_of_[first->key] = std::move(asked);
  launches.clear();
}

void CollectiveReader::OnDeviceOp(Stream& stream, const DeviceOpRecord& op,
                                  const KernelDetails* kernel) {
  if (op.type == DeviceOpType::kGraph)
    return captured_.Ran(KeyOf(op.source, op.correlation), op.graph, DoneBy(op));
  if (kernel == nullptr) return;
  const Kernel known = kinds_.Get(stream, op.head.id, [&]() -> Kernel {
    const std::string_view* name = stream.Name(op.head.id);
    return name == nullptr ? Kernel{} : Kernel{CollectiveOfKernel(*name), LeftOutOfKernel(*name)};
  });
  const std::optional<CollectiveKind> kind = known.kind;
  if (kind && kernels_.size() >= kMostKernels) return CountLeftOut(LeftOut::kTooMany);
  if (!kind && known.left_out == LeftOut::kSendReceive && message_kernels_.size() < kMostMessages) {
    message_kernels_.push_back(DoneBy(op));
    return;
  }
  if (!kind && known.left_out) return CountLeftOut(*known.left_out);
  if (!kind) return;
  kernels_.push_back(DoneBy(op));
  kernels_.back().kind = *kind;
}

// Each launch of a graph asks for what was captured.
void CollectiveReader::TakeGraphs() {
  for (const CapturedCollectives::Met& met : captured_.Find(sizes_)) {
    if (asked_.size() >= kMostKernels || kernels_.size() >= kMostKernels) return;
    launched_[met.key] = static_cast<uint32_t>(asked_.size());
    asked_.push_back({met.whole.communicator, met.begin, 0, true, true});
    kernels_.push_back(met.whole);
  }
}

// In the order in which the program asked, whatever the thread; launches of graphs by themselves.
// What was asked for a graph keeps its number, which no kernel has.
void CollectiveReader::NumberAsked() {
  std::vector<uint32_t> order(asked_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [this](uint32_t a, uint32_t b) { return asked_[a].begin < asked_[b].begin; });
  std::unordered_map<uint64_t, uint32_t> next[2];  // by communicator
  for (const uint32_t index : order) {
    Asked& asked = asked_[index];
    asked.sequence = next[asked.in_graph ? 1 : 0][asked.communicator]++;
  }
}

// By communicator, peer and direction.
void CollectiveReader::NumberMessages() {
  std::vector<uint32_t> order(messages_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return messages_[a].begin < messages_[b].begin;
  });
  std::map<std::tuple<uint64_t, uint32_t, bool>, uint32_t> next;
  for (const uint32_t index : order) {
    AskedMessage& asked = messages_[index];
    asked.sequence = next[{asked.communicator, asked.peer, asked.sends}]++;
  }
}

void CollectiveReader::FinishMessages(const ProgramRun& run, RankCollectives* out) {
  for (const auto& [communicator, rank] : own_) out->own[communicator] = rank;
  if (messages_.size() >= kMostMessages) {  // one that is not numbered moves those behind it
    left_out_[static_cast<size_t>(LeftOut::kTooMany)] += message_kernels_.size();
    return;
  }
  NumberMessages();
  for (const Collective& done : message_kernels_) {
    const auto asked = messages_of_.find(KeyOf(done.source, done.correlation));
    const DeviceTimeline& device = run.sources.Find(done.source)->clocks.Of(done.device);
    if (asked == messages_of_.end() || !device.valid()) {
      CountLeftOut(asked == messages_of_.end() ? LeftOut::kSendReceive : LeftOut::kClocks);
      continue;
    }
    for (const uint32_t index : asked->second) {
      const AskedMessage& from = messages_[index];
      Message message;
      message.communicator = from.communicator;
      message.begin_ns = device.Convert(done.begin_ns);
      message.end_ns = std::max(device.Convert(done.end_ns), message.begin_ns);
      message.asked = from.begin;
      message.tid = from.tid;
      message.sequence = from.sequence;
      message.peer = from.peer;
      message.process = run.index;
      message.sends = from.sends;
      out->messages.push_back(message);
    }
  }
}

std::set<uint64_t> CollectiveReader::CommunicatorsOfSeveralDevices() const {
  std::map<uint64_t, std::pair<Source, uint32_t>> devices;
  std::set<uint64_t> of_several;
  for (const Collective& done : kernels_) {
    const auto launched = launched_.find(KeyOf(done.source, done.correlation));
    if (launched == launched_.end() || launched->second == kOfSeveral) continue;
    const uint64_t communicator = asked_[launched->second].communicator;
    const std::pair<Source, uint32_t> device{done.source, done.device};
    if (devices.try_emplace(communicator, device).first->second != device)
      of_several.insert(communicator);
  }
  return of_several;
}

void CollectiveReader::Finish(const ProgramRun& run, RankCollectives* out) {
  run.sources.Each([&](Source, const SourceRun& source) {
    out->error_ns = std::max(out->error_ns, source.clocks.ErrorNs() + run.clock_error_ns);
  });
  out->complete = out->complete && !LostHostRecords(run.losses) && asked_.size() < kMostKernels;
  for (const auto& [communicator, ranks] : sizes_) out->sizes[communicator] = ranks;
  if (AllWorkIsRecorded(run)) TakeGraphs();
  NumberAsked();
  const std::set<uint64_t> of_several = CommunicatorsOfSeveralDevices();
  std::unordered_map<uint32_t, uint32_t> kernels_of;  // by index of what was asked for
  for (const Collective& done : kernels_) {
    const auto launched = launched_.find(KeyOf(done.source, done.correlation));
    if (launched != launched_.end()) ++kernels_of[launched->second];
  }
  for (Collective& done : kernels_) {
    const auto launched = launched_.find(KeyOf(done.source, done.correlation));
    if (launched == launched_.end()) {
      CountLeftOut(LeftOut::kNotAskedFor);
      continue;
    }
    if (launched->second != kOfSeveral &&
        of_several.contains(asked_[launched->second].communicator)) {
      CountLeftOut(LeftOut::kInOneProcess);
      continue;
    }
    if (launched->second == kOfSeveral || kernels_of[launched->second] != 1) {
      CountLeftOut(LeftOut::kSeveralInOne);
      continue;
    }
    const Asked& asked = asked_[launched->second];
    const DeviceTimeline& device = run.sources.Find(done.source)->clocks.Of(done.device);
    if (!device.valid()) {
      CountLeftOut(LeftOut::kClocks);
      continue;
    }
    done.process = run.index;
    done.begin_ns = device.Convert(done.begin_ns);
    done.end_ns = std::max(device.Convert(done.end_ns), done.begin_ns);
    done.communicator = asked.communicator;
    done.sequence = asked.sequence;
    out->done.push_back(done);
  }
  FinishMessages(run, out);
  for (size_t why = 0; why < kLeftOutReasons; ++why) out->left_out[why] += left_out_[why];
}

}  // namespace syncline
