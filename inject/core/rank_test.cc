// SPDX-License-Identifier: Apache-2.0
// Tests of the rank table with the variables that real launchers set.
#include "inject/core/rank.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace syncline {
namespace {

std::map<std::string, std::string> g_variables;

const char* Lookup(const char* name) {
  const auto found = g_variables.find(name);
  return found == g_variables.end() ? nullptr : found->second.c_str();
}

RankFacts Find(std::map<std::string, std::string> variables) {
  g_variables = std::move(variables);
  return FindRank(Lookup);
}

std::string Key(std::map<std::string, std::string> variables) {
  g_variables = std::move(variables);
  char key[256];
  FindJobKey(Lookup, key, sizeof(key));
  return key;
}

const std::map<std::string, std::string> kBatch = {{"SLURM_JOB_ID", "7"},
                                                   {"SLURM_STEP_ID", "0"},
                                                   {"SLURM_PROCID", "0"},
                                                   {"SLURM_LOCALID", "0"},
                                                   {"SLURM_NTASKS", "8"}};

TEST(Rank, NoLauncher) {
  const RankFacts facts = Find({{"RANK", "3"}});  // alone it means nothing
  EXPECT_EQ(facts.rank, -1);
  EXPECT_STREQ(LauncherName(facts.launcher), "none");
  EXPECT_EQ(Key({}), "");
}

TEST(Rank, Torchrun) {
  const RankFacts facts = Find({{"RANK", "3"},
                                {"WORLD_SIZE", "4"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "2"},
                                {"GROUP_RANK", "1"}});
  EXPECT_EQ(facts.rank, 3);
  EXPECT_EQ(facts.world_size, 4);
  EXPECT_EQ(facts.local_rank, 1);
  EXPECT_EQ(facts.local_size, 2);
  EXPECT_EQ(facts.node, 1);
  EXPECT_STREQ(LauncherName(facts.launcher), "torchrun");
  EXPECT_EQ(facts.attempt, -1);
  EXPECT_EQ(Find({{"RANK", "0"},
                  {"WORLD_SIZE", "2"},
                  {"LOCAL_RANK", "0"},
                  {"TORCHELASTIC_RESTART_COUNT", "2"}})
                .attempt,
            2);
}

TEST(Rank, OfMpiCommSpawnTheNumberOfTheWorldIsKnown) {
  std::map<std::string, std::string> variables = {{"OMPI_COMM_WORLD_RANK", "0"},
                                                  {"PMIX_NAMESPACE", "1416757249"}};
  EXPECT_EQ(Find(variables).spawned, 0);
  variables["OMPI_PARENT_PORT"] = "1416757249.0:1842739386";
  variables["PMIX_NAMESPACE"] = "1416757251";  // 0x54720003
  EXPECT_EQ(Find(variables).spawned, 2);
  variables["PMIX_NAMESPACE"] = "prterun-node-17@4";
  EXPECT_EQ(Find(variables).spawned, 3);
  variables["PMIX_NAMESPACE"] = "slurm.pmix.7.0";
  EXPECT_EQ(Find(variables).spawned, 1) << "some other world";
  EXPECT_EQ(Find({{"PMI_RANK", "0"}}).spawned, 0);
  EXPECT_EQ(Find({{"PMI_RANK", "0"}, {"PMI_SPAWNED", "1"}}).spawned, 1);
  EXPECT_EQ(Find({}).spawned, -1);
}

// Where no launcher sets it, torch.distributed asks for it (env://).
TEST(Rank, ByHand) {
  std::map<std::string, std::string> variables = {
      {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "host"}, {"MASTER_PORT", "29500"}};
  const RankFacts facts = Find(variables);
  EXPECT_EQ(facts.rank, 1);
  EXPECT_EQ(facts.world_size, 2);
  EXPECT_EQ(facts.local_rank, -1);
  EXPECT_STREQ(LauncherName(facts.launcher), "by hand");
  EXPECT_EQ(Key(variables), "by hand+host+29500+2");
  variables.insert({{"PMIX_RANK", "0"}});  // a pod's variables, and a launcher's in it
  EXPECT_STREQ(LauncherName(Find(variables).launcher), "pmix");
  EXPECT_EQ(Find({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).rank, -1);  // of no job that can be known
  EXPECT_EQ(Find({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "host"}}).rank, -1);
}

TEST(Rank, SlurmIsInheritedByEverythingAndComesLast) {
  auto open_mpi = kBatch;
  open_mpi.insert({{"OMPI_COMM_WORLD_RANK", "2"},
                   {"OMPI_COMM_WORLD_SIZE", "4"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}});
  EXPECT_EQ(Find(open_mpi).rank, 2);
  auto mpich = kBatch;
  mpich.insert({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}});
  EXPECT_EQ(Find(mpich).rank, 3);
  EXPECT_EQ(Find(mpich).local_rank, 1);
  auto torchrun = open_mpi;
  torchrun.insert({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "1"}});
  EXPECT_EQ(Find(torchrun).rank, 1);
  EXPECT_EQ(Find(kBatch).rank, 0);
  EXPECT_EQ(Find(kBatch).world_size, 8);
}

TEST(Rank, OthersByTheirVariables) {
  EXPECT_STREQ(LauncherName(Find({{"PALS_RANKID", "1"}, {"PALS_LOCAL_RANKID", "1"}}).launcher),
               "pals");
  EXPECT_STREQ(LauncherName(Find({{"FLUX_TASK_RANK", "5"}, {"FLUX_JOB_SIZE", "6"}}).launcher),
               "flux");
  EXPECT_STREQ(LauncherName(Find({{"JSM_NAMESPACE_RANK", "5"}}).launcher), "jsm");
  EXPECT_STREQ(LauncherName(Find({{"MV2_COMM_WORLD_RANK", "5"}}).launcher), "mvapich");
  EXPECT_STREQ(LauncherName(Find({{"PMIX_RANK", "5"}}).launcher), "pmix");
  EXPECT_EQ(Find({{"FLUX_TASK_RANK", "5"}, {"FLUX_JOB_SIZE", "6"}}).world_size, 6);
}

TEST(Rank, GarbageIsNoRank) {
  for (const char* text : {"", "-1", "x", "1x", "99999999999"}) {
    EXPECT_EQ(Find({{"OMPI_COMM_WORLD_RANK", text}}).rank, -1) << text;
  }
}

TEST(Rank, JobKeysTellJobsApart) {
  auto step1 = kBatch;
  step1["SLURM_STEP_ID"] = "1";
  EXPECT_NE(Key(kBatch), Key(step1));
  auto restart = kBatch;
  restart["SLURM_RESTART_COUNT"] = "1";
  EXPECT_NE(Key(kBatch), Key(restart));
  std::map<std::string, std::string> elastic = {{"RANK", "0"},
                                                {"WORLD_SIZE", "2"},
                                                {"LOCAL_RANK", "0"},
                                                {"TORCHELASTIC_RUN_ID", "a"},
                                                {"TORCHELASTIC_RESTART_COUNT", "0"}};
  auto other_rank = elastic;
  other_rank["RANK"] = "1";
  EXPECT_EQ(Key(elastic), Key(other_rank));
  auto again = elastic;
  again["TORCHELASTIC_RESTART_COUNT"] = "1";
  EXPECT_NE(Key(elastic), Key(again));
}

RankFacts FactsOfJob(std::map<std::string, std::string> variables) {
  RankFacts facts = Find(std::move(variables));
  FindJob(Lookup, &facts);
  return facts;
}

TEST(Rank, RanksKnowTheirJobAndWhoStartedThem) {
  std::map<std::string, std::string> variables = {
      {"RANK", "0"},
      {"WORLD_SIZE", "2"},
      {"LOCAL_RANK", "0"},
      {"TORCHELASTIC_RUN_ID", "none"},
      {"MASTER_PORT", "29500"},
      {"TORCHELASTIC_ERROR_FILE", "/tmp/torchelastic_a/none_b/attempt_0/0/error.json"}};
  const RankFacts first = FactsOfJob(variables);
  EXPECT_NE(first.job, 0u);
  EXPECT_NE(first.starter, 0u);
  variables["RANK"] = variables["LOCAL_RANK"] = variables["TORCHELASTIC_RESTART_COUNT"] = "1";
  variables["TORCHELASTIC_ERROR_FILE"] = "/tmp/torchelastic_a/none_b/attempt_1/1/error.json";
  EXPECT_EQ(FactsOfJob(variables).job, first.job);
  EXPECT_EQ(FactsOfJob(variables).starter, first.starter);
  variables["TORCHELASTIC_ERROR_FILE"] = "/tmp/torchelastic_a/none_c/attempt_0/0/error.json";
  EXPECT_EQ(FactsOfJob(variables).job, first.job);
  EXPECT_NE(FactsOfJob(variables).starter, first.starter);
  variables.erase("TORCHELASTIC_ERROR_FILE");
  EXPECT_EQ(FactsOfJob(variables).starter, 0u);
  EXPECT_EQ(FactsOfJob({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}}).job, 0u);
  EXPECT_EQ(FactsOfJob({}).job, 0u);
}

TEST(Rank, WorldsOfOneMpirunAreOneJob) {
  const auto job = [](const char* space) {
    return FactsOfJob({{"OMPI_COMM_WORLD_RANK", "0"}, {"PMIX_NAMESPACE", space}}).job;
  };
  EXPECT_EQ(job("1416757249"), job("1416757251"));  // 0x54720001, 0x54720003
  EXPECT_NE(job("1416757249"), job("1416822785"));
  EXPECT_EQ(job("prterun-node-17@1"), job("prterun-node-17@4"));
  EXPECT_NE(job("prterun-node-17@1"), job("prterun-node-18@1"));
  auto step = kBatch;
  step["SLURM_STEP_ID"] = "1";
  EXPECT_NE(FactsOfJob(kBatch).job, FactsOfJob(step).job);
}

TEST(Rank, NodeNameComesFromTheLauncherFirst) {
  char name[64];
  g_variables = {{"SLURMD_NODENAME", "n2"}};
  FindNodeName(Lookup, name, sizeof(name));
  EXPECT_STREQ(name, "n2");
  g_variables = {};
  FindNodeName(Lookup, name, sizeof(name));
  EXPECT_STRNE(name, "");
}

}  // namespace
}  // namespace syncline
