// SPDX-License-Identifier: Apache-2.0
// Samples of real interpreters, of each version that is here.
#include "sampler/process_sampler.h"

#include <glob.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "inject/core/clock.h"
#include "model/run/host_samples.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

constexpr char kProgram[] = R"(
import os, threading, time

def held(lock):
    with lock:  # line 5
        pass

def sleeps():
    time.sleep(100)  # line 9

class Worker:
    def spins(self, ends):
        total = 0
        while not ends:
            total += 1  # line 15
        return total

def naïve():
    return Worker().spins([])  # line 19

lock = threading.Lock()
lock.acquire()
threading.Thread(target=held, args=(lock,), daemon=True).start()
threading.Thread(target=sleeps, daemon=True).start()
os.write(1, b"x")
naïve()
)";

std::vector<std::string> Interpreters() {
  std::vector<std::string> found;
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  glob_t matches;
  for (const std::string& pattern :
       {std::string("/usr/bin/python3"), home + "/.pyenv/versions/3.[89].*/bin/python3",
        home + "/.pyenv/versions/3.1[0-3].*/bin/python3"}) {
    if (glob(pattern.c_str(), 0, nullptr, &matches) != 0) continue;
    for (size_t i = 0; i < matches.gl_pathc; ++i) found.emplace_back(matches.gl_pathv[i]);
    globfree(&matches);
  }
  return found;
}

// A program that runs until this is gone.
class Child {
 public:
  Child(const std::string& python, const std::string& program) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      execl(python.c_str(), "python3", "-c", program.c_str(), nullptr);
      _exit(1);
    }
    close(ends[1]);
    char ready;
    is_ready_ = read(ends[0], &ready, 1) == 1;
    close(ends[0]);
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  int pid() const { return pid_; }
  bool is_ready() const { return is_ready_; }

 private:
  int pid_ = -1;
  bool is_ready_ = false;
};

void Sleep(long ms) {
  const timespec time = {0, ms * 1'000'000};
  nanosleep(&time, nullptr);
}

struct Seen {
  std::string innermost, outermost;
  uint64_t samples = 0, blocked = 0, for_gil = 0;
};

// By thread: 60 looks at a process, as the file of samples has them.
std::map<uint32_t, Seen> Look(int pid, const std::vector<uint32_t>& threads, SampleCounts* counts,
                              std::string* why) {
  TestDirectory directory;
  const std::string path = directory / "x.samples";
  SampleWriter writer;
  EXPECT_EQ(writer.Open(path, 200), 0);
  ProcessSampler sampler(pid);
  for (int i = 0; i < 60; ++i) {
    sampler.Round(MonotonicNs(), &writer, counts);
    Sleep(3);
  }
  *why = sampler.why_not();
  writer.Finish(*counts);
  HostSamples samples;
  EXPECT_TRUE(samples.AddFile(path));
  EXPECT_TRUE(samples.facts().has_counts);
  std::map<uint32_t, Seen> seen;
  for (const uint32_t thread : threads) {
    samples.Each(static_cast<uint32_t>(pid), thread, 0, UINT64_MAX,
                 [&](const HostSample& sample, uint64_t count) {
                   Seen& of = seen[thread];
                   const CodeStack* stack = samples.StackOf(sample.stack);
                   if (stack == nullptr || stack->frames.empty()) return;
                   const auto text = [](const CodeStack::Frame* frame) {
                     return Text(frame->function, ":", frame->line);
                   };
                   of.innermost = text(stack->frames.front());
                   of.outermost = text(stack->frames.back());
                   of.samples += count;
                   if (sample.state == static_cast<uint32_t>(ThreadState::kBlocked))
                     of.blocked += count;
                   if (sample.state == static_cast<uint32_t>(ThreadState::kWaitsForGil))
                     of.for_gil += count;
                 });
  }
  return seen;
}

std::vector<uint32_t> ThreadsOf(int pid) {
  std::vector<uint32_t> threads;
  glob_t matches;
  if (glob(Text("/proc/", pid, "/task/*").c_str(), 0, nullptr, &matches) != 0) return threads;
  for (size_t i = 0; i < matches.gl_pathc; ++i) {
    const std::string path = matches.gl_pathv[i];
    threads.push_back(static_cast<uint32_t>(std::atoi(path.c_str() + path.rfind('/') + 1)));
  }
  globfree(&matches);
  return threads;
}

// Where functions have qualified names, from 3.11 on, they are told.
bool IsOneOf(const std::string& text, const std::string& plain, const std::string& qualified) {
  return text == plain || text == qualified;
}

TEST(ProcessSampler, ReadsThreadsOfEachVersion) {
  const std::vector<std::string> interpreters = Interpreters();
  ASSERT_FALSE(interpreters.empty());
  for (const std::string& python : interpreters) {
    SCOPED_TRACE(python);
    const Child child(python, kProgram);
    ASSERT_TRUE(child.is_ready());
    Sleep(50);
    SampleCounts counts{};
    std::string why;
    const std::vector<uint32_t> threads = ThreadsOf(child.pid());
    ASSERT_EQ(threads.size(), 3u);
    std::map<uint32_t, Seen> seen = Look(child.pid(), threads, &counts, &why);
    EXPECT_EQ(why, "");
    ASSERT_EQ(seen.size(), 3u);
    const Seen& main = seen[static_cast<uint32_t>(child.pid())];
    EXPECT_TRUE(main.innermost.starts_with("spins:") || main.innermost.starts_with("Worker.spins:"))
        << main.innermost;
    EXPECT_EQ(main.outermost, "<module>:26");
    EXPECT_EQ(main.blocked, 0u);
    EXPECT_GT(main.samples, 40u);
    EXPECT_LT(counts.torn + counts.unreadable, 20u);
    seen.erase(static_cast<uint32_t>(child.pid()));
    for (const auto& [thread, of] : seen) {
      EXPECT_TRUE(IsOneOf(of.innermost, "held:5", "sleeps:9")) << of.innermost;
      EXPECT_TRUE(of.outermost.find("bootstrap") != std::string::npos) << of.outermost;
      EXPECT_GT(of.samples, 50u);
      EXPECT_EQ(of.blocked, of.samples);
    }
  }
}

constexpr char kStarts[] = R"(
import os, threading
def start():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
os.write(1, b"x")
while True:
    start()
)";

// A state that is made for a thread bears the number of the one that makes it, before it begins.
TEST(ProcessSampler, AThreadThatIsAboutToBeginIsNotItsMaker) {
  for (const std::string& python : Interpreters()) {
    SCOPED_TRACE(python);
    const Child child(python, kStarts);
    ASSERT_TRUE(child.is_ready());
    SampleCounts counts{};
    std::string why;
    const auto main = static_cast<uint32_t>(child.pid());
    TestDirectory directory;
    SampleWriter writer;
    ASSERT_EQ(writer.Open(directory / "x.samples", 200), 0);
    ProcessSampler sampler(child.pid());
    for (int i = 0; i < 300; ++i) {
      sampler.Round(MonotonicNs(), &writer, &counts);
      Sleep(1);
    }
    writer.Finish(counts);
    HostSamples samples;
    ASSERT_TRUE(samples.AddFile(directory / "x.samples"));
    uint64_t all = 0, of_main = 0;
    samples.Each(main, main, 0, UINT64_MAX, [&](const HostSample& sample, uint64_t count) {
      const CodeStack* stack = samples.StackOf(sample.stack);
      all += count;
      if (!stack->frames.empty() && stack->frames.back()->function == "<module>") of_main += count;
    });
    EXPECT_GT(all, 100u);
    // Python makes frames before it says who called them: where the kernel takes the processor away
    // between, a stack seems to begin there, one of some thousands.
    constexpr uint64_t kFew = 20;
    EXPECT_LE(all - of_main, all / kFew);
  }
}

}  // namespace
}  // namespace syncline
