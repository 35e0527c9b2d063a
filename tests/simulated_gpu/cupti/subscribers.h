// SPDX-License-Identifier: Apache-2.0
// The subscribers to callbacks: one, or several where the presented version allows it and all of
// them ask for it.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/simulated_gpu/engine/observer.h"

// What a handle points to. Never freed: a callback may be under way on another thread.
struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  std::string name;
  bool shares = false;  // came with allowMultipleSubscribers
  // Relaxed: a switch takes effect from some call on.
  std::atomic<bool> on[CUPTI_CB_DOMAIN_SIZE][simgpu::kMostCbids] = {};
};

namespace simgpu::cupti {

inline constexpr int kMostSubscribers = 4;

struct SubscribeRequest {
  CUpti_CallbackFunc callback;
  void* user;
  std::string name;
  bool shares = false;
};

class Subscribers {
 public:
  static Subscribers& Get();

  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, and who is in the way, where there is one that
  // does not share.
  CUptiResult Add(const SubscribeRequest& request, CUpti_SubscriberHandle* handle,
                  std::string* owner);
  CUptiResult Remove(CUpti_SubscriberHandle handle);
  void Clear();

  // Null where the handle is none of ours.
  CUpti_Subscriber_st* Find(CUpti_SubscriberHandle handle) const;

  // The subscriber in a place from 0 to kMostSubscribers - 1, or null.
  CUpti_Subscriber_st* At(int place) const { return all_[place].load(std::memory_order_acquire); }
  int Count() const;

  // Whether any subscriber has this callback on.
  bool Wants(uint32_t domain, uint32_t cbid) const;
  bool WantsAnyOf(uint32_t domain) const;

 private:
  std::atomic<CUpti_Subscriber_st*> all_[kMostSubscribers] = {};
};

// Gives the callback to a subscriber. CUDA calls that it makes are invisible.
void Call(CUpti_Subscriber_st* subscriber, uint32_t domain, uint32_t cbid, const void* data);
// The same to each that has it on.
void CallAll(uint32_t domain, uint32_t cbid, const void* data);

}  // namespace simgpu::cupti
