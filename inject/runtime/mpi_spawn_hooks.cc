// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_spawn and MPI_Comm_spawn_multiple as the program calls them: programs that MPI's
// launcher starts. Handles are numbers or pointers by library; as pointers both pass through.
#include "inject/runtime/exec_hooks.h"
#include "inject/runtime/next_function.h"

#if SYNCLINE_EXIT_HOOKS

namespace syncline {
namespace {

using Handle = const void*;
using Spawn = int(const char*, char**, int, Handle, int, Handle, void*, int*);
using SpawnMultiple = int(int, char**, char***, const int*, const void*, int, Handle, void*, int*);
using Rank = int(Handle, int*);
constinit NextFunction<Spawn> g_spawn("MPI_Comm_spawn");
constinit NextFunction<SpawnMultiple> g_spawn_multiple("MPI_Comm_spawn_multiple");
constinit NextFunction<Rank> g_rank("PMPI_Comm_rank");

constexpr int kSuccess = 0;    // MPI_SUCCESS
constexpr int kNoLibrary = 1;  // an error, whatever MPI it is

// All ranks of a communicator make the call; what one of them says counts.
bool IsRoot(int root, Handle communicator) {
  int rank = -1;
  Rank* ask = g_rank.Find();
  return ask != nullptr && ask(communicator, &rank) == kSuccess && rank == root;
}

}  // namespace
}  // namespace syncline

#define SYNCLINE_HOOK(name) __asm__(name) __attribute__((visibility("default")))
extern "C" {
int SynclineMpiSpawn(const char*, char**, int, syncline::Handle, int, syncline::Handle, void*, int*)
    SYNCLINE_HOOK("MPI_Comm_spawn");
int SynclineMpiSpawnMultiple(int, char**, char***, const int*, const void*, int, syncline::Handle,
                             void*, int*) SYNCLINE_HOOK("MPI_Comm_spawn_multiple");
}

int SynclineMpiSpawn(const char* command, char** arguments, int most, syncline::Handle info,
                     int root, syncline::Handle communicator, void* between, int* errors) {
  syncline::Spawn* next = syncline::g_spawn.Find();
  if (next == nullptr) return syncline::kNoLibrary;
  const int result = next(command, arguments, most, info, root, communicator, between, errors);
  if (result == syncline::kSuccess && syncline::IsRoot(root, communicator))
    syncline::TellOfLaunched(command, most);
  return result;
}

int SynclineMpiSpawnMultiple(int count, char** commands, char*** arguments, const int* most,
                             const void* infos, int root, syncline::Handle communicator,
                             void* between, int* errors) {
  syncline::SpawnMultiple* next = syncline::g_spawn_multiple.Find();
  if (next == nullptr) return syncline::kNoLibrary;
  const int result =
      next(count, commands, arguments, most, infos, root, communicator, between, errors);
  if (result != syncline::kSuccess || !syncline::IsRoot(root, communicator)) return result;
  for (int i = 0; i < count; ++i) syncline::TellOfLaunched(commands[i], most[i]);
  return result;
}

#endif
