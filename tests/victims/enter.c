/* SPDX-License-Identifier: Apache-2.0 */
/* Records, enters the namespaces or the root that the first argument names, and records again
 * there. With "stay" it stays for some seconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>

#include "range.h"

int main(int argc, char** argv) {
  require(argc >= 2, "enter user|time|pid|mount|chroot [DIRECTORY] [late|stay]");
  int stay = !strcmp(argv[argc - 1], "stay");
  int late = stay || (argc > 2 && !strcmp(argv[argc - 1], "late")); /* nothing recorded before */
  if (!late) one_range("before");
  int flags = 0;
  if (!strcmp(argv[1], "user")) flags = CLONE_NEWUSER;
  if (!strcmp(argv[1], "pid")) flags = CLONE_NEWPID;
  if (!strcmp(argv[1], "mount")) flags = CLONE_NEWNS;
  if (!strcmp(argv[1], "time")) flags = 0x80; /* CLONE_NEWTIME */
  if (flags) require(unshare(flags) == 0, "unshare");
  if (flags == 0x80) { /* children live two hours later by the monotonic clock */
    int fd = open("/proc/self/timens_offsets", O_WRONLY);
    require(fd >= 0 && write(fd, "monotonic 7200 0\n", 17) == 17, "timens_offsets");
    close(fd);
  }
  if (!strcmp(argv[1], "chroot")) require(chroot(argv[2]) == 0 && chdir("/") == 0, "chroot");
  one_range("after");
  pid_t child = fork();
  if (child == 0) {
    one_range("child");
    _exit(0);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0, "child");
  one_range("end");
  if (stay) sleep(4); /* the launcher looks every second */
  return 0;
}
