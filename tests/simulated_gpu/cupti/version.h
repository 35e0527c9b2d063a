// SPDX-License-Identifier: Apache-2.0
// Which CUPTI this library says it is: SIMGPU_CUPTI_VERSION (12.0 and newer), else what its soname
// stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace simgpu::cupti {

// A CUDA toolkit version, as major * 100 + minor * 1: 12.4 is 1204. Comparable.
using Version = uint32_t;

constexpr Version MakeVersion(uint32_t major, uint32_t minor) { return major * 100 + minor; }

// "12.4" -> 1204; nothing where it is not a version from 12.0 on.
std::optional<Version> ParseVersion(std::string_view text);

// The version presented, fixed at the first call. Ends the process with a message where
// SIMGPU_CUPTI_VERSION is no version.
Version Presented();

// CUPTI_API_VERSION of that toolkit's header: 19 for 12.0, xxyyzz from 13.0 on.
uint32_t ApiVersion(Version version);

// The version of the library that is being built (default_version.cc), and of tests.
extern const Version kDefaultVersion;
void PresentForTest(Version version);

}  // namespace simgpu::cupti
