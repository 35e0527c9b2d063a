// SPDX-License-Identifier: Apache-2.0
// NCCL's NVTX ranges.
#include "tests/simulated_gpu/libraries/nccl/markers.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <map>
#include <mutex>

#include "tests/simulated_gpu/libraries/nccl/types.h"

namespace simgpu::nccl {
namespace {

using Entry = nvtxPayloadSchemaEntry_t;

constexpr uint64_t SchemaId(int number) {
  return NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + static_cast<uint64_t>(number);
}

Entry Field(uint64_t type, const char* name, size_t offset) {
  return Entry{0, type, name, nullptr, 0, offset, nullptr, nullptr};
}

// FIELD(struct, member, type of its entry, text)
#define FIELD(payload, member, type, text) Field(type, text, offsetof(payload, member))
#define COMMUNICATOR(payload) \
  FIELD(payload, communicator, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID")
#define BYTES(payload) FIELD(payload, bytes, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]")
#define INTEGER(payload, member, text) FIELD(payload, member, NVTX_PAYLOAD_ENTRY_TYPE_INT, text)
#define REDUCTION(payload) \
  FIELD(payload, reduction, SchemaId(kReductionSchema), "Reduction operation")
#define RANK(payload)                                                      \
  INTEGER(payload, ranks, "No. of ranks"), INTEGER(payload, rank, "Rank"), \
      INTEGER(payload, device, "CUDA device")

template <typename Payload>
std::vector<Entry> Entries();
template <>
std::vector<Entry> Entries<CommMarker>() {
  return {COMMUNICATOR(CommMarker), RANK(CommMarker)};
}
template <>
std::vector<Entry> Entries<DevicesMarker>() {
  return {COMMUNICATOR(DevicesMarker), INTEGER(DevicesMarker, devices, "No. of devices")};
}
template <>
std::vector<Entry> Entries<SplitMarker>() {
  return {COMMUNICATOR(SplitMarker),
          FIELD(SplitMarker, parent, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "Parent NCCL communicator ID"),
          RANK(SplitMarker), INTEGER(SplitMarker, color, "Color"),
          INTEGER(SplitMarker, key, "Key")};
}
template <>
std::vector<Entry> Entries<ShrinkMarker>() {
  return {COMMUNICATOR(ShrinkMarker), RANK(ShrinkMarker),
          INTEGER(ShrinkMarker, excluded, "num_exclude")};
}
template <>
std::vector<Entry> Entries<NumberMarker>() {
  return {COMMUNICATOR(NumberMarker)};
}
template <>
std::vector<Entry> Entries<MessageMarker>() {
  return {COMMUNICATOR(MessageMarker), BYTES(MessageMarker)};
}
template <>
std::vector<Entry> Entries<ReductionMarker>() {
  return {COMMUNICATOR(ReductionMarker), BYTES(ReductionMarker), REDUCTION(ReductionMarker)};
}
template <>
std::vector<Entry> Entries<RootMarker>() {
  return {COMMUNICATOR(RootMarker), BYTES(RootMarker), INTEGER(RootMarker, root, "Root")};
}
template <>
std::vector<Entry> Entries<RootReductionMarker>() {
  return {COMMUNICATOR(RootReductionMarker), BYTES(RootReductionMarker),
          INTEGER(RootReductionMarker, root, "Root"), REDUCTION(RootReductionMarker)};
}
template <>
std::vector<Entry> Entries<PeerMarker>() {
  return {COMMUNICATOR(PeerMarker), BYTES(PeerMarker), INTEGER(PeerMarker, peer, "Peer rank")};
}

nvtxDomainHandle_t Domain() {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  return domain;
}

nvtxStringHandle_t NameHandle(const char* function) {
  static auto& mutex = *new std::mutex;
  static auto& handles = *new std::map<const char*, nvtxStringHandle_t>;  // by literal
  std::lock_guard<std::mutex> lock(mutex);
  const auto [at, added] = handles.emplace(function, nullptr);
  if (added) at->second = nvtxDomainRegisterStringA(Domain(), function);
  return at->second;
}

void RegisterReductions() {
  static const nvtxPayloadEnum_t kNames[] = {{"Sum", kSum, 0},
                                             {"Product", kProd, 0},
                                             {"Max", kMax, 0},
                                             {"Min", kMin, 0},
                                             {"Avg", kAverage, 0}};
  nvtxPayloadEnumAttr_t attributes{};
  attributes.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                         NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                         NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
  attributes.entries = kNames;
  attributes.numEntries = std::size(kNames);
  attributes.sizeOfEnum = sizeof(int);
  attributes.schemaId = SchemaId(kReductionSchema);
  nvtxPayloadEnumRegister(Domain(), &attributes);
}

template <typename Payload>
void RegisterSchema(int number) {
  static const std::vector<Entry> entries = Entries<Payload>();
  nvtxPayloadSchemaAttr_t attributes{};
  attributes.fieldMask =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  attributes.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  attributes.entries = entries.data();
  attributes.numEntries = entries.size();
  attributes.payloadStaticSize = sizeof(Payload);
  attributes.schemaId = SchemaId(number);
  nvtxPayloadSchemaRegister(Domain(), &attributes);
}

void RegisterAll() {
  RegisterReductions();
#define SIMGPU_NCCL_REGISTER(number, call, payload) RegisterSchema<payload>(number);
  SIMGPU_NCCL_MARKED(SIMGPU_NCCL_REGISTER)
#undef SIMGPU_NCCL_REGISTER
}

}  // namespace

uint64_t Range::Schema(Marked call) {
  static std::once_flag once;
  std::call_once(once, RegisterAll);
  return SchemaId(static_cast<int>(call));
}

void Range::Push(const char* function, uint64_t schema, size_t bytes, const void* payload) {
  nvtxPayloadData_t data{schema, bytes, payload};
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = NameHandle(function);
  if (payload != nullptr) {
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = 1;  // payloads
    attributes.payload.ullValue = reinterpret_cast<uintptr_t>(&data);
  }
  nvtxDomainRangePushEx(Domain(), &attributes);
}

Range::~Range() {
  if (payload_.empty()) {
    nvtxDomainRangePop(Domain());
    return;
  }
  const nvtxPayloadData_t data{schema_, payload_.size(), payload_.data()};
  nvtxRangePopPayload(Domain(), &data, 1);
}

}  // namespace simgpu::nccl
