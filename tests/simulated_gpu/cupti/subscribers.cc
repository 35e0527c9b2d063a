// SPDX-License-Identifier: Apache-2.0
// Adds and removes subscribers and calls them.
#include "tests/simulated_gpu/cupti/subscribers.h"

#include <deque>
#include <mutex>

#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/version.h"

namespace simgpu::cupti {
namespace {

std::mutex& AddMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

Subscribers& Subscribers::Get() {
  static Subscribers& subscribers = *new Subscribers;
  return subscribers;
}

CUptiResult Subscribers::Add(const SubscribeRequest& request, CUpti_SubscriberHandle* handle,
                             std::string* owner) {
  std::lock_guard lock(AddMutex());
  int free_place = -1;
  for (int place = kMostSubscribers - 1; place >= 0; --place) {
    const CUpti_Subscriber_st* other = At(place);
    if (other == nullptr) {
      free_place = place;
    } else if (!request.shares || !other->shares) {
      *owner = other->name;
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
  }
  if (free_place < 0) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  static auto& all_there_were = *new std::deque<CUpti_Subscriber_st>;  // under the lock
  CUpti_Subscriber_st* subscriber = &all_there_were.emplace_back();
  subscriber->callback = request.callback;
  subscriber->user = request.user;
  subscriber->name = request.name;
  subscriber->shares = request.shares;
  all_[free_place].store(subscriber, std::memory_order_release);
  *handle = subscriber;
  return CUPTI_SUCCESS;
}

CUptiResult Subscribers::Remove(CUpti_SubscriberHandle handle) {
  std::lock_guard lock(AddMutex());
  for (auto& subscriber : all_) {
    if (handle == nullptr || subscriber.load(std::memory_order_relaxed) != handle) continue;
    subscriber.store(nullptr, std::memory_order_release);
    return CUPTI_SUCCESS;
  }
  return CUPTI_ERROR_INVALID_PARAMETER;
}

void Subscribers::Clear() {
  std::lock_guard lock(AddMutex());
  for (auto& subscriber : all_) subscriber.store(nullptr, std::memory_order_release);
}

CUpti_Subscriber_st* Subscribers::Find(CUpti_SubscriberHandle handle) const {
  for (int place = 0; place < kMostSubscribers; ++place) {
    if (handle != nullptr && At(place) == handle) return handle;
  }
  return nullptr;
}

int Subscribers::Count() const {
  int count = 0;
  for (int place = 0; place < kMostSubscribers; ++place) count += At(place) != nullptr;
  return count;
}

bool Subscribers::Wants(uint32_t domain, uint32_t cbid) const {
  for (int place = 0; place < kMostSubscribers; ++place) {
    const CUpti_Subscriber_st* subscriber = At(place);
    if (subscriber && subscriber->on[domain][cbid].load(std::memory_order_relaxed)) return true;
  }
  return false;
}

bool Subscribers::WantsAnyOf(uint32_t domain) const {
  for (uint32_t cbid = 0; cbid < kMostCbids; ++cbid) {
    if (Wants(domain, cbid)) return true;
  }
  return false;
}

void Call(CUpti_Subscriber_st* subscriber, uint32_t domain, uint32_t cbid, const void* data) {
  const Engine* engine = FindEngine();
  if (engine != nullptr) engine->hide_calls(true);
  subscriber->callback(subscriber->user, static_cast<CUpti_CallbackDomain>(domain), cbid, data);
  if (engine != nullptr) engine->hide_calls(false);
}

void CallAll(uint32_t domain, uint32_t cbid, const void* data) {
  for (int place = 0; place < kMostSubscribers; ++place) {
    CUpti_Subscriber_st* subscriber = Subscribers::Get().At(place);
    if (subscriber && subscriber->on[domain][cbid].load(std::memory_order_relaxed)) {
      Call(subscriber, domain, cbid, data);
    }
  }
}

}  // namespace simgpu::cupti
