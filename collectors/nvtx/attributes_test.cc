// SPDX-License-Identifier: Apache-2.0
// Attributes of ranges and marks: colours, categories, scalar payloads, registered messages, and
// what is not valid.
#include <cstring>

#include "collectors/nvtx/test_client.h"

namespace syncline::test {
namespace {

class AttributesTest : public NvtxTest {};

TEST_F(AttributesTest, RecordsRegisteredStrings) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("strings");
  char text[] = "registered";
  nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, text);
  ASSERT_NE(string, nullptr);
  EXPECT_EQ(nvtxDomainRegisterStringA(domain, "registered"), string);
  EXPECT_EQ(nvtxDomainRegisterStringA(nullptr, nullptr), nullptr);
  text[0] = 'X';
  nvtxStringHandle_t wide = nvtxDomainRegisterStringW(nullptr, L"w\u00efde");
  const nvtxEventAttributes_t narrow_attributes = Registered(string);
  const nvtxEventAttributes_t wide_attributes = Registered(wide);
  const nvtxEventAttributes_t none = Registered(nullptr);
  for (int i = 0; i < 3; ++i) {
    nvtxDomainRangePushEx(domain, &narrow_attributes);
    nvtxDomainRangePushEx(nullptr, &wide_attributes);
    nvtxDomainRangePushEx(domain, &none);
    nvtxDomainRangePop(domain);
    nvtxDomainRangePop(nullptr);
    nvtxDomainRangePop(domain);
  }
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 9u);
  EXPECT_FALSE(trace.events[0].has_name);
  EXPECT_EQ(trace.events[1].name,
            "w\xc3\xaf"
            "de");
  EXPECT_EQ(trace.events[2].name, "registered");
  EXPECT_EQ(trace.definitions, 3);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(AttributesTest, RecordsAttributes) {
  nvtxEventAttributes_t attributes = Attributes("with attributes");
  attributes.category = 7;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0x00ff8000;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  attributes.payload.dValue = 2.5;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 0);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  attributes.payload.ullValue = ~uint64_t{0};
  attributes.payload.iValue = -3;
  nvtxMarkEx(&attributes);
  EXPECT_EQ(nvtxRangePop(), 0);
  Trace trace = ReadTrace();
  const TraceEvent range = trace.One(RecordKind::kRange, "with attributes");
  EXPECT_EQ(range.attributes.category, 7u);
  EXPECT_EQ(range.attributes.has_color, 1u);
  EXPECT_EQ(range.attributes.color, 0x00ff8000u);
  EXPECT_EQ(range.attributes.payload_type, static_cast<uint32_t>(PayloadType::kDouble));
  double value;
  std::memcpy(&value, &range.attributes.payload, sizeof(value));
  EXPECT_EQ(value, 2.5);
  const TraceEvent mark = trace.One(RecordKind::kMark, "with attributes");
  EXPECT_EQ(mark.begin, mark.end);
  EXPECT_EQ(mark.attributes.payload_type, static_cast<uint32_t>(PayloadType::kInt32));
  EXPECT_EQ(mark.attributes.payload, 0xfffffffdu);
}

TEST_F(AttributesTest, RecordsEveryScalarPayload) {
  const struct {
    int32_t nvtx;
    PayloadType ours;
    uint64_t bits;
  } kTypes[] = {{NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, PayloadType::kUint64, 0x8000000000000001},
                {NVTX_PAYLOAD_TYPE_INT64, PayloadType::kInt64, 0xffffffffffffffff},
                {NVTX_PAYLOAD_TYPE_DOUBLE, PayloadType::kDouble, 0x4004000000000000},
                {NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, PayloadType::kUint32, 0x80000001},
                {NVTX_PAYLOAD_TYPE_INT32, PayloadType::kInt32, 0xffffffff},
                {NVTX_PAYLOAD_TYPE_FLOAT, PayloadType::kFloat, 0x40200000}};
  for (const auto& type : kTypes) {
    nvtxEventAttributes_t attributes = Attributes("scalar");
    attributes.payloadType = type.nvtx;
    attributes.payload.ullValue = type.bits;
    nvtxMarkEx(&attributes);
  }
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(trace.events[i].attributes.payload_type, static_cast<uint32_t>(kTypes[i].ours));
    EXPECT_EQ(trace.events[i].attributes.payload, kTypes[i].bits);
  }
}

TEST_F(AttributesTest, SurvivesBadAttributes) {
  EXPECT_EQ(nvtxRangePushEx(nullptr), 0);
  nvtxEventAttributes_t attributes = Attributes("not to be believed");
  attributes.size = 12;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 1);
  attributes = Attributes("not to be believed");
  attributes.version = 0;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 2);
  attributes = Attributes("unknown types");
  attributes.messageType = 99;
  attributes.colorType = 98;
  attributes.payloadType = 97;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 3);
  attributes = Registered(reinterpret_cast<nvtxStringHandle_t>(0x1234));
  EXPECT_EQ(nvtxRangePushEx(&attributes), 4);
  attributes = Attributes("bad domain");
  EXPECT_EQ(nvtxDomainRangePushEx(reinterpret_cast<nvtxDomainHandle_t>(0xdead), &attributes), 5);
  EXPECT_EQ(nvtxDomainRangePop(reinterpret_cast<nvtxDomainHandle_t>(0xdead)), 5);
  nvtxMarkEx(nullptr);
  for (int level = 4; level >= 0; --level) EXPECT_EQ(nvtxRangePop(), level);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 6u);
  EXPECT_EQ(trace.events[0].name, "bad domain");
  for (size_t i = 1; i < 6; ++i) EXPECT_FALSE(trace.events[i].has_name);
  EXPECT_EQ(Losses(kLoss_bad_attributes), 3u + 3u + 1u + 1u + 1u);
  EXPECT_EQ(AllLosses(), Losses(kLoss_bad_attributes));
}

TEST_F(AttributesTest, AcceptsStructuresOfLaterVersions) {
  struct {
    nvtxEventAttributes_t attributes;
    uint64_t later[4];
  } longer = {Attributes("later"), {}};
  longer.attributes.version = 4;
  longer.attributes.size = sizeof(longer);
  nvtxMarkEx(&longer.attributes);
  longer.attributes.version = 1;  // 2009's structure has the same size
  longer.attributes.size = 48;
  nvtxMarkEx(&longer.attributes);
  EXPECT_EQ(ReadTrace().Of(RecordKind::kMark).size(), 2u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(AttributesTest, KeepsHandlesOfDestroyedDomainsHarmless) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("destroyed");
  nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "survivor");
  nvtxDomainDestroy(domain);
  nvtxDomainDestroy(domain);
  nvtxDomainDestroy(nullptr);
  const nvtxEventAttributes_t attributes = Registered(string);
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &attributes), 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.One(RecordKind::kRange, "survivor").domain, "destroyed");
  EXPECT_EQ(trace.errors, std::vector<std::string>());
}

TEST_F(AttributesTest, ShowsOpenRangesWithTheirAttributes) {
  nvtxEventAttributes_t attributes = Attributes("open");
  attributes.category = 5;
  nvtxRangePushA("plain");
  nvtxRangePushEx(&attributes);
  uint32_t depth = 0;
  const OpenRange* open = OpenRanges(&depth);
  ASSERT_EQ(depth, 2u);
  EXPECT_EQ(open[0].flags, 0);
  EXPECT_EQ(open[1].flags, kHasAttributes);
  EXPECT_EQ(open[1].attributes.category, 5u);
  EXPECT_LE(open[0].begin, open[1].begin);
  nvtxRangePop();
  nvtxRangePop();
}

}  // namespace
}  // namespace syncline::test
