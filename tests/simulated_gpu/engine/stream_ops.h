// SPDX-License-Identifier: Apache-2.0
// What a program does with streams and events: submits commands, and waits as docs/waits.md says.
// Answers are CUresults.
#pragma once

#include "tests/simulated_gpu/engine/command.h"
#include "tests/simulated_gpu/engine/waits.h"

namespace simgpu {

// Gives the command to the stream, or to its capture. Waits while the stream's queue is full.
int Submit(Stream* stream, const Command& command, Point* end = nullptr,
           const Dependencies* also_after = nullptr);

int Launch(Stream* stream, const Command& kernel);
int Copy(Stream* stream, const CopyRequest& request, bool is_async);
int Fill(Stream* stream, const FillRequest& request, bool is_async);

int RecordEvent(Event* event, Stream* stream, unsigned flags);
int WaitEvent(Stream* stream, Event* event, unsigned flags);
int QueryEvent(Event* event);
int SynchronizeEvent(Event* event);
int ElapsedTime(Event* start, Event* end, float* milliseconds);

int QueryStream(Stream* stream);
int SynchronizeStream(Stream* stream);
int SynchronizeContext(Context* context);

// The first use of a function in a context loads it there (CUDA_MODULE_LOADING=LAZY), which waits
// for the context's work.
void LoadFunction(Context* context, Function* function);

// The launch queue. AwaitQueue without the lock, EnterQueue with it.
void AwaitQueue(Stream* stream, WaitClass wait_class);
void EnterQueue(Stream* stream, const Submitted::Placed& placed);

}  // namespace simgpu
