// SPDX-License-Identifier: Apache-2.0
// Whole traces from whole spools, judged as their readers judge them.
#include "offline/testing/trace_writing.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "model/run/spool_facts.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "writers/testing/trace_check.h"

namespace syncline::rank_pipeline_test {
namespace {

// Ranges that are closed at one moment end one after the other, at most so much later (us).

using Json = nlohmann::ordered_json;
using testing::CheckTrace;
using testing::kStartRealtime;
using testing::kStartTicks;
using testing::Nanoseconds;
using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::SpoolBuilder;
using testing::TraceCheck;

constexpr uint64_t kMs = 1000000;

class RankPipelineTest : public ::testing::Test {
 protected:
  RankPipelineTest() {
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
  }

  void AddSpool(const SpoolBuilder& spool) {
    const std::string name = "s" + std::to_string(job.processes.size()) + ".spool";
    job.processes.emplace_back().spool = spool.Save(scratch / name);
  }

  // The spool of one process that recorded `batch` and ended at 100 ms.
  SpoolBuilder Spool(const RecordBatch& batch, int32_t pid = 4210) {
    SpoolBuilder spool;
    return spool.Process(PlausibleProcess(pid))
        .Records(0, batch)
        .End(kStartTicks + 100 * kMs, true, 0);
  }

  TraceCheck Write() {
    result = WriteRankTrace(job);
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    TraceCheck check = CheckTrace(testing::ReadTrace(job.output));
    EXPECT_TRUE(check.faults.empty()) << check.Faults();
    return check;
  }

  static Json Only(const TraceCheck& check, const std::string& ph, const std::string& name) {
    const auto found = check.Events(ph, name);
    EXPECT_EQ(found.size(), 1u) << name;
    return found.empty() ? Json::object() : found[0];
  }

  static RecordBatch Main() { return RecordBatch().Stream(1, 4210, true); }

  testing::Scratch scratch;
  TraceJob job;
  RankResult result;
};

TEST_F(RankPipelineTest, RangesOfOneThread) {
  AddSpool(Spool(Main()
                     .Name(1, "outer")
                     .Name(2, "inner")
                     .Range(2, kStartTicks + 2500, kStartTicks + 3001)
                     .Range(1, kStartTicks + 1000, kStartTicks + 4000)));
  const TraceCheck check = Write();
  const Json inner = Only(check, "X", "inner");
  EXPECT_EQ(inner["cat"], "user_annotation");
  EXPECT_EQ(inner["pid"], 4210);
  EXPECT_EQ(inner["tid"], 4210);
  const std::string text = testing::ReadTrace(job.output);
  const uint64_t base_ns = BaseTimeOf(BaseFrom::kGrid, kStartRealtime).ns;
  const uint64_t us = (kStartRealtime - base_ns) / 1000 + 2;
  EXPECT_NE(text.find("\"name\": \"inner\", \"pid\": 4210, \"tid\": 4210, \"ts\": " +
                      std::to_string(us) + ".5002, \"dur\": 0.5008, \"args\": {}}"),
            std::string::npos);
  EXPECT_EQ(check.trace["distributedInfo"].dump(), "{\"rank\":0,\"world_size\":1}");
  EXPECT_EQ(check.trace["baseTimeNanoseconds"], base_ns);
  EXPECT_EQ(check.trace["metadata"]["base_time_from"], "grid");
  EXPECT_EQ(check.trace["traceName"], "rank-0.trace.json");
  EXPECT_EQ(check.Events("M", "process_name")[0]["args"]["name"], "rank 0: train");
  EXPECT_EQ(result.manifest.ranges, 2u);
  EXPECT_EQ(result.manifest.processes[0].threads, 1u);
  EXPECT_FALSE(std::filesystem::exists(job.output + ".tmp"));
}

TEST_F(RankPipelineTest, WholeMicrosecondsRoundBothEndsDown) {
  job.unit = TimeUnit::kUs;
  AddSpool(Spool(Main()
                     .Name(1, "a")
                     .Name(2, "b")
                     .Range(1, kStartTicks + 1999, kStartTicks + 2001)
                     .Range(2, kStartTicks + 2001, kStartTicks + 2999)));
  const TraceCheck check = Write();
  EXPECT_EQ(Only(check, "X", "a")["dur"].dump(), "1");
  EXPECT_EQ(Only(check, "X", "b")["dur"].dump(), "0");
  EXPECT_TRUE(Only(check, "X", "b")["ts"].is_number_integer());
}

TEST_F(RankPipelineTest, AttributesBecomeArgs) {
  constexpr auto kDouble = static_cast<uint32_t>(PayloadType::kDouble);
  const RangeAttributes attributes{{3}, {0x0000ff}, 1, kDouble, std::bit_cast<uint64_t>(2.5), 0, 0};
  RangeAttributes large{
      {7}, {0x80112233}, 1, static_cast<uint32_t>(PayloadType::kUint64), UINT64_MAX, 0, 0};
  AddSpool(Spool(Main()
                     .Name(1, "a")
                     .Name(2, "b")
                     .Domain(1, 9, "NCCL")
                     .Text(RecordKind::kCategory, 1, 3, "collective", 1)
                     .Range(1, kStartTicks, kStartTicks + 10, 1, 0, &attributes)
                     .Range(2, kStartTicks + 20, kStartTicks + 30, 0, 0, &large)
                     .Mark(1, kStartTicks + 5, &attributes)));
  const TraceCheck check = Write();
  EXPECT_EQ(
      Only(check, "X", "a")["args"].dump(),
      "{\"domain\":\"NCCL\",\"category\":\"collective\",\"color\":\"#FF0000FF\",\"payload\":2.5}");
  EXPECT_EQ(Only(check, "X", "b")["args"].dump(),
            "{\"category\":7,\"color\":\"#80112233\",\"payload\":\"0xffffffffffffffff\"}");
  // The category's name belongs to the domain NCCL, the mark to the default domain.
  EXPECT_EQ(Only(check, "i", "a")["args"]["category"], 3);
  EXPECT_EQ(Only(check, "i", "a")["s"], "t");
}

TEST_F(RankPipelineTest, AllScalarPayloads) {
  struct {
    PayloadType type;
    uint64_t bits;
    const char* text;
  } const cases[] = {{PayloadType::kInt64, static_cast<uint64_t>(-5), "-5"},
                     {PayloadType::kUint32, 0xffffffffu, "4294967295"},
                     {PayloadType::kInt32, 0xffffffffu, "-1"},
                     {PayloadType::kFloat, 0x3fc00000u, "1.5"},
                     {PayloadType::kDouble, 0x7ff8000000000000u, "\"NaN\""},
                     {PayloadType::kUint64, 1, "1"},
                     {static_cast<PayloadType>(99), 16, "\"0x10\""}};
  RecordBatch batch = Main();
  uint32_t id = 0;
  for (const auto& test : cases) {
    RangeAttributes attributes = {};
    attributes.payload_type = static_cast<uint32_t>(test.type);
    attributes.payload = test.bits;
    ++id;
    batch.Name(id, "n" + std::to_string(id));
    batch.Range(id, kStartTicks + id, kStartTicks + id, 0, 0, &attributes);
  }
  AddSpool(Spool(batch));
  const TraceCheck check = Write();
  for (id = 1; id <= std::size(cases); ++id) {
    EXPECT_EQ(Only(check, "X", "n" + std::to_string(id))["args"]["payload"].dump(),
              cases[id - 1].text);
  }
}

TEST_F(RankPipelineTest, NamesOfAllKinds) {
  const std::string huge(65536, '"');
  AddSpool(Spool(Main()
                     .Name(1, "tab\there \"quoted\" \\ \x01")
                     .Name(2, "bad \xff byte")
                     .Name(3, huge)
                     .Name(4, "")
                     .Range(1, kStartTicks, kStartTicks + 1)
                     .Range(2, kStartTicks, kStartTicks + 1)
                     .Range(3, kStartTicks, kStartTicks + 1)
                     .Range(0, kStartTicks, kStartTicks + 1)
                     .Range(99, kStartTicks, kStartTicks + 1)
                     .Range(4, kStartTicks, kStartTicks + 1)));
  const TraceCheck check = Write();
  Only(check, "X", "tab\there \"quoted\" \\ \x01");
  EXPECT_EQ(Only(check, "X", "bad \xef\xbf\xbd byte")["args"]["name_bytes"],
            "62616420ff2062797465");
  Only(check, "X", huge);
  Only(check, "X", "(no name)");
  Only(check, "X", "(name lost)");
  EXPECT_EQ(result.manifest.ranges, 6u);
}

TEST_F(RankPipelineTest, RangesThatDoNotNestHaveTheirOwnRow) {
  AddSpool(Spool(Main()
                     .Name(1, "a")
                     .Name(2, "b")
                     .Domain(1, 1, "one")
                     .Range(1, kStartTicks, kStartTicks + 20, 1, kCrossing)
                     .Range(2, kStartTicks + 10, kStartTicks + 30)));
  const TraceCheck check = Write();
  EXPECT_NE(Only(check, "X", "a")["tid"], Only(check, "X", "b")["tid"]);
  const auto names = check.Events("M", "thread_name");
  EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                          [](const Json& e) { return e["args"]["name"] == "main (one)"; }));
}

TEST_F(RankPipelineTest, StartEndRangesAreJoinedInAnyOrder) {
  RecordBatch second = RecordBatch().Stream(2, 4300);
  second.End(kStartTicks + 500, 1).End(kStartTicks + 900, 2);
  RecordBatch first = Main();
  first.Name(1, "one")
      .Name(2, "two")
      .Start(1, kStartTicks + 100, 1, 0)
      .Start(2, kStartTicks + 200, 2, 1);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(1, second).Records(0, first).End(kStartTicks + kMs);
  AddSpool(spool);
  const TraceCheck check = Write();
  EXPECT_EQ(Nanoseconds(Only(check, "X", "one")["dur"]), 400);
  EXPECT_EQ(Nanoseconds(Only(check, "X", "two")["dur"]), 700);
  EXPECT_NE(Only(check, "X", "one")["tid"], Only(check, "X", "two")["tid"]);
}

TEST_F(RankPipelineTest, OpenRangesEndWithTheProcessAndSaySo) {
  OpenRange open[2] = {};
  open[0].begin = kStartTicks + 100;
  open[0].name = 1;
  open[1].begin = kStartTicks + 200;
  open[1].name = 2;
  RecordBatch batch = Main();
  batch.Name(1, "outer").Name(2, "inner").Name(3, "started").Start(3, kStartTicks + 300, 7, 300);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess())
      .Records(0, batch)
      .Open(0, 1, 4210, open)
      .End(kStartTicks + kMs, true, SIGKILL);
  AddSpool(spool);
  const TraceCheck check = Write();
  for (const auto& [name, ns] :
       {std::pair("outer", 999900), {"inner", 999800}, {"started", 999700}}) {
    const Json event = Only(check, "X", name);
    EXPECT_EQ(Nanoseconds(event["dur"]), ns);
    EXPECT_EQ(event["args"]["closed_by"], "syncline");
    EXPECT_EQ(event["args"]["reason"], "its process ended");
  }
  EXPECT_EQ(result.manifest.processes[0].ranges_closed, 3u);
  EXPECT_EQ(result.manifest.processes[0].exit_text, "killed by signal 9 (KILL)");
}

TEST_F(RankPipelineTest, RangesClosedAtTheirThreadsEndEndTogether) {
  RecordBatch batch = Main();
  batch.Name(1, "outer")
      .Name(2, "inner")
      .Range(2, kStartTicks + 200, kStartTicks + 900, 0, kClosedByUs);
  batch.Range(1, kStartTicks + 100, kStartTicks + 900, 0, kClosedByUs);
  SpoolBuilder spool;
  AddSpool(spool.Process(PlausibleProcess()).Records(0, batch).End(kStartTicks + kMs));
  const TraceCheck check = Write();
  EXPECT_EQ(Nanoseconds(Only(check, "X", "inner")["dur"]), 700);
  EXPECT_EQ(Nanoseconds(Only(check, "X", "outer")["dur"]), 800);
  EXPECT_EQ(Only(check, "X", "outer")["args"]["reason"], "its thread ended");
}

TEST_F(RankPipelineTest, AStartWhoseEndWasLostEndsWhereItsLaneGoesOn) {
  RecordBatch batch = Main();
  batch.Name(1, "lost")
      .Name(2, "next")
      .Start(1, kStartTicks + 100, 1, 0)
      .Start(2, kStartTicks + 200, 2, 0);
  AddSpool(Spool(batch.End(kStartTicks + 300, 2)));
  const TraceCheck check = Write();
  EXPECT_EQ(Nanoseconds(Only(check, "X", "lost")["dur"]), 100);
  EXPECT_EQ(Only(check, "X", "lost")["args"]["reason"], "its end was lost");
}

TEST_F(RankPipelineTest, LossesAreInTheTraceAndTheManifest) {
  SpoolCounters counters{};
  counters.losses[kLoss_ring_full] = 12;
  counters.degraded = kRingsStoppedGrowing | kFileMemory;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess())
      .Records(0, Main().Name(1, "x").Range(1, kStartTicks, kStartTicks + 1));
  spool.Counters(counters).End(kStartTicks + kMs, true, 0x300);
  AddSpool(spool);
  job.manifest = scratch / "rank-0.json";
  const TraceCheck check = Write();
  const Json instant = Only(check, "i", "syncline: 12 records lost (ring_full)");
  EXPECT_NE(instant["args"]["remedy"].get<std::string>().find("--memory-ring"), std::string::npos);
  EXPECT_EQ(check.trace["metadata"]["losses"]["ring_full"], 12);
  EXPECT_EQ(check.trace["metadata"]["degraded"].dump(),
            "[\"rings_stopped_growing\",\"file_memory\"]");
  RankManifest manifest;
  ASSERT_TRUE(ReadManifest(job.manifest, &manifest).ok());
  EXPECT_EQ(manifest.losses.at("ring_full"), 12u);
  EXPECT_EQ(manifest.processes.at(0).exit_text, "exited with status 3");
  EXPECT_EQ(manifest.processes.at(0).degraded.size(), 2u);
}

TEST_F(RankPipelineTest, ABadPayloadIsShownRawAndCounted) {
  RecordBatch batch = Main();
  batch.Name(1, "x")
      .Text(RecordKind::kPayload, 5, kStartTicks, "abc")
      .Range(1, kStartTicks, kStartTicks + 1, 0, kHasPayload);
  AddSpool(Spool(batch));
  const TraceCheck check = Write();
  EXPECT_EQ(Only(check, "X", "x")["args"]["payload"], "616263");
  EXPECT_EQ(check.trace["metadata"]["losses"]["bad_payload"], 1);
}

TEST_F(RankPipelineTest, AProcessThatRecordedNothingIsShown) {
  ProcessInput& input = job.processes.emplace_back();
  auto note = std::make_shared<StartNote>();
  note->start = testing::PlausibleAnchor(kStartTicks);
  note->facts = PlausibleProcess(7).facts;
  input.note = std::move(note);
  input.outer_pid = 7;
  input.end_monotonic_ns = kStartTicks + 5 * kMs;
  const TraceCheck check = Write();
  const Json life = Only(check, "X", "train");
  EXPECT_EQ(life["cat"], "process");
  EXPECT_EQ(life["args"]["pid"], 7);
  EXPECT_EQ(life["args"]["exit"], "unknown");
  EXPECT_GE(life["dur"].get<double>(), 5000.0);
  EXPECT_EQ(check.Events("M", "process_labels")[0]["args"]["labels"], "CPU, pid 7");
}

TEST_F(RankPipelineTest, ProgramsOfOneProcessFollowEachOther) {
  SpoolProcess shell = PlausibleProcess();
  std::strcpy(shell.facts.executable, "/usr/bin/wrapper");
  SpoolProcess program = PlausibleProcess();
  program.start = testing::PlausibleAnchor(kStartTicks + 10 * kMs);
  program.consumer_start = program.start;
  OpenRange open{};
  open.begin = kStartTicks + 5 * kMs;
  open.name = 1;
  SpoolBuilder first;
  first.Process(shell)
      .Records(0, Main().Name(1, "before exec"))
      .Open(0, 1, 4210, {&open, 1})
      .End(kStartTicks + 11 * kMs);
  SpoolBuilder second;
  second.Process(program).Records(
      0, Main().Name(1, "after").Range(1, kStartTicks + 12 * kMs, kStartTicks + 13 * kMs));
  second.End(kStartTicks + 20 * kMs, true, 0);
  AddSpool(second);
  AddSpool(first);
  const TraceCheck check = Write();
  EXPECT_EQ(Nanoseconds(Only(check, "X", "before exec")["dur"]), 5 * kMs);
  EXPECT_EQ(Only(check, "X", "wrapper")["args"]["exit"], "became another program");
  EXPECT_EQ(Only(check, "X", "train")["args"]["exit"], "exited with status 0");
  EXPECT_EQ(check.Events("M", "process_name").size(), 1u);
}

TEST_F(RankPipelineTest, ASecondSegmentOfTheSameProgramIsNoNewProgram) {
  SpoolProcess again = PlausibleProcess();
  again.start = testing::PlausibleAnchor(kStartTicks + 10 * kMs);
  again.consumer_start = again.start;
  SpoolBuilder first, second;
  first.Process(PlausibleProcess())
      .Records(0, Main().Name(1, "a").Range(1, kStartTicks, kStartTicks + 1));
  second.Process(again).Records(
      0, Main().Name(1, "b").Range(1, kStartTicks + 11 * kMs, kStartTicks + 12 * kMs));
  second.End(kStartTicks + 20 * kMs, true, 0);
  AddSpool(first);
  AddSpool(second);
  const TraceCheck check = Write();
  EXPECT_EQ(Only(check, "X", "train")["args"]["exit"], "exited with status 0");
}

TEST_F(RankPipelineTest, TwoProcessesWithOnePid) {
  SpoolProcess other = PlausibleProcess();
  other.facts.start_time += 5;
  SpoolBuilder spool;
  spool.Process(other).Records(0, Main().Name(1, "second").Range(1, kStartTicks, kStartTicks + 10));
  AddSpool(Spool(Main().Name(1, "first").Range(1, kStartTicks + 5, kStartTicks + 15)));
  AddSpool(spool);
  const TraceCheck check = Write();
  EXPECT_NE(Only(check, "X", "first")["pid"], Only(check, "X", "second")["pid"]);
}

TEST_F(RankPipelineTest, ThreadNames) {
  AddSpool(Spool(Main()
                     .Name(1, "x")
                     .Range(1, kStartTicks, kStartTicks + 1)
                     .Text(RecordKind::kThreadName, 4300, 0, "loader")
                     .Text(RecordKind::kThreadName, 4210, 0, "trainer")
                     .StreamEnd(1, 4210)
                     .Stream(2, 4300)
                     .Stream(3, 4301)
                     .Text(RecordKind::kThreadName, 4302, 0, "python3")));
  const TraceCheck check = Write();
  std::map<int, std::string> names;
  for (const Json& event : check.Events("M", "thread_name"))
    names[event["tid"]] = event["args"]["name"];
  EXPECT_EQ(names[4210], "trainer");
  EXPECT_EQ(names[4300], "loader");
  EXPECT_EQ(names[4301], "thread");
  EXPECT_EQ(names[4302], "thread");  // whose name is that of its process
}

TEST_F(RankPipelineTest, DamageIsToldAndTheRestIsWritten) {
  SpoolBuilder spool;
  spool.Process(PlausibleProcess())
      .Records(0, Main().Name(1, "x").Range(1, kStartTicks, kStartTicks + 1))
      .SkipSequence();
  RecordBatch more;
  more.Range(1, kStartTicks + 5, kStartTicks + 6);
  spool.Records(0, more);
  spool.bytes().append(100, 'x');
  AddSpool(spool);
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("X", "x").size(), 2u);
  EXPECT_EQ(check.Events("X", "x")[1]["args"]["after_lost_block"], true);
  EXPECT_EQ(result.problems.size(), 2u);
  EXPECT_TRUE(result.unread.empty());
  EXPECT_EQ(check.trace["metadata"]["losses"]["damaged"], 1);
}

TEST_F(RankPipelineTest, AnUnreadableSpoolDoesNotHideTheOthers) {
  AddSpool(Spool(Main().Name(1, "x").Range(1, kStartTicks, kStartTicks + 1)));
  job.processes.emplace_back().spool = scratch / "foreign.spool";
  std::ofstream(job.processes[1].spool) << "not a spool at all, but long enough to be one";
  const TraceCheck check = Write();
  Only(check, "X", "x");
  EXPECT_EQ(result.unread, std::vector<std::string>{job.processes[1].spool});
}

TEST_F(RankPipelineTest, RecordsOutOfTheProcesssTimeAreCounted) {
  AddSpool(Spool(Main()
                     .Name(1, "x")
                     .Range(1, 5, 10)
                     .Range(1, kStartTicks, kStartTicks + 1)
                     .Range(1, kStartTicks, UINT64_MAX)
                     .Mark(1, UINT64_MAX)));
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("X", "x").size(), 1u);
  EXPECT_EQ(result.manifest.losses.at("damaged"), 3u);
}

TEST_F(RankPipelineTest, GzipMembersAreIndependentAndHoldWholeLines) {
  job.output = scratch / "rank-0.trace.json.gz";
  job.processes.emplace_back().spool = scratch / "long.spool";
  testing::WriteRealisticSpool(job.processes[0].spool, 40000, 3, true, false);
  result = WriteRankTrace(job);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  std::vector<std::string> members;
  const std::string text = testing::ReadTrace(job.output, &members);
  const TraceCheck check = CheckTrace(text);
  EXPECT_TRUE(check.faults.empty()) << check.Faults();
  EXPECT_EQ(check.Events("X").size(), 40001u);
  ASSERT_GT(members.size(), 5u);
  EXPECT_TRUE(members.front().ends_with("\"traceEvents\": [\n"));
  EXPECT_TRUE(members.back().starts_with("\n],\n\"traceName\""));
  for (size_t i = 1; i + 1 < members.size(); ++i) {
    EXPECT_EQ(members[i].find("{\"ph\""), i == 1 ? 0u : 2u);
    EXPECT_TRUE(members[i].ends_with("}}"));
    EXPECT_LE(members[i].size(), (1u << 20) + 4096);
  }
  EXPECT_EQ(result.manifest.text_bytes, text.size());
  EXPECT_EQ(result.manifest.trace_bytes, std::filesystem::file_size(job.output));
}

TEST_F(RankPipelineTest, AFullDiskLeavesNothingBehind) {
  job.processes.emplace_back().spool = scratch / "long.spool";
  testing::WriteRealisticSpool(job.processes[0].spool, 20000, 1, false, false);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1 << 20, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  result = WriteRankTrace(job);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(result.status.ok());
  EXPECT_NE(result.status.message().find("File too large; raise the limit on file sizes"),
            std::string::npos)
      << result.status.message();
  EXPECT_FALSE(std::filesystem::exists(job.output));
  EXPECT_FALSE(std::filesystem::exists(job.output + ".tmp"));
}

TEST_F(RankPipelineTest, CancellingLeavesNothingBehind) {
  job.processes.emplace_back().spool = scratch / "long.spool";
  testing::WriteRealisticSpool(job.processes[0].spool, 20000, 1, false, false);
  job.progress = [](uint64_t done, uint64_t total) { return done * 4 < total * 3; };
  result = WriteRankTrace(job);
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.status.ok());
  EXPECT_FALSE(std::filesystem::exists(job.output));
  EXPECT_FALSE(std::filesystem::exists(job.output + ".tmp"));
}

TEST_F(RankPipelineTest, ProgressGrowsToItsTotal) {
  job.processes.emplace_back().spool = scratch / "long.spool";
  testing::WriteRealisticSpool(job.processes[0].spool, 20000, 2, false, false);
  uint64_t last = 0, total = 0;
  bool grows = true;
  job.progress = [&](uint64_t done, uint64_t all) {
    grows = grows && done >= last && done <= all;
    last = done;
    total = all;
    return true;
  };
  Write();
  EXPECT_TRUE(grows);
  EXPECT_EQ(last, total);
  EXPECT_EQ(total, 2 * std::filesystem::file_size(job.processes[0].spool));
}

TEST_F(RankPipelineTest, NothingToWriteIsAnError) {
  result = WriteRankTrace(job);
  EXPECT_NE(result.status.message().find("no process of this rank was recorded"),
            std::string::npos);
  job.processes.emplace_back().spool = Spool(Main()).Save(scratch / "a.spool");
  job.output = scratch / "absent/rank-0.trace.json";
  result = WriteRankTrace(job);
  EXPECT_NE(result.status.message().find("create the directory"), std::string::npos);
}

TEST_F(RankPipelineTest, InheritedBaseTimeWins) {
  job.base = BaseTime{kStartRealtime - 1000, BaseFrom::kInherited};
  AddSpool(Spool(Main().Name(1, "x").Range(1, kStartTicks, kStartTicks + 3000)));
  const TraceCheck check = Write();
  EXPECT_EQ(check.trace["baseTimeNanoseconds"], kStartRealtime - 1000);
  EXPECT_EQ(Nanoseconds(Only(check, "X", "x")["ts"]), 1000);
  EXPECT_EQ(result.manifest.base_time.from, BaseFrom::kInherited);
  // Its life began before: it is shown from the base on.
  EXPECT_EQ(Nanoseconds(Only(check, "X", "train")["ts"]), 0);
  EXPECT_TRUE(Only(check, "X", "train")["args"].contains("begin"));
}

TEST_F(RankPipelineTest, AClockBeforeTheBaseGetsABaseOfItsOwnAndSaysSo) {
  job.base = BaseTime{kStartRealtime + 7200 * uint64_t{1000000000}, BaseFrom::kJob};
  AddSpool(Spool(Main().Name(1, "x").Range(1, kStartTicks + 2000, kStartTicks + 3000)));
  const TraceCheck check = Write();
  EXPECT_EQ(result.manifest.base_time.from, BaseFrom::kRank);
  EXPECT_EQ(check.trace["metadata"]["base_time_from"], "rank");
  EXPECT_EQ(Nanoseconds(Only(check, "X", "x")["dur"]), 1000);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_NE(result.problems[0].find("7201 s before the base"), std::string::npos);
}

TEST_F(RankPipelineTest, SpoolFacts) {
  SpoolFacts facts;
  SpoolBuilder spool = Spool(Main());
  ASSERT_TRUE(ReadSpoolFacts(spool.Save(scratch / "a.spool"), &facts).ok());
  EXPECT_EQ(facts.rank, 0);
  EXPECT_EQ(facts.pid, 4210);
  EXPECT_EQ(facts.host, "node1");
  EXPECT_EQ(facts.name, "train");
  EXPECT_TRUE(facts.complete);
  spool.bytes().resize(spool.bytes().size() - 8);
  ASSERT_TRUE(ReadSpoolFacts(spool.Save(scratch / "b.spool"), &facts).ok());
  EXPECT_FALSE(facts.complete);
  spool.bytes()[100] ^= 1;
  EXPECT_NE(ReadSpoolFacts(spool.Save(scratch / "c.spool"), &facts)
                .message()
                .find("first block is damaged"),
            std::string::npos);
}

// Truth kept beside the spool: each range is in the trace with its name, times and row.
TEST_F(RankPipelineTest, EveryRandomRangeIsInTheTraceExactly) {
  std::mt19937_64 random(6);
  RecordBatch batches[3];
  std::map<std::tuple<std::string, int, uint64_t, uint64_t>, int> truth;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  for (uint32_t thread = 0; thread < 3; ++thread) {
    RecordBatch& batch = batches[thread];
    batch.Stream(thread + 1, 4210 + thread, thread == 0);
    for (uint32_t id = 1; id <= 40; ++id)
      batch.Name(id, "t" + std::to_string(thread) + " n" + std::to_string(id));
    uint64_t now = kStartTicks;
    for (int i = 0; i < 2000; ++i) {
      const uint32_t id = 1 + static_cast<uint32_t>(random() % 40);
      const uint64_t begin = now + random() % 500;
      now = begin + random() % 3000;
      batch.Range(id, begin, now);
      ++truth[{"t" + std::to_string(thread) + " n" + std::to_string(id),
               4210 + static_cast<int>(thread), begin, now}];
    }
    spool.Records(thread, batch);
  }
  AddSpool(spool.End(kStartTicks + 100 * kMs));
  const TraceCheck check = Write();
  const uint64_t offset =
      kStartRealtime - check.trace["baseTimeNanoseconds"].get<uint64_t>() - kStartTicks;
  for (const Json& event : check.Events("X")) {
    if (event["cat"] != "user_annotation") continue;
    const auto begin = static_cast<uint64_t>(Nanoseconds(event["ts"])) - offset;
    const auto length = static_cast<uint64_t>(Nanoseconds(event["dur"]));
    --truth[{event["name"], event["tid"], begin, begin + length}];
  }
  for (const auto& [key, count] : truth) EXPECT_EQ(count, 0) << std::get<0>(key);
}

}  // namespace
}  // namespace syncline::rank_pipeline_test
