// SPDX-License-Identifier: Apache-2.0
// DWARF 5, 6.4 (https://dwarfstd.org/doc/DWARF5.pdf), as .eh_frame has it: LSB 5.0 Core, 10.6
// (https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html).
#include "collectors/stacks/frame_rules.h"

namespace syncline::stacks {
namespace {

// Encodings of pointers (LSB 5.0 Core, 10.5.1).
constexpr uint8_t kOmitted = 0xff, kFromHere = 0x10, kApplication = 0x70, kFormat = 0x0f;
constexpr uint8_t kSearchTable = 0x3b;  // signed 4 bytes from the index's begin: what linkers write
constexpr uint8_t kCount = 0x03;        // unsigned 4 bytes

constexpr int kMostKept = 2;  // DW_CFA_remember_state: compilers nest it once
constexpr uint32_t kLongEntry = 0xffffffff;

// What is common to functions: a CIE.
struct Common {
  uint64_t code_unit = 1;
  int64_t data_unit = 1;
  uint8_t pointers = 0;  // encoding of an FDE's
  bool has_extra = false;
  bool is_signal = false;
  FrameBytes program;
};

uint64_t TakePointer(FrameBytes* bytes, uint8_t encoding) {
  const uint64_t here = bytes->at();
  uint64_t value = 0;
  switch (encoding & kFormat) {
    case 0x00:
    case 0x04:
    case 0x0c:
      value = bytes->Take<uint64_t>();
      break;
    case 0x01:
      value = bytes->TakeUleb();
      break;
    case 0x02:
      value = bytes->Take<uint16_t>();
      break;
    case 0x03:
      value = bytes->Take<uint32_t>();
      break;
    case 0x09:
      value = static_cast<uint64_t>(bytes->TakeSleb());
      break;
    case 0x0a:
      value = static_cast<uint64_t>(int64_t{bytes->Take<int16_t>()});
      break;
    case 0x0b:
      value = static_cast<uint64_t>(int64_t{bytes->Take<int32_t>()});
      break;
    default:
      bytes->Fail();
  }
  const uint8_t application = encoding & kApplication;
  if (application == kFromHere) return here + value;
  if (application != 0) bytes->Fail();
  return value;
}

// Longer ones are damage, which would take long to read.
constexpr uint64_t kLongestEntry = 256 << 10;

// The bytes of an entry behind its length. `bytes` stands behind it then.
FrameBytes TakeEntry(FrameBytes* bytes) {
  uint64_t length = bytes->Take<uint32_t>();
  if (length == kLongEntry) length = bytes->Take<uint64_t>();
  if (length > kLongestEntry) bytes->Fail();
  return bytes->TakeBlock(length);
}

bool ReadCommon(FrameBytes entry, Common* common) {
  if (entry.Take<uint32_t>() != 0) return false;  // no CIE
  const auto version = entry.Take<uint8_t>();
  FrameBytes augmentation = entry;
  while (entry.Take<uint8_t>() != 0) continue;
  if (entry.failed()) return false;
  common->code_unit = entry.TakeUleb();
  common->data_unit = entry.TakeSleb();
  if (version == 1) {
    entry.Take<uint8_t>();
  } else {
    entry.TakeUleb();
  }
  char letter = augmentation.Take<char>();
  if (letter == 'z') {
    common->has_extra = true;
    FrameBytes extra = entry.TakeBlock(entry.TakeUleb());
    while ((letter = augmentation.Take<char>()) != '\0') {
      if (letter == 'R') {
        common->pointers = extra.Take<uint8_t>();
      } else if (letter == 'P') {
        const auto encoding = extra.Take<uint8_t>();
        if (encoding != kOmitted) TakePointer(&extra, encoding & kFormat);
      } else if (letter == 'L') {
        extra.Take<uint8_t>();
      } else if (letter == 'S') {
        common->is_signal = true;
      } else {
        return false;
      }
    }
    if (extra.failed()) return false;
  } else if (letter != '\0') {
    return false;
  }
  common->program = entry;
  return !entry.failed();
}

// Runs call frame instructions up to an address.
class RuleReader {
 public:
  RuleReader(const Common& common, uintptr_t address, FrameRules* rules)
      : common_(common), address_(address), rules_(rules), at_(rules->function), initial_(*rules) {}

  bool Run(FrameBytes program) {
    while (!program.AtEnd() && at_ <= address_) {
      if (!Step(&program)) return false;
    }
    return !program.failed();
  }
  void BeginOwn() { initial_ = *rules_; }

 private:
  // Past the address, the rules so far hold for it.
  bool Advance(uint64_t units) {
    at_ += units * common_.code_unit;
    return true;
  }
  bool Set(uint64_t reg, Rule rule) {
    if (reg < kRegisters) rules_->of[reg] = rule;
    return true;
  }
  bool SetFrame(uint64_t reg, int64_t offset) {
    if (reg >= kRegisters) return false;
    rules_->frame_register = static_cast<unsigned>(reg);
    rules_->frame = {How::kIsOffset, offset};
    return true;
  }
  int64_t Scaled(uint64_t offset) const {
    return static_cast<int64_t>(offset * static_cast<uint64_t>(common_.data_unit));
  }
  static Rule TakeExpression(FrameBytes* program, How how) {
    const Rule rule = {how, static_cast<int64_t>(program->at())};
    program->TakeBlock(program->TakeUleb());
    return rule;
  }
  bool Keep() {
    if (kept_count_ == kMostKept) return false;
    kept_[kept_count_++] = *rules_;
    return true;
  }
  bool Restore() {
    if (kept_count_ == 0) return false;
    *rules_ = kept_[--kept_count_];
    return true;
  }

  bool Step(FrameBytes* program) {
    const auto instruction = program->Take<uint8_t>();
    const uint8_t operand = instruction & 0x3f;
    switch (instruction & 0xc0) {
      case 0x40:  // DW_CFA_advance_loc
        return Advance(operand);
      case 0x80:  // DW_CFA_offset
        return Set(operand, {How::kAtOffset, Scaled(program->TakeUleb())});
      case 0xc0:  // DW_CFA_restore
        return Set(operand, operand < kRegisters ? initial_.of[operand] : Rule());
      default:
        return StepExtended(instruction, program);
    }
  }

  bool StepExtended(uint8_t instruction, FrameBytes* program) {
    switch (instruction) {
      case 0x00:  // DW_CFA_nop
        return true;
      case 0x01:  // DW_CFA_set_loc
        at_ = TakePointer(program, common_.pointers);
        return true;
      case 0x02:  // DW_CFA_advance_loc1, 2, 4
        return Advance(program->Take<uint8_t>());
      case 0x03:
        return Advance(program->Take<uint16_t>());
      case 0x04:
        return Advance(program->Take<uint32_t>());
      case 0x0a:  // DW_CFA_remember_state
        return Keep();
      case 0x0b:  // DW_CFA_restore_state
        return Restore();
      case 0x0d:  // DW_CFA_def_cfa_register
        return SetFrame(program->TakeUleb(), rules_->frame.value);
      case 0x0e:  // DW_CFA_def_cfa_offset
        return SetFrame(rules_->frame_register, static_cast<int64_t>(program->TakeUleb()));
      case 0x0f:  // DW_CFA_def_cfa_expression
        rules_->frame = TakeExpression(program, How::kIsExpression);
        return true;
      case 0x13:  // DW_CFA_def_cfa_offset_sf
        return SetFrame(rules_->frame_register, Scaled(static_cast<uint64_t>(program->TakeSleb())));
      case 0x2e:  // DW_CFA_GNU_args_size
        program->TakeUleb();
        return true;
      default:
        return StepOfRegister(instruction, program->TakeUleb(), program);
    }
  }

  bool StepOfRegister(uint8_t instruction, uint64_t reg, FrameBytes* program) {
    switch (instruction) {
      case 0x05:  // DW_CFA_offset_extended
        return Set(reg, {How::kAtOffset, Scaled(program->TakeUleb())});
      case 0x06:  // DW_CFA_restore_extended
        return Set(reg, reg < kRegisters ? initial_.of[reg] : Rule{});
      case 0x07:  // DW_CFA_undefined
        return Set(reg, {How::kLost, 0});
      case 0x08:  // DW_CFA_same_value
        return Set(reg, {});
      case 0x09:  // DW_CFA_register
        return Set(reg, {How::kInRegister, static_cast<int64_t>(program->TakeUleb())});
      case 0x0c:  // DW_CFA_def_cfa
        return SetFrame(reg, static_cast<int64_t>(program->TakeUleb()));
      case 0x10:  // DW_CFA_expression
        return Set(reg, TakeExpression(program, How::kAtExpression));
      case 0x11:  // DW_CFA_offset_extended_sf
        return Set(reg, {How::kAtOffset, Scaled(static_cast<uint64_t>(program->TakeSleb()))});
      case 0x12:  // DW_CFA_def_cfa_sf
        return SetFrame(reg, Scaled(static_cast<uint64_t>(program->TakeSleb())));
      case 0x14:  // DW_CFA_val_offset
        return Set(reg, {How::kIsOffset, Scaled(program->TakeUleb())});
      case 0x15:  // DW_CFA_val_offset_sf
        return Set(reg, {How::kIsOffset, Scaled(static_cast<uint64_t>(program->TakeSleb()))});
      case 0x16:  // DW_CFA_val_expression
        return Set(reg, TakeExpression(program, How::kIsExpression));
      case 0x2f:  // DW_CFA_GNU_negative_offset_extended
        return Set(reg, {How::kAtOffset, Scaled(uint64_t{0} - program->TakeUleb())});
      default:
        return false;
    }
  }

  const Common& common_;
  const uintptr_t address_;
  FrameRules* rules_;
  uintptr_t at_;
  FrameRules initial_;  // zeros until the function's own program begins
  FrameRules kept_[kMostKept];
  int kept_count_ = 0;
};

// Where the FDE is of the last function that begins at or before the address. 0: none, or the index
// is not as linkers write it.
uint64_t EntryOf(const LoadedModule& module, uintptr_t address, ForeignMemory* memory) {
  FrameBytes index(memory, module.frame_index, module.end);
  const auto version = index.Take<uint8_t>();
  const auto frames = index.Take<uint8_t>();
  if (version != 1 || index.Take<uint8_t>() != kCount || index.Take<uint8_t>() != kSearchTable)
    return 0;
  TakePointer(&index, frames);
  const auto count = index.Take<uint32_t>();
  struct Row {
    int32_t function, entry;
  };
  const FrameBytes rows = index.TakeBlock(count * uint64_t{sizeof(Row)});
  if (count == 0 || index.failed()) return 0;
  const auto target = static_cast<int64_t>(address - module.frame_index);
  Row row;
  const auto read = [&](size_t i) { return memory->Read(rows.at() + i * sizeof(Row), &row); };
  size_t low = 0, high = count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (!read(middle)) return 0;
    (row.function <= target ? low : high) = middle;
  }
  if (!read(low) || row.function > target) return 0;
  return module.frame_index + static_cast<uint64_t>(int64_t{row.entry});
}

}  // namespace

bool RulesAt(const LoadedModule& module, uintptr_t address, ForeignMemory* memory,
             FrameRules* rules) {
  if (module.frame_index == 0) return false;
  const uint64_t at = EntryOf(module, address, memory);
  if (at < module.begin || at >= module.end) return false;
  FrameBytes rest(memory, at, module.end);
  FrameBytes entry = TakeEntry(&rest);
  const uint64_t from = entry.at();
  const auto back = entry.Take<uint32_t>();
  if (entry.failed() || back == 0 || back > from - module.begin) return false;
  FrameBytes before(memory, from - back, module.end);
  Common common;
  if (!ReadCommon(TakeEntry(&before), &common)) return false;
  *rules = FrameRules();
  rules->function = TakePointer(&entry, common.pointers);
  const uint64_t bytes = TakePointer(&entry, common.pointers & kFormat);
  rules->function_end = rules->function + bytes;
  rules->is_signal = common.is_signal;
  if (entry.failed() || address - rules->function >= bytes) return false;
  if (common.has_extra) entry.TakeBlock(entry.TakeUleb());
  RuleReader reader(common, address, rules);
  if (!reader.Run(common.program)) return false;
  reader.BeginOwn();
  return reader.Run(entry) && !entry.failed();
}

}  // namespace syncline::stacks
