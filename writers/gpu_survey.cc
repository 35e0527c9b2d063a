// SPDX-License-Identifier: Apache-2.0
// Collects, and caps what a hostile spool could make grow.
#include "writers/gpu_survey.h"

namespace syncline {
namespace {

constexpr size_t kMaxClocks = 1 << 16;
constexpr size_t kMaxDevices = 256;
constexpr size_t kMaxStreams = 1 << 16;
constexpr uint32_t kMaxCorrelation = 1u << 28;

}  // namespace

void CorrelationSet::Add(uint32_t correlation) {
  if (correlation == 0 || correlation > kMaxCorrelation) return;
  if (correlation >= bits_.size()) bits_.resize(size_t{correlation} + correlation / 2 + 1024);
  bits_[correlation] = true;
}

void GpuSurvey::OnCall(const CallRecord& call) {
  ++call_count;
  if ((call.head.flags & kInnerCall) == 0) calls.Add(call.correlation);
}

void GpuSurvey::OnDeviceOp(const DeviceOpRecord& op) {
  ++op_count;
  ops.Add(op.correlation);
  const GpuStream stream{op.device, op.context, op.stream};
  const auto found = streams.find(stream);
  if (found != streams.end()) {
    found->second.Place(op.begin, op.end);
  } else if (streams.size() < kMaxStreams) {
    streams[stream].Place(op.begin, op.end);
  }
}

void GpuSurvey::OnDeviceClock(const DeviceClockRecord& reading) {
  clocks.push_back(reading);
  if (clocks.size() <= kMaxClocks) return;
  size_t kept = 0;  // a very long run: every second one will do
  for (size_t i = 0; i < clocks.size(); i += 2) clocks[kept++] = clocks[i];
  clocks.resize(kept);
}

void GpuSurvey::OnDevice(uint64_t device, const DeviceFacts& facts, std::string_view name) {
  if (device >= kMaxDevices) return;
  devices[static_cast<uint32_t>(device)] = {facts, std::string(name)};
}

}  // namespace syncline
