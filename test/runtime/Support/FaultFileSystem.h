//===- FaultFileSystem.h - A disk that fails when it is told to -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Files in memory. What the disk would hold after a crash is kept separately
// from what a running process sees. Any call can be made to fail, or to be the
// one before which the machine goes down.
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

/// What a crash does to changes that were not synced.
enum class Crash {
  KeepsAll,      // all changes are on the disk
  DropsUnsynced, // no change is on the disk
  /// Only the first changes of names, and the first bytes of files.
  Tears,
  Reorders, // any changes of names, and any bytes of files
};

class FaultFileSystem final : public FileSystem {
public:
  static constexpr size_t never = static_cast<size_t>(-1);

  /// Makes a disk on which `directories` are synced.
  explicit FaultFileSystem(std::vector<std::string> directories = {"."});

  /// Sets the clock for modification times, in seconds since 1970.
  void setClock(std::function<double()> theClock) { clock = theClock; }

  /// The number of calls so far that could have failed.
  size_t calls() const { return callCount; }
  /// Makes call number `call` (from 0) fail with `code` and do nothing.
  void failCall(size_t call, StatusCode code);
  /// Makes the machine go down before call number `call`: it and all later
  /// calls fail.
  void crashAtCall(size_t call);
  bool isDown() const { return down; }
  /// Starts the machine again after a crash; processes then see what `crash`
  /// has left on the disk.
  void restart(Crash crash, uint32_t seed = 0);

  /// Writes a synced file.
  void put(const std::string &path, std::string bytes);
  /// Makes kindOf() and createNew() treat the file at `path` as of `kind`.
  /// Reading it still returns its bytes, as for a link.
  void setKind(const std::string &path, FileKind kind);
  /// Returns the bytes of a file; "" if it does not exist.
  std::string get(const std::string &path) const;
  /// Returns the sorted paths of all files and directories.
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
  /// There is only one process, so a lock is always free.
  Expected<std::unique_ptr<FileLock>> lock(const std::string &,
                                           const std::string &) override {
    return std::make_unique<FileLock>();
  }
  Expected<std::vector<std::string>> list(const std::string &path) override;

private:
  class Reader;
  class Writer;

  struct File {
    std::string bytes;  // what processes read
    std::string synced; // what a crash leaves of them
    double modified = 0;
    FileKind kind = FileKind::Regular;
  };
  using FilePointer = std::shared_ptr<File>;

  /// The names of files and directories.
  struct Tree {
    std::map<std::string, FilePointer> files;
    std::set<std::string> directories;
  };

  enum class Kind { Create, Rename, Remove, MakeDirectory, RemoveDirectory };
  /// A change of names that is not synced yet.
  struct Change {
    Kind kind;
    std::string path; // the new name, if it is a rename
    std::string from;
    FilePointer file;
  };

  static void apply(const Change &change, Tree &tree);
  void change(Change change);
  /// Counts a call, and returns the failure that was requested for it.
  Status call(const char *what, const std::string &path);
  Expected<std::unique_ptr<WritableFile>> open(const std::string &path,
                                               bool truncate);

  /// Held by every call, also of open files: calls may come from any thread.
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
