// SPDX-License-Identifier: Apache-2.0
// The fault switches of SIMGPU_FAULT=name[=value],...: one table for the driver, the runtime and
// CUPTI, and its parser.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simgpu {

// X(name, value it takes, what it does). An unknown name is an error that ends the program: a test
// must not run without the fault it asked for.
#define SIMGPU_DRIVER_FAULTS(X)                                                                   \
  X(no_libcuda, "",                                                                               \
    "the runtime and CUPTI do not find libcuda.so.1 (cudaErrorInsufficientDriver, 35)")           \
  X(old_driver, "VERSION",                                                                        \
    "the driver says it is VERSION (default 11040), too old for the runtime: 35")                 \
  X(no_device, "", "cuInit answers CUDA_ERROR_NO_DEVICE (100)")                                   \
  X(out_of_memory, "BYTES",                                                                       \
    "device allocations beyond BYTES in all (default 0) answer out of memory (2)")                \
  X(sticky_error, "N", "the N-th kernel launch (default 1) faults: every later call answers 700") \
  X(event_never, "N", "the N-th event record (default 1) never completes")                        \
  X(hang, "FUNCTION", "the call of this exported name never returns")                             \
  X(kernel_never, "N", "the N-th kernel launch (default 1) never ends")                           \
  X(nccl_late, "RANK:MS", "the NCCL kernels of that rank begin MS milliseconds later")            \
  X(nccl_dead, "RANK", "the NCCL kernels of that rank never meet the others'")

#define SIMGPU_LEVEL_ZERO_FAULTS(X)                                                               \
  X(ze_hang, "PATTERN", "kernels whose name fits PATTERN (fnmatch) never end")                    \
  X(ze_device_lost, "N", "the N-th kernel (default 1) loses the device: calls answer 0x70000001") \
  X(ze_out_of_memory, "N", "the N-th allocation (default 1) answers out of memory")

#define SIMGPU_CUPTI_FAULTS(X)                                                          \
  X(subscribe, "ERROR", "cuptiSubscribe answers ERROR (39, 35, 15, 999)")               \
  X(subscribe_slow, "MS", "cuptiSubscribe takes MS milliseconds (default 15)")          \
  X(other_subscriber, "NAME", "another tool called NAME holds the subscription: 39")    \
  X(activity_enable, "ERROR[:KIND]",                                                    \
    "cuptiActivityEnable answers ERROR (of one KIND) though subscribe worked")          \
  X(dropped, "N", "every N-th record (default 2) is dropped and counted")               \
  X(out_of_order, "", "records of one buffer come in another order than they ended in") \
  X(garbage, "", "records of unknown kinds and senseless fields are mixed in")          \
  X(zero_timestamps, "", "kernel records have start and end 0")                         \
  X(backward_timestamps, "", "kernel records end before they start")                    \
  X(clock_step, "MS[:AFTER_MS]",                                                        \
    "CUPTI's clock jumps by MS milliseconds, AFTER_MS after the start (default 0)")     \
  X(timestamp_callback, "ERROR",                                                        \
    "cuptiActivityRegisterTimestampCallback answers ERROR (default 27)")                \
  X(timestamp_callback_zero, "",                                                        \
    "a registered timestamp callback makes kernel times 0, as CUPTI 12.6U2 does")       \
  X(flush_hangs, "", "cuptiActivityFlushAll never returns")                             \
  X(null_buffer, "", "buffers that the client declines are asked for again and again")

struct FaultInfo {
  const char* name;
  const char* value;
  const char* help;
};

// All switches there are, driver's first.
const std::vector<FaultInfo>& KnownFaults();

// The switches of one SIMGPU_FAULT. Names are those of the table; a value may hold anything but a
// comma.
class Faults {
 public:
  // Null and a message in *error where `text` names a switch that does not exist.
  static std::optional<Faults> Parse(std::string_view text, std::string* error);

  // Null when off, "" when on without a value.
  const char* Find(std::string_view name) const;
  uint64_t Number(std::string_view name, uint64_t otherwise) const;
  bool any() const { return !on_.empty(); }

  // SIMGPU_FAULT of this process, read once. Ends the process with a message where it cannot be
  // understood.
  static const Faults& OfProcess();

 private:
  std::map<std::string, std::string, std::less<>> on_;
};

}  // namespace simgpu
