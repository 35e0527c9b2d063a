// SPDX-License-Identifier: Apache-2.0
// The roofline picture: how fast operators computed, by how much they compute for each byte that
// has to be moved, and what devices allow there.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

// Empty: there are no operators of which both are known.
std::string RooflineSvg(const Report& report);

}  // namespace syncline
