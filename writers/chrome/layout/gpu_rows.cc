// SPDX-License-Identifier: Apache-2.0
// Gives out tids, and names that tell rows of one number apart.
#include "writers/chrome/layout/gpu_rows.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint32_t kStep = 1'000'000;
constexpr uint32_t kHighestTid = (1u << 31) - 1;

std::string InBrackets(const char* what, uint32_t number) {
  return std::string(" (") + what + " " + std::to_string(number) + ")";
}

// "stream 7 (copies)".
std::string Named(const char* what, uint32_t number, const std::string& name) {
  const std::string text = what + std::string(" ") + std::to_string(number);
  return name.empty() ? text : text + " (" + name + ")";
}

std::string StreamName(const DeviceSurvey& survey, const GpuStream& stream) {
  return Named("stream", stream.stream, survey.names.Stream(stream.context, stream.stream));
}

}  // namespace

void GpuRows::Give(const Key& key, uint32_t pid, uint32_t tid, uint32_t lanes,
                   const std::string& name, const std::string& other_name) {
  // tid 0 is the process's; CUPTI's "no stream" is 2^32 - 1.
  const uint32_t wanted = tid == 0 || tid > kHighestTid ? kStep : tid;
  tid = wanted;
  std::vector<uint32_t>& tids = lanes_[key];
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    uint32_t& next = next_tids_[{pid, wanted % kStep}];
    if (taken_.contains({pid, tid})) tid = std::max(tid, next);
    taken_.insert({pid, tid});
    next = std::max(next, tid < kHighestTid - kStep ? tid + kStep : tid);
    tids.push_back(tid);
    std::string text = lane == 0 && tid != wanted ? other_name : name;
    if (lane > 0) text += InBrackets("lane", lane);
    rows_.push_back({pid, tid, std::move(text), int64_t{wanted % kStep} * 128 + tid / kStep});
  }
}

uint32_t GpuRows::FirstPid(Source source) const {
  const auto at = std::find(sources_.begin(), sources_.end(), source);
  const auto order = static_cast<uint32_t>(at - sources_.begin());
  return order == 0 ? 0 : kOtherDevices + order * kDevicesOfSource;
}

uint32_t GpuRows::OverheadRow(Source source) const {
  const auto at = std::find(sources_.begin(), sources_.end(), source);
  return kOverheadPid - static_cast<uint32_t>(at - sources_.begin());
}

Source GpuRows::SourceOf(uint32_t pid) const {
  const uint32_t order = pid < kOtherDevices ? 0 : (pid - kOtherDevices) / kDevicesOfSource;
  return order < sources_.size() ? sources_[order] : Source{0};
}

std::string GpuRows::Label(uint32_t pid) const {
  if (pid < kOtherDevices) return "GPU " + std::to_string(pid);
  return FactsOfSource(SourceOf(pid)).name + (" GPU " + std::to_string(pid % kDevicesOfSource));
}

std::string GpuRows::Identity(uint32_t pid) const {
  const auto device = devices_.find(pid);
  if (device == devices_.end() || !numbers_.AnyMoved(SourceOf(pid))) return "";
  return IdOfDevice(device->second.facts);
}

// Vendors tell of all devices of the machine.
void GpuRows::AddDevices(const SourceRun& run) {
  for (const auto& [number, info] : run.devices.infos) {
    DeviceInfo& known = devices_.try_emplace(Pid(run, number), info).first->second;
    if (known.given_name.empty()) known.given_name = run.devices.names.Device(number);
  }
}

void GpuRows::Add(const SourceRun& run, const DeviceLanes& lanes) {
  AddDevices(run);
  const DeviceSurvey& survey = run.devices;
  for (const auto& [stream, assigner] : lanes.streams) {
    const std::string name = StreamName(survey, stream);
    const uint32_t tid = stream.stream == 0 ? kStep : stream.stream;  // tid 0 is the process's
    Give({Kind::kOperations, run.number, stream}, Pid(run, stream.device), tid, assigner.lanes(),
         name, name + InBrackets("context", stream.context));
  }
  for (const auto& [row, assigner] : lanes.syncs) {
    const std::string of = row.stream == 0
                               ? Named("context", row.context, survey.names.Context(row.context))
                               : StreamName(survey, row);
    const std::string other = row.stream == 0 ? of : of + InBrackets("context", row.context);
    Give({Kind::kSyncs, run.number, row}, Pid(run, survey.DeviceOf(row.context)),
         kStep + row.stream, assigner.lanes(), of + " (sync)", other + " (sync)");
  }
  const uint32_t overhead = OverheadRow(run.source);
  overheads_[overhead] = run.facts.devices.overhead;
  Give({Kind::kOverhead, run.number, {}}, overhead, 1, lanes.overheads.lanes(),
       run.facts.devices.overhead, run.facts.devices.overhead);
}

void GpuRows::AddRanges(const SourceRun& run, const GpuStream& stream, uint32_t rows) {
  const std::string name = StreamName(run.devices, stream) + " (ranges)";
  Give({Kind::kRanges, run.number, stream}, Pid(run, stream.device), kStep + stream.stream % kStep,
       rows, name, name);
}

uint32_t GpuRows::RangeRow(uint32_t number, const GpuStream& stream, uint32_t row) const {
  const std::vector<uint32_t>* tids =
      row == 0 ? Lanes(number, stream) : Find({Kind::kRanges, number, stream});
  const uint32_t index = row == 0 ? 0 : row - 1;
  return tids == nullptr || index >= tids->size() ? 0 : (*tids)[index];
}

const std::vector<uint32_t>* GpuRows::Find(const Key& key) const {
  const auto found = lanes_.find(key);
  return found == lanes_.end() || found->second.empty() ? nullptr : &found->second;
}

const std::vector<uint32_t>* GpuRows::Lanes(uint32_t number, const GpuStream& stream) const {
  return Find({Kind::kOperations, number, stream});
}

const std::vector<uint32_t>* GpuRows::SyncLanes(uint32_t number, const GpuStream& row) const {
  return Find({Kind::kSyncs, number, row});
}

const std::vector<uint32_t>* GpuRows::OverheadLanes(uint32_t number) const {
  return Find({Kind::kOverhead, number, {}});
}

}  // namespace syncline
