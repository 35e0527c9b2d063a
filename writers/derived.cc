// SPDX-License-Identifier: Apache-2.0
// The one place that numbers correlations for readers.
#include "writers/derived.h"

namespace syncline {
namespace {

// HTA stores event indices in the integer type that the largest correlation needs.
constexpr uint64_t kFirstCorrelation = 65536;
constexpr uint64_t kCorrelationsPerProcess = uint64_t{1} << 32;

}  // namespace

uint64_t ShownCorrelation(uint32_t process, uint32_t correlation) {
  return kFirstCorrelation + correlation + process * kCorrelationsPerProcess;
}

}  // namespace syncline
