// SPDX-License-Identifier: Apache-2.0
// Compares the waits that the analysis finds in a CUPTI client's records with those of the truth
// file of the same run: wait_judge RECORDS TRUTH. Exit status 1 if they differ.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/idle.h"
#include "analysis/waits.h"
#include "collectors/cuda/calls.h"
#include "model/source_facts.h"

namespace {

using nlohmann::json;
using syncline::GpuRecords;
using syncline::Wait;

constexpr uint32_t kQueueFull = 6 << 16, kLazyLoading = 5 << 16, kModuleLoading = 4 << 16;

std::vector<json> Lines(const char* path) {
  std::vector<json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    json row = json::parse(line, nullptr, false);
    if (!row.is_discarded()) rows.push_back(std::move(row));
  }
  return rows;
}

syncline::MemoryKind Memory(uint32_t cupti) {
  static constexpr syncline::MemoryKind kKinds[] = {
      syncline::MemoryKind::kUnknown, syncline::MemoryKind::kPageable,
      syncline::MemoryKind::kPinned,  syncline::MemoryKind::kDevice,
      syncline::MemoryKind::kArray,   syncline::MemoryKind::kManaged,
      syncline::MemoryKind::kDevice,  syncline::MemoryKind::kManaged};
  return cupti < std::size(kKinds) ? kKinds[cupti] : syncline::MemoryKind::kUnknown;
}

class Reader {
 public:
  explicit Reader(GpuRecords* records) : records_(records) {}

  void Read(const std::vector<json>& rows) {
    for (const json& row : rows) {
      if (row["kind"] == "runtime") outer_.insert(row["correlation"].get<uint32_t>());
    }
    for (const json& row : rows) Row(row);
  }

 private:
  void Row(const json& row) {
    const std::string kind = row["kind"];
    if (kind == "runtime" || kind == "driver") {
      syncline::GpuCall call;
      call.begin_ns = row["start"];
      call.end_ns = row["end"];
      call.correlation = row["correlation"];
      call.tid = row["thread"];
      call.result = static_cast<uint16_t>(row["result"].get<uint32_t>());
      const auto name = row["name"].get<std::string>();
      const char* plain = name.c_str();
      const size_t bytes = syncline::cuda::PlainName(&plain);
      call.role = syncline::cuda::FactsOf(plain, bytes).role;
      call.name = records_->CallName(name);
      call.inner = kind == "driver" && outer_.count(call.correlation) != 0;
      records_->calls.push_back(call);
    } else if (kind == "synchronization") {
      static constexpr syncline::GpuSyncKind kKinds[] = {
          syncline::GpuSyncKind::kEvent, syncline::GpuSyncKind::kStreamWaitEvent,
          syncline::GpuSyncKind::kStream, syncline::GpuSyncKind::kContext};
      const uint32_t type = row["type"];
      if (type >= 1 && type <= 4) {
        records_->syncs.push_back({row["start"], row["correlation"], row["context"], row["stream"],
                                   row["event"], kKinds[type - 1]});
      }
    } else if (kind == "event") {
      records_->events.push_back({row["correlation"], row["context"], row["stream"], row["event"]});
    } else if (kind == "memory") {
      records_->memory.push_back({row["correlation"], row["device"]});
    } else if (kind == "stream") {
      static constexpr syncline::StreamKind kKinds[] = {
          syncline::StreamKind::kBlocking, syncline::StreamKind::kBlocking,
          syncline::StreamKind::kNonBlocking, syncline::StreamKind::kLegacy};
      records_->streams.push_back(
          {row["context"], row["stream"], kKinds[std::min(row["flag"].get<uint32_t>(), 3u)]});
    } else if (kind == "overhead") {
      Overhead(row);
    } else if (row.contains("device")) {  // all that is left
      Operation(kind, row);
    }
  }

  void Overhead(const json& row) {
    const uint32_t type = row["type"];
    if (type != kQueueFull && type != kLazyLoading && type != kModuleLoading) return;
    records_->overheads.push_back({row["start"], row["end"], row["correlation"],
                                   type == kQueueFull ? syncline::GpuOverheadKind::kQueueFull
                                                      : syncline::GpuOverheadKind::kLoading});
  }

  void Operation(const std::string& kind, const json& row) {
    syncline::GpuOp op;
    op.begin_ns = row["start"];
    op.end_ns = row["end"];
    op.bytes = row.value("bytes", uint64_t{0});
    op.correlation = row["correlation"];
    op.context = row["context"];
    op.stream = row["stream"];
    op.device = row["device"];
    op.from = Memory(row.value("from", 0u));
    op.to = Memory(row.value("to", 0u));
    op.type = kind == "memcpy"      ? syncline::DeviceOpType::kCopy
              : kind == "peer_copy" ? syncline::DeviceOpType::kPeerCopy
              : kind == "memset"    ? syncline::DeviceOpType::kSet
                                    : syncline::DeviceOpType::kKernel;
    if (op.type == syncline::DeviceOpType::kKernel) {
      op.kernel = kernels_.try_emplace(row["name"], static_cast<uint32_t>(kernels_.size()) + 1)
                      .first->second;
    }
    records_->ops.push_back(op);
  }

  GpuRecords* records_;
  std::set<uint32_t> outer_;
  std::map<std::string, uint32_t> kernels_;
};

constexpr syncline::Source kCuda = 2;

// A wait's call, class and what was waited for.
using Key = std::tuple<uint32_t, std::string, uint32_t>;

struct Entry {
  std::string call;
  bool already_done = false;
  // How long after the call's entry the work ended. The wait itself begins later than the call, by
  // what the profiling between costs: when the work ended meanwhile, the two sides may differ.
  int64_t left_ns = 0;
  bool Marginal() const { return std::abs(left_ns) < kEntryNs; }

  static constexpr int64_t kEntryNs = 3000;
};

using Waits = std::multimap<Key, Entry>;

Waits Found(GpuRecords* records) {
  Waits waits;
  for (const Wait& wait : syncline::FindWaits(*records, *syncline::FactsOfSource(kCuda).waits)) {
    Entry entry{records->call_names()[wait.name], wait.already_done, INT64_MAX};
    if (wait.op != syncline::kNoOp) {
      entry.left_ns = static_cast<int64_t>(records->ops[wait.op].end_ns - wait.begin_ns);
    }
    waits.insert({{wait.correlation, syncline::WaitClassName(wait.wait_class), wait.waited_for},
                  std::move(entry)});
  }
  return waits;
}

Waits True(const std::vector<json>& rows) {
  std::map<uint32_t, int64_t> ends;
  for (const json& row : rows) {
    if (!row.contains("id") || !row.contains("end_ns")) continue;
    int64_t& end = ends[row["correlation"]];
    end = std::max(end, row["end_ns"].get<int64_t>());
  }
  Waits waits;
  for (const json& row : rows) {
    if (row["op"] != "wait") continue;
    const auto end = ends.find(row["waited_for"]);
    const int64_t left =
        end == ends.end() ? INT64_MAX : end->second - row["start_ns"].get<int64_t>();
    waits.insert({{row["correlation"], row["class"], row["waited_for"]},
                  {row["call"], row["already_done"], left}});
  }
  return waits;
}

void Print(const char* what, const Key& key, const Entry& entry) {
  std::printf("%s: %s %s, call %u, waited for %u%s\n", what, std::get<1>(key).c_str(),
              entry.call.c_str(), std::get<0>(key), std::get<2>(key),
              entry.already_done ? ", already done" : "");
}

int Judge(Waits found, const Waits& truth, const GpuRecords& records) {
  int right = 0, wrong = 0, missed = 0, invented = 0, marginal = 0;
  for (const auto& [key, entry] : truth) {
    const auto match = found.find(key);
    if (match == found.end()) {
      entry.Marginal() ? ++marginal : ++missed;
      if (!entry.Marginal()) Print("missed", key, entry);
      continue;
    }
    const bool same = match->second.already_done == entry.already_done;
    if (same) {
      ++right;
    } else if (entry.Marginal() || match->second.Marginal()) {
      ++marginal;
    } else {
      ++wrong;
      Print("already done is wrong", key, match->second);
    }
    found.erase(match);
  }
  for (const auto& [key, entry] : found) {
    entry.Marginal() ? ++marginal : ++invented;
    if (!entry.Marginal()) Print("invented", key, entry);
  }
  std::printf("right %d wrong %d missed %d invented %d marginal %d calls %zu operations %zu\n",
              right, wrong, missed, invented, marginal, records.calls.size(), records.ops.size());
  return wrong + missed + invented == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: wait_judge RECORDS TRUTH\n");
    return 2;
  }
  GpuRecords records;
  records.clock_error_ns = 0;  // both are clocks of one machine
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  records.launch_blocking = blocking != nullptr && std::strcmp(blocking, "1") == 0
                                ? syncline::LaunchBlocking::kOn
                                : syncline::LaunchBlocking::kOff;
  Reader(&records).Read(Lines(argv[1]));
  Waits found = Found(&records);
  return Judge(std::move(found), True(Lines(argv[2])), records);
}
