// SPDX-License-Identifier: Apache-2.0
// Environments with and without the package, and with NVIDIA's wheels beside it.
#include "launcher/start/simulated_gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "launcher/host/shell_text.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

constexpr char kBelowPrefix[] = "libexec/syncline/simulated_gpu/lib";

class SimulatedGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Clear();
    setenv("PATH", "/nowhere", 1);
  }
  void TearDown() override {
    Clear();
    setenv("PATH", path_.c_str(), 1);  // other tests of the program start programs
  }
  static void Clear() {
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) unsetenv(name);
  }
  std::string Make(const std::string& folder, const std::string& name) {
    std::filesystem::create_directories(directory_.path() + "/" + folder);
    directory_.Write(folder + "/" + name, "");
    return directory_.path() + "/" + folder;
  }
  std::string Install(const std::string& prefix) {
    const std::string folder = Text(prefix, "/", kBelowPrefix);
    Make(folder, "libcudart.so.13");
    return Make(folder, "libcuda.so.1");
  }
  std::string Python() const { return directory_.path() + "/env/bin/python"; }
  const std::string path_ = getenv("PATH") == nullptr ? "" : getenv("PATH");
  TestDirectory directory_;
};

TEST_F(SimulatedGpuTest, IsThatOfTheProgramsEnvironment) {
  const SimulatedGpu none = FindSimulatedGpu(Python(), "", EnvBlock());
  EXPECT_NE(none.error.find("pip install"), std::string::npos) << none.error;
  const std::string folder = Install("env");
  const SimulatedGpu found = FindSimulatedGpu(Python(), "", EnvBlock());
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.path.name, "LD_LIBRARY_PATH");
  EXPECT_EQ(found.path.value, folder);
  EXPECT_EQ(found.preload, "") << "nothing else has these libraries";
}

TEST_F(SimulatedGpuTest, ComesBeforeTheUsersFoldersOnce) {
  const std::string folder = Install("env");
  const EnvBlock users({"LD_LIBRARY_PATH=/opt/cuda/lib64"});
  EXPECT_EQ(FindSimulatedGpu(Python(), "", users).path.value, folder + ":/opt/cuda/lib64");
  const EnvBlock outer({"LD_LIBRARY_PATH=" + folder + ":/opt/cuda/lib64"});
  EXPECT_EQ(FindSimulatedGpu(Python(), "", outer).path.value, folder + ":/opt/cuda/lib64");
}

TEST_F(SimulatedGpuTest, IsTheFolderThatTheUserNames) {
  Install("env");
  const std::string other = Install("other");
  for (const char* below :
       {"", "/libexec/syncline/simulated_gpu", "/libexec/syncline/simulated_gpu/lib"}) {
    const std::string given = directory_.path() + "/other" + below;
    EXPECT_EQ(FindSimulatedGpu(Python(), given, EnvBlock()).folder, other) << given;
  }
  const SimulatedGpu wrong = FindSimulatedGpu(Python(), directory_.path(), EnvBlock());
  EXPECT_NE(wrong.error.find("libcuda.so.1"), std::string::npos) << wrong.error;
}

TEST_F(SimulatedGpuTest, IsPreloadedAgainstNvidiasWheels) {
  const std::string folder = Install("env");
  Make("env/lib/python3.11/site-packages/nvidia/cu13/lib", "libcudart.so.13");
  Make("env/lib/python3.11/site-packages/nvidia/cu13/lib", "libcurand.so.10");
  EXPECT_EQ(FindSimulatedGpu(Python(), "", EnvBlock()).preload, folder + "/libcudart.so.13");
}

TEST_F(SimulatedGpuTest, RefusesAFolderThatNoVariableCanName) {
  Install("an env");
  const std::string blank = directory_.path() + "/an env";
  EXPECT_EQ(FindSimulatedGpu(Python(), blank, EnvBlock()).error, "");
  Make("env/lib/python3.11/site-packages/nvidia/cu13/lib", "libcudart.so.13");
  const SimulatedGpu preloaded = FindSimulatedGpu(Python(), blank, EnvBlock());
  EXPECT_NE(preloaded.error.find("LD_PRELOAD"), std::string::npos) << preloaded.error;
  Install("a:b");
  const SimulatedGpu colon = FindSimulatedGpu("", directory_.path() + "/a:b", EnvBlock());
  EXPECT_NE(colon.error.find("LD_LIBRARY_PATH"), std::string::npos) << colon.error;
}

TEST_F(SimulatedGpuTest, StaysBehindOurLibrary) {
  const std::string last = "/gpu/libcudart.so.13:/gpu/libcupti.so.13";
  const EnvBlock environment({"LD_PRELOAD=/own.so:" + last});
  const EnvRequest request{"/a/libsyncline.so", {}, "/a/libsyncline.so", last};
  EnvBlock planned = environment;
  for (const EnvChange& change : PlanEnvironment(request, environment)) planned.Set(change);
  EXPECT_STREQ(planned.Find("LD_PRELOAD"), ("/own.so:/a/libsyncline.so:" + last).c_str());
  for (const EnvChange& change : PlanEnvironment(request, planned))
    EXPECT_NE(change.name, "LD_PRELOAD") << "an inner launcher changes nothing";
}

}  // namespace
}  // namespace syncline
