// SPDX-License-Identifier: Apache-2.0
// Notes, marks, and what is believed of them.
#include "launcher/local_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "launcher/files.h"
#include "launcher/text.h"
#include "model/run_file.h"

namespace syncline {
namespace {

constexpr char kNote[] = "local-folder";
constexpr char kMark[] = "mark";
constexpr uint64_t kMostNoteText = 8192;

std::string MarkOf(const std::string& folder) { return folder + "/" + kMark; }

// The mark is the note's second line; "" for both where it is no note.
void Split(const std::string& text, std::string* folder, std::string* mark) {
  const size_t end = text.find('\n');
  if (end == std::string::npos || !text.ends_with('\n') || end + 1 == text.size()) return;
  *folder = text.substr(0, end);
  *mark = text.substr(end + 1);
}

}  // namespace

std::string NoteName() { return Text(kNote, "-", getpid()); }

bool IsMark(const std::string& name) { return name == kMark; }

void NoteLocalFolder(const std::string& folder, const std::string& note) {
  std::string mark = RandomName() + "\n";
  int error = CreateExclusively(MarkOf(folder), mark);
  if (error == EEXIST) error = ReadRunFile(MarkOf(folder), kMostNoteText, &mark);
  if (error == 0) WriteFile(note, Text(folder, "\n", mark));
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
    const bool ours = S_ISDIR(info.st_mode) && info.st_uid == geteuid() && mark.size() > 16 &&
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
