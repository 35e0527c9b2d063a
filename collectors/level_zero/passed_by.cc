// SPDX-License-Identifier: Apache-2.0
// Looks for Intel's drivers among what is loaded.
#include "collectors/level_zero/passed_by.h"

#include <link.h>

#include <cstring>

#include "inject/core/log.h"

namespace syncline::level_zero {
namespace {

constexpr char kDriver[] = "/libze_intel_";

int IsDriver(dl_phdr_info* object, size_t, void*) {
  return object->dlpi_name != nullptr && std::strstr(object->dlpi_name, kDriver) != nullptr ? 1 : 0;
}

}  // namespace

void TellIfPassedBy() {
  if (dl_iterate_phdr(IsDriver, nullptr) == 0) return;
  Log(LogLevel::kWarn,
      "Level Zero: calls and GPU work were not recorded by Syncline: the loader was opened with "
      "RTLD_DEEPBIND, so that it asks itself for its functions; open it without");
}

}  // namespace syncline::level_zero
