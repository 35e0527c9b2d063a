// SPDX-License-Identifier: Apache-2.0
// Pickles byte by byte as CPython writes them, and histories there and back. What PyTorch's viewers
// make of a snapshot, the end-to-end tests say.
#include "writers/memory/memory_snapshot.h"

#include <gtest/gtest.h>

#include "model/testing/scratch.h"
#include "writers/files/file_sink.h"
#include "writers/memory/pickle_writer.h"

namespace syncline {
namespace {

class Kept : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    text += bytes;
    return full ? Status::Error("full") : Status();
  }
  std::string text;
  bool full = false;
};

std::string operator""_b(const char* text, size_t size) { return {text, size}; }

TEST(PickleWriterTest, NumbersTakeAsLittleAsTheyCan) {
  Kept out;
  PickleWriter pickle(&out);
  pickle.BeginList();
  for (const int64_t value :
       {int64_t{0}, int64_t{255}, int64_t{256}, int64_t{65536}, int64_t{-1}, int64_t{1} << 40})
    pickle.Int(value);
  pickle.Bool(true);
  pickle.EndList();
  EXPECT_TRUE(pickle.Finish().ok());
  EXPECT_EQ(out.text,
            "\x80\x02]("
            "K\0K\xffM\0\x01J\0\0\x01\0J\xff\xff\xff\xff"
            "\x8a\x08\0\0\0\0\0\x01\0\0\x88"
            "e."_b);
}

TEST(PickleWriterTest, KeysAreWrittenOnce) {
  Kept out;
  PickleWriter pickle(&out);
  pickle.BeginList();
  for (int i = 0; i < 2; ++i) {
    pickle.BeginDict();
    pickle.Key("a");
    pickle.Text("\xff");
    pickle.EndDict();
  }
  pickle.EndList();
  EXPECT_TRUE(pickle.Finish().ok());
  EXPECT_EQ(out.text,
            "\x80\x02]("
            "}(X\x01\0\0\0ar\0\0\0\0X\x03\0\0\0\xEF\xBF\xBDu"
            "}(j\0\0\0\0X\x03\0\0\0\xEF\xBF\xBDu"
            "e."_b);
}

TEST(PickleWriterTest, LongListsComeInBatches) {
  Kept out;
  PickleWriter pickle(&out);
  pickle.BeginList();
  for (int i = 0; i < 1001; ++i) pickle.Int(7);
  pickle.EndList();
  EXPECT_TRUE(pickle.Finish().ok());
  EXPECT_EQ(out.text.substr(out.text.size() - 8), "K\7e(K\7e."_b);
}

TEST(PickleWriterTest, WhatCannotBeWrittenIsSaid) {
  Kept out;
  out.full = true;
  PickleWriter pickle(&out);
  pickle.Int(1);
  EXPECT_EQ(pickle.Finish().message(), "full");
}

class MemoryHistoryTest : public ::testing::Test {
 protected:
  Status Read(std::string_view text) {
    FileSink file;
    EXPECT_TRUE(file.Open(path_).ok());
    EXPECT_TRUE(file.Write(text).ok());
    EXPECT_TRUE(file.Commit().ok());
    processes.clear();
    return ReadMemoryHistory(path_, &processes);
  }
  std::vector<MemoryHistory> processes;

 private:
  testing::Scratch scratch_;
  const std::string path_ = scratch_ / "rank-0.memory";
};

TEST_F(MemoryHistoryTest, WhatIsWrittenIsRead) {
  Kept out;
  MemoryHistoryWriter writer(&out);
  const std::vector<MemoryFrame> frames = {{"a \"b\"\n.py", 3, "f"}, {"", 0, ""}};
  const MemoryEvent event{MemoryAction::kGiveBack, 1, 1, 5, UINT64_MAX, 7, 8};
  writer.Process(4711, "a\nb c");
  EXPECT_EQ(writer.Stack(frames), 1u);
  writer.Event(event);
  writer.Process(4712, "");
  writer.Event({});
  EXPECT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(Read(out.text).ok());
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].pid, 4711);
  EXPECT_EQ(processes[0].program, "a b c");
  EXPECT_EQ(processes[0].stacks, (std::vector<std::vector<MemoryFrame>>{frames}));
  EXPECT_EQ(processes[0].events, std::vector<MemoryEvent>{event});
  EXPECT_EQ(processes[1].events, std::vector<MemoryEvent>{MemoryEvent()});
}

TEST_F(MemoryHistoryTest, DamageIsSaidWithItsLine) {
  const std::string head = "syncline.memory/1\nP 1 a\n";
  EXPECT_TRUE(Read(head).ok());
  for (const char* line : {"E 0 0 1 1 1 1 1", "E 3 0 0 1 1 1 1", "E 0 0 0 1 1 1", "S {}",
                           "S [[1,2,3]]", "X 1", "E", "E 0 0 0 1 1 1 1 1", "P x"}) {
    const Status status = Read(head + line + "\n");
    EXPECT_NE(status.message().find("line 3 of "), std::string::npos)
        << line << ": " << status.message();
  }
  EXPECT_FALSE(Read(head + "E 0 0 0 1 1 1 1").ok()) << "cut";
  EXPECT_FALSE(Read("syncline.memory/2\n").ok());
  EXPECT_FALSE(Read("").ok());
}

// A segment of 100 has two blocks, of which one goes; a segment of 50 is given back when it is
// empty.
TEST(MemorySnapshotTest, SegmentsComeAndGo) {
  MemoryHistory history;
  history.stacks = {{{"a.py", 3, "f"}}};
  using enum MemoryAction;
  history.events = {{kTake, 0, 1, 1000, 1000, 10, 100},     {kTake, 0, 0, 2000, 1010, 20, 100},
                    {kTake, 0, 0, 3000, 5000, 50, 150},     {kGiveBack, 0, 0, 4000, 5000, 50, 150},
                    {kGiveBack, 0, 0, 5000, 1000, 10, 150}, {kTake, 0, 0, 6000, 1030, 5, 100},
                    {kOutOfMemory, 0, 1, 7000, 0, 900, 100}};
  Kept out;
  ASSERT_TRUE(WriteMemorySnapshot(history, &out).ok());
  const auto count = [&](std::string_view word) {
    size_t found = 0;
    for (size_t at = 0; (at = out.text.find(word, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  for (const char* once : {"segment_alloc", "segment_free", "alloc", "oom", "device_free", "a.py",
                           "inactive", "active_allocated"})
    EXPECT_GE(count(once), 1u) << once;
  EXPECT_TRUE(WriteMemorySnapshot({}, &out).ok());
}

}  // namespace
}  // namespace syncline
