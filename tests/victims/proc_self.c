/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a program can see of itself after it recorded: threads, descriptors, signals, limits,
 * process group. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "range.h"

static int by_name(const struct dirent** a, const struct dirent** b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char* directory, int threads) {
  struct dirent** found;
  int count = scandir(directory, &found, NULL, by_name), shown = 0;
  for (int i = 0; i < count; ++i) {
    char path[512], text[512] = "";
    if (found[i]->d_name[0] == '.') continue;
    snprintf(path, sizeof path, threads ? "%s/%s/comm" : "%s/%s", directory, found[i]->d_name);
    if (threads) {
      FILE* file = fopen(path, "r");
      if (file && fgets(text, sizeof text, file)) text[strcspn(text, "\n")] = 0;
      if (file) fclose(file);
      printf("thread %d %s\n", shown++, text);
    } else {
      ssize_t length = readlink(path, text, sizeof text - 1);
      if (length > 0 && strncmp(text, "/proc/", 6) == 0) continue; /* the one that scandir uses */
      text[strcspn(text, "[")] = 0;                                /* pipe:[12345] */
      int fd = atoi(found[i]->d_name);
      struct stat s;
      printf("descriptor %d %s\n", fd, fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? "file" : text);
    }
  }
}

static void status(void) {
  char line[512];
  FILE* file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, "Sig", 3) || !strncmp(line, "Shd", 3) || !strncmp(line, "Umask", 5) ||
        !strncmp(line, "Threads", 7) || !strncmp(line, "NoNew", 5) ||
        !strncmp(line, "Seccomp:", 8)) {
      if (strncmp(line, "SigQ", 4)) fputs(line, stdout);
    }
  }
  fclose(file);
}

int main(int argc, char** argv) {
  if (argc < 2 || strcmp(argv[1], "silent")) {
    for (int i = 0; i < 20000; ++i) one_range("range");
    usleep(20000);
  }
  list("/proc/self/task", 1);
  list("/proc/self/fd", 0);
  status();
  for (int which = 0; which < RLIMIT_NLIMITS; ++which) {
    struct rlimit limit;
    getrlimit((__rlimit_resource_t)which, &limit);
    printf("limit %d %llu %llu\n", which, (unsigned long long)limit.rlim_cur,
           (unsigned long long)limit.rlim_max);
  }
  printf("next descriptor %d\n", open("/dev/null", O_RDONLY));
  printf("terminal %d %d, nice %d\n", isatty(0), isatty(1), getpriority(PRIO_PROCESS, 0));
  return 0;
}
