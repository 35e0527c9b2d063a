// SPDX-License-Identifier: Apache-2.0
// Payloads to JSON along their schemas, good ones and hostile ones.
#include "writers/chrome/text/payload_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "model/spool/payload_types.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using nlohmann::json;
using testing::RecordBatch;
using testing::SchemaField;
using testing::SerialiseSchema;

constexpr uint64_t kFirstId = 1 << 24;

// Decodes the payload of the one mark in a spool, which is how a Stream comes to be.
class PayloadDecoderTest : public ::testing::Test {
 protected:
  struct Sink : RecordSink {
    void OnMark(const RangeEvent& event) override {
      good = AppendPayload(event.stream, event.payloads->at(0), &text);
      ++marks;
    }
    std::string text;
    bool good = false;
    int marks = 0;
  };

  void Schema(uint32_t id, uint64_t key, uint64_t size, std::vector<SchemaField> fields,
              uint16_t kind = kStructSchema) {
    batch.Text(RecordKind::kSchema, id, key, SerialiseSchema("s", size, fields), 0, kind);
  }

  std::string Text(uint32_t schema, std::string_view bytes, bool expect_good = true) {
    batch.Text(RecordKind::kPayload, schema, 5, bytes, 0,
               schema == 0 ? kRawPayload : kSchemaPayload);
    batch.Raw(RecordKind::kMark, 0, 5, 5, 0, 0, kHasPayload, nullptr);
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess()).Records(0, batch);
    Sink sink;
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "p.spool")).ok());
    EXPECT_TRUE(reader.Read(&sink).ok());
    EXPECT_EQ(sink.marks, 1);
    EXPECT_EQ(sink.good, expect_good) << sink.text;
    EXPECT_FALSE(json::parse(sink.text, nullptr, false).is_discarded()) << sink.text;
    return sink.text;
  }
  template <typename T>
  std::string Text(uint32_t schema, const T& value, bool expect_good = true) {
    return Text(schema, std::string_view(reinterpret_cast<const char*>(&value), sizeof(value)),
                expect_good);
  }

  testing::Scratch scratch;
  RecordBatch batch = RecordBatch().Stream(1, 4210, true);
};

TEST_F(PayloadDecoderTest, ScalarsOfAStruct) {
  struct {
    int8_t a = -5;
    uint16_t b = 65535;
    int32_t c = -70000;
    uint64_t d = UINT64_MAX;
    double e = 0.5;
    float f = 0.25f;
    char g = 'x';
    uint32_t color = 0x80ff0000;
    void* address = reinterpret_cast<void*>(0x1234);
  } value;
  auto at = [&value](const auto& member) {
    return static_cast<uint64_t>(reinterpret_cast<const char*>(&member) -
                                 reinterpret_cast<const char*>(&value));
  };
  Schema(1, kFirstId, sizeof(value),
         {{"a", 11, at(value.a)},
          {"b", 14, at(value.b)},
          {"c", 15, at(value.c)},
          {"d", 18, at(value.d)},
          {"e", 20, at(value.e)},
          {"f", 19, at(value.f)},
          {"g", 1, at(value.g)},
          {"color", 69, at(value.color)},
          {"address", 23, at(value.address)}});
  EXPECT_EQ(Text(1, value),
            "{\"a\": -5, \"b\": 65535, \"c\": -70000, \"d\": \"0xffffffffffffffff\", \"e\": 0.5, "
            "\"f\": 0.25, "
            "\"g\": \"x\", \"color\": \"#80FF0000\", \"address\": \"0x1234\"}");
}

TEST_F(PayloadDecoderTest, NanAndSmallFloats) {
  struct {
    double nan = std::nan("");
    uint16_t half = 0x3e00;   // 1.5
    uint16_t brain = 0x3fc0;  // 1.5
  } value;
  Schema(1, kFirstId, sizeof(value), {{"nan", 20, 0}, {"half", 42, 8}, {"bf16", 50, 10}});
  EXPECT_EQ(Text(1, value), "{\"nan\": \"NaN\", \"half\": 1.5, \"bf16\": 1.5}");
}

TEST_F(PayloadDecoderTest, ArraysAndTexts) {
  struct {
    uint32_t count = 3;
    int16_t fixed[2] = {7, -8};
    char name[8] = "abc";
    char bytes[4] = {1, 2, 3, 4};
    uint16_t many[4] = {10, 20, 30, 40};
    char text[6] = "hello";
  } value;
  Schema(1, kFirstId, sizeof(value),
         {{"count", 16, 0},
          {"fixed", 13, 4, 2, kEntryArrayFixed},
          {"name", 75, 8, 8},
          {"bytes", 32, 16, 4, kEntryArrayFixed},
          {"many", 14, 20, 0, kEntryArrayLengthIndex},
          {"text", 76, 28, 0, kEntryArrayZeroTerminated},
          {"chars", 1, 28, 3, kEntryArrayFixed},
          {"hidden", 16, 0, 0, kEntryHide}});
  EXPECT_EQ(Text(1, value),
            "{\"count\": 3, \"fixed\": [7, -8], \"name\": \"abc\", \"bytes\": \"01020304\", "
            "\"many\": [10, 20, 30], "
            "\"text\": \"hello\", \"chars\": \"hel\"}");
}

TEST_F(PayloadDecoderTest, WideTexts) {
  struct {
    char16_t utf16[6] = {u'h', u'é', 0xd83d, 0xde00, 0, u'x'};
    char32_t utf32[3] = {U'漢', 0x110000, 0};
  } value;
  Schema(1, kFirstId, sizeof(value), {{"a", 77, 0, 6}, {"b", 78, 12, 3}});
  EXPECT_EQ(Text(1, value), "{\"a\": \"hé😀\", \"b\": \"漢\xef\xbf\xbd\"}");
}

TEST_F(PayloadDecoderTest, NestedStructsEnumsAndFlags) {
  struct {
    uint32_t op = 1;
    uint32_t flags = 5;
    struct {
      int32_t x, y;
    } points[2] = {{1, 2}, {3, 4}};
  } value;
  Schema(1, kFirstId + 1, 4, {{"sum", 0}, {"prod", 1}}, kEnumSchema);
  Schema(2, kFirstId + 2, 4, {{"read", 1, 0, 0, 1}, {"write", 2, 0, 0, 1}, {"run", 4, 0, 0, 1}},
         kEnumSchema);
  Schema(3, kFirstId + 3, 8, {{"x", 15, 0}, {"y", 15, 4}});
  Schema(4, kFirstId + 4, sizeof(value),
         {{"op", kFirstId + 1, 0},
          {"flags", kFirstId + 2, 4},
          {"points", kFirstId + 3, 8, 2, kEntryArrayFixed}});
  EXPECT_EQ(Text(4, value),
            "{\"op\": \"prod\", \"flags\": \"read|run\", \"points\": [{\"x\": 1, \"y\": 2}, "
            "{\"x\": 3, \"y\": 4}]}");
}

TEST_F(PayloadDecoderTest, EnumValueWithoutNameIsANumber) {
  Schema(1, kFirstId + 1, 4, {{"sum", 0}}, kEnumSchema);
  Schema(2, kFirstId + 2, 4, {{"op", kFirstId + 1, 0}});
  EXPECT_EQ(Text(2, uint32_t{9}), "{\"op\": 9}");
}

TEST_F(PayloadDecoderTest, UnionsChosenByAnotherField) {
  struct {
    uint32_t which = 1;
    float value = 2.5f;
  } value;
  Schema(1, kFirstId + 1, 4, {{"as_int", 15, 0}, {"as_float", 19, 0}}, kUnionSchema);
  Schema(2, kFirstId + 2, 8, {{"which", 16, 0}, {"value", kFirstId + 1, 4, 0}});
  EXPECT_EQ(Text(2, value), "{\"which\": 1, \"value\": {\"as_float\": 2.5}}");
}

TEST_F(PayloadDecoderTest, EntriesThatFollowAVariableOne) {
  Schema(
      1, kFirstId, 0,
      {{"n", 16, 0}, {"list", 15, 4, 0, kEntryArrayLengthIndex}, {"after", 18, kFollowsPrevious}});
  struct {
    uint32_t n = 2;
    int32_t list[2] = {5, 6};
    uint32_t padding = 0;
    uint64_t after = 99;
  } value;
  EXPECT_EQ(Text(1, value), "{\"n\": 2, \"list\": [5, 6], \"after\": 99}");
}

TEST_F(PayloadDecoderTest, OffsetsWithinThePayload) {
  struct {
    uint64_t name_at = 16;
    uint64_t from_here = 4;
    char name[4] = "abc";
    int32_t number = -3;
  } value;
  Schema(1, kFirstId, 0,
         {{"name", 76, 0, 0, kEntryOffsetFromBase | kEntryArrayZeroTerminated},
          {"number", 15, 8, 0, kEntryOffsetFromHere}});
  EXPECT_EQ(Text(1, value), "{\"name\": \"abc\", \"number\": -3}");
}

TEST_F(PayloadDecoderTest, SeveralOfAFixedSchemaAreAnArray) {
  Schema(1, kFirstId, 4, {{"v", 16, 0}});
  const uint32_t values[3] = {1, 2, 3};
  EXPECT_EQ(Text(1, values), "[{\"v\": 1}, {\"v\": 2}, {\"v\": 3}]");
}

TEST_F(PayloadDecoderTest, APredefinedTypeAsSchemaIsTheValueAlone) {
  Schema(1, 76, 0, {{"", 76, 0, 0, kEntryArrayZeroTerminated}});
  EXPECT_EQ(Text(1, std::string_view("text\0", 5)), "\"text\"");
}

TEST_F(PayloadDecoderTest, SeveralOfAPredefinedType) {
  Schema(1, 15, 4, {{"", 15, 0}});
  const int32_t values[3] = {-1, 2, 3};
  EXPECT_EQ(Text(1, values), "[-1, 2, 3]");
}

TEST_F(PayloadDecoderTest, ASchemaMayBeDefinedAgainAndAgain) {
  const std::vector<SchemaField> many(500, SchemaField{"f", 11, 0});
  for (int i = 0; i < 2000; ++i) Schema(1, kFirstId, 1, many);
  Schema(1, kFirstId, 1, {{"v", 11, 0}});
  EXPECT_EQ(Text(1, int8_t{5}), "{\"v\": 5}");
}

TEST_F(PayloadDecoderTest, RawWithoutSchemaIsGood) {
  EXPECT_EQ(Text(0, uint16_t{0x0201}), "\"0102\"");
}

TEST_F(PayloadDecoderTest, WrongSizesAreShownRawAndCounted) {
  Schema(1, kFirstId, 8, {{"v", 18, 0}});
  EXPECT_EQ(Text(1, uint32_t{1}, false), "\"01000000\"");
}

TEST_F(PayloadDecoderTest, UnknownSchemaIsShownRawAndCounted) {
  EXPECT_EQ(Text(7, uint8_t{1}, false), "\"01\"");
}

TEST_F(PayloadDecoderTest, EntryBeyondTheBytes) {
  Schema(1, kFirstId, 0, {{"v", 18, 4}});
  EXPECT_EQ(Text(1, uint32_t{1}, false), "\"01000000\"");
}

TEST_F(PayloadDecoderTest, HugeArrayLength) {
  Schema(1, kFirstId, 0, {{"n", 18, 0}, {"list", 15, 8, 0, kEntryArrayLengthIndex}});
  EXPECT_EQ(Text(1, UINT64_MAX - 1, false), "\"feffffffffffffff\"");
}

TEST_F(PayloadDecoderTest, SchemaThatNestsInItselfEnds) {
  Schema(1, kFirstId, 0, {{"a", kFirstId, 0}, {"b", kFirstId, 0}});
  EXPECT_EQ(Text(1, uint8_t{1}, false), "\"01\"");
}

TEST_F(PayloadDecoderTest, RandomSchemasNeverCrash) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    batch = RecordBatch().Stream(1, 4210, true);
    for (uint32_t id = 1; id <= 3; ++id) {
      std::vector<SchemaField> fields;
      for (uint64_t n = random() % 5; n > 0; --n) {
        const uint64_t type = random() % 4 == 0 ? kFirstId + random() % 4 : random() % 104;
        const uint64_t offset = random() % 8 == 0 ? kFollowsPrevious : random() % 40;
        fields.push_back(
            {"f", type, offset, random() % 6, static_cast<uint32_t>(random() % 0x400)});
      }
      Schema(id, kFirstId + id, random() % 3 * (random() % 40), fields,
             static_cast<uint16_t>(1 + random() % 3));
    }
    std::string bytes;
    for (uint64_t n = random() % 64; n > 0; --n) bytes.push_back(static_cast<char>(random() % 7));
    batch.Text(RecordKind::kPayload, 3, 5, bytes)
        .Raw(RecordKind::kMark, 0, 5, 5, 0, 0, kHasPayload, nullptr);
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess()).Records(0, batch);
    Sink sink;
    SpoolReader reader;
    ASSERT_TRUE(reader.Open(spool.Save(scratch / "r.spool")).ok());
    ASSERT_TRUE(reader.Read(&sink).ok());
    ASSERT_FALSE(json::parse(sink.text, nullptr, false).is_discarded()) << sink.text;
  }
}

}  // namespace
}  // namespace syncline
