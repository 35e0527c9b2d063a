// SPDX-License-Identifier: Apache-2.0
// Device work that no reader will ask for, because it was launched and ran while the gate was
// closed.
#pragma once

#include "inject/core/emit.h"

namespace syncline::cuda {

// Whether the record need not be written: its call was not recorded, it began after the gate was
// closed, and it ended so long ago that it is not near what is recorded next. When in doubt it is
// written; readers decide then (model/run/gate_filter). Counted here.
bool IsLeftOut(ThreadLog& log, const DeviceOpRecord& op);

}  // namespace syncline::cuda
