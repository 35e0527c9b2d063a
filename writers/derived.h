// SPDX-License-Identifier: Apache-2.0
// What somebody else computed from a process's records, for its trace: slices on rows of their own,
// and arguments for the slices of calls. The writers do not know what they mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "writers/device_timeline.h"
#include "writers/gpu_modes.h"
#include "writers/gpu_survey.h"
#include "writers/survey.h"
#include "writers/timeline.h"

namespace syncline {

// An operation of a GPU, told from others of its correlation by its stream and its begin on the
// job's line.
struct AwaitedOp {
  uint32_t correlation;
  GpuStream stream;
  uint64_t begin_ns;
};

struct DerivedSlice {
  uint64_t begin_ns = 0;  // on the job's line
  uint64_t end_ns = 0;
  bool of_device = false;  // on the device's row `idle`, else on the thread's row `waits`
  uint32_t id = 0;         // device, or tid
  std::string category;
  std::string name;
  std::optional<AwaitedOp> awaited;  // what ended last before this did: an arrow comes from there
  std::string arguments;             // members of a JSON object, without the braces
};

struct Derived {
  std::string missing;               // what was not computed, and why; empty: nothing
  std::vector<DerivedSlice> slices;  // of one row none overlaps another
  // By CUPTI's correlation: more members for the arguments of that call's slice.
  std::unordered_map<uint32_t, std::string> of_calls;
  // The same for the slice of the one operation that has this correlation.
  std::unordered_map<uint32_t, std::string> of_ops;
};

// One process, as its spool and clocks were found. Valid during the call.
struct DeriveRequest {
  const std::string& spool;
  Timeline& host;
  const DeviceTimeline& device;
  uint64_t device_error_ns;
  uint64_t end_ns;
  uint32_t process;  // its place in the trace's correlation ids: ShownCorrelation
  const Survey& survey;
  bool lost_host_records;                   // calls, ranges or marks are missing
  std::function<bool()> stopped = nullptr;  // empty: never
  std::span<const GpuPeriod> gpu_periods = {};
  bool device_records_lost = false;  // or may be: some were lost, and it is not known of what

  // Whether the user wants no more of it: to be asked once per block that is read.
  bool Stopped() const { return stopped && stopped(); }
};
using Derive = std::function<void(const DeriveRequest& request, Derived* derived)>;

// A correlation as it stands in the trace.
uint64_t ShownCorrelation(uint32_t process, uint32_t correlation);

}  // namespace syncline
