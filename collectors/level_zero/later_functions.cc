// SPDX-License-Identifier: Apache-2.0
// Each function may come in two ways at once, from the loader and from the driver, which are not
// the same: ours has an entry for each way, with the vendor's own beside it.
#include "collectors/level_zero/later_functions.h"

#include <atomic>
#include <cstring>

#include "collectors/level_zero/append_hooks.h"
#include "collectors/level_zero/fixed_text.h"
#include "inject/core/log.h"

namespace syncline::level_zero {
namespace {

constexpr uint32_t Version(uint32_t minor) { return 1u << 16 | minor; }

// Tables only grow, at their end. Of experimental functions loaders of API 1.11 (v1.18) have two
// orders.
constexpr bool Has(uint32_t version, uint32_t since, bool experimental) {
  return version >= Version(since) && !(experimental && version == Version(11));
}

enum class Way { kTable, kAddress };

template <FixedText kName, Way kWay, auto kHook>
struct Entry;
template <FixedText kName, Way kWay, typename Real, typename... Arguments,
          ze_result_t (*kHook)(Real, Arguments...)>
struct Entry<kName, kWay, kHook> {
  static inline constinit std::atomic<Real> real{nullptr};

  static ze_result_t Call(Arguments... arguments) {
    // Relaxed: who calls got our address after it was written.
    return kHook(real.load(std::memory_order_relaxed), arguments...);
  }

  // Ours for the vendor's, unless another driver's or loader's stands behind ours already: handles
  // of one must not reach the other.
  static Real Take(Real function) {
    if (function == nullptr || function == Call) return function;
    Real known = nullptr;
    if (real.compare_exchange_strong(known, function) || known == function) return Call;
    static std::atomic<bool> told;
    if (!told.exchange(true, std::memory_order_relaxed))
      Log(LogLevel::kWarn, "a second loader or driver of Level Zero is not recorded: ", kName.text);
    return function;
  }
  static void TakeSlot(void* table, size_t slot) {
    Real* place = static_cast<Real*>(table) + slot;
    *place = Take(*place);
  }
  static void* TakeAddress(void* function) {
    return reinterpret_cast<void*>(Take(reinterpret_cast<Real>(function)));
  }
};

}  // namespace

void TakeLaterFunctions(DdiTable kind, uint32_t version, void* table) {
#define SYNCLINE_ZE_LATER_HOOK(object, name, since, slot)                          \
  if (kind == DdiTable::k_ze##object &&                                            \
      Has(version, since, DdiTable::k_ze##object == DdiTable::k_zeCommandListExp)) \
    Entry<"ze" #name, Way::kTable, &hooks::name>::TakeSlot(table, slot);
#define SYNCLINE_ZE_LATER_KEEPER(object, name, since, slot) \
  SYNCLINE_ZE_LATER_HOOK(object, name, since, slot)
#define SYNCLINE_ZE_DRIVERS_OWN(text, hook)
#include "collectors/level_zero/later_functions.def"
#undef SYNCLINE_ZE_DRIVERS_OWN
#undef SYNCLINE_ZE_LATER_KEEPER
#undef SYNCLINE_ZE_LATER_HOOK
}

void* TakeByAddress(const char* name, void* function) {
#define SYNCLINE_ZE_DRIVERS_OWN(text, hook) \
  if (std::strcmp(name, text) == 0)         \
    return Entry<text, Way::kAddress, &hooks::hook>::TakeAddress(function);
#define SYNCLINE_ZE_LATER_HOOK(object, function_name, since, slot) \
  SYNCLINE_ZE_DRIVERS_OWN("ze" #function_name, function_name)
#define SYNCLINE_ZE_LATER_KEEPER(object, function_name, since, slot) \
  SYNCLINE_ZE_LATER_HOOK(object, function_name, since, slot)
#include "collectors/level_zero/later_functions.def"
#undef SYNCLINE_ZE_LATER_KEEPER
#undef SYNCLINE_ZE_LATER_HOOK
#undef SYNCLINE_ZE_DRIVERS_OWN
  return function;
}

}  // namespace syncline::level_zero
