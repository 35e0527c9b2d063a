// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include <dlfcn.h>

#include <climits>
#include <cstdlib>

#include "collectors/level_zero/helper.h"
#include "inject/core/collector.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

// Where a loader is: its file, links followed.
const char* WayThrough(void* loader) {
  static char words[512];
  TextBuffer text;
  text.Add("Level Zero calls, kernels, copies and waits, through the tables of ");
  Dl_info info;
  const void* init = dlsym(loader, "zeInit");
  if (init == nullptr || dladdr(init, &info) == 0 || info.dli_fname == nullptr) {
    text.Add("the loader");
  } else {
    char path[PATH_MAX];
    text.Add(realpath(info.dli_fname, path) == nullptr ? info.dli_fname : path);
  }
  CopyText(words, sizeof(words), text.text());
  return words;
}

// The loader starts no driver before zeInit.
ProbeResult Probe() {
  void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (loader == nullptr) {
    return {false,
            "libze_loader.so.1 was not found where the system looks; programs that bring their own "
            "are recorded",
            "install the Level Zero loader (libze1, level-zero) to run Level Zero programs"};
  }
  const char* way = WayThrough(loader);
  dlclose(loader);
  return {true, way, nullptr};
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
