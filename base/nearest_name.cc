// SPDX-License-Identifier: Apache-2.0
// By what it takes to write the one for the other.
#include "base/nearest_name.h"

#include <algorithm>
#include <cstdint>

#include "inject/core/edit_distance.h"

namespace syncline {

std::string NearestName(const std::string& name, const std::vector<std::string>& candidates) {
  std::string nearest;
  size_t best = SIZE_MAX;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(name.c_str(), candidate.c_str());
    const size_t letters =
        candidate.size() - std::min(candidate.find_first_not_of('-'), candidate.size());
    if (distance < best && IsSlip(distance, letters)) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace syncline
