// SPDX-License-Identifier: Apache-2.0
// Values of documents, and what is no document.
#include "writers/files/json_view.h"

#include <gtest/gtest.h>

#include "writers/files/json_fields.h"

namespace syncline {
namespace {

TEST(JsonViewTest, ValuesOfAllKinds) {
  JsonDocument json(R"( {"a" : [1, -2, 3.5, true, null, "x"], "b": {"c": {}, "d": []},
                         "e\n": 18446744073709551615, "a": false} )");
  const JsonValue root = json.Root();
  ASSERT_TRUE(root.IsObject());
  std::vector<std::string> keys;
  for (const JsonValue field : root.Fields()) keys.push_back(field.Key());
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "e\n", "a"}));
  std::vector<int> numbers;
  size_t others = 0;
  for (const JsonValue item : root["a"].Items()) {
    int number = 0;
    if (item.Take(&number)) numbers.push_back(number);
    others += item.Take(&number) ? 0 : 1;
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, -2}));
  EXPECT_EQ(others, 4u);
  EXPECT_TRUE(root["b"]["c"].IsObject());
  EXPECT_TRUE(root["b"]["d"].IsArray());
  for (const JsonValue none : root["b"]["c"].Fields()) ADD_FAILURE() << none.Key();
  EXPECT_FALSE(root["b"]["d"]["x"]["y"].IsText());
  bool yes = false;
  EXPECT_TRUE((*++ ++ ++root["a"].Items().begin()).Take(&yes));
  EXPECT_TRUE(yes);
  EXPECT_EQ(json.Unfit(), "");
}

TEST(JsonViewTest, EscapesAreThoseOfTheLibrary) {
  const std::string text =
      R"(["\"\\\/\b\f\n\r\t", "\u0041\u00e9\u20ac\ud83d\ude00", "plain \\", "\u0000", "é😀"])";
  JsonDocument json(text);
  std::vector<std::string> texts;
  EXPECT_TRUE(json.Root().Take(&texts));
  EXPECT_EQ(texts, ParseJson(text).get<std::vector<std::string>>());
}

TEST(JsonViewTest, HalvesOfCharactersAndUnknownEscapesDoNoHarm) {
  JsonDocument json(R"(["\ud83d", "\ude00!", "\ud83d\u0041", "\u12", "\q", "\u12g4"])");
  std::vector<std::string> texts;
  EXPECT_TRUE(json.Root().Take(&texts));
  EXPECT_EQ(texts, (std::vector<std::string>{"\xef\xbf\xbd", "\xef\xbf\xbd!",
                                             "\xef\xbf\xbd"
                                             "A",
                                             "\xef\xbf\xbd"
                                             "12",
                                             "q",
                                             "\xef\xbf\xbd"
                                             "12g4"}));
}

TEST(JsonViewTest, WhatIsNoDocumentHasNoRoot) {
  for (const char* text :
       {"",         " ",          "{",    "[",     "\"",   "\"a\\\"", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "[1]]", "{}{}",    "{1:2}",
        "tru",      "-",          "+1",   "1.e",   "[}",   "{]",      "{\"a\":1]",
        "\"\xff\"", "nul",        "[1}",  ",",     "1,",   "[,1]"}) {
    EXPECT_FALSE(JsonDocument(text).Root().IsObject()) << text;
    EXPECT_EQ(JsonDocument(text).IsJson(), false) << text;
  }
  for (const char* text : {"{}", "[]", "1", "-1.5e3", "\"\"", "true", "null", " [ ] "})
    EXPECT_TRUE(JsonDocument(text).IsJson()) << text;
}

// Each number type takes its range and nothing else.
TEST(JsonViewTest, NumbersThatDoNotFitAreToldWithTheirField) {
  struct Case {
    const char* text;
    const char* unfit;
  };
  for (const Case& of : {Case{R"({"a": 4294967295})", ""},
                         {R"({"a": 4294967296})", "4294967296 in \"a\""},
                         {R"({"x": 1, "a": -1})", "-1 in \"a\""},
                         {R"({"a": 99999999999999999999999})", "99999999999999999999999 in \"a\""},
                         {R"({"a": 1e300})", ""},
                         {R"({"a": "-1"})", ""}}) {
    JsonDocument json(of.text);
    uint32_t number = 7;
    json.Root()["a"].Take(&number);
    EXPECT_EQ(json.Unfit(), of.unfit) << of.text;
  }
  JsonDocument list(R"({"list": [1, 2, -3], "b": 5})");
  std::vector<uint64_t> numbers = {9};
  EXPECT_FALSE(list.Root()["list"].Take(&numbers));
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(list.Unfit(), "-3 in \"list\"");
}

}  // namespace
}  // namespace syncline
