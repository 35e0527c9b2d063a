// SPDX-License-Identifier: Apache-2.0
// Hints that the process ends: its status, a last flush of vendor records. Nothing depends on them
// being called.
#pragma once

namespace syncline {

// Registers with exit and quick_exit; once a process. Nothing where the build left exit hooks out.
void InstallExitHooks();

}  // namespace syncline
