// SPDX-License-Identifier: Apache-2.0
// Names are looked at once each.
#include "writers/chrome/event_filter.h"

#include "inject/core/text.h"
#include "symbols/demangle.h"

namespace syncline {
namespace {

constexpr size_t kAnswersKept = 1 << 16;

}  // namespace

bool OpChooser::Shows(Stream& stream, const DeviceOpRecord& op) {
  if (!shown_.Lasts(op.begin, op.end)) return false;
  return shown_.kernels.empty() || op.type != DeviceOpType::kKernel || FitsName(stream, op.head.id);
}

bool OpChooser::FitsName(Stream& stream, uint32_t id) {
  const uint64_t key = uint64_t{stream.serial()} << 32 | id;
  const auto found = fits_.find(key);
  if (found != fits_.end()) return found->second;
  if (fits_.size() >= kAnswersKept) fits_.clear();
  const std::string_view* name = stream.Name(id);
  return fits_[key] =
             name != nullptr && IsMatched(shown_.kernels.c_str(), DemangledName(*name).c_str());
}

}  // namespace syncline
