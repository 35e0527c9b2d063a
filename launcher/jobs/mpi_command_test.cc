// SPDX-License-Identifier: Apache-2.0
// Tests of editing Open MPI's command line.
#include "launcher/jobs/mpi_command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace syncline {
namespace {

using Words = std::vector<std::string>;

const EnvRequest kRequest = {"/l/libsyncline.so", {}, "/l/libsyncline.so"};
const EnvBlock kEnvironment({"PATH=/bin", "LD_PRELOAD=/l/libsyncline.so",
                             "SYNCLINE_SPOOL=/d/run/spool"});

// The words that -x adds where the user exports nothing.
const Words kAdded = {
    "-x", "LD_PRELOAD",   "-x", "NVTX_INJECTION64_PATH", "-x", "CUDA_INJECTION64_PATH",
    "-x", "ASAN_OPTIONS", "-x", "SYNCLINE_SPOOL"};

Words Join(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Words Edit(const Words& arguments) {
  return ForwardThroughOpenMpi(arguments, kRequest, kEnvironment).arguments;
}

bool Exports(const Words& arguments, const std::string& entry) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "-x" && arguments[i + 1] == entry) return true;
  }
  return false;
}

TEST(MpiCommandTest, NamesTellTheMake) {
  EXPECT_EQ(MpiLauncherOfName("mpirun.openmpi"), MpiLauncher::kOpenMpi);
  EXPECT_EQ(MpiLauncherOfName("orterun"), MpiLauncher::kOpenMpi);
  EXPECT_EQ(MpiLauncherOfName("mpiexec.hydra"), MpiLauncher::kHydra);
  EXPECT_EQ(MpiLauncherOfName("mpirun"), MpiLauncher::kUnknown);
  EXPECT_EQ(MpiLauncherOfName("mpirunner"), MpiLauncher::kNone);
  EXPECT_EQ(MpiLauncherOfName("python3"), MpiLauncher::kNone);
}

TEST(MpiCommandTest, VersionsTellTheMake) {
  EXPECT_EQ(MpiLauncherOfVersion(
                "mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/"),
            MpiLauncher::kOpenMpi);
  EXPECT_EQ(MpiLauncherOfVersion("mpirun (Open MPI) 5.0.3"), MpiLauncher::kOpenMpi);
  EXPECT_EQ(MpiLauncherOfVersion("HYDRA build details:\n    Version: 4.0.2"), MpiLauncher::kHydra);
  EXPECT_EQ(MpiLauncherOfVersion("Intel(R) MPI Library for Linux* OS, Version 2021.9"),
            MpiLauncher::kHydra);
  EXPECT_EQ(MpiLauncherOfVersion("something else"), MpiLauncher::kUnknown);
}

TEST(MpiCommandTest, VariablesComeRightBehindTheName) {
  EXPECT_EQ(Edit({"mpirun", "-n", "4", "./solver", "-x", "input"}),
            Join({{"mpirun"}, kAdded, {"-n", "4", "./solver", "-x", "input"}}));
}

TEST(MpiCommandTest, EachContextExportsForItself) {
  EXPECT_EQ(Edit({"mpirun", "-n", "1", "./a", ":", "-n", "3", "./b"}),
            Join({{"mpirun"}, kAdded, {"-n", "1", "./a", ":"}, kAdded, {"-n", "3", "./b"}}));
}

TEST(MpiCommandTest, UsersExportOfAPreloadGetsOurs) {
  const Words edited =
      Edit({"mpirun", "-x", "LD_PRELOAD=/u/a.so", "-x", "OMP_NUM_THREADS", "-n", "2", "./a"});
  EXPECT_TRUE(Exports(edited, "LD_PRELOAD=/u/a.so:/l/libsyncline.so"));
  EXPECT_FALSE(Exports(edited, "LD_PRELOAD"));
  EXPECT_TRUE(Exports(edited, "OMP_NUM_THREADS"));
  EXPECT_TRUE(Exports(edited, "SYNCLINE_SPOOL"));
}

TEST(MpiCommandTest, UsersExportWithoutValueIsNotRepeated) {
  const Words edited = Edit({"mpirun", "-n", "2", "-x", "LD_PRELOAD", "./a"});
  EXPECT_EQ(std::count(edited.begin(), edited.end(), "LD_PRELOAD"), 1);
}

TEST(MpiCommandTest, UsersExportOfAnInjectionIsHandedDown) {
  const Words edited = Edit({"mpirun", "-x", "NVTX_INJECTION64_PATH=/u/n.so", "./a"});
  EXPECT_TRUE(Exports(edited, "NVTX_INJECTION64_PATH=/l/libsyncline.so"));
  EXPECT_TRUE(Exports(edited, "SYNCLINE_OLD_NVTX=/u/n.so"));
}

TEST(MpiCommandTest, EnvironmentListOnTheLineIsExtendedInsteadOfX) {
  const Words edited =
      Edit({"mpirun", "--mca", "mca_base_env_list", "FOO;LD_PRELOAD=/u/a.so", "-n", "2", "./a"});
  const Words expected = {
      "mpirun",
      "--mca",
      "mca_base_env_list",
      "FOO;LD_PRELOAD=/u/a.so:/l/"
      "libsyncline.so;NVTX_INJECTION64_PATH;CUDA_INJECTION64_PATH;ASAN_OPTIONS;SYNCLINE_SPOOL",
      "-n",
      "2",
      "./a"};
  EXPECT_EQ(edited, expected);
}

TEST(MpiCommandTest, EnvironmentListInTheEnvironmentIsExtended) {
  const Words arguments = {"mpirun", "-n", "2", "./a"};
  const MpiEdit edit =
      ForwardThroughOpenMpi(arguments, kRequest, EnvBlock({"OMPI_MCA_mca_base_env_list=FOO"}));
  EXPECT_EQ(edit.arguments, arguments);
  ASSERT_EQ(edit.changes.size(), 1u);
  EXPECT_EQ(edit.changes[0].name, "OMPI_MCA_mca_base_env_list");
  EXPECT_EQ(edit.changes[0].value,
            "FOO;LD_PRELOAD;NVTX_INJECTION64_PATH;CUDA_INJECTION64_PATH;ASAN_OPTIONS");
}

TEST(MpiCommandTest, TheProgramsArgumentsAreNotOurs) {
  const Words edited = Edit({"mpirun", "-np", "2", "--host", "n1:1,n2:1", "sh", "-c",
                             "./a -x LD_PRELOAD=b", "--mca", "mca_base_env_list", "Z"});
  const Words tail = {"sh", "-c", "./a -x LD_PRELOAD=b", "--mca", "mca_base_env_list", "Z"};
  ASSERT_GE(edited.size(), tail.size());
  EXPECT_TRUE(
      std::equal(tail.begin(), tail.end(), edited.end() - static_cast<ptrdiff_t>(tail.size())));
  EXPECT_TRUE(Exports(edited, "LD_PRELOAD"));
}

}  // namespace
}  // namespace syncline
