// SPDX-License-Identifier: Apache-2.0
// Words of a report.
#include "model/report.h"

namespace syncline {

const char* KernelClassName(KernelClass kernel_class) {
  static constexpr const char* kNames[kKernelClasses] = {"matmul", "attention",    "communication",
                                                         "memory", "element-wise", "other"};
  return kNames[static_cast<size_t>(kernel_class)];
}

}  // namespace syncline
