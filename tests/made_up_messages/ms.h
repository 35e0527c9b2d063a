// SPDX-License-Identifier: Apache-2.0
// A made-up library of messages: what comes from another process, or from a file, takes as long as
// it is told to.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// All return 0.
int ms_send(int to);                    // returns at once
int ms_receive(int from, uint32_t us);  // waits for the other process
int ms_read(uint32_t us);               // waits for a file

#ifdef __cplusplus
}
#endif
