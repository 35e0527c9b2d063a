// SPDX-License-Identifier: Apache-2.0
// What the rest of the driver tells the host waits.
#pragma once

namespace simgpu::level_zero {

void WakeHostWaits();  // something has become known; under the lock
void EndSpin();        // this thread made another call than a question

}  // namespace simgpu::level_zero
