// SPDX-License-Identifier: Apache-2.0
// Looks devices up in the tables of their sources.
#include "model/devices/device_peaks.h"

#include "model/devices/source_facts.h"

namespace syncline {

namespace {

double TflopsOf(const DevicePeaks& peaks, NumberFormat format) {
  switch (format) {
    case NumberFormat::kFp64:
      return peaks.fp64;
    case NumberFormat::kFp32:
      return peaks.fp32;
    case NumberFormat::kFp16:
      return peaks.fp16;
    case NumberFormat::kBf16:
      return peaks.bf16;
    case NumberFormat::kFp8:
      return peaks.fp8;
    case NumberFormat::kOther:
      break;
  }
  return 0;
}

}  // namespace

PeakRange PeakOf(const DevicePeaks& peaks, NumberFormat format) {
  constexpr double kTera = 1e12;
  const double low = kTera * TflopsOf(peaks, format);
  const bool may_be_tf32 = format == NumberFormat::kFp32 && peaks.tf32 > peaks.fp32;
  return {low, may_be_tf32 ? kTera * peaks.tf32 : low};
}

const DevicePeaks* PeaksOfDevice(std::string_view source, std::string_view name) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const DeviceWords& words = kSourceFacts[i]->devices;
    if (source != kSourceFacts[i]->name) continue;
    if (name.starts_with(words.vendor)) name.remove_prefix(words.vendor.size());
    for (const DevicePeaks& row : words.peaks) {
      if (row.device == name) return &row;
    }
  }
  return nullptr;
}

}  // namespace syncline
