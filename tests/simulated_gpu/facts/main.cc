// SPDX-License-Identifier: Apache-2.0
// Prints facts about the CUDA and CUPTI of the machine, one key=value a line; always ends, and with
// status 0. The same binary runs on the simulation and on a GPU, and the two outputs are compared.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "tests/simulated_gpu/facts/facts.h"

namespace facts {
namespace {

struct Section {
  const char* name;
  void (*run)();
};

constexpr Section kSections[] = {
    {"cuda", CudaSection},           {"waits", WaitsSection},
    {"cupti", CuptiSection},         {"switches", SwitchesSection},
    {"clients", ClientsSection},     {"library.cublas", CublasSection},
    {"library.cudnn", CudnnSection}, {"library.nccl", NcclSection},
};
constexpr unsigned kSectionSeconds = 30;

uint64_t Read(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// This program again, for one section. exec: CUDA does not survive a fork.
void RunInChild(const char* program, const Section& section) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSectionSeconds);
    execl(program, program, section.name, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return Fact(std::string(section.name) + ".ended", "not started");
  // The facts that were printed before stand; what comes after is missing.
  if (WIFSIGNALED(status))
    Fact(std::string(section.name) + ".ended", "signal " + std::to_string(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    Fact(std::string(section.name) + ".ended", "status " + std::to_string(WEXITSTATUS(status)));
  }
}

}  // namespace

void Fact(const std::string& key, const std::string& value) {
  std::printf("%s=%s\n", key.c_str(), value.c_str());
  std::fflush(stdout);  // a later crash must not take it along
}
void Fact(const std::string& key, long long value) { Fact(key, std::to_string(value)); }
void FactYesNo(const std::string& key, bool value) { Fact(key, value ? "yes" : "no"); }

uint64_t MonotonicNs() { return Read(CLOCK_MONOTONIC); }
uint64_t RealtimeNs() { return Read(CLOCK_REALTIME); }

}  // namespace facts

int main(int argc, char** argv) {
  for (const facts::Section& section : facts::kSections) {
    if (argc < 2) facts::RunInChild("/proc/self/exe", section);
    if (argc >= 2 && std::strcmp(argv[1], section.name) == 0) section.run();
  }
  return 0;
}
