//===- FaultFileSystem.h - A disk that fails when it is told to -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Files in memory, with the contents of a real disk after a crash kept apart
// from those that a running process sees. Any call can be made to fail, or to
// be the last one before the machine goes down.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_SUPPORT_FAULTFILESYSTEM_H
#define INGOT_TEST_RUNTIME_SUPPORT_FAULTFILESYSTEM_H

#include "runtime/Support/FileSystem.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ingot::test {

/// The effect of a crash on unsynced bytes.
enum class Crash {
  KeepsAll,      // everything had reached the disk
  DropsUnsynced, // nothing had
  Tears,         // the first of the operations, the first of the bytes
  Reorders,      // any of the operations, any of the bytes
};

class FaultFileSystem final : public FileSystem {
public:
  static constexpr size_t never = static_cast<size_t>(-1);

  /// Has the directories in `directories`, durably.
  explicit FaultFileSystem(std::vector<std::string> directories = {"."});

  /// The time when a file is changed, in seconds since 1970.
  void setClock(std::function<double()> theClock) { clock = theClock; }

  /// Calls so far that could fail.
  size_t calls() const { return callCount; }
  /// Call number `call` (from 0) fails with `code` and does nothing.
  void failCall(size_t call, StatusCode code);
  /// The machine goes down before call `call`: it and all later ones fail.
  void crashAtCall(size_t call);
  bool isDown() const { return down; }
  /// Starts the machine again after a crash, with the disk's contents.
  void restart(Crash crash, uint32_t seed = 0);

  /// Puts a file on the disk, durably.
  void put(const std::string &path, std::string bytes);
  /// Makes a file of put() something else than a regular one, for kindOf() and
  /// createNew(): reading it gives its bytes, as a link does.
  void setKind(const std::string &path, FileKind kind);
  /// The bytes of a file, "" if it does not exist.
  std::string get(const std::string &path) const;
  /// Paths of all files and directories, sorted.
  std::vector<std::string> paths() const;

  Expected<std::unique_ptr<RandomAccessFile>>
  openForReading(const std::string &path) override;
  Expected<std::unique_ptr<WritableFile>>
  create(const std::string &path) override;
  Expected<std::unique_ptr<WritableFile>>
  createNew(const std::string &path) override;
  Expected<std::unique_ptr<WritableFile>>
  openForAppending(const std::string &path) override;
  Status rename(const std::string &from, const std::string &to) override;
  Status remove(const std::string &path) override;
  Status truncate(const std::string &path, uint64_t size) override;
  Status removeDirectory(const std::string &path) override;
  Status createDirectories(const std::string &path) override;
  Status syncDirectory(const std::string &path) override;
  bool exists(const std::string &path) override;
  FileKind kindOf(const std::string &path) override;
  Expected<double> modificationTime(const std::string &path) override;
  /// Processes are no part of this: a lock is always to be had.
  Expected<std::unique_ptr<FileLock>> lock(const std::string &,
                                           const std::string &) override {
    return std::make_unique<FileLock>();
  }
  Expected<std::vector<std::string>> list(const std::string &path) override;

private:
  class Reader;
  class Writer;

  struct File {
    std::string bytes;  // as processes see them
    std::string synced; // as the disk has them
    double modified = 0;
    FileKind kind = FileKind::Regular;
  };
  using FilePointer = std::shared_ptr<File>;

  /// Names of files and directories.
  struct Tree {
    std::map<std::string, FilePointer> files;
    std::set<std::string> directories;
  };

  enum class Kind { Create, Rename, Remove, MakeDirectory, RemoveDirectory };
  /// A change of names that isn't durable yet.
  struct Change {
    Kind kind;
    std::string path; // for a rename, the new one
    std::string from;
    FilePointer file;
  };

  static void apply(const Change &change, Tree &tree);
  void change(Change change);
  /// Counts a call and says how it fails.
  Status call(const char *what, const std::string &path);
  Expected<std::unique_ptr<WritableFile>> open(const std::string &path,
                                               bool truncate);

  /// Held by every call, also of open files: they may come from any thread.
  mutable std::recursive_mutex mutex;
  std::function<double()> clock = [] { return 0.0; };
  Tree live, durable;
  std::vector<Change> pending;
  size_t callCount = 0;
  size_t failing = never, crashing = never;
  StatusCode failureCode = StatusCode::Unknown;
  bool down = false;
};

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_SUPPORT_FAULTFILESYSTEM_H
