// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: tables of any contents, with a page that cannot be read among them, lead to
// rules or to none, and their expressions end. The input's first 16 bytes say which instruction is
// looked for and what registers hold; the rest are the tables, whose index is a good one of one row
// unless the input says otherwise.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "collectors/stacks/frame_expression.h"
#include "collectors/stacks/frame_rules.h"

namespace {

using namespace syncline::stacks;

constexpr size_t kPage = 4096;
constexpr size_t kBytes = 8 * kPage;

struct Choice {
  uint16_t instruction;  // from the tables' begin on
  uint8_t gone;          // this page, if there is one
  bool good_index;
  uint16_t entry;  // where the index leads to
  uint16_t spare;
  uint64_t registers;
};

char* Tables() {
  static char* const tables = static_cast<char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return tables;
}

// One row, of a function that begins where the tables do.
void WriteIndex(char* to, uint16_t entry) {
  const uint8_t head[] = {1, 0x03, 0x03, 0x3b};
  const int32_t words[] = {0, 1, 0, entry};
  std::memcpy(to, head, sizeof(head));
  std::memcpy(to + sizeof(head), words, sizeof(words));
}

void EvaluateAll(const FrameRules& rules, const LoadedModule& module, const uint64_t* registers,
                 StackMemory* memory) {
  const uint64_t frame = registers[kRsp];
  const auto evaluate = [&](const Rule& rule, const uint64_t* first) {
    uint64_t value;
    if (rule.how == How::kAtExpression || rule.how == How::kIsExpression)
      Evaluate(static_cast<uint64_t>(rule.value), module.end, registers, first, memory, &value);
  };
  evaluate(rules.frame, nullptr);
  for (const Rule& rule : rules.of) evaluate(rule, &frame);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choice choice;
  if (size < sizeof(choice)) return 0;
  std::memcpy(&choice, data, sizeof(uint16_t) + sizeof(uint8_t));
  choice.good_index = (data[3] & 1) == 0;
  std::memcpy(&choice.entry, data + 4, sizeof(choice.entry));
  std::memcpy(&choice.registers, data + 8, sizeof(choice.registers));
  data += sizeof(choice);
  size = std::min(size - sizeof(choice), kBytes);

  char* tables = Tables();
  mprotect(tables, kBytes, PROT_READ | PROT_WRITE);
  std::memset(tables, 0, kBytes);
  std::memcpy(tables, data, size);
  if (choice.good_index) WriteIndex(tables, choice.entry);
  if (choice.gone < kBytes / kPage) mprotect(tables + choice.gone * kPage, kPage, PROT_NONE);

  const auto begin = reinterpret_cast<uintptr_t>(tables);
  const LoadedModule module = {begin, begin + kBytes, begin};
  static StackMemory memory;
  memory.Begin({});
  uint64_t registers[kRegisters];
  for (uint64_t& value : registers) value = begin + choice.registers % kBytes;
  FrameRules rules;
  if (!RulesAt(module, begin + choice.instruction, memory.foreign(), &rules)) return 0;
  if (begin + choice.instruction - rules.function >= rules.function_end - rules.function) abort();
  EvaluateAll(rules, module, registers, &memory);
  return 0;
}
