// SPDX-License-Identifier: Apache-2.0
// The loader's tables of functions, as they pass by.
#pragma once

#include <cstdint>

namespace syncline::level_zero {

// Of the functions of one kind of object; ze_ddi.h, zes_ddi.h and zet_ddi.h have a struct for each.
enum class DdiTable : uint8_t {
#define SYNCLINE_ZE_TABLE(prefix, kind) k_##prefix##kind,
#include "collectors/level_zero/tables.def"
#undef SYNCLINE_ZE_TABLE
};

// The loader has filled the table, for a program that asked for this version of the API
// (ze_api_version_t). May put our functions in front. In the program's zeInit; any thread.
void OnTable(DdiTable kind, uint32_t version, void* table);

}  // namespace syncline::level_zero
