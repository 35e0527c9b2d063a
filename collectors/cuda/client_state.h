// SPDX-License-Identifier: Apache-2.0
// What another client in the program (torch.profiler, a tool of the program's own) uses of CUPTI,
// as its accepted calls tell.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline::cuda {

// As CUPTI declares them; vendor-free, so that every build has the calls that see them.
using BufferRequest = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferComplete = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                size_t valid);
using Timestamp = uint64_t (*)();

// What a client did.
enum class ClientAct : uint8_t {
  kSubscribed,
  kUnsubscribed,
  kEnabled,        // a kind
  kEnabledInPart,  // a kind, for one context or one call: until the whole kind is disabled
  kDisabled,       // a kind
  kFlushed,
  kFinalized,
};

// Any thread, no lock: each field is one word, and code that decides by them reads them again
// afterwards.
class ClientState {
 public:
  // The client is about to make a call by which a session begins (true), or goes on.
  bool Begin(uint64_t now_ns);
  void Did(ClientAct act, uint32_t kind, uint64_t now_ns);
  void BufferGiven();
  void BufferBack();

  // Whether the client needs CUPTI: also between its first call and its first kind, and after its
  // last kind until it has flushed and all its buffers are back.
  bool Busy() const;
  // The client has disabled all that it enabled, but has not flushed, or flushed while something
  // was unfinished.
  bool MayBeDone() const;
  // The client may be done, and its session had no buffer for some time: then there is nothing to
  // flush, and Kineto does not.
  bool Idle(uint64_t now_ns) const;
  // Its last flush came after its last kind.
  bool HasFlushed() const { return !begun_.load(); }
  // Takes the session for ended, though the client did not say so.
  void Forgive() { begun_.store(false, std::memory_order_seq_cst); }

 private:
  static constexpr uint32_t kWords = 8;
  bool AnyKind() const;

  std::atomic<bool> begun_{false};
  std::atomic<uint32_t> subscribers_{0};
  std::atomic<uint64_t> kinds_[kWords]{};
  std::atomic<uint32_t> buffers_{0};       // that it gave to CUPTI and that are not back
  std::atomic<uint32_t> buffers_ever_{0};  // since it began
  std::atomic<uint64_t> last_ns_{0};
};

}  // namespace syncline::cuda
