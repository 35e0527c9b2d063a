// SPDX-License-Identifier: Apache-2.0
// A pool that is filled from its beginning, and begun again when it is full.
#include "collectors/stacks/borrowed_python_frames.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "inject/core/log.h"
#include "inject/core/sys.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace syncline::stacks {
namespace {

constexpr uint64_t kLentKey = 0x9E3779B185EBCA87ull;  // another one than that of the same frames
constexpr uint32_t kStackHeadWords = 4;
constexpr uint32_t kFrameWords = 2;
constexpr unsigned kUpperHalf = 32;

// Numbers of the processes that had this memory, one after the other: parent, child, grandchild.
std::atomic<uint32_t> g_lenders;
std::atomic<bool> g_too_much_told;

constexpr uint32_t WordsOf(size_t bytes) {
  return static_cast<uint32_t>((bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

constexpr uint64_t Halves(uint32_t lower, uint32_t upper) {
  return uint64_t{upper} << kUpperHalf | lower;
}

}  // namespace

LentFrames* LentFrames::Make() {
  void* memory = SysMap(sizeof(LentFrames), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (memory == nullptr) return nullptr;
  SysCall(SYS_madvise, AsLong(memory), sizeof(LentFrames), MADV_WIPEONFORK);
  return new (memory) LentFrames;
}

void LentFrames::Destroy(LentFrames* lent) { SysUnmap(lent, sizeof(LentFrames)); }

uint32_t LentFrames::OwnProcess() {
  uint32_t process = process_.load(std::memory_order_relaxed);
  if (__builtin_expect(process != 0, 1)) return process;
  const uint32_t made = g_lenders.fetch_add(1, std::memory_order_relaxed) + 1;
  return process_.compare_exchange_strong(process, made, std::memory_order_relaxed) ? made
                                                                                    : process;
}

// The lowest bit says that the call lends.
uint64_t LentFrames::Begin(const Python& python, size_t most, const HelperCode& helpers) {
  const uint64_t call = uint64_t{OwnProcess()} << 1;
  // Acquire: pairs with the release in End, for what the writer before wrote.
  if ((state_.fetch_add(1, std::memory_order_acquire) & kCalls) != 0) return call;
  const uint32_t place = PlaceOf(python, most, helpers);
  if (place == 0) return call;
  lent_ = uint64_t{place} << kPlaceShift | uint64_t{generation_.load(std::memory_order_relaxed)}
                                               << kGenerationShift;
  // Release: pairs with the acquire in Look.
  state_.fetch_add(lent_, std::memory_order_release);
  return call | 1;
}

// A fork's child may come out of a call that its parent began.
void LentFrames::End(uint64_t call) {
  if (call >> 1 != process_.load(std::memory_order_relaxed)) return;
  // Release: pairs with the acquire in Begin. To be sure of that whoever began to lend must end to
  // lend in the same step as the call is no longer counted.
  state_.fetch_sub(1 + ((call & 1) != 0 ? lent_ : 0), std::memory_order_release);
}

void LentFrames::Forget() {
  state_.store(0, std::memory_order_relaxed);
  process_.store(0, std::memory_order_relaxed);
}

// 0: nothing is lent.
uint32_t LentFrames::PlaceOf(const Python& python, size_t most, const HelperCode& helpers) {
  size_t count;
  uint64_t key;
  const Walked walked = WalkPython(python, frames_, most, &count, &key);
  if (count == 0 || walked == Walked::kOther || walked == Walked::kWrong) return 0;
  const bool cut = walked == Walked::kCut;
  key = Mix(key + helpers.begin, kLentKey + (cut ? 1 : 0));
  if (generation_.load(std::memory_order_relaxed) == 0) StartOver();
  uint32_t place = stacks_.Find(key, generation_.load(std::memory_order_relaxed));
  if (__builtin_expect(place != 0, 1)) return place;
  const LentStack head = {key, static_cast<uint32_t>(count), cut, helpers, 0, 0};
  place = CopyStack(python, head);
  if (place == 0) {
    StartOver();
    place = CopyStack(python, head);
  }
  if (place != 0) {
    stacks_.Keep(key, generation_.load(std::memory_order_relaxed), place);
  } else if (!g_too_much_told.exchange(true, std::memory_order_relaxed)) {
    Log(LogLevel::kWarn, "a call that other threads work for has too much code on its stack:",
        "their calls do not bear its lines");
  }
  return place;
}

// 0: it does not fit.
uint32_t LentFrames::CopyStack(const Python& python, const LentStack& head) {
  for (size_t i = 0; i < head.count; ++i) {
    const LiveFrame& frame = frames_[i];
    const uint64_t fingerprint = FingerprintOf(frame.code);
    copied_[i] = {fingerprint, 0, frame.instruction};
    if (!CopyCode(python, frame.code, fingerprint, &copied_[i].code)) return 0;
  }
  uint32_t at = Room(kStackHeadWords + head.count * kFrameWords);
  if (at == 0) return 0;
  const uint32_t place = at;
  Write(at++, head.key);
  Write(at++, Halves(head.count, head.cut ? 1 : 0));
  Write(at++, head.helpers.begin);
  Write(at++, head.helpers.end);
  for (size_t i = 0; i < head.count; ++i) {
    Write(at++, copied_[i].fingerprint);
    Write(at++, Halves(copied_[i].code, static_cast<uint32_t>(copied_[i].instruction)));
  }
  return place;
}

// False: it does not fit. `*place` stays 0 where the code is not as expected.
bool LentFrames::CopyCode(const Python& python, const char* code, uint64_t fingerprint,
                          uint32_t* place) {
  const uint32_t generation = generation_.load(std::memory_order_relaxed);
  *place = codes_.Find(fingerprint, generation);
  if (*place != 0) return true;
  uint32_t first_line;
  const size_t bytes = WriteCode(python, code, scratch_, &first_line);
  if (bytes == 0) return true;
  uint32_t at = Room(1 + WordsOf(bytes));
  if (at == 0) return false;
  *place = at;
  Write(at++, Halves(static_cast<uint32_t>(bytes), first_line));
  for (size_t done = 0; done < bytes; done += sizeof(uint64_t))
    Write(at++, ReadAt<uint64_t>(scratch_, static_cast<int64_t>(done)));
  codes_.Keep(fingerprint, generation, *place);
  return true;
}

// What is in the pool is gone for whoever reads it: nobody lends now, but threads may have looked
// before.
void LentFrames::StartOver() {
  const uint32_t generation = generation_.load(std::memory_order_relaxed);
  // Before the pool is written to again, see Write.
  generation_.store(generation % kMostGeneration + 1, std::memory_order_relaxed);
  used_ = 1;  // 0 is no place
}

uint32_t LentFrames::Room(uint32_t words) {
  if (words > kWords - used_) return 0;
  const uint32_t place = used_;
  used_ += words;
  return place;
}

// Release: pairs with the acquire in Word. Whoever reads a word of this generation where one of the
// generation before was, sees in IsStill that it has changed.
void LentFrames::Write(uint32_t place, uint64_t word) {
  __atomic_store_n(&pool_[place], word, __ATOMIC_RELEASE);
}

uint64_t LentFrames::Word(uint64_t place) const {
  return place < kWords ? __atomic_load_n(&pool_[place], __ATOMIC_ACQUIRE) : 0;
}

bool LentFrames::IsStill(uint32_t generation) const {
  return generation_.load(std::memory_order_relaxed) == generation;
}

bool LentFrames::Look(LentStack* out) const {
  const uint64_t state = state_.load(std::memory_order_acquire);
  if (__builtin_expect((state & kCalls) != 1 || state >> kPlaceShift == 0, 1)) return false;
  const auto place = static_cast<uint32_t>(state >> kPlaceShift & kMostPlace);
  const auto generation = static_cast<uint32_t>(state >> kGenerationShift);
  const uint64_t key = Word(place), facts = Word(uint64_t{place} + 1);
  const HelperCode helpers = {Word(uint64_t{place} + 2), Word(uint64_t{place} + 3)};
  if (!IsStill(generation)) return false;
  *out = {key, static_cast<uint32_t>(facts), facts >> kUpperHalf != 0, helpers, place, generation};
  return true;
}

bool LentFrames::Frame(const LentStack& stack, size_t index, LentFrame* out) const {
  const uint64_t place = stack.place + kStackHeadWords + index * kFrameWords;
  const uint64_t fingerprint = Word(place), rest = Word(place + 1);
  *out = {fingerprint, static_cast<uint32_t>(rest), static_cast<int32_t>(rest >> kUpperHalf)};
  return IsStill(stack.generation);
}

size_t LentFrames::Code(const LentStack& stack, const LentFrame& frame, char* out,
                        uint32_t* first_line) const {
  const uint64_t head = Word(frame.code);
  const size_t bytes = static_cast<uint32_t>(head);
  if (bytes > kMostCodeBytes) return 0;
  *first_line = static_cast<uint32_t>(head >> kUpperHalf);
  for (uint32_t i = 0; i < WordsOf(bytes); ++i) {
    const uint64_t word = Word(uint64_t{frame.code} + 1 + i);
    std::memcpy(out + i * sizeof(word), &word, sizeof(word));
  }
  return IsStill(stack.generation) ? bytes : 0;
}

}  // namespace syncline::stacks
