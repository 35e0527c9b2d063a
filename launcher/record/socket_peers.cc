// SPDX-License-Identifier: Apache-2.0
// Reads /proc/PID/fd and /proc/PID/net/tcp, and asks the kernel (sock_diag) for the other end of a
// Unix socket, which no file tells.
#include "launcher/record/socket_peers.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "base/text.h"
#include "launcher/host/files.h"

namespace syncline {
namespace {

constexpr char kSocket[] = "socket:[";
constexpr char kEstablished[] = "01";

// By the two addresses as the kernel writes them, the socket's own first.
using Connections = std::map<std::pair<std::string, std::string>, uint64_t>;

void ReadConnections(const std::string& path, Connections* connections) {
  std::string text;
  if (ReadFile(path, &text) != 0) return;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string row, own, other, state, queues, timer, retries, user, timeout;
    uint64_t inode = 0;
    words >> row >> own >> other >> state >> queues >> timer >> retries >> user >> timeout >> inode;
    if (words && state == kEstablished && inode != 0)
      connections->emplace(std::pair(own, other), inode);
  }
}

// 0: it has none, or nobody tells.
uint64_t PeerOfUnixSocket(int netlink, uint64_t inode) {
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } question = {};
  question.header.nlmsg_len = sizeof(question);
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = AF_UNIX;
  question.request.udiag_states = ~0u;
  question.request.udiag_ino = static_cast<uint32_t>(inode);
  question.request.udiag_show = UDIAG_SHOW_PEER;
  question.request.udiag_cookie[0] = question.request.udiag_cookie[1] = ~0u;
  alignas(nlmsghdr) char answer[1024];
  if (send(netlink, &question, sizeof(question), 0) < 0) return 0;
  // The kernel has answered when send() returns. Nobody waits for one that does not: the thread
  // hands on signals.
  const ssize_t bytes = recv(netlink, answer, sizeof(answer), MSG_DONTWAIT);
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer);
  constexpr size_t kHead = NLMSG_LENGTH(sizeof(unix_diag_msg));
  if (bytes < static_cast<ssize_t>(kHead) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      header->nlmsg_len > static_cast<size_t>(bytes))
    return 0;
  int rest = static_cast<int>(header->nlmsg_len - kHead);
  const auto* fact = reinterpret_cast<const rtattr*>(answer + kHead);
  for (; RTA_OK(fact, rest); fact = RTA_NEXT(fact, rest)) {
    uint32_t peer = 0;
    if (fact->rta_type != UNIX_DIAG_PEER || RTA_PAYLOAD(fact) < sizeof(peer)) continue;
    std::memcpy(&peer, RTA_DATA(fact), sizeof(peer));
    return peer;
  }
  return 0;
}

}  // namespace

std::set<uint64_t> SocketsOf(int pid) {
  std::set<uint64_t> sockets;
  const std::string folder = Text("/proc/", pid, "/fd/");
  for (const std::string& name : ListDirectory(folder)) {
    char target[64];
    const ssize_t bytes = readlink((folder + name).c_str(), target, sizeof(target) - 1);
    if (bytes <= 0) continue;
    target[bytes] = '\0';
    if (std::strncmp(target, kSocket, sizeof(kSocket) - 1) == 0)
      sockets.insert(std::strtoull(target + sizeof(kSocket) - 1, nullptr, 10));
  }
  return sockets;
}

std::set<uint64_t> PeersOf(const std::set<uint64_t>& sockets, int pid) {
  std::set<uint64_t> peers;
  Connections connections;
  for (const char* table : {"tcp", "tcp6"})
    ReadConnections(Text("/proc/", pid, "/net/", table), &connections);
  for (const auto& [ends, inode] : connections) {
    const auto other = connections.find({ends.second, ends.first});
    if (sockets.contains(inode) && other != connections.end()) peers.insert(other->second);
  }
  const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return peers;
  for (const uint64_t inode : sockets) {
    if (const uint64_t peer = PeerOfUnixSocket(netlink, inode); peer != 0) peers.insert(peer);
  }
  close(netlink);
  return peers;
}

}  // namespace syncline
