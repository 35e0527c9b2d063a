// SPDX-License-Identifier: Apache-2.0
// The small units: sinks, manifest, program names, rows.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "model/run/losses.h"
#include "model/run/program_name.h"
#include "model/testing/scratch.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/files/file_sink.h"
#include "writers/files/gzip_sink.h"
#include "writers/findings/manifest.h"
#include "writers/testing/trace_check.h"

namespace syncline {
namespace {

using testing::Scratch;

class StringSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    ++writes;
    if (fail) return Status::Error("no");
    text += bytes;
    return Status();
  }
  std::string text;
  int writes = 0;
  bool fail = false;
};

TEST(FileSink, AppearsOnlyWhenCommitted) {
  Scratch scratch;
  const std::string path = scratch / "a.json";
  {
    FileSink file;
    ASSERT_TRUE(file.Open(path).ok());
    ASSERT_TRUE(file.Write("half").ok());
    EXPECT_TRUE(std::filesystem::exists(path + ".tmp"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  FileSink file;
  ASSERT_TRUE(file.Open(path).ok());
  ASSERT_TRUE(file.Write("whole").ok());
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(testing::ReadTrace(path), "whole");
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(FileSink, NothingInItsWayIsFollowedOrWaitedFor) {
  Scratch scratch;
  std::ofstream(scratch / "victim") << "keep";
  for (const bool pipe : {false, true}) {
    if (pipe) {
      ASSERT_EQ(mkfifo((scratch / "a.json.tmp").c_str(), 0666), 0);
    } else {
      std::filesystem::create_symlink(scratch / "victim", scratch / "a.json.tmp");
    }
    ASSERT_TRUE(WriteWholeFile(scratch / "a.json", "whole").ok());
    EXPECT_EQ(testing::ReadTrace(scratch / "a.json"), "whole");
    EXPECT_EQ(testing::ReadTrace(scratch / "victim"), "keep");
  }
}

TEST(FileSink, OnlyTheUserMayReadWhatItWrites) {
  Scratch scratch;
  const mode_t before = umask(0);
  ASSERT_TRUE(WriteWholeFile(scratch / "a.json", "names of your program").ok());
  umask(before);
  struct stat info;
  ASSERT_EQ(stat((scratch / "a.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(FileSink, SaysWhatToDo) {
  FileSink file;
  const Status status = file.Open("/proc/syncline.json");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("/proc/syncline.json"), std::string::npos);
  EXPECT_NE(status.message().find("-o"), std::string::npos);
}

TEST(GzipSink, BothCodecsGiveWhatTheyGot) {
  Scratch scratch;
  for (const GzipCodec codec : {GzipCodec::kIsal, GzipCodec::kZlib}) {
    if (!HasCodec(codec)) continue;
    const std::string path = scratch / "a.gz";
    std::string random;
    for (uint32_t i = 0, x = 1; i < 300000; ++i)
      random.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
    FileSink file;
    ASSERT_TRUE(file.Open(path).ok());
    GzipSink gzip(&file, codec);
    ASSERT_TRUE(gzip.Write(std::string(1 << 20, 'a')).ok());
    ASSERT_TRUE(gzip.Write(random).ok());
    ASSERT_TRUE(gzip.Write("x").ok());
    ASSERT_TRUE(file.Commit().ok());
    std::vector<std::string> members;
    testing::ReadTrace(path, &members);
    ASSERT_EQ(members.size(), 3u);
    EXPECT_EQ(members[0], std::string(1 << 20, 'a'));
    EXPECT_EQ(members[1], random);
    EXPECT_EQ(members[2], "x");
  }
}

TEST(EventBuffer, PiecesEndBetweenEvents) {
  StringSink sink;
  EventBuffer buffer(&sink);
  std::string expected;
  for (int i = 0; i < 100000; ++i) {
    const std::string event(20 + i % 50, static_cast<char>('a' + i % 26));
    buffer.Append(event);
    expected += event;
  }
  const std::string large(5 << 20, 'L');
  buffer.Append(large);
  buffer.Append("end");
  buffer.Flush();
  EXPECT_EQ(sink.text, expected + large + "end");
  EXPECT_EQ(buffer.text_bytes(), sink.text.size());
  EXPECT_GT(sink.writes, 4);
}

TEST(EventBuffer, KeepsTheFirstError) {
  StringSink sink;
  sink.fail = true;
  EventBuffer buffer(&sink);
  for (int i = 0; i < 100; ++i) buffer.Append(std::string(100000, 'x'));
  buffer.Flush();
  EXPECT_EQ(buffer.status().message(), "no");
  EXPECT_EQ(sink.writes, 1);
}

TEST(Rows, AreUniqueWithinAProcess) {
  for (const uint32_t pid :
       {256u, 4210u, kMaxRealId, 7u + kPidStep, 7u + 2 * kPidStep, 300u + 3 * kPidStep}) {
    RowIds rows{pid, true};
    std::set<uint32_t> seen;
    auto add = [&seen](uint32_t tid) {
      EXPECT_NE(tid, 0u);
      EXPECT_LT(tid, 1u << 31);
      EXPECT_TRUE(seen.insert(tid).second) << tid;
    };
    add(rows.Thread(1, true));
    add(rows.Process());
    for (const uint32_t tid : {1u, 5000u, rows.Main()}) {
      add(rows.Thread(tid, false));
      for (uint32_t index = 0; index < kCrossingRows; ++index) {
        if (tid != rows.Main()) add(rows.Crossing(tid, false, index));
      }
    }
    for (uint32_t index = 0; index < kCrossingRows; ++index) add(rows.Crossing(1, true, index));
    for (uint32_t lane = 0; lane < 5000; ++lane) add(rows.Lane(static_cast<uint16_t>(lane)));
    add(rows.Lane(UINT16_MAX));
  }
}

ProcessFacts Facts(const char* executable, std::string_view command) {
  ProcessFacts facts{};
  std::strncpy(facts.executable, executable, sizeof(facts.executable) - 1);
  std::strncpy(facts.comm, "comm", sizeof(facts.comm) - 1);
  facts.command_line_bytes = static_cast<uint32_t>(command.size());
  std::memcpy(facts.command_line, command.data(), command.size());
  return facts;
}

TEST(ProgramName, IsTheScriptsAndNotTheInterpreters) {
  using namespace std::string_view_literals;
  EXPECT_EQ(ProgramName(Facts("/usr/bin/python3.11", "python3\0-u\0/a/train.py\0--x"sv)), "train");
  EXPECT_EQ(ProgramName(Facts("/usr/bin/python3", "python3\0-X\0dev\0-m\0pkg.main\0y"sv)),
            "pkg.main");
  EXPECT_EQ(ProgramName(Facts("/usr/bin/python3", "python3\0-c\0import x"sv)), "python3");
  EXPECT_EQ(ProgramName(Facts("/bin/bash", "bash\0run.sh"sv)), "run");
  EXPECT_EQ(ProgramName(Facts("/home/u/solver", "./solver\0in.toml"sv)), "solver");
  EXPECT_EQ(ProgramName(Facts("", "")), "comm");
  EXPECT_EQ(ProgramName(ProcessFacts{}), "unknown program");
}

TEST(ProgramName, CommandLineIsQuotedWhereNeeded) {
  using namespace std::string_view_literals;
  EXPECT_EQ(CommandText(Facts("/a", "a\0b c\0\0it's"sv)), "a 'b c' '' 'it'\\''s'");
  ProcessFacts lying = Facts("/a", "a");
  lying.command_line_bytes = 4000000000;
  EXPECT_FALSE(CommandText(lying).empty());
  const std::vector<std::string> ends = {"a", "", "b", "", ""};
  bool cut = true;
  EXPECT_EQ(ArgumentsOf(Facts("/a", "a\0\0b\0\0"sv), &cut), ends);
  EXPECT_FALSE(cut);
  EXPECT_TRUE(ArgumentsOf(Facts("/a", ""sv)).empty());
  ArgumentsOf(lying, &cut);
  EXPECT_TRUE(cut);
}

TEST(Losses, EachKindHasNameMeaningAndRemedy) {
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    EXPECT_NE(*FactsOfLoss(kind).name, '\0');
    EXPECT_NE(*FactsOfLoss(kind).meaning, '\0');
    EXPECT_EQ(RemedyOf(FactsOfLoss(kind).name), FactsOfLoss(kind).remedy);
  }
  EXPECT_EQ(DegradedSteps(kNoDoorbell | kSmallSegment).size(), 2u);
}

TEST(Manifest, ReadsBackWhatItWrote) {
  Scratch scratch;
  RankManifest out;
  out.rank = 3;
  out.world_size = 8;
  out.events = uint64_t{1} << 60;
  out.losses["ring_full"] = 5;
  out.collectives.met = 18;
  out.collectives.came_last = 4;
  out.collectives.waited_for_ns = {{1, 2000000000}, {7, 5}};
  ManifestProcess& process = out.processes.emplace_back();
  process.pid = 42;
  process.name = "na\xffme";
  process.exit_kind = "signaled";
  process.exit_value = 9;
  process.end_known = true;
  process.problems = {"one", "two"};
  process.anchors.push_back({1, 2, 3, 4, UINT64_MAX, 6});
  const std::string path = scratch / "rank-3.json";
  ASSERT_TRUE(WriteManifest(path, out).ok());
  RankManifest in;
  ASSERT_TRUE(ReadManifest(path, &in).ok());
  EXPECT_EQ(in.rank, 3);
  EXPECT_EQ(in.world_size, 8);
  EXPECT_EQ(in.events, uint64_t{1} << 60);
  EXPECT_EQ(in.losses.at("ring_full"), 5u);
  EXPECT_EQ(in.collectives.met, 18u);
  EXPECT_EQ(in.collectives.came_last, 4u);
  EXPECT_EQ(in.collectives.waited_for_ns, out.collectives.waited_for_ns);
  ASSERT_EQ(in.processes.size(), 1u);
  EXPECT_EQ(in.processes[0].pid, 42);
  EXPECT_EQ(in.processes[0].name, "na\xef\xbf\xbdme");
  EXPECT_EQ(in.processes[0].exit_value, 9);
  EXPECT_TRUE(in.processes[0].end_known);
  EXPECT_EQ(in.processes[0].problems, process.problems);
  ASSERT_EQ(in.processes[0].anchors.size(), 1u);
  EXPECT_EQ(in.processes[0].anchors[0].realtime_ns, UINT64_MAX);
}

TEST(Manifest, RefusesWhatIsNotOne) {
  Scratch scratch;
  RankManifest manifest;
  auto message = [&](const std::string& text) {
    std::ofstream(scratch / "m.json", std::ios::trunc) << text;
    return ReadManifest(scratch / "m.json", &manifest).message();
  };
  EXPECT_NE(message("{\"schema\": ").find("not valid JSON"), std::string::npos);
  EXPECT_NE(message("[]").find("not valid JSON"), std::string::npos);
  EXPECT_NE(message("{\"schema\": \"syncline.rank/2\"}").find("syncline.rank/2"),
            std::string::npos);
  EXPECT_NE(ReadManifest(scratch / "absent", &manifest).message().find("No such file"),
            std::string::npos);
  EXPECT_EQ(message("{\"schema\": \"syncline.rank/1\", \"rank\": \"x\", \"losses\": 5, "
                    "\"processes\": [1, {\"exit\": 2, "
                    "\"clock\": [], \"losses\": [], \"problems\": [3]}]}"),
            "");
  EXPECT_EQ(manifest.rank, -1);
  EXPECT_EQ(manifest.processes.size(), 2u);
}

}  // namespace
}  // namespace syncline
