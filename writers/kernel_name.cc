// SPDX-License-Identifier: Apache-2.0
// Kineto's words, which HTA reads by their first letters.
#include "writers/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
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

const char* Direction(const DeviceOpRecord& op) {
  if (op.type == DeviceOpType::kPeerCopy) return "PtoP";
  static constexpr const char* kDirections[2][2] = {{"HtoH", "HtoD"}, {"DtoH", "DtoD"}};
  return kDirections[OnDevice(op.from)][OnDevice(op.to)];
}

}  // namespace

// A name in C may look like a mangled type: "f" would become "float".
std::string DemangledName(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z")) return text;
  int status = 0;
  char* plain = abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status);
  if (plain == nullptr) return text;
  std::string result = plain;
  std::free(plain);
  return result;
}

std::string OperationName(const DeviceOpRecord& op) {
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
