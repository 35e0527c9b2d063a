// SPDX-License-Identifier: Apache-2.0
// One API call in progress: gives it its correlation id and tells the observer of its enter and
// exit, if that wants to know.
#pragma once

#include "tests/simulated_gpu/engine/seam.h"

namespace simgpu {

class ApiScope {
 public:
  ApiScope(const Seam& seam, Domain domain, uint32_t cbid, const char* function, const void* params,
           const char* symbol = nullptr, bool is_query = false)
      : seam_(seam), thread_(seam.thread()) {
    frame_.outer = thread_->top;
    frame_.function = function;
    frame_.symbol = symbol;
    frame_.cbid = cbid;
    frame_.domain = domain;
    frame_.told = false;
    if (frame_.outer != nullptr) {
      frame_.correlation = frame_.outer->correlation;
    } else {
      // Relaxed: the ids only have to differ.
      frame_.correlation = seam.next_correlation->fetch_add(1, std::memory_order_relaxed);
      if (thread_->spin.count != 0 && !is_query) seam.end_spin(thread_);
    }
    thread_->top = &frame_;
    const auto& on = seam.switches->on[static_cast<int>(domain)][cbid];
    if (on.load(std::memory_order_relaxed) != 0 || seam.hang_armed->load(std::memory_order_relaxed))
      seam.enter(&frame_, params, &result_);
  }
  ~ApiScope() {
    if (frame_.told) seam_.exit(&frame_);
    thread_->top = frame_.outer;
  }
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

  int Return(int result) { return result_ = result; }

 private:
  const Seam& seam_;
  ThreadState* const thread_;
  int result_ = 0;
  ApiFrame frame_;
};

}  // namespace simgpu
