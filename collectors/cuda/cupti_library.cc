// SPDX-License-Identifier: Apache-2.0
// The search for libcupti, in the order of the CUPTI documentation's compatibility rules.
#include "collectors/cuda/cupti_library.h"

#include <dlfcn.h>

#include <cstring>

#include "inject/core/options.h"
#include "inject/core/text.h"

namespace syncline::cuda {
namespace {

// Without minor versions since CUDA 12. The newest first: a CUPTI that is newer than the driver
// refuses, an older one works.
constexpr const char* kNames[kCuptiVersions] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* kFolders[] = {"/extras/CUPTI/lib64/", "/lib64/"};

void* OpenBelow(const char* home, const char* name) {
  if (home == nullptr || *home == '\0') return nullptr;
  for (const char* folder : kFolders) {
    TextBuffer path;
    path.Add(home).Add(folder).Add(name);
    if (path.cut()) continue;
    if (void* library = dlopen(path.text(), RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void* Open(const char* name) {
  if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return library;
  for (const char* home : {Environment("CUDA_HOME"), Environment("CUDA_PATH"), "/usr/local/cuda"}) {
    if (void* library = OpenBelow(home, name)) return library;
  }
  // What the launcher found in the job's Python environment.
  const char* folder = VariableText(Variable::kCupti);
  TextBuffer path;
  path.Add(folder).Add("/").Add(name);
  return *folder == '\0' || path.cut() ? nullptr : dlopen(path.text(), RTLD_LAZY | RTLD_LOCAL);
}

// A copy that is mapped already comes first, whichever version it is.
void* OpenFrom(uint32_t version) {
  for (uint32_t i = version; i < kCuptiVersions; ++i) {
    if (void* mapped = dlopen(kNames[i], RTLD_LAZY | RTLD_NOLOAD)) return mapped;
  }
  return Open(kNames[version]);
}

const char* PathOf(const void* symbol) {
  Dl_info info;
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "libcupti";
}

}  // namespace

const char* LoadCupti(uint32_t version, Cupti* out) {
  void* library = OpenFrom(version);
  if (library == nullptr) return "libcupti.so.13 or .12 was not found";
  bool complete = true;
#define CUPTI_OPTIONAL(name) \
  out->name = reinterpret_cast<decltype(out->name)>(dlsym(library, #name));
#define CUPTI_NEEDED(name) CUPTI_OPTIONAL(name) complete = complete && out->name != nullptr;
#include "collectors/cuda/cupti.def"
#undef CUPTI_NEEDED
#undef CUPTI_OPTIONAL
  if (!complete) return "the libcupti that was found lacks functions of CUDA 12 and newer";
  out->path = PathOf(reinterpret_cast<const void*>(out->cuptiGetVersion));
  if (out->cuptiGetVersion(&out->version) != CUPTI_SUCCESS)
    return "libcupti does not tell its version";
  return nullptr;
}

bool CanFindCupti() {
  for (uint32_t version = 0; version < kCuptiVersions; ++version) {
    if (OpenFrom(version) != nullptr) return true;
  }
  return false;
}

}  // namespace syncline::cuda
