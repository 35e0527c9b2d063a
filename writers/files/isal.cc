// SPDX-License-Identifier: Apache-2.0
// Finds the library once.
#include "writers/files/isal.h"

#if SYNCLINE_HAVE_ISAL
#include <dlfcn.h>

namespace syncline {
namespace {

#if !SYNCLINE_ISAL_STATIC
template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}
#endif

// Without a static ISA-L the shared one is looked for at run time, so that the command also runs on
// nodes without it.
IsalFunctions FindIsal() {
#if SYNCLINE_ISAL_STATIC
  return {isal_deflate_init, isal_deflate, isal_inflate_init, isal_inflate_reset, isal_inflate};
#else
  IsalFunctions found;
  void* library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return found;
  const bool all = Find(library, "isal_deflate_init", &found.init) &&
                   Find(library, "isal_deflate", &found.deflate) &&
                   Find(library, "isal_inflate_init", &found.inflate_init) &&
                   Find(library, "isal_inflate_reset", &found.inflate_reset) &&
                   Find(library, "isal_inflate", &found.inflate);
  return all ? found : IsalFunctions();
#endif
}

#if defined(__x86_64__)
__attribute__((target("avx"))) void ClearUpperHalves() { __builtin_ia32_vzeroupper(); }
#endif

}  // namespace

// ISA-L 2.30 returns from its AVX-512 code with the registers' upper halves in use; all code after
// it that is compiled for SSE then runs at half speed.
void AfterIsal() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) ClearUpperHalves();
#endif
}

const IsalFunctions* Isal() {
  static const IsalFunctions functions = FindIsal();
  return functions.deflate == nullptr ? nullptr : &functions;
}

}  // namespace syncline
#endif
