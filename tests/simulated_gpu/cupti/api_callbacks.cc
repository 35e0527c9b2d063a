// SPDX-License-Identifier: Apache-2.0
// The exported functions of the callback API.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/simulated_gpu/cupti/answer.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/observer.h"
#include "tests/simulated_gpu/cupti/subscribers.h"
#include "tests/simulated_gpu/cupti/version.h"

namespace simgpu::cupti {
namespace {

// Several subscribers came as a beta in 13.2. The field that asks for them follows those that 13.0
// knows.
constexpr Version kSharingSince = 1302;
constexpr size_t kAllowMultipleAt = sizeof(CUpti_SubscriberParams);
constexpr uint64_t kSlowSubscribeMs = 15;

CUptiResult Subscribe(const SubscribeRequest& request, CUpti_SubscriberHandle* handle,
                      std::string* owner) {
  if (handle == nullptr || request.callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (Fault("subscribe_slow") != nullptr) {
    usleep(static_cast<useconds_t>(FaultNumber("subscribe_slow", kSlowSubscribeMs) * 1000));
  }
  if (Fault("subscribe") != nullptr) {
    return static_cast<CUptiResult>(
        FaultNumber("subscribe", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
  }
  if (const CUptiResult bad = DriverState()) return bad;
  if (const char* other = Fault("other_subscriber")) {
    *owner = other;
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  const CUptiResult result = Subscribers::Get().Add(request, handle, owner);
  if (result == CUPTI_SUCCESS) StartObserving();
  return result;
}

// Fills in the name of who is in the way; cut where there is no room.
void TellOwner(const std::string& owner, const CUpti_SubscriberParams& params) {
  if (params.oldSubscriberName == nullptr || params.oldSubscriberSize == 0) return;
  const size_t length = std::min(owner.size(), params.oldSubscriberSize - 1);
  std::memcpy(params.oldSubscriberName, owner.data(), length);
  params.oldSubscriberName[length] = '\0';
}

bool AsksToShare(const CUpti_SubscriberParams& params) {
  if (Presented() < kSharingSince || params.structSize <= kAllowMultipleAt) return false;
  return reinterpret_cast<const unsigned char*>(&params)[kAllowMultipleAt] != 0;
}

// Domains count from 1; CUPTI_CB_DOMAIN_SIZE is one past the last.
bool IsDomain(uint32_t domain) {
  return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE;
}

void SetDomain(CUpti_Subscriber_st* subscriber, uint32_t domain, bool on) {
  for (auto& callback : subscriber->on[domain]) callback.store(on, std::memory_order_relaxed);
}

}  // namespace
}  // namespace simgpu::cupti

using namespace simgpu::cupti;  // the functions below have to stand outside

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                                        CUpti_CallbackFunc callback,
                                                        void* userdata) {
  std::string owner;
  return Answer(Subscribe({callback, userdata, "CUPTI"}, subscriber, &owner));
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                                           CUpti_CallbackFunc callback,
                                                           void* userdata,
                                                           CUpti_SubscriberParams* params) {
  if (params == nullptr) return cuptiSubscribe(subscriber, callback, userdata);
  if (params->structSize < CUpti_SubscriberParams_STRUCT_SIZE)
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  SubscribeRequest request{callback, userdata, "CUPTI", AsksToShare(*params)};
  if (params->subscriberName != nullptr) {
    request.name +=
        " for " + std::string(params->subscriberName).substr(0, CUPTI_SUBSCRIBER_NAME_MAX_LEN);
  }
  std::string owner;
  const CUptiResult result = Subscribe(request, subscriber, &owner);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) TellOwner(owner, *params);
  return Answer(result);
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  const CUptiResult result = Subscribers::Get().Remove(subscriber);
  if (result == CUPTI_SUCCESS) UpdateObserver();
  return Answer(result);
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable,
                                                             CUpti_SubscriberHandle subscriber,
                                                             CUpti_CallbackDomain domain,
                                                             CUpti_CallbackId cbid) {
  CUpti_Subscriber_st* known = Subscribers::Get().Find(subscriber);
  if (known == nullptr || !IsDomain(domain) || cbid == 0 || cbid >= simgpu::kMostCbids) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  known->on[domain][cbid].store(enable != 0, std::memory_order_relaxed);
  UpdateObserver();
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable,
                                                           CUpti_SubscriberHandle subscriber,
                                                           CUpti_CallbackDomain domain) {
  CUpti_Subscriber_st* known = Subscribers::Get().Find(subscriber);
  if (known == nullptr || !IsDomain(domain)) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  SetDomain(known, domain, enable != 0);
  UpdateObserver();
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiEnableAllDomains(uint32_t enable,
                                                               CUpti_SubscriberHandle subscriber) {
  CUpti_Subscriber_st* known = Subscribers::Get().Find(subscriber);
  if (known == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  for (uint32_t domain = 1; IsDomain(domain); ++domain) SetDomain(known, domain, enable != 0);
  UpdateObserver();
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetCallbackState(uint32_t* enable,
                                                               CUpti_SubscriberHandle subscriber,
                                                               CUpti_CallbackDomain domain,
                                                               CUpti_CallbackId cbid) {
  const CUpti_Subscriber_st* known = Subscribers::Get().Find(subscriber);
  if (enable == nullptr || known == nullptr || !IsDomain(domain) || cbid >= simgpu::kMostCbids) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  *enable = known->on[domain][cbid].load(std::memory_order_relaxed);
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiSupportedDomains(size_t* count,
                                                               CUpti_DomainTable* table) {
  if (count == nullptr || table == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
                                           CUPTI_CB_DOMAIN_RESOURCE,   CUPTI_CB_DOMAIN_SYNCHRONIZE,
                                           CUPTI_CB_DOMAIN_NVTX,       CUPTI_CB_DOMAIN_STATE};
  *count = std::size(domains);
  *table = domains;
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain,
                                                              uint32_t cbid, const char** name) {
  const char* found = name == nullptr ? nullptr : CallName(domain, cbid);
  if (found == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *name = found;
  return CUPTI_SUCCESS;
}
