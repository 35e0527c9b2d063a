// SPDX-License-Identifier: Apache-2.0
// The table of calls.def.
#include "collectors/cuda/calls.h"

#include <cstring>
#include <string_view>

namespace syncline::cuda {
namespace {

struct Row {
  std::string_view beginning;
  CallRole role;
  bool on_short_list;
};
constexpr Row kRows[] = {
#define CUDA_CALL(beginning, role, on_short_list) {#beginning, CallRole::role, on_short_list},
#include "collectors/cuda/calls.def"
#undef CUDA_CALL
};

bool IsVersion(const char* text, size_t bytes) {  // v7000
  if (bytes < 2 || text[0] != 'v') return false;
  for (size_t i = 1; i < bytes; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

bool IsSuffix(const char* text, size_t bytes) {
  return IsVersion(text, bytes) ||
         (bytes == 4 && (std::memcmp(text, "ptsz", 4) == 0 || std::memcmp(text, "ptds", 4) == 0));
}

}  // namespace

size_t PlainName(const char** start) {
  while (**start == '_') ++*start;
  size_t bytes = std::strlen(*start);
  for (size_t i = bytes; i-- > 0;) {
    if ((*start)[i] != '_') continue;
    if (!IsSuffix(*start + i + 1, bytes - i - 1)) break;
    bytes = i;
  }
  return bytes;
}

CallFacts FactsOf(const char* name, size_t bytes) {
  std::string_view rest(name, bytes);
  if (!rest.starts_with("cu")) return {};
  rest.remove_prefix(rest.starts_with("cuda") ? 4 : 2);
  const Row* longest = nullptr;
  for (const Row& row : kRows) {
    if (!rest.starts_with(row.beginning)) continue;
    if (longest == nullptr || row.beginning.size() > longest->beginning.size()) longest = &row;
  }
  if (longest == nullptr) return {};
  const auto has = [rest](std::string_view word) {
    return rest.find(word) != std::string_view::npos;
  };
  const bool several = longest->role == CallRole::kGraphLaunch || has("Batch") ||
                       has("Peer") ||  // without a path between the devices: over the host
                       has("MultiDevice");
  const bool async = has("Async");
  return {static_cast<uint8_t>(static_cast<uint8_t>(longest->role) | (async ? kCallIsAsync : 0)),
          longest->on_short_list, several};
}

}  // namespace syncline::cuda
