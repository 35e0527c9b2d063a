// SPDX-License-Identifier: Apache-2.0
// Where this launcher keeps things on its own node while a program runs: its sockets and its
// spools.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// Where private folders of this node are looked for and made, in this order.
std::vector<std::string> LocalParents();

// Keeps a directory, and all that lies in it, from systemd-tmpfiles, which removes what is old from
// /tmp and leaves alone what is locked (tmpfiles.d(5)). Until Release(), or until this goes.
class DirectoryHold {
 public:
  DirectoryHold() = default;
  ~DirectoryHold() { Release(); }
  DirectoryHold(const DirectoryHold&) = delete;
  DirectoryHold& operator=(const DirectoryHold&) = delete;
  void Take(const std::string& path);
  void Release();

 private:
  int fd_ = -1;
};

// Two sockets are bound under a prefix in a directory of their own (0700). Removed when this goes.
class SocketPlace {
 public:
  SocketPlace() = default;
  ~SocketPlace();
  SocketPlace(const SocketPlace&) = delete;
  SocketPlace& operator=(const SocketPlace&) = delete;

  // False: *error says why. Tries /tmp, $TMPDIR, /dev/shm and /var/tmp; skips what is shared
  // between nodes.
  bool Make(std::string* error);
  const std::string& prefix() const { return prefix_; }

 private:
  std::string directory_;
  std::string prefix_;
  DirectoryHold hold_;
};

// Whether a launcher of the same user answers at `prefix`.
bool LauncherAnswers(const std::string& prefix);

// The folder of this node's spools: run/spool/NODE, or, where that is on a network file system, a
// folder on a local disk, of which run/spool/NODE then has a note.
class SpoolPlace {
 public:
  // `shared`: the run's directory is on a file system that nodes share (IsNetworkFileSystem).
  bool Make(const std::string& run_directory, const std::string& node, bool shared,
            std::string* error);
  const std::string& directory() const { return directory_; }

  // Where the run's directory has been removed: another folder, on a local disk, for new spools; ""
  // where none can be made. MoveTo: the run has another directory by now.
  std::string MakeLocal();
  void MoveTo(const std::string& run_directory, const std::string& node);

  // After the traces are written: moves what is left to run/spool/NODE and removes folders that are
  // empty.
  void Settle();

 private:
  bool TakeLocal(std::string* why);
  void NoteLocal();

  std::string run_directory_;
  std::string final_;
  std::string local_;  // the folder on a local disk; "": none
  std::string directory_;
  std::string note_;    // of a folder on a local disk; else empty
  DirectoryHold hold_;  // that folder
};

// A file in run/spool/NODE that this launcher holds locked while it works on the run; `syncline
// recover` leaves the run alone meanwhile, and tidies up after a launcher that was killed. Removed
// when this goes.
class LauncherMark {
 public:
  LauncherMark() = default;
  ~LauncherMark() { Remove(); }
  LauncherMark(const LauncherMark&) = delete;
  LauncherMark& operator=(const LauncherMark&) = delete;
  void Make(const std::string& run_directory, const std::string& node,
            const std::string& socket_prefix);
  void Remove();
  bool held() const { return held_; }  // others can see it

 private:
  std::string path_;
  int fd_ = -1;
  bool held_ = false;
};

// Whether a launcher is at work on the run, on whatever node, as far as locks of files are seen
// there.
bool IsLauncherAtWork(const std::string& run_directory);

// The pid of the launcher that holds the mark at `path` locked; 0: nobody, or it is no mark.
int LauncherAtWork(const std::string& path);

// Removes the mark at `path` of a launcher that is gone, and the sockets that it left. Nothing if
// it is no mark.
void TidyAfterLauncher(const std::string& path);

// run/spool of a run.
std::string SpoolRoot(const std::string& run_directory);

// Removes run/spool/* and run/spool as far as they are empty.
void RemoveEmptySpools(const std::string& run_directory);

}  // namespace syncline
