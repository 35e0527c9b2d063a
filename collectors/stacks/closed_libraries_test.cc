// SPDX-License-Identifier: Apache-2.0
// dlclose is the program's own in a fork's child too, where the loader's locks may be held by a
// thread that is not there.
#include "collectors/stacks/closed_libraries.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "collectors/stacks/loaded_modules.h"

namespace syncline::stacks {
namespace {

constexpr int kForks = 20;
constexpr unsigned kSeconds = 10;  // until a child that hangs is ended

void* Again() { return dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD); }

// A process whose children close a library while a thread of it walks the loader's list.
class WalkedList {
 public:
  WalkedList() : thread_([this] { Walk(); }) {
    while (!inside_) usleep(100);
  }
  ~WalkedList() {
    ends_ = true;
    thread_.join();
  }

 private:
  void Walk() {
    const auto stay = [](dl_phdr_info*, size_t, void* list) {
      static_cast<WalkedList*>(list)->inside_ = true;
      usleep(1000);
      return 0;
    };
    while (!ends_) dl_iterate_phdr(stay, this);
  }

  std::atomic<bool> inside_{false};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

void CloseInChildren() {
  void* const library = Again();
  ASSERT_NE(library, nullptr);
  const WalkedList list;
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      const uint64_t before = LibrariesClosed();
      _exit(dlclose(library) == 0 && LibrariesClosed() != before ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "child " << i;
  }
}

TEST(ClosedLibraries, DoNotWaitForAThreadThatAForksChildLacks) {
  CloseInChildren();  // where nobody has prepared, if this test runs alone
  PrepareModules();
  CloseInChildren();
}

TEST(ClosedLibraries, AreNotCountedWhereOnlyAHandleIsGivenBack) {
  PrepareModules();
  ASSERT_EQ(dlclose(Again()), 0);
  const uint64_t before = LibrariesClosed();
  ASSERT_EQ(dlclose(Again()), 0);
  EXPECT_EQ(LibrariesClosed(), before);
}

}  // namespace
}  // namespace syncline::stacks
