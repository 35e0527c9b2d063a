// SPDX-License-Identifier: Apache-2.0
// What the tests of schemas and of payloads share.
#pragma once

#include <vector>

#include "collectors/nvtx/test_client.h"

namespace syncline::test {

inline constexpr uint64_t kFixed = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
inline constexpr uint64_t kStatic = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START;

class Payload : public NvtxTest {
 protected:
  void SetUp() override {
    NvtxTest::SetUp();
    domain_ = nvtxDomainCreateA("payloads");
  }

  uint64_t Register(std::vector<nvtxPayloadSchemaEntry_t> entries,
                    uint64_t type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, uint64_t id = 0,
                    size_t static_size = 0, size_t pack = 0) {
    nvtxPayloadSchemaAttr_t attributes = {};
    attributes.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
    attributes.name = "schema";
    attributes.type = type;
    attributes.entries = entries.data();
    attributes.numEntries = entries.size();
    attributes.payloadStaticSize = static_size;
    attributes.packAlign = pack;
    attributes.schemaId = id;
    return nvtxPayloadSchemaRegister(domain_, &attributes);
  }

  void Mark(uint64_t schema, const void* payload, size_t bytes) {
    const nvtxPayloadData_t data = {schema, bytes, payload};
    Mark(&data, 1);
  }
  void Mark(const nvtxPayloadData_t* data, int count) {
    nvtxEventAttributes_t attributes = Attributes("mark");
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = count;
    attributes.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(data);
    nvtxDomainMarkEx(domain_, &attributes);
  }

  // The schema that a payload of `bytes` zeros of it is recorded with.
  TraceSchema Recorded(uint64_t id, size_t bytes) {
    const std::vector<char> zeros(bytes);
    Mark(id, zeros.data(), zeros.size());
    const Trace trace = ReadTrace();
    EXPECT_FALSE(trace.events.empty());
    if (trace.events.empty() || trace.events.back().payloads.empty()) return {};
    return trace.events.back().payloads[0].schema;
  }

  std::vector<uint64_t> Offsets(const TraceSchema& schema) {
    std::vector<uint64_t> offsets;
    for (const SchemaEntry& entry : schema.entries) offsets.push_back(entry.offset);
    return offsets;
  }

  nvtxDomainHandle_t domain_ = nullptr;
};

}  // namespace syncline::test
