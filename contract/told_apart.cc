// SPDX-License-Identifier: Apache-2.0
// Rounding keeps the order of values, so the first digits that differ say which one is larger.
#include "contract/told_apart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace syncline {
namespace {

struct Scale {
  double factor;
  const char* unit;
};
constexpr Scale kTimes[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}};
constexpr Scale kSizes[] = {
    {0x1p40, " TiB"}, {0x1p30, " GiB"}, {0x1p20, " MiB"}, {0x1p10, " KiB"}, {1, " B"}};

Scale ScaleOf(MeasureUnit unit, double value) {
  const auto largest = [&](const auto& scales) {
    for (const Scale& scale : scales) {
      if (value >= scale.factor) return scale;
    }
    return scales[std::size(scales) - 1];
  };
  switch (unit) {
    case MeasureUnit::kTime:
      return largest(kTimes);
    case MeasureUnit::kBytes:
      return largest(kSizes);
    case MeasureUnit::kShare:
      return {0.01, " %"};
    case MeasureUnit::kCount:
      break;
  }
  return {1, ""};
}

std::string WithDigits(double value, const Scale& scale, int digits) {
  char text[400];  // the largest number has 309 digits
  std::snprintf(text, sizeof text, "%.*f%s", digits, value / scale.factor, scale.unit);
  return text;
}

}  // namespace

ToldApart TellApart(const MeasureFacts& facts, double measured, double bound) {
  constexpr double kClose = 0.01;  // three digits may not tell these apart
  constexpr int kMostDigits = 20;
  ToldApart told{MeasureText(facts, measured), MeasureText(facts, bound)};
  const double largest = std::max(std::abs(measured), std::abs(bound));
  const bool is_clear =
      told.measured != told.bound && std::abs(measured - bound) > kClose * largest;
  if (measured == bound || is_clear) return told;
  const Scale scale = ScaleOf(facts.unit, largest);
  for (int digits = 0; digits <= kMostDigits; ++digits) {
    told = {WithDigits(measured, scale, digits), WithDigits(bound, scale, digits)};
    if (told.measured != told.bound) break;
  }
  return told;
}

}  // namespace syncline
