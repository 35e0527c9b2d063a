// SPDX-License-Identifier: Apache-2.0
// Sequentially consistent throughout: a client marks its beginning and then looks who has CUPTI, we
// take CUPTI and then look for a beginning. The calls are rare.
#include "collectors/cuda/client_state.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kIdleNs = 2'000'000'000;

}  // namespace

bool ClientState::Begin(uint64_t now_ns) {
  const bool goes_on = Busy();
  last_ns_.store(now_ns);
  if (!begun_.exchange(true)) buffers_ever_.store(buffers_.load());
  return !goes_on;
}

void ClientState::Did(ClientAct act, uint32_t kind, uint64_t now_ns) {
  last_ns_.store(now_ns);
  const uint32_t word = kind / 64 % kWords;
  const uint64_t bit = uint64_t{1} << (kind % 64);
  switch (act) {
    case ClientAct::kSubscribed:
      subscribers_.fetch_add(1);
      break;
    case ClientAct::kUnsubscribed:
      if (subscribers_.load() != 0) subscribers_.fetch_sub(1);
      if (buffers_ever_.load() == 0 && !AnyKind()) begun_.store(false);
      break;
    case ClientAct::kEnabled:
    case ClientAct::kEnabledInPart:
      kinds_[word].fetch_or(bit);
      break;
    case ClientAct::kDisabled:
      kinds_[word].fetch_and(~bit);
      break;
    case ClientAct::kFlushed:
      if (!AnyKind()) begun_.store(false);
      break;
    case ClientAct::kFinalized:
      for (auto& kinds : kinds_) kinds.store(0);
      subscribers_.store(0);
      buffers_.store(0);
      buffers_ever_.store(0);
      break;
  }
}

void ClientState::BufferGiven() {
  buffers_.fetch_add(1);
  buffers_ever_.fetch_add(1);
}

void ClientState::BufferBack() {
  if (buffers_.load() != 0) buffers_.fetch_sub(1);
}

bool ClientState::AnyKind() const {
  for (const auto& kinds : kinds_) {
    if (kinds.load() != 0) return true;
  }
  return false;
}

bool ClientState::Busy() const {
  return begun_.load() || subscribers_.load() != 0 || buffers_.load() != 0 || AnyKind();
}

bool ClientState::MayBeDone() const { return Busy() && subscribers_.load() == 0 && !AnyKind(); }

bool ClientState::Idle(uint64_t now_ns) const {
  return MayBeDone() && buffers_ever_.load() == 0 && now_ns - last_ns_.load() > kIdleNs;
}

}  // namespace syncline::cuda
