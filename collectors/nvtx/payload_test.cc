// SPDX-License-Identifier: Apache-2.0
// Extended payloads as NCCL, the Python package and others send them, and the extension's own
// calls.
#include <cstddef>
#include <cstring>

#include "collectors/nvtx/test_payload.h"

namespace syncline::test {
namespace {

// NCCL's enumeration of reductions.
void RegisterReductions(nvtxDomainHandle_t domain) {
  const nvtxPayloadEnum_t operations[] = {{"Sum", 0, 0}, {"Product", 1, 0}};
  nvtxPayloadEnumAttr_t enumeration = {};
  enumeration.fieldMask =
      NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
      NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
  enumeration.entries = operations;
  enumeration.numEntries = 2;
  enumeration.sizeOfEnum = sizeof(int);
  enumeration.schemaId = kStatic + 11;
  EXPECT_EQ(nvtxPayloadEnumRegister(domain, &enumeration), kStatic + 11);
}

// As NCCL: static ids, a size that is stated and 0, an enumeration registered after the schema that
// names it.
TEST_F(Payload, RecordsWhatNcclSends) {
  struct AllReduce {
    uint64_t communicator;
    size_t bytes;
    int operation;
  };
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", nullptr, 0, 0, nullptr, nullptr},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", nullptr, 0, 0, nullptr, nullptr},
      {0, kStatic + 11, "Reduction operation", nullptr, 0, offsetof(AllReduce, operation), nullptr,
       nullptr}};
  nvtxPayloadSchemaAttr_t schema = {};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 3;
  schema.schemaId = kStatic + 5;
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, &schema), kStatic + 5);
  RegisterReductions(domain_);

  AllReduce payload = {0x1234, 1 << 20, 1};
  const nvtxPayloadData_t data = {kStatic + 5, sizeof(payload), &payload};
  nvtxEventAttributes_t attributes =
      Registered(nvtxDomainRegisterStringA(domain_, "ncclAllReduce"));
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  attributes.reserved0 = 1;
  attributes.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(nvtxDomainRangePushEx(domain_, &attributes), 0);
    payload.bytes = 0;  // the copy was made at the push
    EXPECT_EQ(nvtxDomainRangePop(domain_), 0);
    payload.bytes = 1 << 20;
  }
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.definitions, 4);  // domain, name, schema, enumeration
  for (const TraceEvent& event : trace.events) {
    EXPECT_EQ(event.name, "ncclAllReduce");
    EXPECT_EQ(event.flags, kHasPayload);
    ASSERT_EQ(event.payloads.size(), 1u);
    const TraceSchema& seen = event.payloads[0].schema;
    EXPECT_EQ(seen.id, kStatic + 5);
    EXPECT_EQ(seen.kind, kStructSchema);
    EXPECT_EQ(Offsets(seen), (std::vector<uint64_t>{0, 8, 16}));
    EXPECT_EQ(seen.entry_names[1], "Message size [bytes]");
    ASSERT_EQ(event.payloads[0].bytes.size(), sizeof(AllReduce));
    EXPECT_EQ(std::memcmp(event.payloads[0].bytes.data(), &payload, sizeof(payload)), 0);
  }
  EXPECT_EQ(AllLosses(), 0u);
}

// As the Python package: a schema of one entry for the element, then a dynamic one of {length,
// elements}.
TEST_F(Payload, RecordsWhatThePythonPackageSends) {
  const uint64_t element =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32, "float32", nullptr, 0, 0, nullptr, nullptr}});
  const uint64_t array =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "size", nullptr, 0, 0, nullptr, nullptr},
                {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, element, "data", nullptr, 0, 0,
                 nullptr, nullptr}},
               NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC);
  EXPECT_GE(element, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  EXPECT_NE(element, array);
  struct {
    uint64_t count = 3;
    float values[3] = {1, 2, 3};
  } numbers;
  Mark(array, &numbers, 20);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 1u);
  ASSERT_EQ(trace.events[0].payloads.size(), 1u);
  EXPECT_EQ(trace.events[0].payloads[0].schema.size, 0u);
  EXPECT_EQ(Offsets(trace.events[0].payloads[0].schema), (std::vector<uint64_t>{0, 8}));
  EXPECT_EQ(trace.events[0].payloads[0].bytes.size(), 20u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(Payload, RecordsPredefinedTypesAndBlobs) {
  const double value = 1.5;
  const char* text = "found by its end";
  const char blob[] = {1, 2, 3};
  const nvtxPayloadData_t data[] = {{NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, sizeof(value), &value},
                                    {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, SIZE_MAX, text},
                                    {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, sizeof(blob), blob},
                                    {NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, sizeof(blob), blob},
                                    {NVTX_PAYLOAD_ENTRY_TYPE_INT32, SIZE_MAX, &value}};
  Mark(data, 5);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 1u);
  const std::vector<TracePayload>& payloads = trace.events[0].payloads;
  ASSERT_EQ(payloads.size(), 5u);
  EXPECT_EQ(payloads[0].schema.entries[0].type,
            static_cast<uint64_t>(NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE));
  EXPECT_EQ(payloads[0].schema.size, 8u);
  EXPECT_EQ(payloads[1].bytes, std::string(text, std::strlen(text) + 1));
  EXPECT_TRUE(payloads[2].raw);
  EXPECT_EQ(payloads[2].bytes, std::string(blob, 3));
  EXPECT_TRUE(payloads[3].raw);
  EXPECT_EQ(payloads[4].bytes.size(), 4u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(Payload, CountsWhatIsNotOfItsSchema) {
  const uint64_t id =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "a", nullptr, 0, 0, nullptr, nullptr},
                {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "b", nullptr, 0, 0, nullptr, nullptr}});
  const int64_t values[2] = {1, 2};
  Mark(id, values, 8);          // too short: raw
  Mark(id + 1000, values, 16);  // unknown: raw
  Mark(id, nullptr, 16);        // nothing there
  Mark(id + 1000, values, SIZE_MAX);
  Mark(id, values, size_t{1} << 40);
  Mark(nullptr, 1);
  const nvtxPayloadData_t data = {id, 16, values};
  Mark(&data, -1);
  Mark(&data, 100000);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 8u);  // the marks themselves are all there
  EXPECT_TRUE(trace.events[0].payloads[0].raw);
  EXPECT_TRUE(trace.events[1].payloads[0].raw);
  for (size_t i = 2; i < 8; ++i) EXPECT_EQ(trace.events[i].payloads.size(), 0u);
  EXPECT_EQ(Losses(kLoss_bad_payload), 8u);
  EXPECT_EQ(AllLosses(), 8u);
}

// Names, colours and categories inside payloads, through the extension's own calls.
class PayloadCalls : public Payload {
 protected:
  struct Event {
    char name[16];
    uint32_t color;
    uint32_t category;
    nvtxStringHandle_t handle;
  };
  void SetUp() override {
    Payload::SetUp();
    constexpr uint64_t kMessage = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
    by_text_ = Register(
        {{kMessage, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", nullptr, 16, 0, nullptr, nullptr},
         {0, NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, "colour", nullptr, 0, 0, nullptr, nullptr},
         {0, NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, "category", nullptr, 0, 0, nullptr, nullptr},
         {0, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "h", nullptr, 0, 0, nullptr,
          nullptr}});
    by_handle_ = Register({{kMessage, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "n",
                            nullptr, 0, offsetof(Event, handle), nullptr, nullptr}});
    by_pointer_ = Register(
        {{kMessage, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", nullptr, 0, 0, nullptr, nullptr}});
    by_utf32_ = Register({{kMessage, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32, "name", nullptr, 3, 0,
                           nullptr, nullptr}});
    std::memcpy(event_.name, "sixteen letters!", sizeof(event_.name));  // not terminated
    event_.handle = nvtxDomainRegisterStringA(domain_, "by handle");
  }
  uint64_t by_text_ = 0;
  uint64_t by_handle_ = 0;
  uint64_t by_pointer_ = 0;
  uint64_t by_utf32_ = 0;
  Event event_ = {{}, 0xff0000aa, 9, nullptr};
};

TEST_F(PayloadCalls, TakeNamesFromPayloads) {
  const char* pointer = "by pointer";
  const char32_t utf32[3] = {U'\u00e4', U'b', 0};
  const nvtxPayloadData_t text = {by_text_, sizeof(event_), &event_};
  const nvtxPayloadData_t handle = {by_handle_, sizeof(event_), &event_};
  const nvtxPayloadData_t by_pointer = {by_pointer_, sizeof(pointer), &pointer};
  const nvtxPayloadData_t wide = {by_utf32_, sizeof(utf32), utf32};
  nvtxMarkPayload(domain_, &text, 1);
  nvtxMarkPayload(domain_, &handle, 1);
  nvtxMarkPayload(domain_, &by_pointer, 1);
  nvtxMarkPayload(domain_, &wide, 1);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.events[0].name, "sixteen letters!");
  EXPECT_EQ(trace.events[0].attributes.color, 0xff0000aau);
  EXPECT_EQ(trace.events[0].attributes.category, 9u);
  EXPECT_EQ(trace.events[0].domain, "payloads");
  EXPECT_EQ(trace.events[1].name, "by handle");
  EXPECT_EQ(trace.events[2].name, "by pointer");
  EXPECT_EQ(trace.events[3].name,
            "\xc3\xa4"
            "b");
  for (const TraceEvent& event : trace.events) EXPECT_EQ(event.payloads.size(), 1u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(PayloadCalls, PushPopStartEnd) {
  const nvtxPayloadData_t text = {by_text_, sizeof(event_), &event_};
  const nvtxPayloadData_t handle = {by_handle_, sizeof(event_), &event_};
  EXPECT_EQ(nvtxRangePushPayload(domain_, &text, 1), 0);
  EXPECT_EQ(nvtxRangePushPayload(domain_, &text, 1), 1);
  EXPECT_EQ(nvtxRangePopPayload(domain_, &handle, 1), 1);  // a new name, a second payload
  EXPECT_EQ(nvtxRangePopPayload(domain_, nullptr, 0), 0);
  EXPECT_LT(nvtxRangePopPayload(domain_, &text, 1), 0);
  const nvtxRangeId_t id = nvtxRangeStartPayload(domain_, &text, 1);
  nvtxRangeEndPayload(domain_, id, &handle, 1);
  nvtxRangeEnd(nvtxRangeStartPayload(domain_, nullptr, 3));
  Trace trace = ReadTrace();
  const std::vector<TraceEvent> ranges = trace.Of(RecordKind::kRange);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].name, "by handle");
  EXPECT_EQ(ranges[0].attributes.color, 0xff0000aau);
  EXPECT_EQ(ranges[0].payloads.size(), 2u);
  EXPECT_EQ(ranges[1].name, "sixteen letters!");
  EXPECT_EQ(ranges[1].payloads.size(), 1u);
  const std::vector<TraceEvent> starts = trace.Of(RecordKind::kRangeStart);
  const std::vector<TraceEvent> ends = trace.Of(RecordKind::kRangeEnd);
  ASSERT_EQ(starts.size(), 2u);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(starts[0].name, "sixteen letters!");
  EXPECT_EQ(starts[0].payloads.size(), 1u);
  EXPECT_EQ(ends[0].name, "by handle");
  EXPECT_EQ(ends[0].payloads.size(), 1u);
  EXPECT_EQ(Losses(kLoss_bad_payload), 2u);
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 1u);
}

TEST_F(Payload, AnswersTheRestOfTheExtension) {
  EXPECT_EQ(nvtxDomainIsEnabled(domain_), 1);
  EXPECT_EQ(nvtxDomainIsEnabled(nullptr), 1);
  const int64_t first = nvtxTimestampGet();
  EXPECT_GT(first, 0);
  EXPECT_GE(nvtxTimestampGet(), first);
  nvtxScopeAttr_t scope = {};
  EXPECT_EQ(nvtxScopeRegister(domain_, nullptr), static_cast<uint64_t>(NVTX_SCOPE_NONE));
  scope.structSize = sizeof(scope);
  EXPECT_GE(nvtxScopeRegister(domain_, &scope), NVTX_SCOPE_ID_DYNAMIC_START);
  scope.scopeId = NVTX_SCOPE_ID_STATIC_START + 4;
  EXPECT_EQ(nvtxScopeRegister(domain_, &scope), scope.scopeId);
  nvtxTimeDomainAttr_t time = {};
  EXPECT_NE(nvtxTimeDomainRegister(domain_, &time), 0u);
  nvtxTimerSource(domain_, 1, 0, nullptr);
  nvtxTimeSyncPoint(domain_, 1, 2, 3, 4);
  EXPECT_EQ(AllLosses(), 0u);
  nvtxEventSubmit(domain_, nullptr, 0);
  nvtxEventBatchSubmit(domain_, nullptr);
  EXPECT_EQ(Losses(kLoss_unsupported), 2u);
}

TEST_F(Payload, CountsPayloadsThatAFullRingLoses) {
  const uint64_t id =
      Register({{0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "a", nullptr, 0, 0, nullptr, nullptr}});
  const int value = 7;
  Mark(id, &value, sizeof(value));
  LimitRings(0);
  Mark(id, &value, sizeof(value));
  EXPECT_EQ(Losses(kLoss_ring_full), 2u);  // the payload, the mark
  EXPECT_EQ(ReadTrace().events.size(), 1u);
}

}  // namespace
}  // namespace syncline::test
