// SPDX-License-Identifier: Apache-2.0
// The loader's tables of functions, as they pass by.
#pragma once

#include <cstdint>

namespace syncline::level_zero {

// Of the functions of one kind of object; ze_ddi.h has a struct for each.
enum class DdiTable : uint8_t {
  kCommandList,
  kCommandListExp,
  kCommandQueue,
  kContext,
  kDevice,
  kDriver,
  kEvent,
  kEventPool,
  kFence,
  kKernel,
  kMem,
  kModule,
};

// The loader has filled the table, for a program that asked for this version of the API
// (ze_api_version_t). May put our functions in front. In the program's zeInit; any thread.
void OnTable(DdiTable kind, uint32_t version, void* table);

}  // namespace syncline::level_zero
