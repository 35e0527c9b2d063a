// SPDX-License-Identifier: Apache-2.0
// Looks devices up in the tables of their sources.
#include "model/devices/device_peaks.h"

#include "model/devices/source_facts.h"

namespace syncline {

double PeakOf(const DevicePeaks& peaks, NumberFormat format) {
  constexpr double kTera = 1e12;
  switch (format) {
    case NumberFormat::kFp64:
      return kTera * peaks.fp64;
    case NumberFormat::kFp32:
      return peaks.tf32 == 0 || peaks.tf32 == peaks.fp32 ? kTera * peaks.fp32 : 0;
    case NumberFormat::kFp16:
      return kTera * peaks.fp16;
    case NumberFormat::kBf16:
      return kTera * peaks.bf16;
    case NumberFormat::kFp8:
      return kTera * peaks.fp8;
    case NumberFormat::kOther:
      break;
  }
  return 0;
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
