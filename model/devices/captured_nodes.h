// SPDX-License-Identifier: Apache-2.0
// What a program was doing when it made the nodes of its graphs: a replay's work is of no thread.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/spool/record_sink.h"

namespace syncline {

struct CapturedOperator {
  std::string source;
  std::string domain;
  std::string name;
  auto operator<=>(const CapturedOperator&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Many nodes share one.
struct CapturedWork {
  std::vector<CapturedOperator> operators;  // of a framework, the outermost first
  std::string arguments;                    // of the innermost, as members of a JSON object
  std::vector<std::string> ranges;          // of the program's, the outermost first
  auto operator<=>(const CapturedWork&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Sink of the first reading: records of work may stand before those of their nodes. One thread.
class CapturedNodes : public RecordSink {
 public:
  static constexpr size_t kMostNodes = 1 << 20;

  struct Node {
    uint64_t made = 0;  // the node that the program made: itself, or what it is a clone of
    const CapturedWork* work = nullptr;  // null: of a clone
    uint32_t correlation = 0;            // of the call that made it; 0: not known
    const std::string* where = nullptr;  // the line of the user's code; null: not known
  };

  unsigned Interests() const override { return kDevices; }
  void OnGraphNode(Stream& stream, const GraphNodeRecord& node,
                   std::span<const NodeRange> ranges) override;

  // After the reading: the node that the program made. Null: not known. Lives as long as this.
  const Node* Find(Source source, uint64_t node) const;
  // Empty: not known.
  void SetWhere(Source source, uint64_t node, const std::string& where);
  bool empty() const { return nodes_.empty(); }
  uint64_t left_out() const { return left_out_; }

 private:
  struct Key {
    Source source;
    uint64_t node;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key& key) const {
      return static_cast<size_t>((key.node + key.source) * 0x9E3779B97F4A7C15ull);
    }
  };

  void Put(const Key& key, const Node& node);
  const CapturedWork* WorkOf(Stream& stream, std::span<const NodeRange> ranges);

  std::unordered_map<Key, Node, HashOfKey> nodes_;
  std::set<CapturedWork> works_;
  std::set<std::string> wheres_;
  uint64_t left_out_ = 0;
};

}  // namespace syncline
