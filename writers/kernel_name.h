// SPDX-License-Identifier: Apache-2.0
// Names of GPU operations as people read them.
#pragma once

#include <string>

#include "inject/core/record.h"

namespace syncline {

// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "graph 3"; kernels: "kernel".
std::string OperationName(const DeviceOpRecord& op);

}  // namespace syncline
