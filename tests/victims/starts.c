/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program N times by the function that is named, in a fork's or vfork's child, with its
 * own environment or an empty one ("null": with none); or tells how each function fails ("failing
 * FOLDER"). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "range.h"

extern char** environ;

static char* const none[] = {NULL};
static const char* const functions[] = {"execve",  "execv",       "execvp",
                                        "execvpe", "posix_spawn", "posix_spawnp"};

/* What the function returns; errno is as it left it, or what it returned. */
static int start(const char* how, const char* path, char** arguments, char* const* environment) {
  pid_t child = 0;
  if (!strcmp(how, "execve")) return execve(path, arguments, environment);
  if (!strcmp(how, "execvpe")) return execvpe(path, arguments, environment);
  if (!strncmp(how, "posix_spawn", 11)) {
    int error = (how[11] == 'p' ? posix_spawnp : posix_spawn)(&child, path, NULL, NULL, arguments,
                                                              environment);
    if (error == 0) waitpid(child, NULL, 0);
    return error;
  }
  environ = (char**)environment;
  return how[4] == 'v' && how[5] == 'p' ? execvp(path, arguments) : execv(path, arguments);
}

static int is_spawn(const char* how) { return !strncmp(how, "posix_spawn", 11); }

static void one(const char* how, const char* child_by, char** arguments, char* const* environment) {
  if (is_spawn(how)) {
    require(start(how, arguments[0], arguments, environment) == 0, how);
    return;
  }
  char** before = environ;
  pid_t child = !strcmp(child_by, "vfork") ? vfork() : fork();
  if (child == 0) {
    start(how, arguments[0], arguments, environment);
    _exit(127);
  }
  environ = before; /* a vfork's child has changed it */
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0, how);
}

static void fail(const char* how, const char* what, const char* path, char** arguments,
                 char* const* environment) {
  char** before = environ;
  errno = 4242;
  int result = start(how, path, arguments, environment);
  printf("%s of %s with %s: %d, errno %d\n", how, what, environment == before ? "its own" : "none",
         result, errno);
  environ = before;
}

static void failing(void) {
  static char long_text[300 << 10]; /* more than one argument may have */
  memset(long_text, 'x', sizeof long_text - 1);
  char* few[] = {"x", NULL};
  char* much[] = {"x", long_text, NULL};
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; ++i) {
    char* const* environments[] = {environ, none};
    for (int j = 0; j < 2; ++j) {
      fail(functions[i], "what is not there", "./none", few, environments[j]);
      fail(functions[i], "what nobody finds", "syncline-no-such-program", few, environments[j]);
      fail(functions[i], "no name", "", few, environments[j]);
      fail(functions[i], "what is not executable", "./plain", few, environments[j]);
      fail(functions[i], "a directory", "/", few, environments[j]);
      fail(functions[i], "too many arguments", "/bin/true", much, environments[j]);
      if (strchr(functions[i], 'p') == NULL || !strcmp(functions[i], "posix_spawn"))
        fail(functions[i], "what is no program", "./strange", few, environments[j]);
    }
  }
}

int main(int argc, char** argv) {
  if (argc == 3 && !strcmp(argv[1], "failing")) {
    require(chdir(argv[2]) == 0, argv[2]);
    failing();
    return 0;
  }
  require(argc >= 6,
          "starts FUNCTION fork|vfork own|empty|null N PROGRAM ARGUMENT..., or failing FOLDER");
  char* const* environment = !strcmp(argv[3], "own")    ? environ
                             : !strcmp(argv[3], "null") ? NULL
                                                        : none;
  for (int i = 0; i < atoi(argv[4]); ++i) one(argv[1], argv[2], argv + 5, environment);
  return 0;
}
