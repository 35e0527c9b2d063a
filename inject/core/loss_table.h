// SPDX-License-Identifier: Apache-2.0
// Names the table of losses, so that a reader can tell a count of its own kinds from another's.
#pragma once

#include <cstdint>

namespace syncline {

// CRC-32C of the names of all losses in the order of their numbers, each with its final NUL.
uint32_t LossTable();

}  // namespace syncline
