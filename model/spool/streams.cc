// SPDX-License-Identifier: Apache-2.0
// Tables of one stream, each bounded, since what fills them is hostile.
#include "model/spool/streams.h"

#include <algorithm>
#include <cstring>

namespace syncline {
namespace {

constexpr uint64_t kMaxPendingPayloads = 8192;
constexpr uint64_t kMaxPendingBytes = 32 << 20;
constexpr uint64_t kMaxSchemaBytes = 16 << 20;
constexpr size_t kMaxCallNumbers = 1 << 14;

}  // namespace

uint16_t Stream::CallNumber(uint32_t name) const {
  const auto found = call_numbers_.find(name);
  return found == call_numbers_.end() ? 0 : found->second;
}

void Stream::NumberCall(uint32_t name, uint16_t number) {
  if (call_numbers_.size() < kMaxCallNumbers) call_numbers_[name] = number;
}

const DomainEntry* Stream::Domain(uint16_t domain) const {
  static const DomainEntry kDefault{true, 0, ""};
  if (domain < domains_.size() && domains_[domain].defined) return &domains_[domain];
  return domain == 0 ? &kDefault : nullptr;
}

const PayloadSchema* Stream::Schema(uint32_t schema) const {
  auto found = schemas_.find(schema);
  return found == schemas_.end() ? nullptr : &found->second;
}

const PayloadSchema* Stream::SchemaByKey(uint16_t domain, uint64_t key) const {
  // Numbers that a program chose are unique in a domain; those that were given to it, in the
  // process.
  constexpr uint64_t kFirstChosen = uint64_t{1} << 24;
  constexpr uint64_t kFirstGiven = uint64_t{1} << 32;
  if (key < kFirstChosen || key >= kFirstGiven) {
    const auto given = schema_given_ids_.find(key);
    return given == schema_given_ids_.end() ? nullptr : Schema(given->second);
  }
  const auto chosen = schema_ids_.find({key, domain});
  return chosen == schema_ids_.end() ? nullptr : Schema(chosen->second);
}

bool Stream::DefineDomain(uint32_t domain, uint64_t key, std::string_view name, uint16_t marks) {
  if (domain > UINT16_MAX || name.size() > UINT16_MAX) return false;
  if (domain >= domains_.size()) domains_.resize(domain + 1);
  domains_[domain] = {true, key, std::string(name), marks};
  marks_ |= marks;
  return true;
}

bool Stream::DefineSchema(uint32_t schema, PayloadSchema value) {
  const auto cost = [](const PayloadSchema& of) {
    return sizeof(PayloadSchema) + of.entries.size() * sizeof(PayloadSchema::Entry);
  };
  // A thread that forgot having defined a schema defines it again.
  const auto known = schemas_.find(schema);
  const uint64_t before = known == schemas_.end() ? 0 : cost(known->second);
  if (schema == 0 || schema_bytes_ - before + cost(value) > kMaxSchemaBytes) return false;
  schema_bytes_ += cost(value) - before;
  schema_ids_[{value.key, value.domain}] = schema;
  schema_given_ids_[value.key] = schema;
  schemas_[schema] = std::move(value);
  return true;
}

bool Stream::DefineCode(const TextRecord& record, std::string_view bytes, CodeStacks* all) {
  const PythonCode* code = all->Code(static_cast<uint32_t>(record.key), bytes);
  if (code == nullptr && !all->full()) return false;
  codes_[record.head.id] = code;
  return true;
}

bool Stream::DefineModule(const TextRecord& record, std::string_view bytes, CodeStacks* all) {
  if (record.head.id == 0 || record.head.id > kMostModules) return false;
  const NativeModule* module = all->Module(record.type, bytes, record.key);
  if (module == nullptr && !all->full()) return false;
  modules_[record.head.id] = module;
  return true;
}

bool Stream::FindPlace(const StackFrame& frame, const CodeStacks& all,
                       CodeStacks::Place* place) const {
  if (!IsNative(frame)) {
    const auto code = codes_.find(frame.code);
    if (code == codes_.end()) return true;
    *place = {.code = code->second, .instruction = frame.instruction};
    return code->second != nullptr;
  }
  if (ModuleOf(frame) == 0) {
    *place = {.module = all.NoModule(), .address = AddressOf(frame)};
    return true;
  }
  const auto module = modules_.find(ModuleOf(frame));
  if (module == modules_.end()) return true;
  *place = {.module = module->second, .address = AddressOf(frame)};
  return module->second != nullptr;
}

bool Stream::DefineStack(const TextRecord& record, std::string_view bytes, CodeStacks* all) {
  if (bytes.empty() || bytes.size() % sizeof(StackFrame) != 0 ||
      bytes.size() / sizeof(StackFrame) > kMostStackFrames)
    return false;
  std::vector<CodeStacks::Place> places(bytes.size() / sizeof(StackFrame));
  const CodeStack*& stack = stacks_[record.head.id];
  stack = nullptr;
  for (size_t i = 0; i < places.size(); ++i) {
    StackFrame frame;
    std::memcpy(&frame, bytes.data() + i * sizeof(frame), sizeof(frame));
    if (!FindPlace(frame, *all, &places[i])) return true;
  }
  const uint64_t lent = (record.type & kStackLent) == 0 ? 0 : record.key;
  stack =
      all->Stack(places, (record.type & kStackCut) != 0, std::min<uint64_t>(lent, places.size()));
  return true;
}

void Stream::UseStack(uint32_t stack) {
  const auto found = stack == 0 ? stacks_.end() : stacks_.find(stack);
  stack_ = found == stacks_.end() ? nullptr : found->second;
  stack_left_out_ = found != stacks_.end() && stack_ == nullptr;
}

bool Stream::AddPayload(ExtendedPayload payload) {
  if (payload.bytes.size() > kMaxPendingBytes) return false;
  payload_bytes_ += payload.bytes.size();
  payloads_.push_back(std::move(payload));
  // A range that was lost in a full ring leaves its payload behind: the oldest go.
  while (payloads_.size() > kMaxPendingPayloads || payload_bytes_ > kMaxPendingBytes) {
    payload_bytes_ -= payloads_.front().bytes.size();
    payloads_.pop_front();
  }
  return true;
}

void Stream::TakePayloads(uint64_t begin, Payloads* out) {
  out->clear();
  // From the back: a range's payloads are usually the last ones that came.
  for (size_t i = payloads_.size(); i-- > 0;) {
    if (payloads_[i].begin != begin) continue;
    payload_bytes_ -= payloads_[i].bytes.size();
    out->push_back(std::move(payloads_[i]));
    payloads_.erase(payloads_.begin() + static_cast<std::ptrdiff_t>(i));
    if (i == 0 || payloads_[i - 1].begin != begin) break;
  }
  std::reverse(out->begin(), out->end());
}

bool ParseSchema(uint16_t kind, std::string_view bytes, PayloadSchema* out) {
  SchemaHead head;
  if (kind < kStructSchema || kind > kEnumSchema || bytes.size() < sizeof(head)) return false;
  std::memcpy(&head, bytes.data(), sizeof(head));
  bytes.remove_prefix(sizeof(head));
  if (head.entries > bytes.size() / sizeof(SchemaEntry)) return false;
  std::string_view names = bytes.substr(head.entries * sizeof(SchemaEntry));
  if (head.name_bytes > names.size()) return false;
  out->kind = kind;
  out->flags = head.flags;
  out->size = head.size;
  out->name = names.substr(0, head.name_bytes);
  names.remove_prefix(head.name_bytes);
  out->entries.resize(head.entries);
  for (uint32_t i = 0; i < head.entries; ++i) {
    PayloadSchema::Entry& entry = out->entries[i];
    std::memcpy(&entry.raw, bytes.data() + i * sizeof(SchemaEntry), sizeof(SchemaEntry));
    if (entry.raw.name_bytes > names.size()) return false;
    entry.name = names.substr(0, entry.raw.name_bytes);
    names.remove_prefix(entry.raw.name_bytes);
  }
  return true;
}

}  // namespace syncline
