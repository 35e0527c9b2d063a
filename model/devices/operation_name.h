// SPDX-License-Identifier: Apache-2.0
// Names of GPU operations as people read them.
#pragma once

#include <string>

#include "model/devices/op_label.h"

namespace syncline {

// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "graph 3"; kernels: "kernel".
std::string OperationName(const OpLabel& op);

}  // namespace syncline
