// SPDX-License-Identifier: Apache-2.0
// What a domain's definition (RecordKind::kDomain) says of its ranges, in TextRecord::domain.
#pragma once

#include <cstdint>

namespace syncline {

enum DomainMark : uint16_t {
  kDomainOfOperators = 1,   // what a framework runs for the program, which names no part of it
  kDomainOfModules = 2,     // calls of parts of the program's model, by their path in it
  kOperatorsHaveLines = 4,  // with the first: an operator in no other one has its stack
};

}  // namespace syncline
