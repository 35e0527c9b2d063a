// SPDX-License-Identifier: Apache-2.0
// A known stack costs the walks and one look-up.
#include "collectors/stacks/known_stacks.h"

#include <sys/mman.h>

#include <new>

#include "inject/core/emit.h"
#include "inject/core/file_mark.h"
#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

// Between the program's call and the one that takes the stack.
constexpr size_t kFramesOfOurs = 16;

KnownStacks* KnownOf(ThreadLog& log) {
  if (__builtin_expect(log.stacks == nullptr, 0)) {
    void* memory = SysMap(sizeof(KnownStacks), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (memory == nullptr) return nullptr;
    log.stacks = new (memory) KnownStacks;
  }
  auto* known = static_cast<KnownStacks*>(log.stacks);
  if (known->stream != log.stream || known->epoch == 0) {
    // In this order, for a handler that leaves this by a jump.
    ++known->epoch;
    known->next_code = known->next_stack = known->next_module = 0;
    known->native.Begin();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    known->stream = log.stream;
  }
  return known;
}

// Code whose record's bytes are in the scratch room. 0: it could not be recorded (counted).
uint32_t DefineCode(ThreadLog& log, KnownStacks* known, uint64_t key, uint32_t first_line,
                    size_t bytes) {
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

// 0: it could not be recorded.
uint32_t CodeId(const Python& python, ThreadLog& log, KnownStacks* known, const char* code) {
  const uint64_t key = FingerprintOf(code);
  const uint32_t id = known->codes.Find(key, known->epoch);
  if (id != 0) return id;
  uint32_t first_line = 0;
  const size_t bytes = WriteCode(python, code, known->scratch, &first_line);
  return DefineCode(log, known, key, first_line, bytes);
}

// 0: it could not be recorded (counted).
uint32_t ModuleId(ThreadLog& log, KnownStacks* known, const KnownModule& found) {
  const uint32_t id = known->modules.Find(found.code, known->epoch);
  if (id != 0) return id;
  uint16_t id_bytes;
  const size_t bytes =
      WriteModule(found.module, known->native.foreign(), known->scratch, &id_bytes);
  const uint32_t made = known->next_module + 1;
  known->scratch[bytes] = '\0';
  const uint64_t mark = id_bytes == 0 ? FileMarkOf(known->scratch) : 0;
  if (made > kMostModules ||
      !EmitText(log, RecordKind::kModule, made, mark, 0, id_bytes, known->scratch, bytes)) {
    CountLoss(kLoss_definition);
    return 0;
  }
  known->next_module = made;
  known->modules.Keep(found.code, known->epoch, made);
  return made;
}

// A handler that left the look-up by a jump would keep the lock of the loader's list.
const KnownModule* FindModuleOf(uintptr_t address, NativeMemo* native) {
  if (!LooksUpWithLock()) return native->FindModule(address);
  const SignalBlocker blocker;
  return native->FindModule(address);
}

// `*whole`: what it refers to could be recorded.
StackFrame RecordNative(ThreadLog& log, KnownStacks* known, const NativeFrame& frame, bool* whole) {
  const uint64_t address = frame.instruction();
  const KnownModule* found = FindModuleOf(address, &known->native);
  if (found == nullptr) return NativeStackFrame(0, address);
  const uint32_t id = ModuleId(log, known, *found);
  *whole = *whole && id != 0;
  return id == 0 ? StackFrame{} : NativeStackFrame(id, address - found->module.bias);
}

StackFrame RecordPython(const Python& python, ThreadLog& log, KnownStacks* known,
                        const LiveFrame& frame, bool* whole) {
  const uint32_t code = CodeId(python, log, known, frame.code);
  *whole = *whole && code != 0;
  return {code, frame.instruction};
}

enum class Copied : uint8_t { kWhole, kInPart, kGone };

// What a call lends to this thread, which has none of Python's frames.
class LentPart {
 public:
  LentPart() = default;
  explicit LentPart(const Wanted& wanted) : lender_(wanted.lent) {
    const bool any = lender_ != nullptr && lender_->Look(&stack_);
    if (any && !KnowsThisThread(*wanted.python)) stack_ = {};
  }
  const LentStack& stack() const { return stack_; }

  // Not of a thread whose way is known and did not begin there.
  bool IsFor(const NativeStack& native) const {
    if (stack_.count == 0) return false;
    for (size_t i = 0; i < native.count; ++i) {
      const uint64_t at = native.frames[i].instruction();
      if (at >= stack_.helpers.begin && at < stack_.helpers.end) return true;
    }
    return native.count == 0 || native.cut;
  }

  void TellNew() const { lender_->TellNew(); }

  Copied RecordAt(size_t index, ThreadLog& log, KnownStacks* known, StackFrame* out) const {
    LentFrame frame;
    if (!lender_->Frame(stack_, index, &frame)) return Copied::kGone;
    *out = {0, frame.instruction};
    if (frame.code == 0) return Copied::kWhole;  // nobody will know more of it
    out->code = known->codes.Find(frame.fingerprint, known->epoch);
    if (out->code != 0) return Copied::kWhole;
    uint32_t first_line;
    const size_t bytes = lender_->Code(stack_, frame, known->scratch, &first_line);
    if (bytes == 0) return Copied::kGone;
    out->code = DefineCode(log, known, frame.fingerprint, first_line, bytes);
    return out->code == 0 ? Copied::kInPart : Copied::kWhole;
  }

 private:
  const LentFrames* lender_ = nullptr;
  LentStack stack_;
};

// Returns how many frames it wrote to `out`: all of them, or none if they were gone before.
size_t RecordLent(const LentPart& lent, ThreadLog& log, KnownStacks* known, StackFrame* out,
                  bool* whole) {
  const size_t count = lent.stack().count;
  for (size_t i = 0; i < count; ++i) {
    const Copied copied = lent.RecordAt(i, log, known, out + i);
    *whole = *whole && copied == Copied::kWhole;
    if (copied == Copied::kGone) return 0;
  }
  return count;
}

// `*whole`: all its code could be recorded.
uint32_t Record(const PythonPart& part, const NativeStack& native, const LentPart& lent,
                ThreadLog& log, KnownStacks* known, bool* whole) {
  const MixedStack stack = MixFrames(part, native, known->mixed);
  *whole = true;
  for (size_t i = 0; i < stack.count; ++i) {
    const auto& [python, frame] = known->mixed[i];
    known->recorded[i] = python == nullptr ? RecordNative(log, known, *frame, whole)
                                           : RecordPython(*part.python, log, known, *python, whole);
  }
  const size_t borrowed =
      lent.IsFor(native) ? RecordLent(lent, log, known, known->recorded + stack.count, whole) : 0;
  const size_t count = stack.count + borrowed;
  // The thread may have been given another stream meanwhile, in which nothing of this is defined.
  if (count == 0 || known->stream != log.stream) return 0;
  const bool cut = borrowed == 0 ? stack.cut : lent.stack().cut;
  const auto flags =
      static_cast<uint16_t>((cut ? kStackCut : 0) | (borrowed == 0 ? 0 : kStackLent));
  const uint32_t id = known->next_stack + 1;
  if (!EmitText(log, RecordKind::kStack, id, borrowed, 0, flags, known->recorded,
                count * sizeof(StackFrame))) {
    CountLoss(kLoss_definition);
    return 0;
  }
  known->next_stack = id;
  if (borrowed != 0) lent.TellNew();
  return id;
}

}  // namespace

uint32_t StackId(const Wanted& wanted, const Standing& standing, ThreadLog& log, Walked* walked) {
  *walked = Walked::kWhole;
  KnownStacks* known = KnownOf(log);
  if (known == nullptr) {
    CountLoss(kLoss_definition);
    return 0;
  }
  PythonPart part;
  LentPart lent;
  uint64_t key = 0;
  if (wanted.python != nullptr) {
    *walked = WalkPython(*wanted.python, known->frames, wanted.depth, &part.count, &key);
    if (*walked == Walked::kWrong) part.count = key = 0;
    part = {wanted.python, known->frames, part.count, *walked == Walked::kCut};
    if (part.count == 0 && *walked == Walked::kWhole) lent = LentPart(wanted);
  }
  NativeStack native;
  if (wanted.native)
    native = known->native.Take(standing.registers, standing.slot, wanted.depth + kFramesOfOurs);
  if (part.count == 0 && native.count == 0 && lent.stack().count == 0) return 0;
  key += native.hash + (part.cut ? 1 : 0) + lent.stack().key;
  const uint32_t id = known->stacks.Find(key, known->epoch);
  if (__builtin_expect(id != 0, 1)) return id;
  bool whole;
  const uint32_t made = Record(part, native, lent, log, known, &whole);
  if (made != 0 && whole) known->stacks.Keep(key, known->epoch, made);
  return made;
}

}  // namespace syncline::stacks
