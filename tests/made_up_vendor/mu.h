// SPDX-License-Identifier: Apache-2.0
// The made-up vendor's interface: queues of tasks that take as long as they are told to.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A task of `us` microseconds in a queue (0 to 15); returns at once. 0: done.
int mu_submit(uint32_t queue, uint32_t us);
// Waits until the queue's tasks are done.
int mu_wait(uint32_t queue);

// For tools. A task that a tool tagged is told of when somebody waits for its queue, or asks.
struct mu_task {
  uint32_t device, queue, tag;
  uint64_t begin, end;  // of mu_clock
};
int mu_submit_tagged(uint32_t queue, uint32_t us, uint32_t tag);
void mu_tell(void (*done)(const struct mu_task*));
void mu_flush(void);
uint64_t mu_clock(void);  // nanoseconds since the library was loaded

#ifdef __cplusplus
}
#endif
