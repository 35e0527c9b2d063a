// SPDX-License-Identifier: Apache-2.0
// What the frame calls of the recording of the made-up vendor.
#pragma once

#include <cstdint>

namespace syncline::mu {

void Arm();                     // its library is mapped
void Flush(uint64_t until_ns);  // the process exits

}  // namespace syncline::mu
