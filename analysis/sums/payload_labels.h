// SPDX-License-Identifier: Apache-2.0
// Keys and values of a range's payload as labels, where a program gave them so.
#pragma once

#include <vector>

#include "model/spool/streams.h"
#include "model/spool/value_text.h"

namespace syncline {

// With `name` and `plain` alone. Of a key that is there twice the first; of a payload that is not
// whole none.
std::vector<LabelText> LabelsOfPayloads(const Stream& stream, const Payloads& payloads);

}  // namespace syncline
