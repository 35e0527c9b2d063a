// SPDX-License-Identifier: Apache-2.0
// The vendor's own functions, as they stood in the loader's tables before ours.
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <atomic>
#include <cstdint>

namespace syncline::level_zero {

// Null: the loader has none. Written while the program is in its first zeInit, then only read.
struct Api {
#define SYNCLINE_ZE_FUNCTION(table, name) ze_pfn##table##name##_t table##name;
#define SYNCLINE_ZE_HOOK(table, name) SYNCLINE_ZE_FUNCTION(table, name)
#define SYNCLINE_ZE_KEEPER(table, name) SYNCLINE_ZE_FUNCTION(table, name)
#define SYNCLINE_ZE_APPEND(table, name, role, work) SYNCLINE_ZE_FUNCTION(table, name)
#include "collectors/level_zero/functions.def"
#undef SYNCLINE_ZE_APPEND
#undef SYNCLINE_ZE_KEEPER
#undef SYNCLINE_ZE_HOOK
#undef SYNCLINE_ZE_FUNCTION
};
extern Api g_api;

// ze_api_version_t of the tables; 0: none came yet. Written in zeInit.
extern std::atomic<uint32_t> g_version;

}  // namespace syncline::level_zero
