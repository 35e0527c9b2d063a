// SPDX-License-Identifier: Apache-2.0
// Small operations on files and directories that return an errno instead of throwing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

// mkdir -p; `mode` is that of the last part, the others are made as open as the umask allows. 0 or
// errno; an existing directory is good.
int MakeDirectories(const std::string& path, unsigned mode);

// The same for a directory that another user might have prepared for us: kPreparedByOther where
// `path` is there, belongs to neither this user nor root, and lies in a directory in which
// everybody can write (the kernel's rule for links in /tmp). Elsewhere a directory of another user
// is the business of who may write there: a project's, a colleague's.
inline constexpr int kPreparedByOther = -1;
int MakeOwnDirectory(const std::string& path, unsigned mode);

// Creates `path` with `text`; EEXIST if it is there. On another failure nothing is left behind.
int CreateExclusively(const std::string& path, const std::string& text);

// Replaces `path` in one step.
int WriteFile(const std::string& path, const std::string& text);

// 0 or errno; at most 16 MiB. Of a file that the user names, or of the kernel's; of a run's:
// ReadRunFile (base/run_file.h).
int ReadFile(const std::string& path, std::string* text);

// A file that the user names on the line, at most 16 MiB. "": it was read; else why not. A pipe or
// a device is not waited for.
std::string ReadNamedFile(const std::string& path, std::string* text);

// Why a file that the user names cannot be written to `path`: what is there is none (a device, a
// pipe, a link, a directory). "": it can.
std::string OutputProblem(const std::string& path);

// Of a file of any length to one that must not be there (0600).
bool CopyFile(const std::string& from, const std::string& to);

bool IsDirectory(const std::string& path);
bool IsRealDirectory(const std::string& path);  // no link to one
bool Exists(const std::string& path);           // of whatever kind, also a dangling link

// Names in a directory, sorted, without "." and ".."; empty if it cannot be read.
std::vector<std::string> ListDirectory(const std::string& path);

// Absolute, without resolving links.
std::string AbsolutePath(const std::string& path);

// Whether the file system of `path` is shared between nodes (NFS, Lustre, GPFS, ...): no place for
// sockets and mappings.
bool IsNetworkFileSystem(const std::string& path);

uint64_t FreeBytes(const std::string& path);

// 128 random bits in hexadecimal; "" if the kernel has none.
std::string RandomName();

}  // namespace syncline
