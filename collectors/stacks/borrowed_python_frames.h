// SPDX-License-Identifier: Apache-2.0
// The Python frames of a call that other threads work for, lent to those as long as it lasts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectors/stacks/code_record.h"
#include "collectors/stacks/known_ids.h"
#include "collectors/stacks/python_walk.h"
#include "inject/core/helped_calls.h"

namespace syncline::stacks {

// What is lent, as one look saw it. The frames are read by it, and may be gone by then.
struct LentStack {
  uint64_t key = 0;  // stands for all of it, like WalkPython's
  uint32_t count = 0;
  bool cut = false;
  HelperCode helpers;
  uint32_t place = 0;
  uint32_t generation = 0;
};

struct LentFrame {
  uint64_t fingerprint;  // FingerprintOf its code
  uint32_t code;         // 0: it was not as expected
  int32_t instruction;
};

// Frames belong to exactly one call: while two are under way, nobody can tell for which of them a
// thread works, and nothing is lent. Of one within another the outer call's frames are lent again
// when the inner one has ended. Frames and their code are copied, once each, because the thread
// goes on: a loop's next call with the same stack costs a walk and a look-up.
//
// Never waits. One thread at a time writes: whose call began while none was under way. All else
// reads words that may be overwritten meanwhile, and asks afterwards whether they were.
class LentFrames {
 public:
  // Null: no memory. It is never given back, and a fork's child finds zeros there.
  static LentFrames* Make();
  static void Destroy(LentFrames* lent);  // which nobody has seen

  // The calling thread enters a call that others work for; at most `most` frames are lent. What it
  // returns, never 0, is for End.
  uint64_t Begin(const Python& python, size_t most, const HelperCode& helpers);
  void End(uint64_t call);
  // In a fork's child, on kernels that leave it what the parent had.
  void Forget();

  // False: nothing is lent. In a hook of another thread, like all that follows.
  bool Look(LentStack* out) const;
  // False: gone.
  bool Frame(const LentStack& stack, size_t index, LentFrame* out) const;
  // A stack that ends with lent frames was recorded, which takes long.
  void TellNew() const { new_.store(true, std::memory_order_relaxed); }
  // Whether one was since this was asked last.
  bool WereNew() {
    return new_.load(std::memory_order_relaxed) && new_.exchange(false, std::memory_order_relaxed);
  }
  // The bytes of its kCode record, as WriteCode writes them. 0: gone.
  size_t Code(const LentStack& stack, const LentFrame& frame, char* out,
              uint32_t* first_line) const;

 private:
  static constexpr uint32_t kWords = 1u << 18;
  // Of `state_`: how many calls are under way; above that where in the pool the frames are that one
  // of them lends, and of which generation of it, or zeros.
  static constexpr unsigned kPlaceShift = 20;
  static constexpr unsigned kGenerationShift = 40;
  static constexpr uint64_t kCalls = (uint64_t{1} << kPlaceShift) - 1;
  static constexpr uint32_t kMostPlace = (1u << (kGenerationShift - kPlaceShift)) - 1;
  static constexpr uint32_t kMostGeneration = (1u << (64 - kGenerationShift)) - 1;
  static_assert(kWords <= kMostPlace);

  LentFrames() = default;
  uint32_t OwnProcess();
  uint32_t PlaceOf(const Python& python, size_t most, const HelperCode& helpers);
  uint32_t CopyStack(const Python& python, const LentStack& head);
  bool CopyCode(const Python& python, const char* code, uint64_t fingerprint, uint32_t* place);
  void StartOver();
  uint32_t Room(uint32_t words);
  void Write(uint32_t place, uint64_t word);
  uint64_t Word(uint64_t place) const;
  bool IsStill(uint32_t generation) const;

  std::atomic<uint64_t> state_{0};
  std::atomic<uint32_t> process_{0};     // 0 in a fork's child
  std::atomic<uint32_t> generation_{0};  // of the pool: counts how often it was begun
  mutable std::atomic<bool> new_{false};
  // The writer's own.
  uint64_t lent_ = 0;  // what it added to `state_`
  uint32_t used_ = 0;  // words of the pool
  KnownIds<256> codes_;
  KnownIds<64> stacks_;
  LiveFrame frames_[kMostDepth];
  LentFrame copied_[kMostDepth];
  char scratch_[kMostCodeBytes];

  // Of code: its bytes and its first line, then its record. Of a stack: the key; how many frames,
  // and whether it was cut; the helpers' code; then each frame.
  uint64_t pool_[kWords];
};

}  // namespace syncline::stacks
