// SPDX-License-Identifier: Apache-2.0
// Gives out tids, and names that tell rows of one number apart.
#include "writers/gpu_rows.h"

namespace syncline {
namespace {

constexpr uint32_t kStep = 1'000'000;
constexpr uint32_t kHighestTid = (1u << 31) - 1;

}  // namespace

void GpuRows::Add(uint32_t process, const GpuSurvey& survey) {
  for (const auto& [device, info] : survey.devices) {
    // CUPTI tells of all devices of the machine: only those that worked have rows.
    devices_.try_emplace(device, info);
  }
  for (const auto& [stream, assigner] : survey.streams) {
    std::vector<uint32_t>& tids = lanes_[{process, stream}];
    uint32_t tid = stream.stream == 0 ? kStep : stream.stream;  // tid 0 is the process's
    for (uint32_t lane = 0; lane < assigner.lanes(); ++lane) {
      while (tid < kHighestTid - kStep && taken_.contains({stream.device, tid})) tid += kStep;
      std::string name = "stream " + std::to_string(stream.stream);
      if (lane == 0 && tid != stream.stream)
        name += " (context " + std::to_string(stream.context) + ")";
      if (lane > 0) name += " (lane " + std::to_string(lane) + ")";
      taken_.insert({stream.device, tid});
      tids.push_back(tid);
      const int64_t order = int64_t{stream.stream} * 64 + lane;
      rows_.push_back({stream.device, tid, std::move(name), order});
    }
  }
}

const std::vector<uint32_t>* GpuRows::Lanes(uint32_t process, const GpuStream& stream) const {
  const auto found = lanes_.find({process, stream});
  return found == lanes_.end() || found->second.empty() ? nullptr : &found->second;
}

}  // namespace syncline
