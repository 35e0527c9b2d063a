// SPDX-License-Identifier: Apache-2.0
// The checksum over the names of losses.
#include "inject/core/loss_table.h"

#include "inject/core/crc32c.h"

namespace syncline {
namespace {

constexpr char kNames[] =
#define SYNCLINE_LOSS(name, of, meaning, remedy) #name "\0"
#include "all_losses.def"
#undef SYNCLINE_LOSS
    ;

}  // namespace

uint32_t LossTable() { return Crc32c(0, kNames, sizeof(kNames) - 1); }

}  // namespace syncline
