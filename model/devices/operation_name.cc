// SPDX-License-Identifier: Apache-2.0
// Kineto's words, which HTA reads by their first letters.
#include "model/devices/operation_name.h"

#include <iterator>

namespace syncline {
namespace {

constexpr const char* kMemoryNames[] = {"Unknown", "Pageable", "Pinned",
                                        "Device",  "Array",    "Managed"};

const char* MemoryName(MemoryKind kind) {
  const auto index = static_cast<size_t>(kind);
  return kMemoryNames[index < std::size(kMemoryNames) ? index : 0];
}

bool OnDevice(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kArray || kind == MemoryKind::kManaged;
}

const char* Direction(const OpLabel& op) {
  if (op.type == DeviceOpType::kPeerCopy) return "PtoP";
  static constexpr const char* kDirections[2][2] = {{"HtoH", "HtoD"}, {"DtoH", "DtoD"}};
  return kDirections[OnDevice(op.from)][OnDevice(op.to)];
}

}  // namespace

std::string OperationName(const OpLabel& op) {
  switch (op.type) {
    case DeviceOpType::kCopy:
    case DeviceOpType::kPeerCopy:
      return std::string("Memcpy ") + Direction(op) + " (" + MemoryName(op.from) + " -> " +
             MemoryName(op.to) + ")";
    case DeviceOpType::kSet:
      return std::string("Memset (") + MemoryName(op.to) + ")";
    case DeviceOpType::kGraph:
      return "graph " + std::to_string(op.graph);
    default:
      return "kernel";
  }
}

}  // namespace syncline
