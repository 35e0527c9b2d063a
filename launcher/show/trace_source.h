// SPDX-License-Identifier: Apache-2.0
// The bytes that `syncline view` serves: one trace file, or all traces of a run as a tar stream
// made on the fly.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace syncline {

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  virtual std::string name() const = 0;  // last part of its address
  virtual uint64_t bytes() const = 0;
  // Calls `write` with pieces until the end or until it returns false. False: not everything was
  // written.
  virtual bool Send(const std::function<bool(const char* data, size_t bytes)>& write) const = 0;
};

// Null: *error says why.
std::unique_ptr<TraceSource> OpenTraceFile(const std::string& path, std::string* error);
std::unique_ptr<TraceSource> OpenTraceArchive(const std::string& name,
                                              const std::vector<std::string>& paths,
                                              std::string* error);

}  // namespace syncline
