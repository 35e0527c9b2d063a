// SPDX-License-Identifier: Apache-2.0
// The words for a kind.
#include "model/devices/compile_log.h"

namespace syncline {

const char* CompileKindName(CompileKind kind) {
  constexpr const char* kNames[kCompileKinds] = {"compiled", "compiled again", "failed",
                                                 "graph break", "compiled for backward"};
  return kNames[static_cast<size_t>(kind)];
}

const char* CompiledKindName(CompiledKind kind) {
  constexpr const char* kNames[kCompiledKinds] = {"generated", "library", "fallback"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace syncline
