/* SPDX-License-Identifier: Apache-2.0 */
/* Closes every descriptor above 2, opens files of its own on the numbers that came free, records
   all the while, and verifies that nobody else wrote to them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "range.h"

enum { kFiles = 64, kBytes = 4096, kRanges = 50000 };

static int files[kFiles];

static void open_files(const char* directory) {
  char path[512], block[kBytes];
  for (int i = 0; i < kFiles; ++i) {
    snprintf(path, sizeof path, "%s/file%d", directory, i);
    files[i] = open(path, O_RDWR | O_CREAT | O_TRUNC | (i % 2 ? O_APPEND : 0), 0600);
    require(files[i] >= 0, path);
    memset(block, 'a' + i % 26, sizeof block);
    require(write(files[i], block, sizeof block) == kBytes, "write");
  }
}

static void verify(void) {
  char block[kBytes];
  for (int i = 0; i < kFiles; ++i) {
    struct stat s;
    require(fstat(files[i], &s) == 0 && s.st_size == kBytes, "a file's size changed");
    require(pread(files[i], block, kBytes, 0) == kBytes, "pread");
    for (int j = 0; j < kBytes; ++j) require(block[j] == 'a' + i % 26, "a file's contents changed");
    require(lseek(files[i], 0, SEEK_CUR) == kBytes, "a file's position moved");
  }
}

static void* emit(void* unused) {
  for (int i = 0; i < kRanges; ++i) one_range("busy");
  return unused;
}

int main(int argc, char** argv) {
  require(argc == 2, "close_all DIRECTORY");
  one_range("before closing");
  require(close_range(3, ~0u, 0) == 0, "close_range");
  open_files(argv[1]);
  one_range("after closing");
  pthread_t thread;
  require(pthread_create(&thread, NULL, emit, NULL) == 0, "pthread_create");
  pthread_join(thread, NULL);
  for (int i = 3; i < 3 + kFiles; ++i)
    require(fcntl(i, F_GETFD) >= 0, "a descriptor number was not free");
  usleep(100000);
  verify();
  one_range("after verifying");
  puts("untouched");
  return 0;
}
