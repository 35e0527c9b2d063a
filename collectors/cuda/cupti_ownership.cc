// SPDX-License-Identifier: Apache-2.0
// One word says who has CUPTI. The helper thread alone changes it, so that no client's thread is
// ever inside two clients' calls at once; where there is no such thread, who exchanges kUs.
// A client marks its beginning and then reads the word; the helper writes the word and then looks
// for beginnings. All of that is sequentially consistent, so one of them sees the other.
#include "collectors/cuda/cupti_ownership.h"

#include <atomic>

#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/device_addresses.h"
#include "collectors/cuda/fetching.h"
#include "collectors/cuda/subscription.h"
#include "inject/core/clock.h"
#include "inject/core/coverage_record.h"
#include "inject/core/emit.h"
#include "inject/core/futex.h"
#include "inject/core/helper_thread.h"
#include "inject/core/log.h"
#include "inject/core/range_gate.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline::cuda {
namespace {

// kLeft: all that was to be recorded is.
enum Holder : uint32_t { kNobody, kTaking, kUs, kLeaving, kClient, kLeft };

constexpr uint32_t kNeverDone = 511;  // a kind that CUPTI does not have: nobody disables it

constexpr uint64_t kMaxLeaveNs = 1'000'000'000;  // for a client that begins
constexpr uint64_t kLookNs = 1'000'000'000;      // whether a client that did not say so is done
constexpr uint64_t kMaxTakeNs = 100'000'000;     // for a client that is done

constexpr uint64_t kMaxTellNs = 100'000'000;  // at the end, of clients that were not seen

constexpr uint64_t kSettleNs = 500'000'000;  // what was recorded is delivered by then

bool g_was_ours;           // of the helper thread, and before it runs
uint64_t g_over_since_ns;  // of the helper thread; 0: recording is not over, as far as it saw

std::atomic<uint32_t> g_holder;  // futex word
std::atomic<bool> g_ending;
std::atomic<uint32_t> g_ended;  // futex word
std::atomic<const char*> g_call{""};
std::atomic<uint64_t> g_lent_ns;
std::atomic<bool> g_told;
ClientState g_client;

std::atomic<BufferRequest> g_request;
std::atomic<BufferComplete> g_complete;
std::atomic<Timestamp> g_client_timestamp;

ClientSettings Settings() {
  return {{g_request.load(), g_complete.load()}, g_client_timestamp.load()};
}

bool Change(Holder from, Holder to) {
  uint32_t expected = from;
  if (!g_holder.compare_exchange_strong(expected, to)) return false;
  WakeAll(&g_holder);
  return true;
}

void TellLent() {
  const char* call = g_call.load();
  g_lent_ns.store(MonotonicNs());
  RecordCoverage(kSource, GpuCoverage::kLent, call);
  if (g_told.exchange(true)) return;
  TextBuffer why;
  why.Add("it is left to the program, or a library in it, which uses CUPTI itself (").Add(call);
  why.Add("), until that is done; with --collect nvtx it has CUPTI from the beginning");
  TellMissing("some GPU work", why.text());
}

void Leave(bool flush) {
  if (!Change(kUs, kLeaving)) return;
  GiveBack(Settings(), flush);
  TellLent();
  Change(kLeaving, kClient);
}

void TellTaken(uint64_t since) {
  RecordCoverage(kSource, GpuCoverage::kAll, "", since);
  TextBuffer text;
  text.Add("CUDA: CUPTI was left to the program (").Add(g_call.load()).Add(") for ");
  text.AddNumber((MonotonicNs() - g_lent_ns.load()) / 1000).Add(" us");
  Log(LogLevel::kInfo, text.text());
}

// What the client has not fetched, though it is done: unfinished operations when it flushed.
void HelpClientEnd() {
  if (!g_client.MayBeDone()) return;
  const bool idle = g_client.Idle(MonotonicNs());
  if (!idle && !g_client.HasFlushed()) return;
  FlushSome();
  if (idle && g_client.Idle(MonotonicNs())) g_client.Forgive();
}

void Take() {
  HelpClientEnd();
  if (g_client.Busy() || !Change(kClient, kTaking)) return;
  const uint64_t before = Ticks();  // the program's threads are seen before it is all done
  const bool taken = !g_client.Busy() && TakeCupti(Settings());
  if (taken) TellTaken(before);
  g_was_ours = g_was_ours || taken;
  Change(kTaking, taken ? kUs : kClient);
  if (g_client.Busy()) WakeHelper(kSource);
}

void End() {
  if (g_holder.load() == kUs) {
    g_calls.CountLaunchesAsLost();
    FlushFinally();
    if (DeliveredSoFar().operations != 0) RecordAddresses();  // not of a driver that never came up
  }
  if (g_was_ours) TellRefusedClients(MonotonicNs() + kMaxTellNs);
  // Release: pairs with ReleaseCupti's acquire; the records are in our ring.
  g_ended.store(1, std::memory_order_release);
  WakeAll(&g_ended);
}

// While CUPTI records, each call of the program takes longer, also where nothing is kept of it.
// When nothing more will be kept, CUPTI is left for good: the program then takes as long as it does
// by itself. What is owed of what was recorded has come before. False: not yet.
bool LeaveForGood() {
  if (!RecordingIsOver() || g_client.Busy()) return false;
  const uint64_t now = MonotonicNs();
  if (g_over_since_ns == 0) g_over_since_ns = now;
  if (now - g_over_since_ns < kSettleNs || DeliveredSoFar().correlation < g_calls.LastLaunch())
    return false;
  if (!Change(kUs, kLeaving)) return false;
  FlushSome();
  GiveBack(Settings(), false);  // what is unfinished now was not asked for
  TellBareSteps(true);
  Log(LogLevel::kInfo, "CUDA: CUPTI was left, because nothing more is to be recorded");
  Change(kLeaving, kLeft);
  if (g_client.Busy()) TellBareSteps(false);  // it began meanwhile
  return true;
}

uint64_t Visit() {
  if (g_ending.load()) return End(), kNeverAgain;
  if (LeaveForGood()) return End(), kNeverAgain;  // a program that ends now waits for nothing
  if (g_holder.load() == kClient) {
    Take();
  } else if (g_client.Busy()) {
    Leave(true);
  }
  return g_holder.load() == kClient ? kLookNs : FetchFinished(MonotonicNs());
}

bool IsHeld(uint32_t holder) { return holder != kNobody && holder != kClient && holder != kLeft; }

}  // namespace

bool AcquireCupti() {
  g_holder.store(kTaking);
  const bool lent = g_client.Busy();
  if (!lent && !TakeCupti(Settings())) {
    Change(kTaking, kNobody);
    return false;
  }
  if (lent) {
    TellLent();
  } else {
    RecordCoverage(kSource, GpuCoverage::kAll, "");
  }
  g_was_ours = !lent;
  Change(kTaking, lent ? kClient : kUs);
  if (!StartHelper(kSource, kHelperName, Visit))
    TellMissing("what CUPTI still holds at the end", "no thread could be started (ulimit -u)");
  return true;
}

void ReleaseCupti(uint64_t until_ns) {
  g_ending.store(true);
  if (!IsHeld(g_holder.load()) || !HelperRuns(kSource)) return;
  WakeHelper(kSource);
  while (g_ended.load(std::memory_order_acquire) == 0) {
    const uint64_t now = MonotonicNs();
    if (now >= until_ns) return CountLoss(kLoss_cupti_flush);
    WaitWhile(&g_ended, 0, until_ns - now);
  }
}

void ForgetCupti() {
  g_holder.store(kNobody);
  g_ended.store(0);
  g_was_ours = false;
  g_over_since_ns = 0;
}

void BeforeClient(const char* call) {
  ErrnoKeeper keeper;
  const uint64_t begin = MonotonicNs();
  if (g_client.Begin(begin)) g_call.store(call);
  if (g_holder.load() == kLeft) TellBareSteps(false);
  WakeHelper(kSource);
  for (;;) {
    const uint32_t holder = g_holder.load();
    if (!IsHeld(holder)) return;
    if (!HelperRuns(kSource) && holder == kUs) return Leave(false);
    const uint64_t passed = MonotonicNs() - begin;
    if (passed >= kMaxLeaveNs) return CountLoss(kLoss_cupti_flush);
    WaitWhile(&g_holder, holder, kMaxLeaveNs - passed);
  }
}

void AfterClient(ClientAct act, uint32_t kind) {
  ErrnoKeeper keeper;
  const uint64_t begin = MonotonicNs();
  g_client.Did(act, kind, begin);
  if (act == ClientAct::kFinalized) {  // CUPTI forgot them
    g_request.store(nullptr);
    g_client_timestamp.store(nullptr);
  }
  if (g_client.Busy() || g_holder.load() == kNobody) return;
  WakeHelper(kSource);
  while (!g_client.Busy() && HelperRuns(kSource) && !g_ending.load()) {
    const uint32_t holder = g_holder.load();
    const uint64_t passed = MonotonicNs() - begin;
    if ((holder != kClient && holder != kTaking) || passed >= kMaxTakeNs) return;
    WaitWhile(&g_holder, holder, kMaxTakeNs - passed);
  }
}

void LeaveToProfiler(const char* name) {
  ErrnoKeeper keeper;
  BeforeClient(name);
  g_client.Did(ClientAct::kEnabledInPart, kNeverDone, MonotonicNs());
}

void StandInForClient(void** request, void** complete) {
  bool counted;
  const ClientFunctions functions = StandInFor(
      {reinterpret_cast<BufferRequest>(*request), reinterpret_cast<BufferComplete>(*complete)},
      &g_client, &counted);
  if (!counted) g_client.Did(ClientAct::kEnabledInPart, kNeverDone, MonotonicNs());
  *request = reinterpret_cast<void*>(functions.request);
  *complete = reinterpret_cast<void*>(functions.complete);
}

void ClientRegistered(void* request, void* complete) {
  g_complete.store(reinterpret_cast<BufferComplete>(complete));
  g_request.store(reinterpret_cast<BufferRequest>(request));
}

void ClientSetClock(void* timestamp) {
  g_client_timestamp.store(reinterpret_cast<Timestamp>(timestamp));
}

bool NothingIsTheClients() { return g_holder.load() == kUs && !g_client.Busy(); }

}  // namespace syncline::cuda
