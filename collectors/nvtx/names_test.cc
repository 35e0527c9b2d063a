// SPDX-License-Identifier: Apache-2.0
// Names of ranges: exact whatever their length and form, also when one place in memory holds many
// of them.
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "collectors/nvtx/test_client.h"

namespace syncline::test {
namespace {

class Names : public NvtxTest {
 protected:
  // A page whose next neighbour cannot be read.
  static char* LastPage() {
    void* pages = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(static_cast<char*>(pages) + 4096, 4096, PROT_NONE);
    return static_cast<char*>(pages);
  }

  // Pushes and pops what `place` holds, twice, and remembers it.
  void Push(const char* place) {
    for (int i = 0; i < 2; ++i) {
      expected_.push_back(place);
      nvtxRangePushA(place);
      nvtxRangePop();
    }
  }

  void ExpectAll() {
    const Trace trace = ReadTrace();
    ASSERT_EQ(trace.events.size(), expected_.size());
    for (size_t i = 0; i < expected_.size(); ++i)
      ASSERT_EQ(trace.events[i].name, expected_[i]) << i;
  }

  std::vector<std::string> expected_;
};

// Every length around the blocks in which names are compared, each byte changed in turn, longer and
// shorter ones.
TEST_F(Names, ComparesEveryByteOfEveryLength) {
  char place[96];
  for (size_t length = 0; length <= 66; ++length) {
    std::memset(place, 'n', sizeof(place));
    place[length] = '\0';
    Push(place);
    for (size_t changed = 0; changed < length; ++changed) {
      place[changed] = 'X';
      Push(place);
      place[changed] = 'n';
      Push(place);
    }
    place[length] = 'n';
    place[length + 1] = '\0';
    Push(place);
    if (length > 0) {
      place[length - 1] = '\0';
      Push(place);
    }
  }
  ExpectAll();
}

TEST_F(Names, NeverReadsBeyondAPage) {
  char* page = LastPage();
  for (size_t length = 0; length <= 66; ++length) {
    for (const size_t gap : {0, 1, 15, 16, 40}) {  // between the terminator and the page's end
      char* place = page + 4096 - length - 1 - gap;
      std::memset(place, 'p', length);
      place[length] = '\0';
      Push(place);
      if (length > 2) {  // a shorter one in its place
        place[length - 2] = '\0';
        Push(place);
      }
    }
  }
  for (const size_t length : {0, 5, 20, 47}) {  // at a page's beginning
    std::memset(page, 'b', length);
    page[length] = '\0';
    Push(page);
  }
  ExpectAll();
  munmap(page, 8192);
}

// A long name reached into the next page, which is gone when a short one takes its place.
TEST_F(Names, NeverReadsAPageThatIsGone) {
  for (size_t offset = 4096 - 49; offset < 4096 - 4; ++offset) {
    char* page = LastPage();
    mprotect(page, 8192, PROT_READ | PROT_WRITE);
    std::memset(page + offset, 'l', 47);
    page[offset + 47] = '\0';
    Push(page + offset);
    std::memcpy(page + offset, "lll", 4);
    mprotect(page + 4096, 4096, PROT_NONE);
    Push(page + offset);
    munmap(page, 8192);
  }
  ExpectAll();
}

// The cache has 256 places; names that share one must not be defined again at each use.
TEST_F(Names, KeepsTwoHotNamesThatShareAPlace) {
  static char memory[1 << 16];
  std::vector<char*> sharing;
  const auto place = [](const char* at) {
    return (reinterpret_cast<uintptr_t>(at) * 0x9E3779B97F4A7C15ull) >> 56;
  };
  for (size_t at = 0; at + 16 < sizeof(memory) && sharing.size() < 3; at += 16) {
    if (place(memory + at) != place(memory)) continue;
    snprintf(memory + at, 16, "name %zu", sharing.size());
    sharing.push_back(memory + at);
  }
  ASSERT_EQ(sharing.size(), 3u);
  for (int i = 0; i < 100; ++i) {
    Push(sharing[0]);
    Push(sharing[1]);
  }
  EXPECT_EQ(ReadTrace().definitions, 2);
  for (int i = 0; i < 100; ++i) Push(sharing[static_cast<size_t>(i % 3)]);
  ExpectAll();
}

TEST_F(Names, KeepsEachNameOfAReusedBuffer) {
  char buffer[64];
  for (int i = 0; i < 100; ++i) {
    snprintf(buffer, sizeof(buffer), "step %d", i);
    nvtxRangePushA(buffer);
    std::memset(buffer, 'x', sizeof(buffer) - 1);
    nvtxRangePop();
  }
  Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(trace.events[static_cast<size_t>(i)].name, "step " + std::to_string(i));
}

TEST_F(Names, DefinesANameOncePerThread) {
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA("again");
    nvtxRangePop();
  }
  EXPECT_EQ(ReadTrace().definitions, 1);
}

TEST_F(Names, KeepsLongNamesExactly) {
  std::string name(64 << 10, 'a');
  for (size_t i = 0; i < name.size(); ++i) name[i] = static_cast<char>('a' + i * 7 % 26);
  std::string buffer = name;
  nvtxRangePushA(buffer.c_str());
  nvtxRangePop();
  buffer[60000] = 'X';  // the same place, the same length, one other byte
  nvtxRangePushA(buffer.c_str());
  nvtxRangePop();
  nvtxRangePushA(buffer.c_str());
  nvtxRangePop();
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_TRUE(trace.events[0].name == name);
  EXPECT_TRUE(trace.events[1].name == buffer);
  EXPECT_TRUE(trace.events[2].name == buffer);
  EXPECT_EQ(trace.definitions, 2);
}

TEST_F(Names, PassesInvalidUtf8AsItIs) {
  const std::string bytes = "bad \xff\xfe\xc0\x80 utf-8 \x01\x7f";
  nvtxRangePushA(bytes.c_str());
  nvtxRangePop();
  nvtxRangePushA("");
  nvtxRangePop();
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[0].name, bytes);
  EXPECT_TRUE(trace.events[1].has_name);
  EXPECT_EQ(trace.events[1].name, "");
}

TEST_F(Names, TurnsWideNamesIntoUtf8) {
  wchar_t buffer[8] = L"\u00e9\u20ac\U0001f600z";
  nvtxRangePushW(buffer);
  nvtxRangePop();
  nvtxRangePushW(buffer);
  nvtxRangePop();
  buffer[3] = L'\0';  // a shorter one in its place
  nvtxRangePushW(buffer);
  nvtxRangePop();
  buffer[3] = L'y';
  nvtxRangePushW(buffer);
  nvtxRangePop();
  const wchar_t invalid[] = {L'a', static_cast<wchar_t>(0xd800), static_cast<wchar_t>(0x110000),
                             L'b', 0};
  nvtxMarkW(invalid);
  const std::wstring wide(64 << 10, L'\u00e4');
  nvtxRangePushW(wide.c_str());
  nvtxRangePop();
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 6u);
  EXPECT_EQ(trace.events[0].name, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
  EXPECT_EQ(trace.events[1].name, trace.events[0].name);
  EXPECT_EQ(trace.events[2].name, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(trace.events[3].name, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80y");
  EXPECT_EQ(trace.events[4].name,
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(trace.definitions, 5);
  std::string expected;
  for (size_t i = 0; i < wide.size(); ++i) expected += "\xc3\xa4";
  EXPECT_TRUE(trace.events[5].name == expected);
}

TEST_F(Names, RecordsNullNamesAsNone) {
  EXPECT_EQ(nvtxRangePushA(nullptr), 0);
  EXPECT_EQ(nvtxRangePushW(nullptr), 1);
  nvtxMarkA(nullptr);
  nvtxMarkW(nullptr);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 4u);
  for (const TraceEvent& event : trace.events) EXPECT_FALSE(event.has_name);
  EXPECT_EQ(AllLosses(), 0u);
}

}  // namespace
}  // namespace syncline::test
