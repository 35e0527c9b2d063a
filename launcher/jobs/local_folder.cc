// SPDX-License-Identifier: Apache-2.0
// Notes, marks, and what is believed of them.
#include "launcher/jobs/local_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "base/run_file.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr char kNote[] = "local-folder";
constexpr char kMark[] = "mark";
constexpr char kNobody[] = "-";
constexpr uint64_t kMostNoteText = 8192;

std::string MarkOf(const std::string& folder) { return folder + "/" + kMark; }

// Of a directory, whatever its name.
std::string Identity(const std::string& directory) {
  struct stat info;
  if (stat(directory.c_str(), &info) != 0) return kNobody;
  return Text(info.st_dev, ":", info.st_ino);
}

bool IsOurs(const std::string& folder) {
  struct stat info;
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

// The mark is all that follows the note's first line; "" for both where it is no note.
void Split(const std::string& text, std::string* folder, std::string* mark) {
  const size_t end = text.find('\n');
  if (end == std::string::npos || !text.ends_with('\n') || end + 1 == text.size()) return;
  *folder = text.substr(0, end);
  *mark = text.substr(end + 1);
}

}  // namespace

std::string NoteName() { return Text(kNote, "-", getpid()); }

bool IsMark(const std::string& name) { return name == kMark; }

void MarkLocalFolder(const std::string& folder, const std::string& run_directory) {
  const std::string secret = RandomName();
  if (secret.empty()) return;  // who can guess the mark could have any folder taken for this one
  (void)CreateExclusively(MarkOf(folder), Text(secret, "\n", Identity(run_directory), "\n"));
}

void NoteLocalFolder(const std::string& folder, const std::string& note) {
  std::string mark;
  if (ReadRunFile(MarkOf(folder), kMostNoteText, &mark) == 0)
    WriteFile(note, Text(folder, "\n", mark));
}

void NoteForgottenFolders(const std::vector<std::string>& parents, const std::string& run_directory,
                          const std::string& notes) {
  const std::string identity = Identity(run_directory);
  if (identity == kNobody) return;
  std::set<std::string> noted;
  for (const std::string& name : ListDirectory(notes))
    noted.insert(ReadNote(Text(notes, "/", name)).path);
  const std::string prefix = Text("syncline-", getuid(), "-");
  for (const std::string& parent : parents) {
    for (const std::string& name : ListDirectory(parent)) {
      const std::string folder = Text(parent, "/", name);
      std::string mark;
      if (!name.starts_with(prefix) || noted.contains(folder) || !IsOurs(folder) ||
          ReadRunFile(MarkOf(folder), kMostNoteText, &mark) != 0 ||
          !mark.ends_with(Text("\n", identity, "\n")) || MakeDirectories(notes, 0700) != 0)
        continue;
      NoteLocalFolder(folder, Text(notes, "/", kNote, "-", name.substr(prefix.size())));
    }
  }
}

LocalFolder ReadNote(const std::string& note) {
  LocalFolder found;
  std::string text;
  std::string mark;
  std::string own_mark;
  if (note.find(Text("/", kNote, "-")) == std::string::npos ||
      ReadRunFile(note, kMostNoteText, &text) != 0)
    return found;
  Split(text, &found.path, &mark);
  struct stat info;
  if (!found.path.starts_with("/")) return {};
  if (lstat(found.path.c_str(), &info) != 0) {
    found.state = LocalFolder::State::kElsewhere;
  } else {
    const bool ours = IsOurs(found.path) && mark.size() > 16 &&
                      ReadRunFile(MarkOf(found.path), kMostNoteText, &own_mark) == 0 &&
                      own_mark == mark;
    found.state = ours ? LocalFolder::State::kOurs : LocalFolder::State::kNotOurs;
  }
  return found;
}

void RemoveIfEmpty(const std::string& note) {
  const LocalFolder folder = ReadNote(note);
  if (folder.state != LocalFolder::State::kOurs || ListDirectory(folder.path).size() != 1) return;
  unlink(MarkOf(folder.path).c_str());
  if (rmdir(folder.path.c_str()) == 0) unlink(note.c_str());
}

}  // namespace syncline
