// SPDX-License-Identifier: Apache-2.0
// A folder on a local disk that holds a node's spools while the run goes on, and the note in the
// run's directory by which `syncline recover` finds it.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// What a note says. A run's directory may come from anybody: only a folder that carries the same
// mark as the note is the run's own, to be entered and emptied.
struct LocalFolder {
  enum class State {
    kNoNote,     // the file is something else
    kElsewhere,  // there is no such folder here: it is on another node, or gone
    kNotOurs,    // it does not carry the note's mark
    kOurs
  };
  State state = State::kNoNote;
  std::string path;
};

// Marks `folder` as one of the run in `run_directory`, which may be gone.
void MarkLocalFolder(const std::string& folder, const std::string& run_directory);
// Leaves a note of a marked folder: run/spool/NODE/local-folder-PID.
void NoteLocalFolder(const std::string& folder, const std::string& note);
// The disk of the run's directory may have been too full for a note. Writes it into `notes` for
// each folder in `parents` that is ours and marked as one of this run, and that no note there
// names.
void NoteForgottenFolders(const std::vector<std::string>& parents, const std::string& run_directory,
                          const std::string& notes);
LocalFolder ReadNote(const std::string& note);
// The name of this process's note.
std::string NoteName();
// Whether a file of a local folder is its mark, and none of the run's.
bool IsMark(const std::string& name);
// Removes folder and note if nothing but the mark is left in a folder of ours.
void RemoveIfEmpty(const std::string& note);

}  // namespace syncline
