// SPDX-License-Identifier: Apache-2.0
// Hands segments over to the launcher as the library does, and then spoils what it shares with it:
// `bad_neighbour unsealed|doorbell`. Says what it did; with `doorbell` it goes on until
// nobody reads what it says.
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "inject/core/handover.h"

namespace {

using namespace syncline;

constexpr uint64_t kBytes = sizeof(SegmentHeader) + (1 << 20);

int Connect() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = std::getenv("SYNCLINE_SOCKET");
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0) return fd;
  std::perror("bad_neighbour");
  std::exit(1);
}

uint64_t Now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

int MakeSegment(bool sealed) {
  const int fd = static_cast<int>(syscall(SYS_memfd_create, "bad_neighbour", MFD_ALLOW_SEALING));
  if (ftruncate(fd, kBytes) != 0) std::exit(1);
  auto* header =
      static_cast<SegmentHeader*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  std::memcpy(header->magic, kSegmentMagic, sizeof(kSegmentMagic));
  header->layout_version = kLayoutVersion;
  header->header_bytes = sizeof(SegmentHeader);
  header->segment_bytes = kBytes;
  header->clock = static_cast<uint32_t>(ClockId::kMonotonic);
  const uint64_t now = Now(CLOCK_MONOTONIC);
  header->start = {now, 0, now, Now(CLOCK_MONOTONIC_RAW), Now(CLOCK_REALTIME), Now(CLOCK_BOOTTIME)};
  header->facts.pid = getpid();
  header->facts.rank = {-1, -1, -1, -1, -1, 0, -1, -1, 0, 0};
  if (sealed) fcntl(fd, 1033 /* F_ADD_SEALS */, 2 | 4 /* F_SEAL_SHRINK, F_SEAL_GROW */);
  return fd;
}

union Control {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr alignment;
};

// The doorbell's descriptor; -1: there is none, *accepted says whether the segment was taken.
int HandOverTo(int socket, int memory, bool* accepted) {
  HandOver message = {kHandOverMagic, kLayoutVersion, kBytes, "bad_neighbour"};
  HandOverReply reply = {};
  iovec part = {&message, sizeof(message)};
  Control control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = &control;
  header.msg_controllen = sizeof(control);
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &memory, sizeof(int));
  if (sendmsg(socket, &header, 0) < 0) std::exit(1);
  part = {&reply, sizeof(reply)};
  control = {};
  header.msg_controllen = sizeof(control);
  if (recvmsg(socket, &header, 0) < 0) std::exit(1);
  *accepted = reply.accepted != 0;
  rights = CMSG_FIRSTHDR(&header);
  int bell = -1;
  if (rights != nullptr) std::memcpy(&bell, CMSG_DATA(rights), sizeof(int));
  return bell;
}

void SpoilDoorbell(int fd) {
  auto* bell =
      static_cast<Doorbell*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  std::puts("ready");
  std::fflush(stdout);
  for (;; usleep(100)) {
    bell->futex.store(0);
    bell->sleeping.store(0);
    bell->heartbeat_ns.store(0);
    bell->closing.store(1);
    bell->over_budget.store(1);
    if (write(STDOUT_FILENO, "\n", 1) < 0) std::exit(0);
  }
}

}  // namespace

int main(int, char** argv) {
  const std::string way = argv[1];
  const int memory = MakeSegment(way != "unsealed");
  bool accepted = false;
  const int bell = HandOverTo(Connect(), memory, &accepted);
  std::printf("accepted: %s\n", accepted ? "yes" : "no");
  const bool cut = ftruncate(way == "unsealed" ? memory : bell, 0) == 0;
  std::printf("cut: %s\n", cut ? "yes" : "no");
  std::fflush(stdout);
  if (way == "doorbell") SpoilDoorbell(bell);
  usleep(300000);  // the launcher looks at it meanwhile
  return 0;
}
