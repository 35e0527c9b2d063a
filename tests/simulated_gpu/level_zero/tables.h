// SPDX-License-Identifier: Apache-2.0
// What the generated getters of function tables are made of.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstring>

#include "tests/simulated_gpu/level_zero/call.h"

#define SIMGPU_EXPORT_TABLE extern "C" __attribute__((visibility("default"))) ze_result_t ZE_APICALL

namespace simgpu::level_zero {

extern const char* const kUnsupportedNames[];

template <size_t index, class... Arguments>
ze_result_t ZE_APICALL Refuse(Arguments...) {
  const Call call(kUnsupportedNames[index]);
  if (call.refusal() != ZE_RESULT_SUCCESS) return call.refusal();
  SayUnsupported(kUnsupportedNames[index]);
  return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

// The stub for a slot of that type. `slot` is not looked at.
template <size_t index, class... Arguments>
auto Stub(ze_result_t (*)(Arguments...)) -> ze_result_t (*)(Arguments...) {
  return &Refuse<index, Arguments...>;
}

// A loader of another major version has other tables. The loader's table may be that of a newer
// minor version, which has more slots behind ours: those stay as they are.
template <class Table>
ze_result_t Begin(ze_api_version_t version, Table* table) {
  if (table == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (ZE_MAJOR_VERSION(version) != 1) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
  std::memset(table, 0, sizeof *table);
  return ZE_RESULT_SUCCESS;
}

// The slot that a newer minor version of the API put right behind the table of these headers, where
// the loader's table has it.
template <class Table, class Function>
void FillNext(ze_api_version_t version, uint32_t minor, Table* table, Function* function) {
  if (ZE_MINOR_VERSION(version) < minor) return;
  static_assert(sizeof function == sizeof(void*));
  std::memcpy(table + 1, &function, sizeof function);
}

}  // namespace simgpu::level_zero
