// SPDX-License-Identifier: Apache-2.0
// What a part of a trace holds.
#include "writers/chrome/trace_part.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "model/testing/scratch.h"

namespace syncline {
namespace {

struct TextSink : ByteSink {
  Status Write(std::string_view bytes) override {
    text += bytes;
    return {};
  }
  std::string text;
};

constexpr uint64_t kBase = 1'700'000'000'000'000'000;
constexpr char kTrace[] = R"t({
"baseTimeNanoseconds": 1700000000000000000,
"traceEvents": [
{"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "ts": 0.000, "args": {"name": "main"}},
{"ph": "X", "cat": "c", "name": "before", "pid": 1, "tid": 2, "ts": 100.5, "dur": 50.000, "args": {"ts": 1}},
{"ph": "X", "cat": "c", "name": "into", "pid": 1, "tid": 2, "ts": 100.5, "dur": 150.000, "args": {}},
{"ph": "s", "id": 3, "pid": 1, "tid": 2, "ts": 210.5, "cat": "ac2g", "name": "arrow"},
{"ph": "X", "cat": "c", "name": "within", "pid": 1, "tid": 2, "ts": 220.5, "dur": 5.000, "args": {}},
{"ph": "C", "name": "memory", "pid": 0, "tid": 0, "ts": 230, "args": {"bytes": 2}},
{"ph": "X", "cat": "c", "name": "behind, \"ts\": 220", "pid": 1, "tid": 2, "ts": 400.5, "dur": 5.000, "args": {}}
],
"stackFrames": {
"1": {"category": "python", "name": "a.py:1 f()"}
},
"traceName": "rank-0.trace.json.gz"
}
)t";

std::set<std::string> NamesOf(const std::string& trace, uint64_t from_us, uint64_t until_us) {
  testing::Scratch scratch;
  std::ofstream(scratch / "t.json") << trace;
  TextSink sink;
  const Status status =
      WriteTracePart(scratch / "t.json", kBase + from_us * 1000, kBase + until_us * 1000, &sink);
  if (!status.ok()) return {status.message()};
  const auto json = nlohmann::json::parse(sink.text);
  EXPECT_EQ(json["stackFrames"].size(), 1u);
  EXPECT_EQ(json["traceName"], "rank-0.trace.json.gz");
  std::set<std::string> names;
  for (const auto& event : json["traceEvents"]) names.insert(event["name"]);
  return names;
}

TEST(TracePartTest, WhatReachesIntoItIsThereAndTheNamesOfRows) {
  EXPECT_EQ(NamesOf(kTrace, 200, 300),
            (std::set<std::string>{"thread_name", "into", "arrow", "within", "memory"}));
  EXPECT_EQ(NamesOf(kTrace, 300, 399), std::set<std::string>{"thread_name"});
  EXPECT_EQ(NamesOf(kTrace, 0, 1000).size(), 7u);
}

TEST(TracePartTest, AnotherFileIsRefused) {
  EXPECT_EQ(NamesOf("{\n}\n", 0, 1), std::set<std::string>{"it is no trace of ours"});
}

}  // namespace
}  // namespace syncline
