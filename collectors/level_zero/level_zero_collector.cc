// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include <dlfcn.h>

#include "collectors/level_zero/helper.h"
#include "inject/core/collector.h"

namespace syncline {
namespace {

// The loader starts no driver before zeInit.
ProbeResult Probe() {
  void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (loader == nullptr) {
    return {false,
            "libze_loader.so.1 was not found where the system looks; programs that bring their own "
            "are recorded",
            "install the Level Zero loader (libze1, level-zero) to run Level Zero programs"};
  }
  dlclose(loader);
  return {true, "Level Zero calls, kernels, copies and waits, through the loader's tables",
          nullptr};
}

}  // namespace

extern const CollectorDescription kCollector_level_zero;
const CollectorDescription kCollector_level_zero = {
    .name = "level_zero",
    .help = "Level Zero calls and what Intel GPUs did",
    .records = "Level Zero calls",
    .source = SYNCLINE_SOURCE_level_zero,
    .probe = Probe,
    .flush = level_zero::Flush,
    .fork_child = level_zero::ForgetParent,
};

}  // namespace syncline
