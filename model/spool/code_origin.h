// SPDX-License-Identifier: Apache-2.0
// Whose code it is: the user's own, or what an installation brought.
#pragma once

#include <cstdint>
#include <string_view>

namespace syncline {

// Ordered: the further from the user, the higher.
enum class CodeOrigin : uint8_t {
  kUsers,      // or of a library that nobody here knows
  kFramework,  // PyTorch, NCCL, MPI, the C and C++ libraries, what lies where packages are
               // installed
  kVendor,     // the GPU vendor's runtime and driver, and tools inside of them
};

// Of native code: `module` is the path of its program or library, `function` its bare name.
CodeOrigin OriginOfNative(std::string_view module, std::string_view function);

// The C library and the loader, whose frames begin every thread.
bool IsCLibrary(std::string_view module);

// Files of source that an installation brought: "/usr/include/...", ".../site-packages/...".
bool IsInstalledSource(std::string_view path);

// "libfoo.so.1" of "/usr/lib/libfoo.so.1".
std::string_view FileNameOf(std::string_view path);

}  // namespace syncline
