// SPDX-License-Identifier: Apache-2.0
// The duration model: how long a kernel, a copy or a memset takes; deterministic for one seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu {

class Durations {
 public:
  // `rules` is as SIMGPU_DURATIONS: 'PATTERN=TIME,...', the first pattern (fnmatch) that fits the
  // kernel's mangled name wins; TIME is a number with ns, us, ms or s. Null and a message in *error
  // where it cannot be understood.
  static std::optional<Durations> Parse(std::string_view rules, uint64_t seed, double jitter,
                                        std::string* error);

  // The time of the first rule that fits, or nothing: the model by grid then holds. Slow: ask once
  // per kernel.
  std::optional<uint64_t> Rule(const char* name) const;

  // Without a rule: waves of blocks over an H100's multiprocessors.
  static uint64_t OfGrid(uint64_t blocks, uint64_t threads_per_block);
  static uint64_t OfCopy(CopyKind kind, bool pageable, uint64_t bytes);
  static uint64_t OfMemset(uint64_t bytes);

  // With the jitter of the `sequence`-th operation of this stream of this device.
  uint64_t Vary(uint64_t ns, uint32_t device, uint32_t stream, uint64_t sequence) const;

  static const Durations& OfProcess();

 private:
  struct Row {
    std::string pattern;
    uint64_t ns;
  };
  std::vector<Row> rows_;
  uint64_t seed_ = 1;
  double jitter_ = 0;
};

}  // namespace simgpu
