// SPDX-License-Identifier: Apache-2.0
// How well a value is known, and whether two differ by more than that.
#pragma once

#include <vector>

namespace syncline {

// A mean with the standard error of it. `freedom` are the degrees of freedom of the error; 0: no
// spread is known, `error` says nothing.
struct Estimate {
  double mean = 0;
  double error = 0;
  double freedom = 0;
};

// Of a run each. One alone has no spread.
Estimate EstimateOf(const std::vector<double>& samples);

// Of values that follow each other in one run, where neighbours are alike (a device that warms up,
// another program that works for a while): the spread of the means of successive parts.
Estimate EstimateOfSeries(const std::vector<double>& values);

struct Difference {
  double delta = 0;  // of the second to the first
  double low = 0;    // with 95 % between these
  double high = 0;
  double chance = 1;  // that equal programs differ so much; 1: it is not known
  bool known = false;
};

// Welch's test. An estimate without a spread of its own is taken to have the other's. Where both
// have none (each value is the same), a difference is no chance.
Difference DifferenceOf(Estimate a, Estimate b);

// Which differences are told, if `rate` of those told may be chance (Benjamini and Hochberg, 1995,
// "Controlling the False Discovery Rate").
std::vector<bool> ToldAt(double rate, const std::vector<double>& chances);

// Of Student's distribution: that |t| is exceeded.
double TwoSidedChance(double t, double freedom);

}  // namespace syncline
