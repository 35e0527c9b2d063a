// SPDX-License-Identifier: Apache-2.0
// What a vendor's datasheet promises of a device.
#pragma once

#include <string_view>

#include "model/devices/number_format.h"

namespace syncline {

// 10^12 operations a second on dense matrices, without sparsity; 0: the datasheet has none.
struct DevicePeaks {
  std::string_view device;  // as the device calls itself, without the vendor's name
  double fp64;
  double fp32;
  double tf32;
  double fp16;  // with sums in fp32, as frameworks have them
  double bf16;
  double fp8;
  double gb_per_s;  // 10^9 bytes of its memory a second
  const char* datasheet;
};

// FLOP/s; both 0: not known. What a framework calls fp32 may be computed in tf32 where the device
// has that: the peak is one of the two.
struct PeakRange {
  double low = 0;
  double high = 0;
};
PeakRange PeakOf(const DevicePeaks& peaks, NumberFormat format);

// Of a source's device by its name. Null: no datasheet of it is known.
const DevicePeaks* PeaksOfDevice(std::string_view source, std::string_view name);

}  // namespace syncline
