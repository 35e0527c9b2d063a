// SPDX-License-Identifier: Apache-2.0
// Words of a report.
#include "report/report.h"

#include "base/text.h"

namespace syncline {

void LostRecords::Add(const LostRecords& other) {
  certain = certain && other.certain;
  lost += other.lost;
  of += other.of;
}

std::string LostText(const LostRecords& lost) {
  if (lost.lost == 0) return "";
  return Text(lost.certain ? "" : "up to ", CountText(lost.lost), " of ", CountText(lost.of),
              " GPU records are lost");
}

const char* KernelClassName(KernelClass kernel_class) {
  static constexpr const char* kNames[kKernelClasses] = {"matmul", "attention",    "communication",
                                                         "memory", "element-wise", "other"};
  return kNames[static_cast<size_t>(kernel_class)];
}

}  // namespace syncline
