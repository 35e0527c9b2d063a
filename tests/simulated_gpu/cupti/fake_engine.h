// SPDX-License-Identifier: Apache-2.0
// A pretended engine for the unit tests: it tells the library under test what a test says that
// happened.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/version.h"

namespace simgpu::cupti {

inline constexpr uint32_t kLaunchCbid = 211;        // cudaLaunchKernel
inline constexpr uint32_t kDriverLaunchCbid = 307;  // cuLaunchKernel

class FakeEngine {
 public:
  // A fresh library: the version that it presents, the faults (as in SIMGPU_FAULT), and this engine
  // under it.
  static FakeEngine& Start(Version version = 1300, const char* faults = "");

  // One API call as the driver tells it, if it is switched on; `inside` runs between enter and
  // exit.
  void Call(Domain domain, uint32_t cbid, const char* function, int result = 0,
            const std::function<void()>& inside = {});

  // Submits an operation, if operations are wanted, with an id and the correlation of the call it
  // stands in.
  Operation Submit(Operation operation);
  void Complete(Operation operation, uint64_t start_ns, uint64_t end_ns);

  const Observer* observer = nullptr;
  ApiSwitches switches = {};
  std::atomic<uint32_t> categories{0};
  uint32_t correlation = 0;  // of the call in progress
  uint32_t next_correlation = 100;
  uint64_t next_operation = 1;
  bool hidden = false;
  std::vector<std::string> unsupported;
};

uint64_t NowNs();

// A kernel that ran from `start_ns` to `end_ns` on device 0, stream 7; and one that ended just now
// after a millisecond.
Operation Kernel(uint64_t start_ns, uint64_t end_ns);
Operation DoneKernel();

}  // namespace simgpu::cupti
