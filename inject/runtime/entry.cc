// SPDX-License-Identifier: Apache-2.0
// What happens when the library is loaded, by whichever door.
#include "inject/core/collector.h"
#include "inject/core/foreign_memory.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/own_thread.h"
#include "inject/core/process_facts.h"
#include "inject/core/rank.h"
#include "inject/core/sys.h"
#include "inject/runtime/collector_calls.h"
#include "inject/runtime/exec_hooks.h"
#include "inject/runtime/following_environment.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/session.h"

namespace syncline {
namespace {

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"  // the one that is meant
#endif
// Does nothing visible: shells and helpers of every kind run it. One message to the launcher if the
// process has a rank.
__attribute__((constructor)) void Load() {
  ErrnoKeeper keeper;
  LogRememberStderr();
  RememberLoadingProcess();
  if (!MayTellOfStart()) return;
  const int32_t rank = FindRank(Environment).rank;
  if (rank >= 0) SendStartNote();
  if (!IsRankLeftOut()) WatchStartedPrograms(rank);
  KeepEnvironment();
  if (!RecordingAllowed()) return;
  const ProgramStart at_start;
  PrepareOwnThreads();
  StartCollectorsOfProcess();
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

}  // namespace
}  // namespace syncline
