// SPDX-License-Identifier: Apache-2.0
// Where the process's GPUs stand on the machine's buses. CUPTI's record of a GPU does not say it,
// so the driver is asked.
#pragma once

namespace syncline::cuda {

// While CUPTI is taken, because the loader is asked.
void FindDriver();

// Of the helper thread, while CUPTI is ours and has or gave back a buffer of ours: the driver is up
// then. One note for each GPU, once a process. Three reads of what the driver knows for each,
// without a context.
void RecordAddresses();

// Whether the calling thread is in such a call: it is not the program's.
bool IsAskingForAddresses();

}  // namespace syncline::cuda
