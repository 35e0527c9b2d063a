// SPDX-License-Identifier: Apache-2.0
// The names of results and of calls, from tables that the build makes of NVIDIA's headers.
#include <algorithm>
#include <cstdint>

#include "tests/simulated_gpu/cupti/answer.h"

namespace simgpu::cupti {
namespace {

struct NameRow {
  uint32_t number;
  const char* name;
};

constexpr NameRow kRuntimeCalls[] = {
#include "simgpu_cupti_runtime_calls.inc"
};
constexpr NameRow kDriverCalls[] = {
#include "simgpu_cupti_driver_calls.inc"
};
constexpr NameRow kResults[] = {
#include "simgpu_cupti_results.inc"
};

template <size_t kRows>
const char* Find(const NameRow (&rows)[kRows], uint32_t number) {
  const auto* found = std::find_if(rows, rows + kRows,
                                   [number](const NameRow& row) { return row.number == number; });
  return found == rows + kRows ? nullptr : found->name;
}

}  // namespace

const char* ResultName(CUptiResult result) { return Find(kResults, result); }

const char* CallName(uint32_t domain, uint32_t cbid) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) return Find(kRuntimeCalls, cbid);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) return Find(kDriverCalls, cbid);
  return nullptr;
}

}  // namespace simgpu::cupti
