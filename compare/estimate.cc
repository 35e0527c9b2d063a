// SPDX-License-Identifier: Apache-2.0
// Welch's test, Student's distribution, and the correction for many rows.
#include "compare/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace syncline {
namespace {

constexpr double kBetween = 0.95;
constexpr size_t kMostParts = 8, kLeastOfPart = 2;

// The continued fraction of the incomplete beta function by Lentz's method (Numerical Recipes,
// section 6.4; DLMF 8.17.22).
double BetaFraction(double x, double a, double b) {
  constexpr int kMostTerms = 300;
  constexpr double kSmall = 1e-300, kEnough = 1e-12;
  const auto unless_nothing = [](double value) {
    return std::fabs(value) < kSmall ? kSmall : value;
  };
  double c = 1, d = 1 / unless_nothing(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / unless_nothing(1 + even * d);
    c = unless_nothing(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / unless_nothing(1 + odd * d);
    c = unless_nothing(1 + odd / c);
    value *= d * c;
    if (std::fabs(d * c - 1) < kEnough) break;
  }
  return value;
}

double IncompleteBeta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * BetaFraction(x, a, b) / a
                                   : 1 - front * BetaFraction(1 - x, b, a) / b;
}

// The t that is exceeded by chance in 1 of 20.
double Exceeded(double freedom) {
  double low = 0, high = 1e4;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (TwoSidedChance(middle, freedom) > 1 - kBetween ? low : high) = middle;
  }
  return high;
}

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double TwoSidedChance(double t, double freedom) {
  if (freedom <= 0 || std::isnan(t)) return 1;
  if (std::isinf(t)) return 0;
  return IncompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

Estimate EstimateOf(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  const auto count = static_cast<double>(samples.size());
  const double mean = MeanOf(samples);
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  if (samples.size() == 1) return {mean, 0, 0};
  return {mean, std::sqrt(squares / (count - 1) / count), count - 1};
}

Estimate EstimateOfSeries(const std::vector<double>& values) {
  const size_t parts = std::min(kMostParts, values.size() / kLeastOfPart);
  if (parts < 2) return values.empty() ? Estimate{} : Estimate{MeanOf(values), 0, 0};
  std::vector<double> means;
  for (size_t part = 0; part < parts; ++part) {
    const auto begin = values.begin() + static_cast<ptrdiff_t>(part * values.size() / parts);
    const auto end = values.begin() + static_cast<ptrdiff_t>((part + 1) * values.size() / parts);
    means.push_back(MeanOf({begin, end}));
  }
  return EstimateOf(means);
}

Difference DifferenceOf(Estimate a, Estimate b) {
  Difference difference;
  difference.delta = b.mean - a.mean;
  difference.low = difference.high = difference.delta;
  if (a.freedom <= 0 && b.freedom <= 0) return difference;
  if (a.freedom <= 0) a = {a.mean, b.error * std::sqrt(b.freedom + 1), b.freedom};
  if (b.freedom <= 0) b = {b.mean, a.error * std::sqrt(a.freedom + 1), a.freedom};
  difference.known = true;
  const double of_a = a.error * a.error, of_b = b.error * b.error;
  const double error = std::sqrt(of_a + of_b);
  if (error == 0) {
    difference.chance = difference.delta == 0 ? 1 : 0;
    return difference;
  }
  const double freedom =
      (of_a + of_b) * (of_a + of_b) / (of_a * of_a / a.freedom + of_b * of_b / b.freedom);
  difference.chance = TwoSidedChance(difference.delta / error, freedom);
  const double reach = Exceeded(freedom) * error;
  difference.low -= reach;
  difference.high += reach;
  return difference;
}

std::vector<bool> ToldAt(double rate, const std::vector<double>& chances) {
  std::vector<size_t> order(chances.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return chances[a] != chances[b] ? chances[a] < chances[b] : a < b;
  });
  const auto all = static_cast<double>(chances.size());
  size_t told = 0;
  for (size_t place = 0; place < order.size(); ++place) {
    if (chances[order[place]] <= rate * static_cast<double>(place + 1) / all) told = place + 1;
  }
  std::vector<bool> is_told(chances.size(), false);
  for (size_t place = 0; place < told; ++place) is_told[order[place]] = true;
  return is_told;
}

}  // namespace syncline
