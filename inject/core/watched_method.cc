// SPDX-License-Identifier: Apache-2.0
// Nobody asks.
#include "inject/core/watched_method.h"

namespace syncline {

std::atomic<const WatchedMethod*> g_watched_method;

}  // namespace syncline
