// SPDX-License-Identifier: Apache-2.0
// What the loader finds in the modules of this process, and what it does not.
#include "collectors/stacks/exported.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace syncline::stacks {
namespace {

TEST(Exported, WhatLibcShowsIsWhereTheLoaderSaysAndLeavesNoMessage) {
  dlerror();
  for (const char* name : {"getpid", "malloc_usable_size", "qsort_r"}) {
    const Module module = ModuleThatShows(name);
    EXPECT_EQ(Exported(module, name), dlsym(RTLD_DEFAULT, name)) << name;
  }
  EXPECT_EQ(ModuleThatShows("syncline_shows_no_such_name").symbols, 0u);
  EXPECT_EQ(Exported(ModuleThatShows("getpid"), "syncline_shows_no_such_name"), nullptr);
  EXPECT_EQ(Exported({}, "getpid"), nullptr);
  EXPECT_EQ(dlerror(), nullptr);
}

TEST(Exported, WhatAModuleOnlyUsesItDoesNotShow) {
  const Module libc = ModuleThatShows("getpid");
  EXPECT_EQ(Exported(libc, "_ZSt4cout"), nullptr);
}

}  // namespace
}  // namespace syncline::stacks
