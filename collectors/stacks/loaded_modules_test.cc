// SPDX-License-Identifier: Apache-2.0
// Modules by glibc's look-up and by the loader's list are the same.
#include "collectors/stacks/loaded_modules.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace syncline::stacks {
namespace {

int Here() { return 1; }

template <typename Function>
uintptr_t AddressOf(Function* function) {
  return reinterpret_cast<uintptr_t>(function);
}

class LoadedModules : public ::testing::Test {
 protected:
  void SetUp() override { PrepareModules(); }
  bool Find(uintptr_t address, LoadedModule* module) {
    return FindModule(address, module) && Describe(module, &memory_);
  }
  std::string PathOf(const LoadedModule& module) {
    char path[4096];
    return {path, CopyPath(module, &memory_, path, sizeof(path))};
  }
  void Expect(const LoadedModule& module, const LoadedModule& other) {
    EXPECT_EQ(module.bias, other.bias);
    EXPECT_EQ(module.frame_index, other.frame_index);
    EXPECT_EQ(PathOf(module), PathOf(other));
  }

  ForeignTables memory_;
};

TEST_F(LoadedModules, AreFoundByAnyAddressOfTheirCode) {
  for (const uintptr_t address : {AddressOf(Here), AddressOf(::getenv), AddressOf(::getenv) + 3}) {
    LoadedModule module, listed;
    ASSERT_TRUE(Find(address, &module));
    ASSERT_TRUE(FindModuleInList(address, &listed));
    EXPECT_TRUE(module.Has(address));
    EXPECT_TRUE(listed.Has(address));
    Expect(module, listed);
    EXPECT_NE(module.frame_index, 0u);
  }
}

TEST_F(LoadedModules, HavePaths) {
  LoadedModule program, library;
  ASSERT_TRUE(Find(AddressOf(Here), &program));
  EXPECT_EQ(PathOf(program), std::filesystem::read_symlink("/proc/self/exe"));
  ASSERT_TRUE(Find(AddressOf(::getpid), &library));
  EXPECT_TRUE(std::filesystem::exists(PathOf(library))) << PathOf(library);
}

TEST_F(LoadedModules, HaveNoPathWhereItIsGone) {
  LoadedModule module;
  ASSERT_TRUE(Find(AddressOf(::getpid), &module));
  module.path = 8;
  EXPECT_EQ(PathOf(module), "");
  module.link_map = 8;
  EXPECT_FALSE(Describe(&module, &memory_));
}

// As the file has it.
TEST_F(LoadedModules, HaveBuildIds) {
  LoadedModule library;
  ASSERT_TRUE(Find(AddressOf(::getpid), &library));
  char id[64];
  const size_t bytes = CopyBuildId(library, &memory_, id, sizeof(id));
  std::ifstream file(PathOf(library), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string note = std::string("GNU", 4) + std::string(id, id + bytes);
  EXPECT_GE(bytes, 8u);
  EXPECT_NE(text.find(note), std::string::npos);
}

TEST_F(LoadedModules, AreNoneWhereNoCodeIs) {
  const std::vector<char> memory(64);
  for (const uintptr_t address : {uintptr_t{0}, reinterpret_cast<uintptr_t>(memory.data())}) {
    LoadedModule module;
    EXPECT_FALSE(FindModule(address, &module));
    EXPECT_FALSE(FindModuleInList(address, &module));
  }
  const auto begin = reinterpret_cast<uintptr_t>(memory.data());
  char id[64];
  EXPECT_EQ(CopyBuildId({begin, begin + 64}, &memory_, id, sizeof(id)), 0u);
}

TEST_F(LoadedModules, OfTheListAreNotSoughtInAForksChild) {
  const pid_t child = fork();
  if (child == 0) {
    LoadedModule module;
    _exit(FindModuleInList(AddressOf(Here), &module) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace syncline::stacks
