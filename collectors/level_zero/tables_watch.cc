// SPDX-License-Identifier: Apache-2.0
// The loader does not say in all versions and situations which tables it uses; a call shows it.
#include "collectors/level_zero/tables_watch.h"

#include <atomic>

#include "collectors/level_zero/level_zero_source.h"
#include "collectors/level_zero/objects.h"
#include "inject/core/clock.h"
#include "inject/core/coverage_record.h"
#include "inject/core/log.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {
namespace {

constexpr char kQuestion[] = "syncline: is this call seen?";
constexpr char kOtherTables[] = "the program has switched the loader to other tables of functions";

std::atomic<AskForAddress> g_ask{nullptr};
std::atomic<bool> g_came{false};
uint64_t g_last_seen = 0;  // ticks; of the thread that watches

void* AnyDriver() {
  uint32_t count = 1;
  ze_driver_handle_t driver = nullptr;
  if (g_api.DriverGet == nullptr || g_api.DriverGetExtensionFunctionAddress == nullptr ||
      g_api.DriverGet(&count, &driver) != ZE_RESULT_SUCCESS || count == 0) {
    return nullptr;
  }
  return driver;
}

}  // namespace

void KeepQuestion(AskForAddress ask) {
  AskForAddress none = nullptr;
  g_ask.compare_exchange_strong(none, ask, std::memory_order_acq_rel);
}

bool IsOurQuestion(const char* name) {
  if (name != kQuestion) return false;  // the pointer: no program has it
  g_came.store(true, std::memory_order_relaxed);
  return true;
}

bool WatchTables() {
  if (g_books_are_old.load(std::memory_order_relaxed)) return false;
  const AskForAddress ask = g_ask.load(std::memory_order_acquire);
  if (ask == nullptr) return true;
  const ErrnoKeeper keeper;
  void* driver = AnyDriver();
  if (driver == nullptr) return true;
  g_came.store(false, std::memory_order_relaxed);
  const uint64_t now = Ticks();
  void* address = nullptr;
  (void)ask(driver, kQuestion, &address);
  if (g_came.load(std::memory_order_relaxed)) {
    g_last_seen = now;
    return true;
  }
  if (g_last_seen == 0) return true;  // never: another loader's function
  g_books_are_old.store(true);
  RecordCoverage(kSource, GpuCoverage::kNothing, kOtherTables, g_last_seen);
  Log(LogLevel::kWarn,
      "calls of Level Zero are not seen any more: the program, or a tool in it, switched on the "
      "loader's tracing layer while it ran (zelEnableTracingLayer)");
  return false;
}

}  // namespace syncline::level_zero
