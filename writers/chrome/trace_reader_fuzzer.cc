// SPDX-License-Identifier: Apache-2.0
// Any text as a trace: it is refused with a message that names it, or read.
#include "writers/chrome/trace_reader.h"

#include <algorithm>
#include <cstring>

#include "model/testing/fuzz.h"

namespace syncline::testing {
namespace {

constexpr char kTrace[] = R"J({
"schemaVersion": 1,
"deviceProperties": [{"id": 0, "name": "Simulated"}],
"distributedInfo": {"rank": 1, "world_size": 2},
"host_name": "node",
"metadata": {"tool": "syncline", "version": "0.1", "losses": {"ring_full": 3}, "clock_error_ns": 40,
 "processes": [{"missing": "waits"}]},
"baseTimeNanoseconds": 1760000000000000000,
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 300, "tid": 0, "ts": 0.000, "args": {"name": "rank 1"}},
{"ph": "X", "cat": "process", "name": "a", "pid": 300, "tid": 8388908, "ts": 1.0002, "dur": 90.0008,
 "args": {"pid": 300, "ppid": 1}},
{"ph": "X", "cat": "user_annotation", "name": "step 1", "pid": 300, "tid": 300, "ts": 2.0002,
 "dur": 40.0008, "args": {"domain": "d"}},
{"ph": "X", "cat": "cuda_runtime", "name": "sync", "pid": 300, "tid": 300, "ts": 4.0002,
 "dur": 20.0008, "args": {"cbid": 7, "correlation": 65543, "where": "a.py:1"}},
{"ph": "X", "cat": "kernel", "name": "add(int)", "pid": 0, "tid": 7, "ts": 5.0002, "dur": 9.0008,
 "args": {"device": 0, "context": 1, "stream": 7, "correlation": 65543, "grid": [1, 1, 1]}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7,
 "ts": 15.0002, "dur": 1.0008, "args": {"stream": 7, "correlation": 65544, "bytes": 9}},
{"ph": "X", "cat": "sync_wait", "name": "sync: add", "pid": 300, "tid": 2105540908, "ts": 4.0002,
 "dur": 20.0008, "args": {"class": "stream", "waited_for": 65543, "already_done": false,
 "waited_for_name": "add", "call": "sync"}},
{"ph": "X", "cat": "gpu_idle", "name": "host busy", "pid": 0, "tid": 999999999, "ts": 24.0002,
 "dur": 20.0008, "args": {"cause": "host busy", "tid": 300}}
],
"traceName": "rank-1.trace.json.gz"
})J";

// What events say of themselves must not depend on where pieces of the text end.
class Notes : public TraceSink {
 public:
  bool OnFacts(const TracedFacts& facts) override {
    text += facts.host + std::to_string(facts.rank) + std::to_string(facts.losses.size());
    return true;
  }
  void OnEvent(const TracedEvent& event) override {
    Require(event.end_ns >= event.begin_ns, "time goes on");
    Require(event.kind != TracedKind::kOp || event.correlation.has_value(), "work has a call");
    text += event.name + event.call + std::to_string(event.begin_ns) + event.cause;
  }
  std::string text;
};

Status Read(std::string_view text, size_t piece, Notes* notes) {
  const TextSource source = [&](char* out, size_t most, size_t* got) {
    *got = std::min({most, piece, text.size()});
    std::memcpy(out, text.data(), *got);
    text.remove_prefix(*got);
    return Status();
  };
  return ReadTraceText(source, "the file", notes);
}

}  // namespace

std::vector<std::string> FuzzSeeds() { return {kTrace, "{\"traceEvents\": [{}]}"}; }

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  syncline::testing::Notes whole, pieces;
  const syncline::Status status = syncline::testing::Read(text, SIZE_MAX, &whole);
  Require(status.ok() || status.message().find("the file") != std::string::npos,
          "the message names the file");
  Require(syncline::testing::Read(text, 7, &pieces).ok() == status.ok(), "pieces do not matter");
  Require(whole.text == pieces.text, "nor for events");
  return 0;
}
