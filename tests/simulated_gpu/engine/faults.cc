// SPDX-License-Identifier: Apache-2.0
// Parses SIMGPU_FAULT.
#include "tests/simulated_gpu/engine/faults.h"

#include <cstdio>
#include <cstdlib>

namespace simgpu {

const std::vector<FaultInfo>& KnownFaults() {
#define SIMGPU_FAULT_ROW(name, value, help) {#name, value, help},
  static const auto& known = *new std::vector<FaultInfo>{
      SIMGPU_DRIVER_FAULTS(SIMGPU_FAULT_ROW) SIMGPU_LEVEL_ZERO_FAULTS(SIMGPU_FAULT_ROW)
          SIMGPU_CUPTI_FAULTS(SIMGPU_FAULT_ROW)};
#undef SIMGPU_FAULT_ROW
  return known;
}

std::optional<Faults> Faults::Parse(std::string_view text, std::string* error) {
  Faults faults;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(item.size() < text.size() ? item.size() + 1 : text.size());
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    bool known = false;
    for (const FaultInfo& fault : KnownFaults()) known = known || fault.name == name;
    if (!known) {
      *error = "SIMGPU_FAULT: there is no fault called '" + std::string(name) + "'. There are:";
      for (const FaultInfo& fault : KnownFaults()) *error += std::string(" ") + fault.name;
      return std::nullopt;
    }
    faults.on_[std::string(name)] =
        equals == std::string_view::npos ? "" : std::string(item.substr(equals + 1));
  }
  return faults;
}

const char* Faults::Find(std::string_view name) const {
  const auto found = on_.find(name);
  return found == on_.end() ? nullptr : found->second.c_str();
}

uint64_t Faults::Number(std::string_view name, uint64_t otherwise) const {
  const char* value = Find(name);
  return value == nullptr || *value == '\0' ? otherwise : std::strtoull(value, nullptr, 10);
}

const Faults& Faults::OfProcess() {
  static const Faults& faults = *[] {
    const char* text = std::getenv("SIMGPU_FAULT");
    std::string error;
    std::optional<Faults> parsed = Parse(text == nullptr ? "" : text, &error);
    if (!parsed) {
      std::fprintf(stderr, "simulated GPU: %s\n", error.c_str());
      std::_Exit(125);
    }
    return new Faults(*parsed);
  }();
  return faults;
}

}  // namespace simgpu
