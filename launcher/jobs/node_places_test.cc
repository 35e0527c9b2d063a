// SPDX-License-Identifier: Apache-2.0
// Tests of sockets and spools on the own node.
#include "launcher/jobs/node_places.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launcher/host/files.h"
#include "launcher/host/held_directory.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/local_folder.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

int Listen(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(listen(fd, 4), 0);
  return fd;
}

TEST(NodePlacesTest, SocketsHaveAPrivateFolderThatGoesAway) {
  std::string prefix;
  {
    SocketPlace place;
    std::string error;
    ASSERT_TRUE(place.Make(&error)) << error;
    prefix = place.prefix();
    EXPECT_LE(prefix.size(), 90u);
    EXPECT_FALSE(LauncherAnswers(prefix));
    const int fd = Listen(prefix);
    EXPECT_TRUE(LauncherAnswers(prefix));
    close(fd);
    EXPECT_FALSE(LauncherAnswers(prefix)) << "a launcher that was killed leaves its socket's file";
  }
  EXPECT_FALSE(IsDirectory(prefix.substr(0, prefix.rfind('/'))));
}

TEST(NodePlacesTest, NobodyAnswersAtImpossibleNames) {
  EXPECT_FALSE(LauncherAnswers(""));
  EXPECT_FALSE(LauncherAnswers(std::string(200, 'x')));
  EXPECT_FALSE(LauncherAnswers("/nowhere/s"));
}

TEST(NodePlacesTest, EmptySpoolFoldersAreRemovedAndFullOnesKept) {
  const TestDirectory directory;
  std::string error;
  SpoolPlace empty;
  ASSERT_TRUE(empty.Make(directory.path(), "n1", false, &error)) << error;
  SpoolPlace full;
  ASSERT_TRUE(full.Make(directory.path(), "n2", false, &error)) << error;
  const std::string spool = directory.Write("run/spool/n2/1-2-0.spool", "data");
  empty.Settle();
  EXPECT_FALSE(Exists(directory / "run/spool/n1"));
  full.Settle();
  EXPECT_TRUE(Exists(spool));
  unlink(spool.c_str());
  full.Settle();
  EXPECT_FALSE(Exists(directory / "run/spool"));
}

// As systemd-tmpfiles asks before it cleans a directory.
bool MayClean(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool may = flock(fd, LOCK_EX | LOCK_NB) == 0;
  EXPECT_TRUE(may || errno == EWOULDBLOCK);
  close(fd);
  return may;
}

TEST(NodePlacesTest, CleanersLeaveAloneWhatARunNeeds) {
  const TestDirectory directory;
  std::string error;
  SocketPlace sockets;
  ASSERT_TRUE(sockets.Make(&error)) << error;
  EXPECT_FALSE(MayClean(sockets.prefix().substr(0, sockets.prefix().rfind('/'))));
  SpoolPlace shared;
  ASSERT_TRUE(shared.Make(directory.path(), "n1", true, &error)) << error;
  EXPECT_FALSE(MayClean(shared.directory()));
  EXPECT_TRUE(MayClean(directory.path()));
  HoldDirectory(directory.path());
  EXPECT_FALSE(MayClean(directory.path()));
  shared.Settle();
}

TEST(NodePlacesTest, SpoolsOfASharedDirectoryAreOnALocalDiskUntilTheEnd) {
  const TestDirectory directory;
  std::string error;
  SpoolPlace place;
  ASSERT_TRUE(place.Make(directory.path(), "n1", true, &error)) << error;
  EXPECT_FALSE(place.directory().starts_with(directory.path()));
  std::string noted;
  for (const std::string& name : ListDirectory(directory / "run/spool/n1"))
    noted += ReadNote(directory / "run/spool/n1/" + name).path;
  EXPECT_EQ(noted, place.directory()) << "recovery must find it";
  ASSERT_EQ(CreateExclusively(place.directory() + "/1-2-0.spool", "left over"), 0);
  place.Settle();
  EXPECT_FALSE(IsDirectory(place.directory()));
  std::string text;
  EXPECT_EQ(ReadFile(directory / "run/spool/n1/1-2-0.spool", &text), 0);
  EXPECT_EQ(text, "left over");
  EXPECT_EQ(ListDirectory(directory / "run/spool/n1").size(), 1u);
}

TEST(NodePlacesTest, OnlyAFolderWithTheNotesMarkIsTheRuns) {
  const TestDirectory directory;
  const std::string folder = directory / "folder";
  const std::string note = directory / "local-folder-1";
  ASSERT_EQ(MakeDirectories(folder, 0700), 0);
  EXPECT_EQ(ReadNote(note).state, LocalFolder::State::kNoNote);
  MarkLocalFolder(folder, directory.path());
  NoteLocalFolder(folder, note);
  EXPECT_EQ(ReadNote(note).state, LocalFolder::State::kOurs);
  std::string text;
  ASSERT_EQ(ReadFile(note, &text), 0);
  const std::string mark = text.substr(text.find('\n'));
  const std::string other = directory / "other";
  ASSERT_EQ(MakeDirectories(other, 0700), 0);
  const std::string linked = directory / "linked";
  ASSERT_EQ(symlink(folder.c_str(), linked.c_str()), 0);
  for (const std::string& target : {other, linked}) {
    directory.Write("local-folder-2", target + mark);
    EXPECT_EQ(ReadNote(directory / "local-folder-2").state, LocalFolder::State::kNotOurs);
    RemoveIfEmpty(directory / "local-folder-2");
    EXPECT_TRUE(IsDirectory(target));
  }
  directory.Write("local-folder-2", folder + "\n\n");
  EXPECT_EQ(ReadNote(directory / "local-folder-2").state, LocalFolder::State::kNotOurs);
  directory.Write("local-folder-2", directory / "gone" + mark);
  EXPECT_EQ(ReadNote(directory / "local-folder-2").state, LocalFolder::State::kElsewhere);
  RemoveIfEmpty(note);
  EXPECT_FALSE(Exists(folder));
  EXPECT_FALSE(Exists(note));
}

TEST(NodePlacesTest, ALauncherAtWorkIsKnownByItsMark) {
  const TestDirectory directory;
  const std::string mark =
      directory / "run/spool/n1/launcher-" + std::to_string(getpid()) + ".lock";
  {
    LauncherMark own;
    own.Make(directory.path(), "n1", "/tmp/x/s");
    EXPECT_EQ(LauncherAtWork(mark), getpid());
    TidyAfterLauncher(mark);
    EXPECT_TRUE(Exists(mark));
  }
  EXPECT_FALSE(Exists(directory / "run/spool"));
}

TEST(NodePlacesTest, WhatAKilledLauncherLeftIsRemoved) {
  const TestDirectory directory;
  const std::string sockets = "/tmp/syncline-" + std::to_string(getuid()) + "-tested";
  ASSERT_EQ(MakeDirectories(sockets, 0700), 0);
  ASSERT_EQ(mknod((sockets + "/s").c_str(), S_IFSOCK | 0600, 0), 0);
  ASSERT_EQ(MakeDirectories(directory / "n1", 0700), 0);
  const std::string mark = directory.Write("n1/launcher-12.lock", sockets + "/s");
  EXPECT_EQ(LauncherAtWork(mark), 0);
  TidyAfterLauncher(mark);
  EXPECT_FALSE(Exists(mark));
  EXPECT_FALSE(Exists(sockets));
  // Nothing but sockets of ours is believed, and nothing but marks is touched.
  const std::string precious = directory.Write("precious", "");
  const std::string liar = directory.Write("n1/launcher-13.lock", precious);
  TidyAfterLauncher(liar);
  EXPECT_TRUE(Exists(precious));
  const std::string folder = directory / ("syncline-" + std::to_string(getuid()) + "-tested");
  ASSERT_EQ(MakeDirectories(folder, 0700), 0);
  ASSERT_EQ(CreateExclusively(folder + "/s", "no socket"), 0);
  TidyAfterLauncher(directory.Write("n1/launcher-14.lock", folder + "/s"));
  EXPECT_TRUE(Exists(folder + "/s"));
  const std::string other = directory.Write("n1/rank-0.owner", sockets + "/s");
  TidyAfterLauncher(other);
  EXPECT_TRUE(Exists(other));
}

TEST(LocalFolder, IsFoundByItsMarkWhereNoNoteCouldBeWritten) {
  const TestDirectory directory;
  const std::string parent = directory / "tmp", run = directory / "run-1",
                    other = directory / "run-2";
  const std::string folder = Text(parent, "/syncline-", getuid(), "-abc");
  for (const std::string& made : {folder, run, other}) ASSERT_EQ(MakeDirectories(made, 0700), 0);
  MarkLocalFolder(folder, run);
  NoteForgottenFolders({parent}, other, directory / "notes-of-2");
  EXPECT_FALSE(Exists(directory / "notes-of-2")) << "it is another run's";
  ASSERT_EQ(rename(run.c_str(), (directory / "moved").c_str()), 0);
  const std::string notes = directory / "notes-of-1";
  for (int times = 0; times < 2; ++times)
    NoteForgottenFolders({parent}, directory / "moved", notes);
  ASSERT_EQ(ListDirectory(notes).size(), 1u);
  EXPECT_EQ(ReadNote(notes + "/" + ListDirectory(notes)[0]).path, folder);
}

}  // namespace
}  // namespace syncline
