// SPDX-License-Identifier: Apache-2.0
// What operators computed, held against what their devices can compute.
#pragma once

#include <optional>
#include <string>

#include "model/devices/device_peaks.h"
#include "report/report.h"
#include "report/section.h"

namespace syncline {

// How long devices would take at their peak, in nanoseconds: at least, and at most where a format
// has two peaks. None: of one of the formats there is none.
struct TimeAtPeak {
  double least_ns = 0;
  double most_ns = 0;
};
std::optional<TimeAtPeak> TimeAtPeakOf(const DevicePeaks& peaks, const ByFormat& flops);

// FLOP/s; nothing of nothing.
Value RateOf(double flops, uint64_t ns);
// Of what rests on the times of devices: unknown where records of these are lost, if it is any.
Value IfNoneLost(bool lost, const Value& value);
// Of 1, in words where it is "8.1 to 60 %". `device_ns`: of all devices together. Nothing: no
// datasheet is known, or nothing was computed; unknown: it has no peak for these numbers.
Value ShareOfPeak(const DevicePeaks* peaks, const ByFormat& flops, uint64_t device_ns);
// "compute" or "memory", by which of the two takes longer at its peak; else as ShareOfPeak.
Value BoundBy(const DevicePeaks* peaks, const ComputedWork& work);

// The peaks of all of a rank's devices of a process that did something; null: not known, or they
// differ. `count`: how many devices there are. `rank`, `pid`: empty, 0: of all.
const DevicePeaks* PeaksOf(const Report& report, const std::string& rank, int32_t pid,
                           size_t* count);

// How much of what devices ran is known so, and what they can do, in words: "98 % of the time of
// kernels and graphs; peak: H200 datasheet, SXM, dense"; empty: nothing was computed.
std::string RatesText(const Report& report);

// The most that one call of an operator moved, inputs read once and outputs written once; 0: none.
double BestBytesPerSecond(const Report& report);

// "12.3 TFLOP".
std::string FlopsText(double flops);
// Of two numbers as people read them the first, or both: "67.0 to 495 TFLOP/s".
Value ValueBetween(double low, double high, ValueKind kind);

}  // namespace syncline
