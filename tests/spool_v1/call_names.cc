// SPDX-License-Identifier: Apache-2.0
// The first pass over a spool: names, and the calls that bear them.
#include "tests/spool_v1/call_names.h"

#include <cstddef>

#include "collectors/cuda/calls.h"
#include "tests/spool_v1/spool_v1.h"

namespace syncline::spool_v1 {
namespace {

uint8_t RoleOfName(const std::string& text) {
  const char* start = text.c_str();
  const size_t bytes = cuda::PlainName(&start);
  return cuda::FactsOf(start, bytes).role;
}

}  // namespace

CallNames::CallNames(std::vector<char>* file, const Blocks& blocks) {
  RecordWalk walk;
  for (const Block& block : blocks.whole) {
    if (block.head.version != kSpoolVersion || block.is_copy) continue;
    char* payload = file->data() + block.PayloadOffset();
    const uint32_t bytes = block.head.bytes;
    if (block.head.type == static_cast<uint16_t>(BlockType::kRecords)) {
      walk.Block(block.head.ring, payload, bytes,
                 [this](uint64_t stream, const char* record, uint64_t length) {
                   OnRecord(stream, record, length);
                 });
    } else if (block.head.type == static_cast<uint16_t>(BlockType::kOpenCall) &&
               bytes == sizeof(SpoolOpenCall)) {
      OnCall(Load<SpoolOpenCall>(payload).stream, payload + offsetof(SpoolOpenCall, call));
    }
  }
  for (auto& [id, name] : names_) name.role = RoleOfName(name.text);
}

void CallNames::OnRecord(uint64_t stream, const char* record, uint64_t bytes) {
  const auto kind = static_cast<RecordKind>(Load<RecordHead>(record).kind);
  if (kind == RecordKind::kCall) return OnCall(stream, record);
  if (kind != RecordKind::kName) return;
  const auto text = Load<TextRecord>(record);
  if (text.bytes > bytes - sizeof(text)) return;
  names_[{stream, text.head.id}].text.assign(record + sizeof(text), text.bytes);
}

void CallNames::OnCall(uint64_t stream, const char* record) {
  const auto call = Load<CallRecord>(record);
  if (call.head.id == 0) return;
  Name& name = names_[{stream, call.head.id}];
  if (!name.has_call) name.number = call.callback;
  name.has_call = true;
}

const CallNames::Name* CallNames::Find(uint64_t stream, uint32_t name) const {
  const auto found = names_.find({stream, name});
  return found == names_.end() ? nullptr : &found->second;
}

uint16_t CallNames::NumberOf(uint64_t stream, uint32_t name) const {
  const Name* found = Find(stream, name);
  return found == nullptr ? 0 : found->number;
}

uint8_t CallNames::RoleOf(uint64_t stream, uint32_t name) const {
  const Name* found = Find(stream, name);
  return found == nullptr ? 0 : found->role;
}

}  // namespace syncline::spool_v1
