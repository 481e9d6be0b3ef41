//===- FileSystem.h - Interface of file systems -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The runtime's interface to files. It is small, so that tests can implement it
// to fail the n-th call, drop bytes that were never synced, or freeze the disk.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_FILESYSTEM_H
#define INGOT_RUNTIME_SUPPORT_FILESYSTEM_H

#include "runtime/Support/Expected.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot {

/// A file that is being written. Destruction without close() closes the file
/// and loses any error.
class WritableFile {
public:
  virtual ~WritableFile() = default;
  /// Appends `data`. The bytes may remain in a buffer until flush() is called.
  virtual Status append(std::string_view data) = 0;
  /// Passes buffered bytes to the operating system.
  virtual Status flush() = 0;
  /// Flushes, and waits until the bytes are on the disk.
  virtual Status sync() = 0;
  virtual Status close() = 0;
};

/// A file that is open for reading. Several threads may read it concurrently.
class RandomAccessFile {
public:
  virtual ~RandomAccessFile() = default;
  /// Reads up to `size` bytes at `offset` into `buffer`. Returns how many were
  /// read: fewer only at the end of the file.
  virtual Expected<size_t> read(uint64_t offset, size_t size,
                                char *buffer) const = 0;
  virtual uint64_t size() const = 0;
};

/// A file that is read from front to back: a regular file, or one without a
/// size, such as a pipe or a device.
class SequentialFile {
public:
  virtual ~SequentialFile() = default;
  /// Reads up to `size` of the next bytes into `buffer`. Returns the number of
  /// bytes read, which is 0 only at the end. Returns Cancelled if waiting for
  /// the bytes was given up.
  virtual Expected<size_t> read(size_t size, char *buffer) = 0;
  /// Skips up to `size` bytes without reading them. Returns the number of bytes
  /// skipped, which may be 0.
  virtual uint64_t skip(uint64_t size) = 0;
};

/// A lock on a file, released by destruction.
class FileLock {
public:
  virtual ~FileLock() = default;
};

/// The kind of a directory entry. A symbolic link is a Link, whatever its
/// target is.
enum class FileKind { None, Regular, Directory, Link, Other };

/// A function that a waiting thread calls from time to time; if it returns
/// true, the thread gives up waiting.
using StopPredicate = bool (*)();

/// The operations on files that the runtime uses. Error messages name the path
/// and the system's reason. Paths are passed to the system unchanged.
class FileSystem {
public:
  virtual ~FileSystem() = default;

  virtual Expected<std::unique_ptr<RandomAccessFile>>
  openForReading(const std::string &path) = 0;
  /// Opens `path` to be read once. Opening and reading wait for bytes, even for
  /// those of a pipe without a writer, until `stopped` returns true. If
  /// `stopped` is null, they wait without limit.
  virtual Expected<std::unique_ptr<SequentialFile>>
  openStream(const std::string &path, StopPredicate stopped);
  /// Creates file `path`, or truncates it.
  virtual Expected<std::unique_ptr<WritableFile>>
  create(const std::string &path) = 0;
  /// Creates file `path`. Returns AlreadyExists if anything has that name, even
  /// a dangling link; links are not followed.
  virtual Expected<std::unique_ptr<WritableFile>>
  createNew(const std::string &path) = 0;
  /// Opens `path` for appending, and creates it if it does not exist.
  virtual Expected<std::unique_ptr<WritableFile>>
  openForAppending(const std::string &path) = 0;
  /// Renames `from` to `to`, which is replaced atomically if it exists.
  virtual Status rename(const std::string &from, const std::string &to) = 0;
  virtual Status remove(const std::string &path) = 0;
  /// Truncates a file to its first `size` bytes. Links are not followed.
  virtual Status truncate(const std::string &path, uint64_t size) = 0;
  /// Removes an empty directory.
  virtual Status removeDirectory(const std::string &path) = 0;
  /// Creates directory `path` and its parents. Directories that exist already
  /// are not an error.
  virtual Status createDirectories(const std::string &path) = 0;
  /// Waits until renames and removals in directory `path` are on the disk.
  virtual Status syncDirectory(const std::string &path) = 0;
  virtual bool exists(const std::string &path) = 0;
  /// Returns the kind of `path`. Also returns None if the kind cannot be
  /// determined.
  virtual FileKind kindOf(const std::string &path) = 0;
  /// Returns when the file's contents were last changed, in seconds since 1970.
  virtual Expected<double> modificationTime(const std::string &path) = 0;
  /// Creates file `path` with the text `holder`, and locks it. Destruction of
  /// the FileLock unlocks and removes the file. If this process ends, even by a
  /// crash, the system unlocks the file. Returns FailedPrecondition, with the
  /// other process's `holder` text, if another process has the lock. Returns
  /// Unimplemented if the file system has no locks, or if `path` names
  /// something that cannot be locked, such as a link, which is not followed.
  virtual Expected<std::unique_ptr<FileLock>> lock(const std::string &path,
                                                   const std::string &holder);
  /// Returns the sorted names of a directory's entries, without "." and "..".
  virtual Expected<std::vector<std::string>> list(const std::string &path) = 0;

  /// Returns the file system of the machine.
  static FileSystem &posix();
};

/// Creates a file with the temporary name `path`; the caller renames it when it
/// is complete. A regular file of this name, which a killed process left, is
/// replaced. Returns AlreadyExists, naming the kind, if `path` is a link, which
/// is not followed, or a folder.
Expected<std::unique_ptr<WritableFile>>
createTemporary(FileSystem &fileSystem, const std::string &path);

/// Renames the directory entry `path` to `<path>.aside` or a similar unused
/// name, because another program has made it and the runtime needs its name.
/// Returns the new name.
Expected<std::string> moveAside(FileSystem &fileSystem,
                                const std::string &path);

/// Returns the kind in words for messages: "a link", "a folder".
const char *kindText(FileKind kind);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_FILESYSTEM_H
