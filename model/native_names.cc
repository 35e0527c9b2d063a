// SPDX-License-Identifier: Apache-2.0
#include "model/native_names.h"

#include <mutex>

namespace syncline {

const std::vector<NativeName>& NativeNamesAt(const NativeModule& module, uint64_t address) {
  static std::mutex mutex;
  static auto* symbols = new NativeSymbols;  // never deleted: readers may outlive main's end
  const std::lock_guard lock(mutex);
  return symbols->At(module, address);
}

}  // namespace syncline
