// SPDX-License-Identifier: Apache-2.0
// As much of HTTP/1.1 as a browser needs to fetch one file from its own machine.
#include "launcher/show/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <vector>

#include "inject/core/clock.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr size_t kMaxHead = 16384;
constexpr timeval kPatience = {10,
                               0};  // until a request is there whole; with one who does not read
constexpr size_t kMostAsking = 64;
constexpr int kShortageMs = 50;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The value of a header, "" if it is not there.
std::string Header(const std::string& head, const std::string& name) {
  const std::string lower = Lower(head);
  const size_t at = lower.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  const size_t begin = head.find_first_not_of(" \t", at + name.size() + 3);
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

bool SendAll(int fd, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

// A connection whose request is not whole yet.
struct Asking {
  int fd;
  uint64_t until_ns;
  std::string head;
};

// False: more of the request may come.
bool Receive(Asking* asking) {
  char buffer[2048];
  ssize_t got;
  while ((got = recv(asking->fd, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
    asking->head.append(buffer, static_cast<size_t>(got));
    if (asking->head.size() >= kMaxHead || asking->head.find("\r\n\r\n") != std::string::npos)
      return true;
  }
  return got == 0 || (errno != EAGAIN && errno != EINTR) || MonotonicNs() > asking->until_ns;
}

bool IsShortOfDescriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// Who has asked for longest makes room; where nobody does, others use up what the machine has.
void MakeRoom(std::vector<Asking>* asking) {
  if (asking->empty()) {
    poll(nullptr, 0, kShortageMs);
    return;
  }
  close(asking->front().fd);
  asking->erase(asking->begin());
}

// False: no connection can be had any more, errno says why.
bool Accept(int listener, std::vector<Asking>* asking) {
  for (size_t i = 0; i < kMostAsking; ++i) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0 && IsShortOfDescriptors(errno)) {
      MakeRoom(asking);
      continue;
    }
    if (fd < 0) return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
    asking->push_back({fd, MonotonicNs() + kPatience.tv_sec * uint64_t{1000000000}, ""});
    if (asking->size() > kMostAsking) MakeRoom(asking);
  }
  return true;
}

void WaitForRequests(int listener, const std::vector<Asking>& asking) {
  std::vector<pollfd> items = {{listener, POLLIN, 0}};
  for (const Asking& one : asking) items.push_back({one.fd, POLLIN, 0});
  poll(items.data(), items.size(), asking.empty() ? -1 : 1000);
}

const char* StatusLine(HttpAnswer answer) {
  switch (answer) {
    case HttpAnswer::kTrace:
    case HttpAnswer::kTraceHead:
      return "200 OK";
    case HttpAnswer::kPreflight:
      return "204 No Content";
    case HttpAnswer::kNotFound:
      return "404 Not Found";
    case HttpAnswer::kForbidden:
      return "403 Forbidden";
    case HttpAnswer::kBadRequest:
      break;
  }
  return "400 Bad Request";
}

// Whether the trace was sent whole.
bool Answer(int fd, const std::string& head, const TraceSource& trace, const std::string& path) {
  const HttpAnswer answer = JudgeRequest(head, path);
  const bool has_trace = answer == HttpAnswer::kTrace || answer == HttpAnswer::kTraceHead;
  std::string reply =
      Text("HTTP/1.1 ", StatusLine(answer), "\r\nContent-Length: ", has_trace ? trace.bytes() : 0,
           "\r\nConnection: close\r\nCache-Control: no-cache\r\n");
  if (answer != HttpAnswer::kForbidden)
    reply += Text("Access-Control-Allow-Origin: ", kPerfettoOrigin, "\r\nVary: Origin\r\n");
  if (has_trace) reply += "Content-Type: application/octet-stream\r\n";
  if (answer == HttpAnswer::kPreflight) {
    reply +=
        "Access-Control-Allow-Methods: GET, HEAD\r\nAccess-Control-Allow-Headers: *\r\n"
        "Access-Control-Allow-Private-Network: true\r\n";
  }
  reply += "\r\n";
  if (!SendAll(fd, reply.data(), reply.size()) || answer != HttpAnswer::kTrace) return false;
  return trace.Send([fd](const char* data, size_t bytes) { return SendAll(fd, data, bytes); });
}

}  // namespace

HttpAnswer JudgeRequest(const std::string& head, const std::string& trace_path) {
  const size_t method_end = head.find(' ');
  const size_t path_end =
      method_end == std::string::npos ? method_end : head.find(' ', method_end + 1);
  if (path_end == std::string::npos || head.find("\r\n\r\n") == std::string::npos)
    return HttpAnswer::kBadRequest;
  const std::string method = head.substr(0, method_end);
  std::string path = head.substr(method_end + 1, path_end - method_end - 1);
  path = path.substr(0, path.find('?'));
  // A page of another origin, or one that reaches us by a name of its own (DNS rebinding), gets
  // nothing.
  const std::string origin = Header(head, "origin");
  const std::string host = Lower(Header(head, "host"));
  const std::string host_name = host.substr(0, host.rfind(':'));
  if (!origin.empty() && origin != kPerfettoOrigin) return HttpAnswer::kForbidden;
  if (host_name != "127.0.0.1" && host_name != "localhost") return HttpAnswer::kForbidden;
  if (path != "/" + trace_path) return HttpAnswer::kNotFound;
  if (method == "GET") return HttpAnswer::kTrace;
  if (method == "HEAD") return HttpAnswer::kTraceHead;
  return method == "OPTIONS" ? HttpAnswer::kPreflight : HttpAnswer::kBadRequest;
}

HttpServer::~HttpServer() {
  if (listener_ >= 0) close(listener_);
}

bool HttpServer::Listen(uint16_t port, std::string* error) {
  secret_ = RandomName();
  if (secret_.empty()) {
    *error =
        Text("cannot get random bytes for a name that nobody guesses: ", ErrorText(errno), ".");
    return false;
  }
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  if (listener_ >= 0) setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (listener_ < 0 ||
      bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener_, kMostAsking) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    *error = errno == EADDRINUSE
                 ? Text("port ", port,
                        " of 127.0.0.1 is in use, and the Perfetto UI fetches from no other. End "
                        "the other viewer "
                        "(`ss -ltnp sport = :",
                        port, "` shows it), or open the file by hand at ", kPerfettoOrigin, ".")
                 : Text("cannot listen on 127.0.0.1:", port, ": ", ErrorText(errno),
                        ". Open the file by hand at ", kPerfettoOrigin, ".");
    return false;
  }
  port_ = ntohs(address.sin_port);
  return true;
}

bool HttpServer::Serve(const TraceSource& trace, bool keep, std::string* error) {
  std::vector<Asking> asking;
  bool sent = false;
  bool good = true;
  const auto answer = [&](Asking& one) {
    if (!Receive(&one)) return false;
    sent = Answer(one.fd, one.head, trace, PathOf(trace)) || sent;
    shutdown(one.fd, SHUT_WR);
    close(one.fd);
    return true;
  };
  while (good && (keep || !sent)) {
    WaitForRequests(listener_, asking);
    good = Accept(listener_, &asking);
    if (!good) *error = Text("cannot accept connections: ", ErrorText(errno), ".");
    std::erase_if(asking, answer);
  }
  for (const Asking& one : asking) close(one.fd);
  return good;
}

}  // namespace syncline
