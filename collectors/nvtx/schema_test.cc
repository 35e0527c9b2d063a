// SPDX-License-Identifier: Apache-2.0
// Payload schemas: layout by NVTX's alignment rules, nesting, ids, definitions in each stream,
// misuse.
#include <cstddef>
#include <thread>

#include "collectors/nvtx/test_payload.h"

namespace syncline::test {
namespace {

using Schema = Payload;

TEST_F(Schema, FindsOffsetsByNaturalAlignment) {
  struct Natural {
    uint8_t a;
    int32_t b;
    uint8_t c;
    double d;
    uint16_t e[3];
    long double f;
    char g[5];
    void* h;
  };
  const uint64_t id =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "b", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "c", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "d", nullptr, 0, 0, nullptr, nullptr},
                {kFixed, NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "e", nullptr, 3, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE, "f", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "g", nullptr, 5, 0, nullptr, nullptr},
                {NVTX_PAYLOAD_ENTRY_FLAG_POINTER, NVTX_PAYLOAD_ENTRY_TYPE_INT, "h", nullptr, 0, 0,
                 nullptr, nullptr}});
  const TraceSchema schema = Recorded(id, sizeof(Natural));
  EXPECT_EQ(Offsets(schema),
            (std::vector<uint64_t>{offsetof(Natural, a), offsetof(Natural, b), offsetof(Natural, c),
                                   offsetof(Natural, d), offsetof(Natural, e), offsetof(Natural, f),
                                   offsetof(Natural, g), offsetof(Natural, h)}));
  EXPECT_EQ(schema.size, sizeof(Natural));
}

TEST_F(Schema, HonoursPackingAndGivenOffsets) {
  const uint64_t packed =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "b", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "c", nullptr, 0, 0, nullptr, nullptr}},
               NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, 0, 1);
  const TraceSchema packed_schema = Recorded(packed, 64);
  EXPECT_EQ(Offsets(packed_schema), (std::vector<uint64_t>{0, 1, 9}));
  EXPECT_EQ(packed_schema.size, 11u);
  const uint64_t given =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a", nullptr, 0, 4, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "b", nullptr, 0, 24, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "c", nullptr, 0, 0, nullptr, nullptr}},
               NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, 100);
  const TraceSchema given_schema = Recorded(given, 100);
  EXPECT_EQ(Offsets(given_schema), (std::vector<uint64_t>{4, 24, 32}));
  EXPECT_EQ(given_schema.size, 100u);
}

TEST_F(Schema, LaysOutNestedSchemasUnionsAndDynamicOnes) {
  const uint64_t inner =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "x", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "y", nullptr, 0, 0, nullptr, nullptr}});
  const uint64_t either =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "i", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "d", nullptr, 0, 0, nullptr, nullptr}},
               NVTX_PAYLOAD_SCHEMA_TYPE_UNION);
  const uint64_t outer =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a", nullptr, 0, 0, nullptr, nullptr},
                {kFixed, inner, "two", nullptr, 2, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "which", nullptr, 0, 0, nullptr, nullptr},
                {0, either, "either", nullptr, 2, 0, nullptr, nullptr}});
  const TraceSchema schema = Recorded(outer, 64);
  EXPECT_EQ(Offsets(schema), (std::vector<uint64_t>{0, 8, 40, 48}));
  EXPECT_EQ(schema.size, 56u);
  const TraceSchema union_schema = Recorded(either, 8);
  EXPECT_EQ(union_schema.kind, kUnionSchema);
  EXPECT_EQ(Offsets(union_schema), (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(union_schema.size, 8u);

  const uint64_t text = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED;
  const uint64_t dynamic =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "n", nullptr, 0, 0, nullptr, nullptr},
                {text, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "after", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "fixed", nullptr, 0, 128, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "again", nullptr, 0, 0, nullptr, nullptr}},
               NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC);
  EXPECT_EQ(Offsets(Recorded(dynamic, 200)),
            (std::vector<uint64_t>{0, 4, kFollowsPrevious, 128, 136}));
}

TEST_F(Schema, SurvivesSchemasThatNameEachOther) {
  const uint64_t a = Register({{0, kStatic + 101, "b", nullptr, 0, 0, nullptr, nullptr}},
                              NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, kStatic + 100);
  Register({{0, kStatic + 100, "a", nullptr, 0, 0, nullptr, nullptr}},
           NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, kStatic + 101);
  const uint64_t self = Register({{0, kStatic + 102, "self", nullptr, 0, 0, nullptr, nullptr}},
                                 NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, kStatic + 102);
  const int value = 1;
  Mark(a, &value, sizeof(value));
  Mark(self, &value, sizeof(value));
  EXPECT_EQ(ReadTrace().events.size(), 2u);
  ResetSession();  // what names itself in a circle cannot be defined before itself
}

TEST_F(Schema, RefusesBadSchemas) {
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, nullptr), 0u);
  EXPECT_EQ(nvtxPayloadEnumRegister(domain_, nullptr), 0u);
  nvtxPayloadSchemaAttr_t attributes = {};
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, &attributes), 0u);
  attributes.fieldMask =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  attributes.numEntries = 1;
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, &attributes), 0u);
  const nvtxPayloadSchemaEntry_t entry = {};
  attributes.entries = &entry;
  attributes.numEntries = size_t{1} << 60;
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, &attributes), 0u);
  EXPECT_EQ(Losses(kLoss_bad_payload), 5u);
}

TEST_F(Schema, KeepsStaticIdsOfDomainsApart) {
  nvtxDomainHandle_t first = domain_;
  const uint64_t id = kStatic + 200;
  Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "of the first", nullptr, 0, 0, nullptr, nullptr}},
           NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, id);
  domain_ = nvtxDomainCreateA("second");
  Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "of the second", nullptr, 0, 0, nullptr, nullptr}},
           NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, id);
  EXPECT_EQ(Recorded(id, 8).entry_names[0], "of the second");
  domain_ = first;
  EXPECT_EQ(Recorded(id, 8).entry_names[0], "of the first");
}

TEST_F(Schema, DefinesSchemasInEachStream) {
  const uint64_t id =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "a", nullptr, 0, 0, nullptr, nullptr}});
  const int value = 7;
  Mark(id, &value, sizeof(value));
  std::thread([&] { Mark(id, &value, sizeof(value)); }).join();
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[1].payloads[0].schema.entry_names[0], "a");
  EXPECT_EQ(trace.definitions, 6);  // domain, name and schema in both
}

}  // namespace
}  // namespace syncline::test
