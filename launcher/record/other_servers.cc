// SPDX-License-Identifier: Apache-2.0
// Who has the other ends of the program's connections.
#include "launcher/record/other_servers.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/record/socket_peers.h"
#include "model/run/program_name.h"

namespace syncline {
namespace {

constexpr uint64_t kFirstNs = 100'000'000;
constexpr uint64_t kShareOfTime = 4;   // of the program's time so far, to the next look
constexpr uint64_t kShareOfCost = 50;  // times as long as the look took, at least
constexpr size_t kMostNames = 8;

// By process; only those that can be read.
std::map<int, int> Parents() {
  std::map<int, int> parents;
  for (const std::string& name : ListDirectory("/proc")) {
    const int pid = std::atoi(name.c_str());
    std::string stat;
    if (pid <= 0 || ReadFile(Text("/proc/", name, "/stat"), &stat) != 0) continue;
    const size_t comm_end = stat.rfind(')');
    int parent = 0;
    if (comm_end != std::string::npos &&
        std::sscanf(stat.c_str() + comm_end + 1, " %*c %d", &parent) == 1)
      parents[pid] = parent;
  }
  return parents;
}

// Whether `above` is the process or one above it.
bool IsBelow(const std::map<int, int>& parents, int pid, int above) {
  for (size_t steps = 0; pid > 0 && steps <= parents.size(); ++steps) {
    if (pid == above) return true;
    const auto parent = parents.find(pid);
    pid = parent == parents.end() ? 0 : parent->second;
  }
  return false;
}

// Whether a launcher of ours has started it: it is recorded, as another rank or program.
bool HasLauncher(int pid) {
  std::string environment;
  const std::string begin(1, '\0');
  const std::string variable = begin + VariableName(Variable::kSocket) + "=";
  return ReadFile(Text("/proc/", pid, "/environ"), &environment) == 0 &&
         (begin + environment).find(variable) != std::string::npos;
}

std::string NameOf(int pid) {
  auto facts = ProcessFacts();
  std::string text;
  if (ReadFile(Text("/proc/", pid, "/cmdline"), &text) == 0) {
    facts.command_line_bytes =
        static_cast<uint32_t>(std::min(text.size(), sizeof(facts.command_line)));
    std::memcpy(facts.command_line, text.data(), facts.command_line_bytes);
  }
  const ssize_t bytes =
      readlink(Text("/proc/", pid, "/exe").c_str(), facts.executable, sizeof(facts.executable) - 1);
  if (bytes < 0) facts.executable[0] = '\0';
  return Text(ProgramName(facts), " (pid ", pid, ")");
}

}  // namespace

OtherServers::OtherServers() : begun_ns_(MonotonicNs()), inherited_(SocketsOf(getpid())) {}

uint64_t OtherServers::Look(int pid) {
  const uint64_t before = MonotonicNs();
  const uint64_t age = before - begun_ns_;
  if (age < kFirstNs) return kFirstNs - age;
  LookNow(pid);
  return std::max(age / kShareOfTime, kShareOfCost * (MonotonicNs() - before));
}

void OtherServers::LookNow(int pid) {
  const std::map<int, int> parents = Parents();
  std::set<int> known;  // the program's processes, and those above it
  std::set<uint64_t> peers;
  for (const auto& [process, parent] : parents) {
    if (IsBelow(parents, pid, process)) known.insert(process);
    if (!IsBelow(parents, process, pid)) continue;
    known.insert(process);
    std::set<uint64_t> sockets = SocketsOf(process);
    std::erase_if(sockets, [this](uint64_t inode) { return inherited_.contains(inode); });
    if (!sockets.empty()) peers.merge(PeersOf(sockets, process));
  }
  for (const auto& [process, parent] : parents) {
    if (peers.empty() || names_.size() == kMostNames) return;
    if (known.contains(process) || told_.contains(process)) continue;
    const std::set<uint64_t> sockets = SocketsOf(process);
    const bool is_peer = std::any_of(sockets.begin(), sockets.end(),
                                     [&](uint64_t inode) { return peers.contains(inode); });
    if (!is_peer) continue;
    told_.insert(process);
    if (!HasLauncher(process)) names_.push_back(NameOf(process));
  }
}

}  // namespace syncline
