// SPDX-License-Identifier: Apache-2.0
// What the loader finds in the modules of this process, and what it does not.
#include "inject/core/exported.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string_view>

namespace syncline {
namespace {

TEST(Exported, WhatLibcShowsIsWhereTheLoaderSaysAndLeavesNoMessage) {
  dlerror();
  for (const char* name : {"getpid", "malloc_usable_size", "qsort_r"}) {
    const Module module = ModuleThatShows(name);
    EXPECT_EQ(Exported(module, name), dlsym(RTLD_DEFAULT, name)) << name;
  }
  EXPECT_EQ(ModuleThatShows("syncline_shows_no_such_name").symbols, 0u);
  EXPECT_EQ(Exported(OtherModuleThatShows("getpid"), "getpid"),
            Exported(ModuleThatShows("getpid"), "getpid"));
  EXPECT_EQ(Exported(ModuleThatShows("getpid"), "syncline_shows_no_such_name"), nullptr);
  EXPECT_EQ(Exported({}, "getpid"), nullptr);
  EXPECT_EQ(dlerror(), nullptr);
}

TEST(Exported, WhatAModuleOnlyUsesItDoesNotShow) {
  const Module libc = ModuleThatShows("getpid");
  EXPECT_EQ(Exported(libc, "_ZSt4cout"), nullptr);
}

TEST(Exported, AModuleIsFoundByItsFile) {
  char path[4096];
  const Module libc = ModuleOfFile("libc.so", path, sizeof(path));
  EXPECT_EQ(Exported(libc, "getpid"), dlsym(RTLD_DEFAULT, "getpid"));
  EXPECT_TRUE(std::string_view(path).ends_with("/libc.so.6")) << path;
  EXPECT_EQ(ModuleOfFile("libc.so", path, 4).base, libc.base);
  EXPECT_STREQ(path, "") << "it does not fit";
  EXPECT_EQ(ModuleOfFile("libc.so", nullptr, 0).base, libc.base);
  EXPECT_EQ(ModuleOfFile("ibc.so", path, sizeof(path)).symbols, 0u);
  EXPECT_STREQ(path, "");
}

// The test's program is the first of all: what it does not show itself comes from behind it.
TEST(Exported, TheNextFunctionIsTheOneThatTheLoaderFinds) {
  for (const char* name : {"execve", "execvpe", "posix_spawn", "qsort_r"})
    EXPECT_EQ(NextExported(name), dlsym(RTLD_NEXT, name)) << name;
  EXPECT_EQ(NextExported("syncline_shows_no_such_name"), nullptr);
}

TEST(Exported, FilesThatAreLoaded) {
  EXPECT_TRUE(HasLoadedFile("libc.so"));
  EXPECT_FALSE(HasLoadedFile("ibc.so"));
  EXPECT_FALSE(HasLoadedFile("libBrokenLocale."));
  void* const later = dlopen("libBrokenLocale.so.1", RTLD_LAZY);
  ASSERT_NE(later, nullptr) << dlerror();
  EXPECT_TRUE(HasLoadedFile("libBrokenLocale."));
  dlclose(later);
}

}  // namespace
}  // namespace syncline
