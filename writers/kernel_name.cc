// SPDX-License-Identifier: Apache-2.0
// Kineto's words, which HTA reads by their first letters.
#include "writers/kernel_name.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <iterator>
#include <map>

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

constexpr uint64_t kMostText = 1 << 22;  // bytes

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

}  // namespace

// A name in C may look like a mangled type: "f" would become "float".
std::string DemangledName(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z") || !StaysShort(name)) return text;
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
