// SPDX-License-Identifier: Apache-2.0
// What the tests ask of the tool in test_tool.cc, a stand-in for a user's own NVTX injection
// library.
#pragma once

#include <cstdint>

// One call that the tool received. Handles are the tool's own.
struct ToolCall {
  char function[32];
  char text[64];
  const void* domain;
  uint64_t value;  // id, handle or level that it answered or was given
};

extern "C" {
// Calls since ToolReset, at most 1000.
const ToolCall* ToolCalls(int* count);
void ToolReset();
// Whether its entry points accept clients.
void ToolAccept(int accept);
}
