// SPDX-License-Identifier: Apache-2.0
// Any text as an expression: it is refused with a place in it, or it says what is measured.
#include <cmath>

#include "base/text.h"
#include "contract/expression.h"
#include "model/testing/fuzz.h"

namespace syncline::testing {

std::vector<std::string> FuzzSeeds() {
  return {"waits_per_step at 'train.py:38' <= 2",
          "step<=1.05 x BASE",
          "no new wait since \"runs/last\"",
          "idle by 'host busy' < 3ms",
          "peak_memory <= 1.2GiB",
          "stage_time in 'forward' > .5 * 'x'",
          "gpu_busy >= 80 %"};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  syncline::Expression expression;
  syncline::ExpressionError error;
  if (syncline::ParseExpression(text, &expression, &error)) {
    Require(expression.measure != nullptr || expression.needs_base(), "it says something");
    Require(std::isfinite(expression.number), "its number is one");
    Require(expression.of == syncline::MeasureOf::kRun || !expression.place.empty(),
            "its place has a name");
    return 0;
  }
  Require(!error.message.empty() && error.at <= text.size(), "the place is in the text");
  const std::string marked = syncline::MarkedText(text, error);
  Require(marked.find('^') != std::string::npos, "the place is marked");
  Require(syncline::PrintableLines(marked) == marked, "it is harmless");
  return 0;
}
