// SPDX-License-Identifier: Apache-2.0
// Tests of naming a run after its command.
#include "launcher/jobs/job_name.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

std::string Name(const std::vector<std::string>& command) {
  return JobName(command, [](const std::string& word) {
    return word.starts_with("./") || word.ends_with(".py") || word == "python" || word == "bash" ||
           word == "torchrun" || word == "syncline" || word == "env" || word == "solver";
  });
}

TEST(JobNameTest, ProgramsAndScripts) {
  EXPECT_EQ(Name({"./solver", "input.toml"}), "solver");
  EXPECT_EQ(Name({"/opt/bin/lmp_gpu.exe"}), "lmp_gpu");
  EXPECT_EQ(Name({"python", "train.py", "--lr", "1"}), "train");
  EXPECT_EQ(Name({"/usr/bin/python3.11", "-u", "-W", "ignore", "dir/train.py"}), "train");
  EXPECT_EQ(Name({"python3", "-m", "my.module"}), "my.module");
  EXPECT_EQ(Name({"bash", "job.sh"}), "job");
}

TEST(JobNameTest, TextFromTheLineHasTheInterpretersName) {
  EXPECT_EQ(Name({"python3", "-c", "print(1)"}), "python3");
  EXPECT_EQ(Name({"bash", "-c", "./a; ./b"}), "bash");
  EXPECT_EQ(Name({"python3"}), "python3");
}

TEST(JobNameTest, LaunchersAreLookedThrough) {
  EXPECT_EQ(Name({"mpirun", "-n", "4", "--mca", "btl", "self,tcp", "./solver"}), "solver");
  EXPECT_EQ(Name({"mpirun", "--mca", "plm_rsh_agent", "./agent", "-n", "4", "./solver"}), "solver");
  EXPECT_EQ(Name({"mpirun.openmpi", "-n", "4", "python", "train.py"}), "train");
  EXPECT_EQ(Name({"torchrun", "--nproc-per-node", "8", "serve.py"}), "serve");
  EXPECT_EQ(Name({"env", "A=1", "mpirun", "-n", "2", "syncline", "--", "./solver"}), "solver");
  EXPECT_EQ(Name({"mpirun", "-n", "2", "syncline", "--", "./solver"}), "solver");
  EXPECT_EQ(Name({"python", "-m", "torch.distributed.run", "--nproc-per-node", "2", "x.py"}), "x");
  EXPECT_EQ(Name({"mpirun", "--version"}), "mpirun");
}

TEST(JobNameTest, NamesAreFitForDirectories) {
  EXPECT_EQ(Name({"./weird name$(x)"}), "weird_name__x_");
  EXPECT_EQ(Name({"./.hidden"}), "hidden");
  EXPECT_EQ(Name({"./..."}), "run");
  EXPECT_EQ(Name({std::string("./") + std::string(300, 'a')}).size(), 64u);
  EXPECT_EQ(Name({}), "run");
}

}  // namespace
}  // namespace syncline
