// SPDX-License-Identifier: Apache-2.0
// Begins to record CUDA, once a process.
#include "collectors/cuda/cuda_entry.h"

#include <atomic>

#include "collectors/cuda/gpu_mode.h"
#include "collectors/cuda/holder.h"
#include "collectors/cuda/subscription.h"
#include "inject/core/collector.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

std::atomic<bool> g_began;

// A program that uses a GPU is recorded, if only to say what is missing.
void StartSession() { const HookScope starts_it; }

}  // namespace

void Arm() {
  ErrnoKeeper keeper;
  if (!CollectorEnabled("cuda") || g_began.exchange(true)) return;
  StartSession();
  if (StartHolding()) return;
  TellMissing("GPU work", WhyNot());
  RecordMode(GpuMode::kNothing, WhyNot());
}

}  // namespace syncline::cuda
