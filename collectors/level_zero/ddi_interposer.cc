// SPDX-License-Identifier: Apache-2.0
// The loader's zeInit asks its own exported functions for the tables. Ours stand before them: also
// where the loader was opened by dlopen, because its calls of itself are looked up among all
// libraries of the program's start. No header of the vendor: the names are there in every build.
#include "collectors/level_zero/ddi_interposer.h"

#include <dlfcn.h>

#include "collectors/level_zero/tables_watch.h"
#include "inject/core/collector.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {
namespace {

constexpr uint32_t kUninitialized = 0x78000001;  // ZE_RESULT_ERROR_UNINITIALIZED

using GetTable = uint32_t (*)(uint32_t version, void* table);

// The caller's own function where it has one: several loaders may be mapped, and one that was
// opened with RTLD_LOCAL is found in no other way. Else the next of the program's.
GetTable FindReal(const char* name, const void* caller, GetTable ours) {
  const ErrnoKeeper keeper;
  Dl_info info;
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    // It stays, although the program may close it: our thread calls the functions of its tables.
    void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library != nullptr) {
      const auto own = reinterpret_cast<GetTable>(dlsym(library, name));
      KeepQuestion(
          reinterpret_cast<AskForAddress>(dlsym(library, "zeDriverGetExtensionFunctionAddress")));
      dlclose(library);
      if (own != nullptr && own != ours) return own;
    }
  }
  const auto next = reinterpret_cast<GetTable>(dlsym(RTLD_NEXT, name));
  return next == ours ? nullptr : next;
}

bool IsWanted() {
  if (!RecordingAllowed()) return false;
  if (CollectorEnabled("level_zero")) return true;
  TellLeftOut(SYNCLINE_SOURCE_level_zero);
  return false;
}

uint32_t Fill(DdiTable kind, GetTable real, uint32_t version, void* table) {
  if (real == nullptr) return kUninitialized;
  const uint32_t result = real(version, table);
  if (result == 0 && table != nullptr && IsWanted()) OnTable(kind, version, table);
  return result;
}

}  // namespace
}  // namespace syncline::level_zero

#define SYNCLINE_ZE_TABLE(prefix, kind)                                                            \
  SYNCLINE_EXPORT uint32_t prefix##Get##kind##ProcAddrTable(uint32_t version, void* table) {       \
    namespace ze = syncline::level_zero;                                                           \
    const auto real = ze::FindReal(#prefix "Get" #kind "ProcAddrTable",                            \
                                   __builtin_return_address(0), prefix##Get##kind##ProcAddrTable); \
    return ze::Fill(ze::DdiTable::k_##prefix##kind, real, version, table);                         \
  }
#include "collectors/level_zero/tables.def"
#undef SYNCLINE_ZE_TABLE
