// SPDX-License-Identifier: Apache-2.0
// This library as the engine's observer: what it wants to be told, and when it begins and ends to
// be told anything.
#pragma once

namespace simgpu::cupti {

// Tells the engine which calls and categories are wanted now: after each change of a kind or of a
// subscriber's switches.
void UpdateObserver();

// Begins to observe, once there is something to observe for; ends it (cuptiFinalize).
void StartObserving();
void StopObserving();

}  // namespace simgpu::cupti
