// SPDX-License-Identifier: Apache-2.0
// Work in many parts, done by a few threads at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace syncline {

// How many of `parts` are done at a time: one a core, at most 8.
size_t ThreadsFor(size_t parts);

// Calls work(0) to work(parts - 1), in any order, on this thread and others; fewer where no more
// can be made. No part is begun once `stop` is set or a part has thrown. The first exception is
// thrown here after all parts have returned.
void ParallelFor(size_t parts, const std::atomic<bool>& stop,
                 const std::function<void(size_t)>& work);

}  // namespace syncline
