// SPDX-License-Identifier: Apache-2.0
// The bytes that Python reads; tests/e2e has Python read a whole one.
#include "writers/memory/pickle.h"

#include <gtest/gtest.h>

#include <string>

namespace syncline {
namespace {

class Kept : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    text.append(bytes);
    return {};
  }
  std::string text;
};

template <typename Fill>
std::string Pickled(const Fill& fill) {
  Kept kept;
  Pickle pickle(&kept);
  fill(&pickle);
  EXPECT_TRUE(pickle.Finish().ok());
  return kept.text.substr(2, kept.text.size() - 3);
}

std::string OfInt(uint64_t value) {
  return Pickled([value](Pickle* pickle) { pickle->Int(value); });
}

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

TEST(PickleTest, ANumberIsAsShortAsItCanBe) {
  EXPECT_EQ(OfInt(255), Bytes({'K', 255}));
  EXPECT_EQ(OfInt(256), Bytes({'M', 0, 1}));
  EXPECT_EQ(OfInt(65536), Bytes({'J', 0, 0, 1, 0}));
  EXPECT_EQ(OfInt(0x7fffffff), Bytes({'J', 255, 255, 255, 127}));
  EXPECT_EQ(OfInt(0x80000000), Bytes({0x8a, 5, 0, 0, 0, 128, 0})) << "it is not negative";
  EXPECT_EQ(OfInt(uint64_t{1} << 40), Bytes({0x8a, 6, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(OfInt(UINT64_MAX), Bytes({0x8a, 9, 255, 255, 255, 255, 255, 255, 255, 255, 0}));
}

TEST(PickleTest, ATextThatCameBeforeIsReferredTo) {
  EXPECT_EQ(Pickled([](Pickle* pickle) {
              pickle->BeginList();
              pickle->Text("ab");
              pickle->Text("ab");
              pickle->EndList();
            }),
            Bytes({']', '(', 'X', 2, 0, 0, 0, 'a', 'b', 'q', 0, 'h', 0, 'e'}));
}

TEST(PickleTest, AValueThatIsRememberedIsReferredTo) {
  EXPECT_EQ(Pickled([](Pickle* pickle) {
              pickle->BeginDict();
              pickle->Text("a");
              pickle->Bool(true);
              pickle->EndDict();
              pickle->Again(pickle->Remember());
            }),
            Bytes({'}', '(', 'X', 1, 0, 0, 0, 'a', 'q', 0, 0x88, 'u', 'q', 1, 'h', 1}));
}

}  // namespace
}  // namespace syncline
