// SPDX-License-Identifier: Apache-2.0
// Tests of entering a run's directory: alone, with the other launchers of a job, and against other
// jobs.
#include "launcher/jobs/job.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include <nlohmann/json.hpp>

#include "launcher/host/files.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class JobTest : public ::testing::Test {
 protected:
  JobTest() : home_(fs::current_path()) { fs::current_path(directory_.path()); }
  ~JobTest() override { fs::current_path(home_); }

  static JobRequest Request(const std::string& output, const std::string& key, int rank) {
    JobRequest request;
    request.output = output;
    request.key = key;
    request.rank = rank;
    request.name = "solver";
    request.node = "node";
    return request;
  }

  // Enters from `count` processes at once, ranks 0 to count - 1; what each one prints of its
  // outcome.
  std::vector<std::string> EnterTogether(int count,
                                         const std::function<JobRequest(int rank)>& make) {
    int gate[2];
    EXPECT_EQ(pipe(gate), 0);
    std::vector<pid_t> pids;
    for (int rank = 0; rank < count; ++rank) {
      const pid_t pid = fork();
      if (pid == 0) {
        char c;
        close(gate[1]);
        [[maybe_unused]] const ssize_t opened = read(gate[0], &c, 1);
        const JobOutcome outcome = EnterJob(make(rank));
        const std::string text =
            outcome.error.empty()
                ? outcome.job.directory + " " + std::to_string(outcome.job.base_time.ns)
                : outcome.error;
        WriteFile(directory_ / ("outcome-" + std::to_string(rank)), text);
        _exit(0);
      }
      pids.push_back(pid);
    }
    close(gate[0]);
    close(gate[1]);
    std::vector<std::string> outcomes;
    for (int rank = 0; rank < count; ++rank) {
      waitpid(pids[static_cast<size_t>(rank)], nullptr, 0);
      std::string text;
      EXPECT_EQ(ReadFile(directory_ / ("outcome-" + std::to_string(rank)), &text), 0);
      outcomes.push_back(text);
    }
    return outcomes;
  }

  TestDirectory directory_;
  fs::path home_;
};

TEST_F(JobTest, MakesAPrivateDirectoryAndItsJobFile) {
  JobRequest request = Request("out", "", -1);
  request.command = {"./solver", "x"};
  request.options = {{"time.unit", "ns"}};
  const JobOutcome outcome = EnterJob(request);
  ASSERT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.job.created);
  EXPECT_EQ(outcome.job.directory, directory_ / "out");
  struct stat status = {};
  ASSERT_EQ(stat("out", &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  std::string text;
  ASSERT_EQ(ReadFile("out/run/job.json", &text), 0);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["schema"], "syncline.job/1");
  EXPECT_EQ(json["key"], outcome.job.key);
  EXPECT_EQ(json["name"], "solver");
  EXPECT_EQ(json["command"], (std::vector<std::string>{"./solver", "x"}));
  EXPECT_EQ(json["options"]["time.unit"], "ns");
  const auto began = json["anchor"]["realtime_ns"].get<uint64_t>();
  EXPECT_EQ(json["base_time_ns"].get<uint64_t>(), (began / 1000000000 - 3600) * 1000000000);
  EXPECT_EQ(json["base_time_from"], "job");
  EXPECT_GT(json["anchor"]["realtime_ns"].get<uint64_t>(), 0u);
}

TEST_F(JobTest, ReadsItBack) {
  const JobOutcome outcome = EnterJob(Request("out", "k", 0));
  ASSERT_EQ(outcome.error, "");
  Job job;
  std::string error;
  ASSERT_TRUE(ReadJob("out", &job, &error)) << error;
  EXPECT_EQ(job.key, "k");
  EXPECT_EQ(job.base_time.ns, outcome.job.base_time.ns);
  EXPECT_EQ(job.base_time.from, BaseFrom::kJob);
  EXPECT_EQ(job.first_anchor.realtime_ns, outcome.job.first_anchor.realtime_ns);
  EXPECT_FALSE(ReadJob(directory_.path(), &job, &error));
  EXPECT_NE(error.find("run/job.json"), std::string::npos);
}

TEST_F(JobTest, AnInheritedBaseTimeWins) {
  JobRequest request = Request("out", "", -1);
  request.inherited_base_ns = 12345;
  const Job job = EnterJob(request).job;
  EXPECT_EQ(job.base_time.ns, 12345u);
  EXPECT_EQ(job.base_time.from, BaseFrom::kInherited);
}

TEST_F(JobTest, RanksOfOneJobShareADirectory) {
  const auto outcomes = EnterTogether(16, [](int rank) { return Request("out", "k", rank); });
  for (const std::string& outcome : outcomes) EXPECT_EQ(outcome, outcomes[0]);
  EXPECT_TRUE(outcomes[0].starts_with(directory_ / "out ")) << outcomes[0];
}

TEST_F(JobTest, RanksOfOneJobShareADefaultDirectoryWhateverTheirCommand) {
  const auto outcomes = EnterTogether(16, [](int rank) {
    JobRequest request = Request("", "k", rank);
    request.name = rank % 2 == 0 ? "ocean" : "atmosphere";
    return request;
  });
  for (const std::string& outcome : outcomes) EXPECT_EQ(outcome, outcomes[0]);
  EXPECT_TRUE(outcomes[0].starts_with(directory_ / "syncline-out/")) << outcomes[0];
  EXPECT_EQ(fs::read_symlink("syncline-out/latest").string(),
            fs::path(outcomes[0].substr(0, outcomes[0].find(' '))).filename());
}

TEST_F(JobTest, JobsWithoutALauncherNeverShareADefaultDirectory) {
  const auto outcomes = EnterTogether(8, [](int) { return Request("", "", -1); });
  std::set<std::string> directories;
  for (const std::string& outcome : outcomes)
    directories.insert(outcome.substr(0, outcome.find(' ')));
  EXPECT_EQ(directories.size(), 8u);
}

TEST_F(JobTest, AnotherKeyGoesBeside) {
  ASSERT_EQ(EnterJob(Request("out", "k1", 0)).elsewhere, "");
  const JobOutcome second = EnterJob(Request("out", "k2", 0));
  EXPECT_EQ(second.error, "");
  EXPECT_EQ(second.job.directory, directory_ / "out.2");
  EXPECT_NE(second.elsewhere.find("already holds the run of solver"), std::string::npos)
      << second.elsewhere;
  EXPECT_NE(second.elsewhere.find("--force"), std::string::npos);
  EXPECT_EQ(EnterJob(Request("out", "k2", 1)).job.directory, directory_ / "out.2");
  EXPECT_EQ(EnterJob(Request("out", "k3", 0)).job.directory, directory_ / "out.3");
  EXPECT_EQ(EnterJob(Request("out", "k1", 1)).job.directory, directory_ / "out");
}

TEST_F(JobTest, SeveralJobsAtOnceGetADirectoryEach) {
  ASSERT_EQ(EnterJob(Request("out", "old", 0)).error, "");
  const auto outcomes = EnterTogether(
      12, [](int rank) { return Request("out", "k" + std::to_string(rank % 3), rank / 3); });
  std::set<std::string> directories;
  for (const std::string& outcome : outcomes)
    directories.insert(outcome.substr(0, outcome.find(' ')));
  EXPECT_EQ(directories, (std::set<std::string>{directory_ / "out.2", directory_ / "out.3",
                                                directory_ / "out.4"}));
}

TEST_F(JobTest, ForceRenamesTheOldRun) {
  for (const char* key : {"k1", "k2", "k3"}) {
    JobRequest request = Request("out", key, 0);
    request.force = true;
    ASSERT_EQ(EnterJob(request).error, "");
  }
  Job job;
  std::string error;
  ASSERT_TRUE(ReadJob("out", &job, &error));
  EXPECT_EQ(job.key, "k3");
  ASSERT_TRUE(ReadJob("out.old-1", &job, &error));
  EXPECT_EQ(job.key, "k1");
  ASSERT_TRUE(ReadJob("out.old-2", &job, &error));
  EXPECT_EQ(job.key, "k2");
}

TEST_F(JobTest, ForceMovesNobodysFiles) {
  ASSERT_EQ(EnterJob(Request("out", "k1", 0)).error, "");
  ASSERT_EQ(CreateExclusively("out/main.c", ""), 0);
  JobRequest request = Request("out", "k2", 0);
  request.force = true;
  const JobOutcome outcome = EnterJob(request);
  EXPECT_EQ(outcome.job.directory, directory_ / "out.2");
  EXPECT_NE(outcome.elsewhere.find("in which other files lie"), std::string::npos)
      << outcome.elsewhere;
  EXPECT_TRUE(Exists("out/main.c"));
  request.key = "k3";
  EXPECT_EQ(EnterJob(request).job.directory, directory_ / "out.3") << "nobody named out.2";
  request.key = "k4";
  request.force = false;
  const std::string without = EnterJob(request).elsewhere;
  EXPECT_EQ(without.find("--force"), std::string::npos) << "it would not help: " << without;
}

TEST_F(JobTest, ALongCommandLineIsKept) {
  JobRequest request = Request("out", "k1", 0);
  request.command.assign(9, std::string(240 << 10, 'x'));
  ASSERT_EQ(EnterJob(request).error, "");
  Job job;
  std::string error;
  EXPECT_TRUE(ReadJob("out", &job, &error)) << error;
  EXPECT_TRUE(HoldsJob(job));
}

// Many rounds: a rank that steps into the directory while another moves it away is rare.
TEST_F(JobTest, ForceByAllRanksAtOnceRenamesOnce) {
  for (int round = 0; round < 60; ++round) {
    const std::string out = "out-" + std::to_string(round);
    ASSERT_EQ(EnterJob(Request(out, "old", 0)).error, "");
    const auto outcomes = EnterTogether(16, [&out](int rank) {
      JobRequest request = Request(out, "new", rank);
      request.force = true;
      return request;
    });
    for (const std::string& outcome : outcomes) ASSERT_EQ(outcome, outcomes[0]);
    EXPECT_TRUE(fs::exists(out + ".old-1"));
    EXPECT_FALSE(fs::exists(out + ".old-2"));
    const fs::directory_iterator joined(out + "/run/joined");
    EXPECT_EQ(std::distance(joined, fs::directory_iterator()), 16);
  }
  for (const auto& entry : fs::directory_iterator("."))
    EXPECT_EQ(entry.path().string().find(".force-"), std::string::npos);
}

TEST_F(JobTest, ASecondJobOfOneAllocationGoesBelow) {
  const auto enter = [](const char* key, int rank) {
    JobRequest request = Request("out", key, rank);
    request.allocation = "SLURM_JOB_ID+7";
    return EnterJob(request).job.directory;
  };
  EXPECT_EQ(enter("slurm+7+0", 0), directory_ / "out");
  EXPECT_EQ(enter("slurm+7+1", 0), directory_ / "out/job-2");
  EXPECT_EQ(enter("slurm+7+0", 1), directory_ / "out");
  EXPECT_EQ(enter("slurm+7+1", 1), directory_ / "out/job-2");
  EXPECT_EQ(enter("slurm+7+2", 1), directory_ / "out/job-3");
}

TEST_F(JobTest, TheSecondCommandOfEachRankMeetsThatOfTheOthers) {
  EXPECT_EQ(EnterJob(Request("out", "k", 0)).job.directory, directory_ / "out");
  EXPECT_EQ(EnterJob(Request("out", "k", 0)).job.directory, directory_ / "out/job-2");
  EXPECT_EQ(EnterJob(Request("out", "k", 1)).job.directory, directory_ / "out");
  EXPECT_EQ(EnterJob(Request("out", "k", 1)).job.directory, directory_ / "out/job-2");
  const std::string first = EnterJob(Request("", "k", 0)).job.directory;
  const std::string second = EnterJob(Request("", "k", 0)).job.directory;
  EXPECT_NE(first, second);
  EXPECT_EQ(EnterJob(Request("", "k", 1)).job.directory, first);
  EXPECT_EQ(EnterJob(Request("", "k", 1)).job.directory, second);
}

TEST_F(JobTest, AKeyInheritedFromARunThatHasEndedDoesNotOverwriteIt) {
  const JobOutcome first = EnterJob(Request("out", "", -1));
  const JobOutcome second = EnterJob(Request("out", first.job.key, -1));
  EXPECT_EQ(first.job.directory, directory_ / "out");
  EXPECT_EQ(second.job.directory, directory_ / "out/job-2");
}

TEST_F(JobTest, WhereADirectoryCannotBeUsedTheRunGoesElsewhereAndThatIsTold) {
  directory_.Write("file", "");
  fs::create_directories("foreign/run");
  directory_.Write("foreign/run/job.json", "{\"schema\": \"other/1\"}");
  for (const auto& [output, word] :
       {std::pair{"file", "-o DIR"}, std::pair{"file/below/it", "A file is in the way"},
        std::pair{"/proc/none", "cannot write to the output directory"},
        std::pair{"foreign", "damaged or of another version"}}) {
    const JobOutcome outcome = EnterJob(Request(output, "", -1));
    EXPECT_EQ(outcome.error, "");
    EXPECT_NE(outcome.elsewhere.find(word), std::string::npos) << outcome.elsewhere;
    EXPECT_TRUE(outcome.job.directory.starts_with(directory_ / "syncline-out/solver-"))
        << outcome.job.directory;
  }
}

TEST_F(JobTest, WithoutAWorkingDirectoryRunsGoToALocalDisk) {
  setenv("TMPDIR", directory_.path().c_str(), 1);
  fs::create_directory("gone");
  fs::current_path("gone");
  fs::remove(directory_ / "gone");
  for (const char* output : {"", "out", "out/below"}) {
    const JobOutcome outcome = EnterJob(Request(output, "", -1));
    EXPECT_EQ(outcome.error, "");
    EXPECT_NE(outcome.elsewhere.find("working directory"), std::string::npos) << outcome.elsewhere;
    EXPECT_TRUE(outcome.job.directory.starts_with(directory_ / "syncline-out-"))
        << outcome.job.directory;
  }
  unsetenv("TMPDIR");
}

TEST_F(JobTest, NothingStaysOfARunThatCannotBeThere) {
  fs::create_directories("above/run/run/job.json/in the way");
  EXPECT_NE(EnterJob(Request("above/run", "", -1)).elsewhere, "");
  EXPECT_TRUE(fs::exists("above/run/run/job.json/in the way"));
  directory_.Write("above/file", "");
  EXPECT_NE(EnterJob(Request("above/file/new/run", "", -1)).elsewhere, "");
  EXPECT_EQ(std::distance(fs::directory_iterator("above"), fs::directory_iterator()), 2);
}

// Ranks on nodes that share no directory have a run/job.json each: only a grid can agree them.
TEST(JobFactsTest, BaseOfTimesThatAllRanksFind) {
  JobRequest request;
  EXPECT_EQ(ChooseBase(request, false), BaseFrom::kJob);
  request.several_nodes = true;
  EXPECT_EQ(ChooseBase(request, false), BaseFrom::kGrid);
  EXPECT_EQ(ChooseBase(request, true), BaseFrom::kJob);
  request.kinetos_base = true;
  EXPECT_EQ(ChooseBase(request, true), BaseFrom::kKineto);
}

TEST(JobFactsTest, UtcName) {
  EXPECT_EQ(UtcName(int64_t{1763730855} * 1000000000), "20251121T131415Z");
}

}  // namespace
}  // namespace syncline
