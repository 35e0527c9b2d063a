// SPDX-License-Identifier: Apache-2.0
// Names that the program gave to streams, contexts and devices, by the vendor's numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "inject/core/record.h"
#include "model/devices/source_facts.h"

namespace syncline {

// Names are given to handles, and a handle may be used again for another object. So a name belongs
// to the object that was made last before the name was given; if there is none, because records of
// two threads come in another order, to the next.
class GpuNames {
 public:
  explicit GpuNames(const SourceFacts& facts) : facts_(facts) {}

  // Takes kStreamHandle, kContextHandle and kContext; passes over others.
  void OnDeviceEvent(const DeviceEventRecord& note);
  // Takes what kResource records hold; passes over those of other sources.
  void OnResource(uint32_t type, uint64_t identifier, std::string_view name);

  // Empty: it has none.
  std::string Stream(uint32_t context, uint32_t stream) const;
  std::string Context(uint32_t context) const;
  std::string Device(uint32_t device) const;

 private:
  using Object = std::pair<uint32_t, uint32_t>;  // context, stream; stream 0: the context itself

  void Name(uint64_t handle, std::string_view name);

  const SourceFacts& facts_;
  std::map<uint64_t, Object> objects_;       // by handle
  std::map<uint64_t, std::string> pending_;  // by handle, until its object comes
  std::map<Object, std::string> names_;
  std::map<uint32_t, std::string> devices_;
  std::map<uint32_t, uint32_t> default_streams_;  // by context
  std::string default_name_;
};

}  // namespace syncline
