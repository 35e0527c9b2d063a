// SPDX-License-Identifier: Apache-2.0
// Numbers against printf, strings against a parser.
#include "writers/chrome/text/json.h"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace syncline {
namespace {

std::string Uint(uint64_t value) {
  char text[kMaxNumberChars];
  return {text, PutUint(text, value)};
}

std::string Expected(const char* format, uint64_t value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

TEST(Json, UintAtEachLength) {
  uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const uint64_t value : {power - 1, power, power + 1, power * 5}) {
      EXPECT_EQ(Uint(value), Expected("%" PRIu64, value));
    }
  }
  EXPECT_EQ(Uint(UINT64_MAX), "18446744073709551615");
}

TEST(Json, UintAndMicrosAtRandom) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t value = random() >> (random() % 64);
    ASSERT_EQ(Uint(value), Expected("%" PRIu64, value));
    char text[kMaxNumberChars];
    char expected[64];
    std::snprintf(expected, sizeof(expected), "%" PRIu64 ".%03" PRIu64, value / 1000, value % 1000);
    ASSERT_EQ(std::string(text, PutMicros(text, value)), expected);
  }
}

TEST(Json, NegativeInts) {
  char text[kMaxNumberChars];
  EXPECT_EQ(std::string(text, PutInt(text, -1)), "-1");
  EXPECT_EQ(std::string(text, PutInt(text, INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(std::string(text, PutInt(text, INT64_MAX)), "9223372036854775807");
}

TEST(Json, EveryControlCharacterSurvivesAParser) {
  for (int c = 0; c < 0x80; ++c) {
    const std::string in(1, static_cast<char>(c));
    std::string out;
    EXPECT_TRUE(AppendString(&out, in));
    EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(), in) << c;
    EXPECT_EQ(out.find('\n'), std::string::npos);
  }
}

TEST(Json, ValidUtf8IsUnchanged) {
  const std::string in = "é 漢字 😀 \xf4\x8f\xbf\xbf \xed\x9f\xbf \xee\x80\x80";
  std::string out;
  EXPECT_TRUE(AppendString(&out, in));
  EXPECT_EQ(out, "\"" + in + "\"");
}

TEST(Json, InvalidUtf8BecomesReplacementCharacters) {
  struct {
    const char* in;
    int replaced;
  } const cases[] = {{"\xff", 1},
                     {"\x80", 1},
                     {"\xc3", 1},
                     {"\xc0\x80", 2},
                     {"\xe0\x80\x80", 3},
                     {"\xed\xa0\x80", 3},
                     {"\xf0\x9f", 1},
                     {"\xf5\x80\x80\x80", 4},
                     {"\xf4\x90\x80\x80", 4}};
  for (const auto& test : cases) {
    std::string expected = "\"a";
    for (int i = 0; i < test.replaced; ++i) expected += "\xef\xbf\xbd";
    std::string out;
    EXPECT_FALSE(AppendString(&out, std::string("a") + test.in + "b"));
    EXPECT_EQ(out, expected + "b\"");
    EXPECT_FALSE(nlohmann::json::parse(out, nullptr, false).is_discarded());
  }
}

TEST(Json, RandomBytesAlwaysParse) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::string in;
    for (uint64_t n = random() % 40; n > 0; --n) in.push_back(static_cast<char>(random()));
    std::string out;
    const bool valid = AppendString(&out, in);
    const auto parsed = nlohmann::json::parse(out, nullptr, false);
    ASSERT_TRUE(parsed.is_string());
    if (valid) {
      ASSERT_EQ(parsed.get<std::string>(), in);
    }
  }
}

TEST(Json, Doubles) {
  auto text = [](double value) {
    std::string out;
    AppendDouble(&out, value);
    return out;
  };
  EXPECT_EQ(text(2.5), "2.5");
  EXPECT_EQ(text(std::nan("")), "\"NaN\"");
  EXPECT_EQ(text(HUGE_VAL), "\"Infinity\"");
  EXPECT_EQ(text(-HUGE_VAL), "\"-Infinity\"");
  for (const double value : {1e300, -1e-300, 5e-324, 0.1, 123456789.125, 1e22}) {
    EXPECT_EQ(nlohmann::json::parse(text(value)).get<double>(), value);
  }
  std::string out;
  AppendFloat(&out, 0.1f);
  EXPECT_EQ(out, "0.1");
}

TEST(Json, LargeUnsignedValuesAreHexadecimalText) {
  auto text = [](uint64_t value) {
    std::string out;
    AppendUintValue(&out, value);
    return out;
  };
  EXPECT_EQ(text(INT64_MAX), "9223372036854775807");
  EXPECT_EQ(text(uint64_t{1} << 63), "\"0x8000000000000000\"");
  EXPECT_EQ(text(UINT64_MAX), "\"0xffffffffffffffff\"");
}

TEST(Json, Bytes) {
  std::string out;
  AppendHexBytes(&out, std::string_view("\x00\x7f\xff", 3));
  EXPECT_EQ(out, "\"007fff\"");
}

}  // namespace
}  // namespace syncline
