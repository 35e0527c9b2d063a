// SPDX-License-Identifier: Apache-2.0
// What a domain's definition (RecordKind::kDomain) says of its ranges, in TextRecord::domain.
#pragma once

#include <cstdint>

namespace syncline {

enum DomainMark : uint16_t {
  kDomainOfOperators = 1,  // what a framework runs for the program, which names no part of it
};

}  // namespace syncline
