// SPDX-License-Identifier: Apache-2.0
// API calls: callbacks at enter and exit, and the records of calls and external correlation.
#include <deque>
#include <vector>

#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/clock.h"
#include "tests/simulated_gpu/cupti/cost.h"
#include "tests/simulated_gpu/cupti/external_ids.h"
#include "tests/simulated_gpu/cupti/hooks.h"
#include "tests/simulated_gpu/cupti/records.h"
#include "tests/simulated_gpu/cupti/subscribers.h"
#include "tests/simulated_gpu/cupti/thread_owned.h"

namespace simgpu::cupti {
namespace {

// A call of this thread that is in progress.
struct Frame {
  const ApiCall* call;
  uint64_t entered;                      // by the client's timestamp callback, if there is one
  uint64_t data[kMostSubscribers] = {};  // each subscriber's correlationData
};

// A deque: a frame stays where it is while calls inside of it come and go, for clients keep the
// address of their data.
std::deque<Frame>& Frames() { return ThreadOwned<std::deque<Frame>>(); }

CUpti_CallbackData CallbackData(const ApiCall& call, CUpti_ApiCallbackSite site) {
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call.function;
  data.functionParams = call.params;
  data.functionReturnValue = site == CUPTI_API_EXIT ? const_cast<int*>(call.result) : nullptr;
  data.symbolName = call.symbol;
  data.context = static_cast<CUcontext>(call.context);
  data.contextUid = call.context_id;
  data.correlationId = call.correlation;
  return data;
}

void TellSubscribers(const ApiCall& call, Frame* frame, CUpti_ApiCallbackSite site) {
  const uint32_t domain = static_cast<uint32_t>(call.domain);
  for (int place = 0; place < kMostSubscribers; ++place) {
    CUpti_Subscriber_st* subscriber = Subscribers::Get().At(place);
    if (!subscriber || !subscriber->on[domain][call.cbid].load(std::memory_order_relaxed)) continue;
    CUpti_CallbackData data = CallbackData(call, site);
    data.correlationData = &frame->data[place];
    Call(subscriber, domain, call.cbid, &data);
  }
}

void PutExternalCorrelations(const ApiCall& call) {
  if (!Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) return;
  const ExternalIds& ids = ExternalIds::OfThread();
  for (uint32_t kind = 0; kind < ExternalIds::kKinds; ++kind) {
    const std::vector<uint64_t>& stack = ids.Stack(kind);
    if (stack.empty()) continue;
    const CUpti_ActivityExternalCorrelation record =
        MakeExternalCorrelation(kind, stack.back(), call.correlation);
    Client::Get().Put(&record, nullptr);
  }
}

}  // namespace

void OnApiEnter(ApiCall* call) {
  call->traced_by_activity = Client::Get().kinds().CallOn(call->domain, call->cbid);
  std::deque<Frame>& frames = Frames();
  const bool outermost = frames.empty();
  frames.push_back({call, TheClock().has_callback() ? TheClock().Now() : 0});
  if (outermost && Subscribers::Get().Wants(static_cast<uint32_t>(call->domain), call->cbid))
    Spend();
  TellSubscribers(*call, &frames.back(), CUPTI_API_ENTER);
}

void OnApiExit(ApiCall* call) {
  std::deque<Frame>& frames = Frames();
  // Calls that never came back (a thread that was unwound) are skipped.
  while (!frames.empty() && frames.back().call != call) frames.pop_back();
  if (frames.empty()) return;
  TellSubscribers(*call, &frames.back(), CUPTI_API_EXIT);
  const uint64_t entered = frames.back().entered;
  frames.pop_back();
  if (!call->traced_by_activity) return;
  Clock& clock = TheClock();
  const uint64_t start = entered != 0 ? entered : clock.FromEngine(call->start_ns);
  const uint64_t end = entered != 0 ? clock.Now() : clock.FromEngine(call->end_ns);
  PutExternalCorrelations(*call);
  const CUpti_ActivityAPI record = MakeCall(*call, start, end);
  Client::Get().Put(&record, nullptr);
}

}  // namespace simgpu::cupti
