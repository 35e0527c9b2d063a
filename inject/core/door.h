// SPDX-License-Identifier: Apache-2.0
// Doors: environment variables by which a vendor's library loads ours, and the user's own library
// that stood there before.
#pragma once

namespace syncline {

// The launcher sets `variable` to our path and hands the user's own value down as `old`.
struct Door {
  const char* variable;  // "NVTX_INJECTION64_PATH"; null: no door
  const char* old;       // "SYNCLINE_OLD_NVTX": begins with kOldPrefix
  // Whoever reads it gives it to dlopen as it stands: it may be what LD_PRELOAD names. The loader
  // then knows the library by that name, also where a chroot has taken its file out of sight.
  bool is_dlopened = false;
};
inline constexpr char kOldPrefix[] = "SYNCLINE_OLD_";

// The path of the user's own library behind the door; "": none.
const char* UsersLibrary(const Door& door);

// The function `symbol` of the library at `path`, which it loads and never unloads. Null: there is
// none (`path` is null or ""), it cannot be loaded (told once), or it is ourselves.
void* EntryOf(const Door& door, const char* path, const char* symbol);

}  // namespace syncline

// Stands before the definition of a function that the collector's exports.txt names.
#define SYNCLINE_EXPORT extern "C" __attribute__((visibility("default")))
