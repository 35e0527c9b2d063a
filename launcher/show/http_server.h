// SPDX-License-Identifier: Apache-2.0
// Serves one trace over HTTP on 127.0.0.1 to the Perfetto UI, and nothing else to nobody else.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/show/trace_source.h"

namespace syncline {

// The one port from which the UI's security policy lets the UI fetch.
inline constexpr uint16_t kPerfettoPort = 9001;
inline constexpr char kPerfettoOrigin[] = "https://ui.perfetto.dev";

// What one request asks for; a pure function of its head. `trace_path` is where the trace is
// served, without the leading slash.
enum class HttpAnswer { kTrace, kTraceHead, kPreflight, kNotFound, kBadRequest, kForbidden };
HttpAnswer JudgeRequest(const std::string& head, const std::string& trace_path);

class HttpServer {
 public:
  ~HttpServer();

  // False: *error says why. Port 0 takes any free one (tests).
  bool Listen(uint16_t port, std::string* error);
  uint16_t port() const { return port_; }
  // Where the trace is served, without the leading slash: below a name that nobody can guess,
  // because every user of the machine can connect to the port.
  std::string PathOf(const TraceSource& trace) const { return secret_ + "/" + trace.name(); }

  // Answers each request when it is there whole, so that nobody who asks slowly keeps others
  // waiting; traces, which only those get who know the name, one after the other. Until the trace
  // was sent whole, or with `keep` for ever. False: *error.
  bool Serve(const TraceSource& trace, bool keep, std::string* error);

 private:
  int listener_ = -1;
  uint16_t port_ = 0;
  std::string secret_;
};

}  // namespace syncline
