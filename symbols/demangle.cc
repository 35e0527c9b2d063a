// SPDX-License-Identifier: Apache-2.0
// GNU's demangler, whose names torch.profiler and Nsight write too. By itself it knows no bounds.
#include "symbols/demangle.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>

namespace syncline {
namespace {

constexpr uint64_t kMostText = 1 << 22;  // bytes that a name may stand for, to be demangled here
constexpr size_t kLongest = 64 << 10;
constexpr size_t kLongestForLlvm = 4 << 10;
#if defined(__GLIBCXX__)
constexpr bool kGnu = true;
#else
constexpr bool kGnu = false;
#endif
constexpr int kTriesMs = 200;
constexpr int kMostFailures = 10;
constexpr rlim_t kTrialMemory = 256 << 20;  // bytes

// Parts of a mangled name are numbered, and used again by number (S1_, T0_): a short hostile name
// can stand for more text than there is memory. Each part makes the text at most as many times
// longer as it is used.
bool StaysShort(std::string_view name) {
  std::map<std::string_view, uint64_t> uses;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    size_t end = i + 1;
    while (end < name.size() && (std::isdigit(static_cast<unsigned char>(name[end])) != 0 ||
                                 std::isupper(static_cast<unsigned char>(name[end])) != 0)) {
      ++end;
    }
    if (end < name.size() && name[end] == '_') ++uses[name.substr(i, end - i)];
  }
  uint64_t text = name.size();
  for (const auto& [part, count] : uses) {
    if (text > kMostText / count) return false;
    text *= count;
  }
  return text <= kMostText;
}

using Demangler = decltype(&abi::__cxa_demangle);

// The portable build has LLVM's C++ library, whose demangler writes lambdas and the addresses of
// functions in another way. GNU's is on nearly every machine; where there is none, LLVM's it is.
Demangler FindDemangler() {
  void* library = kGnu ? nullptr : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, "__cxa_demangle");
  return found == nullptr ? abi::__cxa_demangle : reinterpret_cast<Demangler>(found);
}

// "" if it cannot be done.
std::string Demangle(const std::string& name) {
  static const Demangler demangler = FindDemangler();
  // LLVM's uses up the stack on what is nested without end; GNU's stops.
  const bool llvm = !kGnu && demangler == abi::__cxa_demangle;
  if (llvm && name.size() > kLongestForLlvm) return "";
  int status = 0;
  char* plain = demangler(name.c_str(), nullptr, nullptr, &status);
  std::string text = plain == nullptr ? "" : plain;
  std::free(plain);
  return text.size() <= kLongest ? text : "";
}

rlim_t MemoryHeld() {
  char text[64] = {};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = read(file, text, sizeof(text) - 1);
  close(file);
  return bytes <= 0 ? 0
                    : std::strtoull(text, nullptr, 10) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void Try(const std::string& name, int out) {
  const rlim_t most = MemoryHeld() + kTrialMemory;
  const rlimit memory{most, most};
  const rlimit seconds{1, 1};  // should the parent be killed meanwhile
  const rlimit core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_CORE, &core);
  close(2);  // what the allocator says when it has none
  const std::string text = Demangle(name);
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = write(out, text.data() + at, text.size() - at);
    if (written <= 0 && errno != EINTR) _exit(1);
    if (written > 0) at += static_cast<size_t>(written);
  }
  _exit(0);
}

// What comes until the other side closes, or the time is over.
std::string ReadAll(int in) {
  std::string text;
  char part[4096];
  pollfd ready{in, POLLIN, 0};
  while (text.size() <= kLongest && poll(&ready, 1, kTriesMs) > 0) {
    const ssize_t bytes = read(in, part, sizeof(part));
    if (bytes == 0) return text;
    if (bytes < 0) break;
    text.append(part, static_cast<size_t>(bytes));
  }
  return "";
}

std::string DemangleApart(const std::string& name) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) Try(name, ends[1]);
  close(ends[1]);
  std::string text;
  if (child > 0) {
    text = ReadAll(ends[0]);
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return text;
}

// SYCL's compiler gives a kernel the name of the string that holds its type's name.
std::string Readable(const std::string& plain) {
  constexpr std::string_view kOfATypesName = "typeinfo name for ";
  return plain.starts_with(kOfATypesName) ? plain.substr(kOfATypesName.size()) : plain;
}

}  // namespace

// A name in C may look like a mangled type: "f" would become "float".
std::string DemangledName(std::string_view name) {
  static std::atomic<int> failures;
  const std::string text(name);
  if (!name.starts_with("_Z")) return text;
  if (StaysShort(name)) {
    const std::string plain = Demangle(text);
    return plain.empty() ? text : Readable(plain);
  }
  if (failures.load(std::memory_order_relaxed) >= kMostFailures) return text;
  const std::string plain = DemangleApart(text);
  if (plain.empty()) failures.fetch_add(1, std::memory_order_relaxed);
  return plain.empty() ? text : Readable(plain);
}

}  // namespace syncline
