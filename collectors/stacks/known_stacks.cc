// SPDX-License-Identifier: Apache-2.0
// A known stack costs the walk and one look-up.
#include "collectors/stacks/known_stacks.h"

#include <sys/mman.h>

#include <new>

#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

KnownStacks* KnownOf(ThreadLog& log) {
  if (__builtin_expect(log.stacks == nullptr, 0)) {
    void* memory = SysMap(sizeof(KnownStacks), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (memory == nullptr) return nullptr;
    log.stacks = new (memory) KnownStacks;
  }
  auto* known = static_cast<KnownStacks*>(log.stacks);
  if (known->stream != log.stream || known->generation != log.generation || known->epoch == 0) {
    // In this order, for a handler that leaves this by a jump.
    ++known->epoch;
    known->next_code = known->next_stack = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    known->stream = log.stream;
    known->generation = log.generation;
  }
  return known;
}

// 0: it could not be recorded.
uint32_t CodeId(const Python& python, ThreadLog& log, KnownStacks* known, const char* code) {
  const uint64_t key = Fingerprints(python).Of(code);
  const uint32_t id = known->codes.Find(key, known->epoch);
  if (id != 0) return id;
  uint32_t first_line;
  const size_t bytes = WriteCode(python, code, known->scratch, &first_line);
  const uint32_t made = known->next_code + 1;
  if (bytes == 0 ||
      !EmitText(log, RecordKind::kCode, made, first_line, 0, 0, known->scratch, bytes)) {
    CountLoss(kLoss_definition);
    return 0;
  }
  known->next_code = made;
  known->codes.Keep(key, known->epoch, made);
  return made;
}

// A sum, so that the processor works on several frames at a time. What is mixed differs by place.
uint64_t KeyOf(const Python& python, const KnownStacks& known, size_t count, bool cut) {
  constexpr uint64_t kPlace = 0x9FB21C651E98DF25ull;
  Fingerprints fingerprints(python);
  uint64_t key = cut ? 1 : 0;
  for (size_t i = 0; i < count; ++i) {
    const LiveFrame& frame = known.frames[i];
    key += Mix(fingerprints.Of(frame.code), static_cast<uint32_t>(frame.instruction) + i * kPlace);
  }
  return key;
}

// `*whole`: all its code could be recorded.
uint32_t Record(const Python& python, ThreadLog& log, KnownStacks* known, size_t count, bool cut,
                bool* whole) {
  *whole = true;
  for (size_t i = 0; i < count; ++i) {
    const LiveFrame& frame = known->frames[i];
    known->recorded[i] = {CodeId(python, log, known, frame.code), frame.instruction};
    *whole = *whole && known->recorded[i].code != 0;
  }
  // The thread may have been given another stream meanwhile, in which nothing of this is defined.
  if (known->stream != log.stream || known->generation != log.generation) return 0;
  const uint32_t id = known->next_stack + 1;
  if (!EmitText(log, RecordKind::kStack, id, 0, 0, cut ? kStackCut : 0, known->recorded,
                count * sizeof(PythonFrame))) {
    CountLoss(kLoss_definition);
    return 0;
  }
  known->next_stack = id;
  return id;
}

}  // namespace

uint32_t TakePython(const Python& python, ThreadLog& log, size_t depth, Walked* walked) {
  *walked = Walked::kWhole;
  KnownStacks* known = KnownOf(log);
  if (known == nullptr) {
    CountLoss(kLoss_definition);
    return 0;
  }
  size_t count;
  *walked = WalkPython(python, known->frames, depth, &count);
  if (*walked == Walked::kWrong || count == 0) return 0;
  const bool cut = *walked == Walked::kCut;
  const uint64_t key = KeyOf(python, *known, count, cut);
  const uint32_t id = known->stacks.Find(key, known->epoch);
  if (__builtin_expect(id != 0, 1)) return id;
  bool whole;
  const uint32_t made = Record(python, log, known, count, cut, &whole);
  if (made != 0 && whole) known->stacks.Keep(key, known->epoch, made);
  return made;
}

}  // namespace syncline::stacks
