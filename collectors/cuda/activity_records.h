// SPDX-License-Identifier: Apache-2.0
// CUPTI's activity records as our records.
#pragma once

#include <cupti.h>

namespace syncline::cuda {

// CUPTI_API_VERSION of the library that makes the records: which fields they have beyond the
// oldest. Before the first record.
void UseVersion(uint32_t version);

// Records the variables of the environment that change how CUDA behaves.
void RecordSettings();

// Writes one record of a full buffer into this thread's ring; kinds that are not recorded are
// passed over. The structs are read as those of CUDA 12.0, which all later ones begin with.
void RecordActivity(const CUpti_Activity& activity);

// The largest correlation of an operation so far, 0: none yet; and how many operations there were.
struct Delivered {
  uint32_t correlation;
  uint64_t operations;
};
Delivered DeliveredSoFar();

}  // namespace syncline::cuda
