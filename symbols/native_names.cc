// SPDX-License-Identifier: Apache-2.0
// One NativeSymbols behind a lock.
#include "symbols/native_names.h"

#include <mutex>

namespace syncline {

namespace {

struct Shared {
  std::mutex mutex;
  NativeSymbols symbols;
};

// Gone when the process exits, with the process that reads lines for it.
Shared& TheShared() {
  static Shared shared;
  return shared;
}

}  // namespace

const std::vector<NativeName>& NativeNamesAt(const NativeModule& module, uint64_t address) {
  Shared& shared = TheShared();
  const std::lock_guard lock(shared.mutex);
  return shared.symbols.At(module, address);
}

std::vector<std::string> NativeNameProblems() {
  Shared& shared = TheShared();
  const std::lock_guard lock(shared.mutex);
  return shared.symbols.problems();
}

}  // namespace syncline
