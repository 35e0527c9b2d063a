// SPDX-License-Identifier: Apache-2.0
// Launches are given to the ranges that end after them.
#include "launcher/collective_reading.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "writers/payload_decoder.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

constexpr size_t kMostKernels = 1 << 22;
constexpr size_t kMostPending = 4096;  // launches of a thread, communicators of a group
constexpr size_t kKindsKept = 1 << 16;
constexpr std::string_view kDomain = "NCCL";
// Fields as NCCL names them in its schemas.
constexpr std::string_view kCommunicator = "\"NCCL communicator ID\": ";
constexpr std::string_view kRanks = "\"No. of ranks\": ";
constexpr std::string_view kMessage = "\"Message size [bytes]\": ";

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
  payload_.clear();
  if (event.payloads != nullptr) {
    for (const ExtendedPayload& payload : *event.payloads)
      AppendPayload(event.stream, payload, &payload_);
  }
  const std::optional<uint64_t> communicator = NumberAfter(payload_, kCommunicator);
  const std::optional<uint64_t> ranks = NumberAfter(payload_, kRanks);
  if (communicator && ranks) out_->sizes[*communicator] = static_cast<uint32_t>(*ranks);
  const bool moves = payload_.find(kMessage) != std::string::npos;
  Assign(&threads_[event.stream.tid()], event.record, moves ? communicator : std::nullopt);
}

void CollectiveReading::Assign(Thread* thread, const RangeRecord& range,
                               std::optional<uint64_t> communicator) {
  std::vector<uint64_t>& pending = thread->communicators;
  if (communicator && pending.size() < kMostPending &&
      std::find(pending.begin(), pending.end(), *communicator) == pending.end())
    pending.push_back(*communicator);
  bool any = false;
  for (const Launch& launch : thread->launches) {
    if (launch.begin < range.begin || launch.begin > range.end) continue;
    any = true;
    // Of a group with several communicators it is not known which launch is whose.
    if (pending.size() == 1 && launched_.size() < kMostKernels)
      launched_[launch.correlation] = {pending[0], launch.begin};
  }
  if (!any) return;  // what it asked for is launched when its group ends
  thread->launches.clear();
  pending.clear();
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

void CollectiveReading::Finish() {
  out_->error_ns = std::max(out_->error_ns, request_.device_error_ns);
  std::erase_if(kernels_,
                [this](const Collective& done) { return !launched_.contains(done.correlation); });
  for (Collective& done : kernels_) done.communicator = launched_[done.correlation].communicator;
  std::sort(kernels_.begin(), kernels_.end(), [this](const Collective& a, const Collective& b) {
    return launched_[a.correlation].begin < launched_[b.correlation].begin;
  });
  out_->done.insert(out_->done.end(), kernels_.begin(), kernels_.end());
}

void ReadCollectives(const DeriveRequest& request, RankCollectives* out) {
  SpoolReader reader;
  if (!request.device.valid() || !reader.Open(request.spool).ok()) return;
  CollectiveReading reading(request, out);
  (void)reader.Read(&reading);
  reading.Finish();
}

}  // namespace syncline
