// SPDX-License-Identifier: Apache-2.0
// Words that the writer wrote, words that were cut, and words that nobody wrote.
#include "model/spool/value_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <string>

#include "inject/core/value_words.h"

namespace syncline {
namespace {

class Words {
 public:
  ValueWriter writer{words_};
  std::string bytes() const {
    return {reinterpret_cast<const char*>(words_), writer.count() * sizeof(uint64_t)};
  }

 private:
  uint64_t words_[kMostValueWords];
};

uint64_t BitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Behind the head of one of two dimensions.
void WriteArrayOf(ValueWriter* out, uint64_t rows) {
  out->Name(ValueForm::kText, "float32");
  out->Name(ValueForm::kText, "cuda");
  out->Size(0);
  out->Size(rows);
  out->Size(4);
}

TEST(ValueTextTest, LabelsAreReadAsPythonAndAsJson) {
  Words words;
  const auto label = [&](const char* name) -> ValueWriter& {
    words.writer.Name(ValueForm::kLabel, name);
    return words.writer;
  };
  label("id").Number(ValueForm::kInt, static_cast<uint64_t>(-7));
  label("batch.size").Number(ValueForm::kFloat, BitsOf(2));
  label("fast").Head(ValueForm::kBool, 1);
  label("none").Head(ValueForm::kNone);
  label("text").Text(ValueForm::kText, "a \"b\"\n", 64);
  label("long").Text(ValueForm::kText, "größe", 4);
  label("object").Name(ValueForm::kOther, "Batch");
  label("nothing").Name(ValueForm::kOther, "");
  label("tensor").Head(ValueForm::kArray, 2);
  WriteArrayOf(&words.writer, 3);
  std::string all;
  for (const LabelText& one : LabelsOf(words.bytes()))
    all += one.name + " " + one.json + " " + one.plain + "|";
  EXPECT_EQ(all,
            "id -7 -7|batch.size 2.0 2.0|fast true True|none null None|"
            "text \"a \\\"b\\\"\\u000a\" a \"b\"\n|"
            "long {\"text\": \"grö\", \"cut\": true} grö...|"
            "object {\"object\": \"Batch\"} (Batch)|nothing {\"missing\": true} (missing)|"
            "tensor {\"tensor\": {\"shape\": [3, 4], \"dtype\": \"float32\", \"device\": "
            "\"cuda:0\"}} float32[3, 4]|");
}

void WriteCall(ValueWriter* out, uint64_t rows, uint64_t number, bool flag) {
  out->Name(ValueForm::kArgument, "x");
  out->Head(ValueForm::kArray, 2);
  WriteArrayOf(out, rows);
  out->Name(ValueForm::kArgument, "options");
  out->Head(ValueForm::kDict, 2, 2);
  out->Name(ValueForm::kText, "n");
  out->Number(ValueForm::kInt, number);
  out->Name(ValueForm::kText, "flag");
  out->Head(ValueForm::kBool, flag ? 1 : 0);
}

// A result behind inputs that fill the room: nothing is written beyond it, and the cut is told.
TEST(ValueTextTest, BehindAFullRoomNothingIsWritten) {
  uint64_t room[kMostValueWords + 8] = {};
  ValueWriter inputs(room);
  for (int i = 0; !inputs.cut(); ++i) {
    inputs.Name(ValueForm::kArgument, "x" + std::to_string(i));
    inputs.Text(ValueForm::kText, std::string(200, 'x'), 256);
  }
  ASSERT_EQ(inputs.count(), kMostValueWords);
  ValueWriter result(room);
  result.Skip(inputs.count());
  result.Head(ValueForm::kResult);
  result.Text(ValueForm::kText, "result", 64);
  EXPECT_EQ(result.count(), kMostValueWords);
  for (size_t i = kMostValueWords; i < std::size(room); ++i) EXPECT_EQ(room[i], 0u);
  const DetailsText details =
      DetailsOf({reinterpret_cast<const char*>(room), result.count() * sizeof(*room)});
  EXPECT_TRUE(details.inputs.ends_with(", {\"cut\": true}]")) << details.inputs;
}

TEST(ValueTextTest, ClassesTypesDevicesAndGradients) {
  Words words;
  words.writer.Head(ValueForm::kGradients, 0);
  words.writer.Name(ValueForm::kArgument, "out");
  words.writer.Name(ValueForm::kClass, "Out");
  words.writer.Name(ValueForm::kText, "shapes");
  words.writer.Head(ValueForm::kTuple, 3, 3);
  words.writer.Name(ValueForm::kArrayType, "int8");
  words.writer.Name(ValueForm::kArrayDevice, "cuda");
  words.writer.Size(1);
  words.writer.Head(ValueForm::kArray, 0, 1);
  words.writer.Name(ValueForm::kText, "float32");
  words.writer.Name(ValueForm::kText, "cpu");
  words.writer.Size(static_cast<uint64_t>(-1));
  const DetailsText details = DetailsOf(words.bytes());
  EXPECT_EQ(details.gradients, "false");
  EXPECT_EQ(details.inputs,
            "[{\"name\": \"out\", \"value\": {\"class\": \"Out\", \"module\": \"shapes\", "
            "\"value\": {\"tuple\": [{\"dtype\": \"int8\"}, {\"device\": \"cuda:1\"}, "
            "{\"tensor\": {\"shape\": [], \"dtype\": \"float32\", \"device\": \"cpu\", "
            "\"requires_grad\": true}}]}}}]");
  for (size_t bytes = 0; bytes < words.bytes().size(); ++bytes)
    (void)DetailsOf(words.bytes().substr(0, bytes));
}

TEST(ValueTextTest, ASignatureIsJsonAndItsFormHasNoNumbers) {
  Words first, second, third, fourth;
  WriteCall(&first.writer, 2, 1, true);
  WriteCall(&second.writer, 2, 5, true);
  WriteCall(&third.writer, 3, 1, true);
  WriteCall(&fourth.writer, 2, 1, false);
  EXPECT_EQ(first.writer.form(), second.writer.form());
  EXPECT_NE(first.writer.form(), third.writer.form());
  EXPECT_NE(first.writer.form(), fourth.writer.form());
  const DetailsText details = DetailsOf(first.bytes());
  EXPECT_EQ(details.inputs,
            "[{\"name\": \"x\", \"value\": {\"tensor\": {\"shape\": [2, 4], \"dtype\": "
            "\"float32\", \"device\": \"cuda:0\"}}}, {\"name\": \"options\", \"value\": {\"dict\": "
            "[[\"n\", 1], [\"flag\", true]]}}]");
  EXPECT_EQ(details.form, DetailsOf(second.bytes()).form);
  EXPECT_NE(details.form, DetailsOf(third.bytes()).form);
  EXPECT_NE(details.form, DetailsOf(fourth.bytes()).form);
  EXPECT_EQ(details.result, "");
  first.writer.Head(ValueForm::kResult);
  first.writer.Head(ValueForm::kTuple, 20, 1);
  first.writer.Name(ValueForm::kOther, "Engine");
  EXPECT_EQ(DetailsOf(first.bytes()).result, "{\"tuple\": [{\"object\": \"Engine\"}], \"of\": 20}");
}

TEST(ValueTextTest, WhatHasNoRoomIsCut) {
  Words words;
  for (int i = 0; i < 1000 && !words.writer.cut(); ++i) {
    words.writer.Name(ValueForm::kArgument, "argument" + std::to_string(i));
    words.writer.Number(ValueForm::kInt, static_cast<uint64_t>(i));
  }
  ASSERT_EQ(words.writer.count(), kMostValueWords);
  const std::string inputs = DetailsOf(words.bytes()).inputs;
  EXPECT_TRUE(inputs.ends_with("{\"cut\": true}]")) << inputs.substr(inputs.size() - 60);
  EXPECT_NE(inputs.find("{\"name\": \"argument100\", \"value\": 100}"), std::string::npos);
}

TEST(ValueTextTest, AnyBytesAreReadToAnEnd) {
  uint64_t random = 3;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (int i = 0; i < round % 200; ++i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      bytes.push_back(i % 8 == 0 ? static_cast<char>((random >> 40) % 16)
                                 : static_cast<char>(i % 8 < 5 ? (random >> 33) % 4 : 0));
    }
    DetailsOf(bytes);
    LabelsOf(bytes);
  }
}

}  // namespace
}  // namespace syncline
