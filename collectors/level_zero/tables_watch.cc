// SPDX-License-Identifier: Apache-2.0
// The loader does not say in all versions and situations which tables it uses; a call shows it.
#include "collectors/level_zero/tables_watch.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "collectors/level_zero/api.h"
#include "collectors/level_zero/level_zero_source.h"
#include "inject/core/clock.h"
#include "inject/core/coverage_record.h"
#include "inject/core/log.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {
namespace {

constexpr char kQuestion[] = "syncline: is this call seen?";
constexpr char kOtherTables[] = "the program has switched the loader to other tables of functions";

std::atomic<bool> g_came;

// The state of the thread that watches.
ze_pfnDriverGetExtensionFunctionAddress_t g_ask;
ze_driver_handle_t g_driver;
bool g_looked_for = false;
bool g_seen = true;
uint64_t g_last_seen = 0;  // ticks

void LookForLoader() {
  g_looked_for = true;
  void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (loader == nullptr) return;
  uint32_t count = 1;
  if (g_api.DriverGet != nullptr && g_api.DriverGetExtensionFunctionAddress != nullptr &&
      g_api.DriverGet(&count, &g_driver) == ZE_RESULT_SUCCESS && count > 0) {
    g_ask = reinterpret_cast<ze_pfnDriverGetExtensionFunctionAddress_t>(
        dlsym(loader, "zeDriverGetExtensionFunctionAddress"));
  }
  dlclose(loader);  // its own users hold it, as does ddi_interposer
}

}  // namespace

bool IsOurQuestion(const char* name) {
  if (name != kQuestion) return false;  // the pointer: no program has it
  g_came.store(true, std::memory_order_relaxed);
  return true;
}

void WatchTables() {
  const ErrnoKeeper keeper;
  if (!g_looked_for) LookForLoader();
  if (g_ask == nullptr) return;
  g_came.store(false, std::memory_order_relaxed);
  const uint64_t now = Ticks();
  void* address = nullptr;
  (void)g_ask(g_driver, kQuestion, &address);
  const bool seen = g_came.load(std::memory_order_relaxed);
  if (seen) g_last_seen = now;
  if (seen == g_seen) return;
  g_seen = seen;
  if (seen) return RecordCoverage(kSource, GpuCoverage::kAll, "", now);
  RecordCoverage(kSource, GpuCoverage::kNothing, kOtherTables, g_last_seen);
  Log(LogLevel::kWarn,
      "calls of Level Zero are not seen: the program, or a tool in it, has switched on the "
      "loader's "
      "tracing layer while it ran (zelEnableTracingLayer)");
}

}  // namespace syncline::level_zero
