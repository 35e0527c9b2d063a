// SPDX-License-Identifier: Apache-2.0
// Environments with and without NVIDIA's wheels.
#include "launcher/start/cupti_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/testing/test_directory.h"

namespace syncline {
namespace {

class CuptiFolderTest : public ::testing::Test {
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
  const std::string path_ = getenv("PATH") == nullptr ? "" : getenv("PATH");
  TestDirectory directory_;
};

TEST_F(CuptiFolderTest, BesideTheProgram) {
  EXPECT_EQ(FindCuptiFolder(""), "");
  EXPECT_EQ(FindCuptiFolder("/nowhere/bin/python"), "");
  const std::string folder =
      Make("env/lib/python3.9/site-packages/nvidia/cuda_cupti/lib", "libcupti.so.12");
  EXPECT_EQ(FindCuptiFolder(directory_.path() + "/env/bin/python"), folder);
  EXPECT_EQ(FindCuptiFolder(directory_.path() + "/env/python"), "") << "not a folder of programs";
}

TEST_F(CuptiFolderTest, OfTheEnvironmentThatIsActive) {
  const std::string conda = Make("conda/lib", "libcupti.so.13");
  setenv("CONDA_PREFIX", (directory_.path() + "/conda").c_str(), 1);
  EXPECT_EQ(FindCuptiFolder("/usr/bin/mpirun"), conda);
  const std::string venv =
      Make("venv/lib/python3.14/site-packages/nvidia/cu13/lib", "libcupti.so.13");
  setenv("VIRTUAL_ENV", (directory_.path() + "/venv").c_str(), 1);
  EXPECT_EQ(FindCuptiFolder("/usr/bin/mpirun"), venv);
  Make("other/lib/python3.14/site-packages/nvidia/cu13/lib", "libcupti.so.11");
  setenv("VIRTUAL_ENV", (directory_.path() + "/other").c_str(), 1);
  EXPECT_EQ(FindCuptiFolder("/usr/bin/mpirun"), conda) << "a version that is not used";
}

}  // namespace
}  // namespace syncline
