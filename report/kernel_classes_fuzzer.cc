// SPDX-License-Identifier: Apache-2.0
// Any text as a file of kernel classes: it is refused with its line, or every name has a class.
#include "model/testing/fuzz.h"
#include "report/kernel_classes.h"

namespace syncline::testing {

std::vector<std::string> FuzzSeeds() {
  return {"# ours\nmatmul *gemm*\r\n\n other\t?x*\n", "element-wise a*b*c*d*\nconv x\n"};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  syncline::KernelPatterns patterns;
  const syncline::Status status = patterns.Take(text, "the file");
  Require(status.ok() || status.message().starts_with("the file:"), "the message names the line");
  for (const std::string_view name : {text.substr(0, 1000), std::string_view("sgemm")}) {
    const auto kernel_class = static_cast<size_t>(patterns.ClassOf(name));
    Require(kernel_class < syncline::kKernelClasses, "each name has a class");
  }
  return 0;
}
