// SPDX-License-Identifier: Apache-2.0
// Tests of serving traces: requests, the transfer itself, and the archive of all ranks.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/http_server.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

std::string Ask(const std::string& method, const std::string& path,
                const std::string& more = "Host: 127.0.0.1:9001\r\n") {
  return Text(method, " ", path, " HTTP/1.1\r\n", more, "\r\n");
}

TEST(HttpServerTest, OnlyTheTraceIsServed) {
  EXPECT_EQ(JudgeRequest(Ask("GET", "/t.gz"), "t.gz"), HttpAnswer::kTrace);
  EXPECT_EQ(JudgeRequest(Ask("GET", "/t.gz?x=1"), "t.gz"), HttpAnswer::kTrace);
  EXPECT_EQ(JudgeRequest(Ask("HEAD", "/t.gz"), "t.gz"), HttpAnswer::kTraceHead);
  EXPECT_EQ(JudgeRequest(Ask("OPTIONS", "/t.gz"), "t.gz"), HttpAnswer::kPreflight);
  EXPECT_EQ(JudgeRequest(Ask("GET", "/"), "t.gz"), HttpAnswer::kNotFound);
  EXPECT_EQ(JudgeRequest(Ask("GET", "/../../etc/passwd"), "t.gz"), HttpAnswer::kNotFound);
  EXPECT_EQ(JudgeRequest(Ask("DELETE", "/t.gz"), "t.gz"), HttpAnswer::kBadRequest);
  EXPECT_EQ(JudgeRequest("GET /t.gz", "t.gz"), HttpAnswer::kBadRequest);
  EXPECT_EQ(JudgeRequest("", "t.gz"), HttpAnswer::kBadRequest);
}

TEST(HttpServerTest, OnlyPerfettoAndThisMachineAreServed) {
  const std::string host = "Host: 127.0.0.1:9001\r\n";
  EXPECT_EQ(JudgeRequest(Ask("GET", "/t", host + "Origin: https://ui.perfetto.dev\r\n"), "t"),
            HttpAnswer::kTrace);
  EXPECT_EQ(JudgeRequest(Ask("GET", "/t", host + "Origin: https://evil.example\r\n"), "t"),
            HttpAnswer::kForbidden);
  EXPECT_EQ(JudgeRequest(Ask("GET", "/t", "Host: evil.example:9001\r\n"), "t"),
            HttpAnswer::kForbidden);
  EXPECT_EQ(JudgeRequest(Ask("GET", "/t", ""), "t"), HttpAnswer::kForbidden);
}

int ConnectTo(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

std::string Exchange(uint16_t port, const std::string& request) {
  const int fd = ConnectTo(port);
  EXPECT_EQ(send(fd, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string reply;
  char buffer[65536];
  ssize_t got;
  while ((got = recv(fd, buffer, sizeof(buffer), 0)) > 0)
    reply.append(buffer, static_cast<size_t>(got));
  close(fd);
  return reply;
}

class ServedTrace : public ::testing::Test {
 protected:
  void Open(const std::string& content) {
    trace = OpenTraceFile(directory_.Write("rank-0.trace.json.gz", content), &error);
    ASSERT_NE(trace, nullptr) << error;
    ASSERT_TRUE(server.Listen(0, &error)) << error;
  }

  std::string error;
  std::unique_ptr<TraceSource> trace;
  HttpServer server;

 private:
  TestDirectory directory_;
};

TEST_F(ServedTrace, ServesUntilTheTraceWasFetched) {
  const std::string content(3 << 20, 'x');
  ASSERT_NO_FATAL_FAILURE(Open(content));
  std::thread serving([&] { EXPECT_TRUE(server.Serve(*trace, false, &error)); });
  EXPECT_TRUE(Exchange(server.port(), Ask("GET", "/other")).starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(
      Exchange(server.port(), Ask("GET", "/rank-0.trace.json.gz")).starts_with("HTTP/1.1 404"))
      << "who does not know the secret gets nothing";
  const std::string path = "/" + server.PathOf(*trace);
  EXPECT_EQ(path.size(), 34 + std::string("rank-0.trace.json.gz").size());
  const std::string preflight = Exchange(server.port(), Ask("OPTIONS", path));
  EXPECT_NE(preflight.find("Access-Control-Allow-Private-Network: true"), std::string::npos);
  const std::string reply = Exchange(server.port(), Ask("GET", path));
  serving.join();
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(reply.find("Access-Control-Allow-Origin: https://ui.perfetto.dev\r\n"),
            std::string::npos);
  EXPECT_NE(reply.find("Content-Length: 3145728\r\n"), std::string::npos);
  EXPECT_EQ(reply.substr(reply.find("\r\n\r\n") + 4), content);
}

TEST_F(ServedTrace, WhoDoesNotAskKeepsNobodyWaiting) {
  ASSERT_NO_FATAL_FAILURE(Open("trace"));
  std::thread serving([&] { EXPECT_TRUE(server.Serve(*trace, false, &error)); });
  std::vector<int> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(ConnectTo(server.port()));
    EXPECT_EQ(send(silent.back(), "GET /", 5, MSG_NOSIGNAL), 5);
  }
  const std::string reply = Exchange(server.port(), Ask("GET", "/" + server.PathOf(*trace)));
  serving.join();
  EXPECT_TRUE(reply.ends_with("\r\n\r\ntrace")) << reply;
  for (const int fd : silent) close(fd);
}

// They are there before the limit is, because here one process has both ends.
TEST_F(ServedTrace, MoreSilentOnesThanDescriptorsKeepNobodyWaiting) {
  ASSERT_NO_FATAL_FAILURE(Open("trace"));
  std::vector<int> clients(40);
  for (int& client : clients) client = ConnectTo(server.port());
  const std::string request = Ask("GET", "/" + server.PathOf(*trace));
  EXPECT_EQ(send(clients.back(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few = {static_cast<rlim_t>(clients.back()) + 4, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  EXPECT_TRUE(server.Serve(*trace, false, &error)) << error;
  setrlimit(RLIMIT_NOFILE, &before);
  char reply[1024] = {};
  EXPECT_GT(recv(clients.back(), reply, sizeof(reply) - 1, MSG_WAITALL), 0);
  EXPECT_TRUE(std::string(reply).ends_with("\r\n\r\ntrace")) << reply;
  for (const int client : clients) close(client);
}

TEST(HttpServerTest, ABusyPortIsTold) {
  HttpServer first;
  HttpServer second;
  std::string error;
  ASSERT_TRUE(first.Listen(0, &error));
  EXPECT_FALSE(second.Listen(first.port(), &error));
  EXPECT_NE(error.find("is in use"), std::string::npos) << error;
}

TEST(TraceSourceTest, TheArchiveIsWhatTarReads) {
  const TestDirectory directory;
  const std::vector<std::string> paths = {
      directory.Write("rank-0.trace.json.gz", std::string(1000, 'a')),
      directory.Write("rank-1.trace.json.gz", std::string(512, 'b')),
      directory.Write("rank-2.trace.json.gz", "")};
  std::string error;
  const auto archive = OpenTraceArchive("all.tar", paths, &error);
  ASSERT_NE(archive, nullptr) << error;
  std::string bytes;
  EXPECT_TRUE(
      archive->Send([&](const char* data, size_t size) { return bytes.append(data, size), true; }));
  EXPECT_EQ(bytes.size(), archive->bytes());
  directory.Write("all.tar", bytes);
  const std::string command = Text("cd ", directory.path(),
                                   " && mkdir x && tar -xf all.tar -C x && for i in 0 1 2; do cmp "
                                   "x/rank-$i.trace.json.gz rank-$i.trace.json.gz || exit 1; done");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(TraceSourceTest, MissingFilesAreTold) {
  std::string error;
  EXPECT_EQ(OpenTraceFile("/nowhere/x.gz", &error), nullptr);
  EXPECT_NE(error.find("/nowhere/x.gz"), std::string::npos);
  EXPECT_EQ(OpenTraceFile("/tmp", &error), nullptr);
  EXPECT_NE(error.find("not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace syncline
