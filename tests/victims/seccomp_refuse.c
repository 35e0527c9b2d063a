/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses a system call to itself and its children by a seccomp filter, then runs the command of
 * its arguments: memfd_create ("memfd"), or madvise with MADV_WIPEONFORK ("wipe"), which kernels
 * before 4.14 and gVisor do not know. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "range.h"

#define WIPE_ON_FORK 18

int main(int argc, char** argv) {
  require(argc > 2, "seccomp_refuse memfd|wipe PROGRAM [ARGUMENT]...");
  struct sock_filter memfd[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_filter wipe[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WIPE_ON_FORK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof memfd / sizeof memfd[0], memfd};
  if (strcmp(argv[1], "wipe") == 0)
    program = (struct sock_fprog){sizeof wipe / sizeof wipe[0], wipe};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp");
  execvp(argv[2], argv + 2);
  require(0, argv[2]);
  return 1;
}
