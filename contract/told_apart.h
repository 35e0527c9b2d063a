// SPDX-License-Identifier: Apache-2.0
// Two values of a measure in words that differ if the values do.
#pragma once

#include <string>

#include "report/measures.h"

namespace syncline {

struct ToldApart {
  std::string measured, bound;
};

// As MeasureText has them; of values that lie close together in one unit, with as many digits as
// tell them apart: "4.003 ms" and "4.000 ms".
ToldApart TellApart(const MeasureFacts& facts, double measured, double bound);

}  // namespace syncline
