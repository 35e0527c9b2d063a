// SPDX-License-Identifier: Apache-2.0
// What it is that the host did while a device had nothing to do, as far as its lines tell.
#pragma once

#include <cstdint>

#include "model/devices/problem_kind.h"
#include "model/findings/price_sums.h"

namespace syncline {

// `key`: of a change of the host's work, `each_ns`: how long one such gap is.
ProblemKind KindOfHostWork(const PriceKey& key, uint64_t each_ns);

}  // namespace syncline
