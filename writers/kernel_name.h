// SPDX-License-Identifier: Apache-2.0
// Names of GPU operations as people read them.
#pragma once

#include <string>
#include <string_view>

#include "inject/core/record.h"

namespace syncline {

// A mangled C++ name demangled; any other, and one that might stand for more than 4 MiB, as it is.
std::string DemangledName(std::string_view name);
// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "graph 3"; kernels: "kernel".
std::string OperationName(const DeviceOpRecord& op);

}  // namespace syncline
