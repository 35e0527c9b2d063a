// SPDX-License-Identifier: Apache-2.0
// Launches are given to the ranges that end after them.
#include "launcher/collective_reading.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <string_view>

#include "writers/payload_decoder.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

constexpr size_t kMostKernels = 1 << 22;
constexpr size_t kMostPending = 4096;  // launches of a thread, calls of a group
constexpr size_t kKindsKept = 1 << 16;
constexpr std::string_view kDomain = "NCCL";
// Fields as NCCL names them in its schemas.
constexpr std::string_view kCommunicator = "\"NCCL communicator ID\": ";
constexpr std::string_view kRanks = "\"No. of ranks\": ";
constexpr std::string_view kGroupStart = "ncclGroupStart", kGroupEnd = "ncclGroupEnd";
// Those that are one kernel in all ranks.
constexpr std::string_view kCollectives[] = {"ncclAllGather", "ncclAllReduce", "ncclReduceScatter",
                                             "ncclBroadcast", "ncclBcast",     "ncclReduce"};

bool IsCollective(std::string_view name) {
  return std::find(std::begin(kCollectives), std::end(kCollectives), name) !=
         std::end(kCollectives);
}

// As AppendUintValue writes it: large ones as text in hexadecimal.
std::optional<uint64_t> NumberAfter(std::string_view text, std::string_view key) {
  static constexpr std::string_view kHex = "\"0x";
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  const bool hex = text.starts_with(kHex);
  if (hex) text.remove_prefix(kHex.size());
  uint64_t value;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

void CollectiveReading::OnCall(Stream& stream, const CallRecord& call) {
  if ((call.head.flags & kInnerCall) != 0 || call.correlation == 0) return;
  std::deque<Launch>& launches = threads_[stream.tid()].launches;
  launches.push_back({call.begin, call.correlation});
  if (launches.size() > kMostPending) launches.pop_front();
}

void CollectiveReading::OnRange(const RangeEvent& event) {
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  if (event.record.domain == 0 || domain == nullptr || domain->name != kDomain) return;
  Thread& thread = threads_[event.stream.tid()];
  const std::string_view* name = event.stream.Name(event.record.head.id);
  if (name == nullptr) return;
  if (*name == kGroupStart) {
    if (thread.groups++ == 0) thread.pending.clear();
    return;
  }
  if (*name == kGroupEnd) return EndGroup(&thread, event.record);
  payload_.clear();
  if (event.payloads != nullptr) {
    for (const ExtendedPayload& payload : *event.payloads)
      AppendPayload(event.stream, payload, &payload_);
  }
  const std::optional<uint64_t> communicator = NumberAfter(payload_, kCommunicator);
  const std::optional<uint64_t> ranks = NumberAfter(payload_, kRanks);
  if (!communicator) return;
  if (ranks) out_->sizes[*communicator] = static_cast<uint32_t>(*ranks);
  if (IsCollective(*name)) Ask(&thread, event.record, *communicator);
}

void CollectiveReading::Ask(Thread* thread, const RangeRecord& range, uint64_t communicator) {
  if (asked_.size() >= kMostKernels) return;
  const auto index = static_cast<uint32_t>(asked_.size());
  asked_.push_back({communicator, range.begin, 0});
  Give(thread, range, index);
  if (thread->groups != 0 && thread->pending.size() < kMostPending)
    thread->pending.push_back(index);
}

void CollectiveReading::EndGroup(Thread* thread, const RangeRecord& range) {
  if (thread->groups != 0 && --thread->groups != 0) return;
  // Several of one communicator make one kernel, which has the number of the first. (Where they
  // make more it is not known which is whose.)
  const std::vector<uint32_t>& pending = thread->pending;
  const bool of_one = std::all_of(pending.begin(), pending.end(), [&](uint32_t index) {
    return asked_[index].communicator == asked_[pending[0]].communicator;
  });
  const bool known = !pending.empty() && of_one;
  Give(thread, range, known ? std::optional(pending[0]) : std::nullopt);
  thread->pending.clear();
}

void CollectiveReading::Give(Thread* thread, const RangeRecord& range,
                             std::optional<uint32_t> asked) {
  std::deque<Launch>& launches = thread->launches;
  while (!launches.empty() && launches.back().begin >= range.begin) {
    if (asked && launched_.size() < kMostKernels) launched_[launches.back().correlation] = *asked;
    launches.pop_back();
  }
  launches.clear();  // what is older was launched outside of NCCL's ranges
}

std::optional<CollectiveKind> CollectiveReading::KindOf(Stream& stream, uint32_t name) {
  const uint64_t key = uint64_t{stream.serial()} << 32 | name;
  const auto found = kinds_.find(key);
  if (found != kinds_.end()) return found->second;
  if (kinds_.size() >= kKindsKept) kinds_.clear();
  const std::string_view* text = stream.Name(name);
  return kinds_[key] = text == nullptr ? std::nullopt : CollectiveOfKernel(*text);
}

void CollectiveReading::OnDeviceOp(Stream& stream, const DeviceOpRecord& op,
                                   const KernelDetails* kernel) {
  if (kernel == nullptr || kernels_.size() >= kMostKernels) return;
  const std::optional<CollectiveKind> kind = KindOf(stream, op.head.id);
  if (!kind) return;
  Collective done;
  done.begin_ns = request_.device.Convert(op.begin);
  done.end_ns = std::max(request_.device.Convert(op.end), done.begin_ns);
  done.correlation = op.correlation;
  done.process = request_.process;
  done.kind = *kind;
  kernels_.push_back(done);
}

// In the order in which the program asked, whatever the thread.
void CollectiveReading::NumberAsked() {
  std::vector<uint32_t> order(asked_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [this](uint32_t a, uint32_t b) { return asked_[a].begin < asked_[b].begin; });
  std::unordered_map<uint64_t, uint32_t> next;  // by communicator
  for (const uint32_t index : order) asked_[index].sequence = next[asked_[index].communicator]++;
}

void CollectiveReading::Finish() {
  out_->error_ns = std::max(out_->error_ns, request_.device_error_ns);
  out_->complete = out_->complete && !request_.lost_host_records && asked_.size() < kMostKernels;
  NumberAsked();
  std::unordered_map<uint32_t, uint32_t> kernels_of;  // by index of what was asked for
  for (const Collective& done : kernels_) {
    const auto launched = launched_.find(done.correlation);
    if (launched != launched_.end()) ++kernels_of[launched->second];
  }
  for (Collective& done : kernels_) {
    const auto launched = launched_.find(done.correlation);
    if (launched == launched_.end() || kernels_of[launched->second] != 1) continue;
    const Asked& asked = asked_[launched->second];
    done.communicator = asked.communicator;
    done.sequence = asked.sequence;
    out_->done.push_back(done);
  }
}

void ReadCollectives(const DeriveRequest& request, RankCollectives* out) {
  SpoolReader reader;
  const bool nccl = request.survey.payload_domains.contains(std::string(kDomain));
  if (!nccl || !request.device.valid() || !reader.Open(request.spool).ok()) return;
  CollectiveReading reading(request, out);
  (void)reader.Read(&reading);
  reading.Finish();
}

}  // namespace syncline
