// SPDX-License-Identifier: Apache-2.0
// Null objects of the recording side: the launcher links the collectors for their probes and never
// records itself.
#include "inject/core/collector.h"
#include "inject/core/thread_log.h"

namespace syncline {

__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

ThreadLog* AcquireThreadLog(HookKind) { return nullptr; }
bool ForgetLostPush() { return false; }
bool MakeRoom(ThreadLog&, uint64_t) { return false; }
bool MakeDepth(ThreadLog&) { return false; }
void CountLoss(Loss, uint64_t) {}
bool CollectorEnabled(const char*) { return false; }
void TellLeftOut(Source) {}

}  // namespace syncline
