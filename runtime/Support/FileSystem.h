//===- FileSystem.h - Every OS call on files goes through here --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A small interface, so that tests can fail the n-th call, drop bytes that
// were never synced, or freeze the disk.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_FILESYSTEM_H
#define INGOT_RUNTIME_SUPPORT_FILESYSTEM_H

#include "runtime/Support/Expected.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot {

/// A file being written. Destroying it without close() closes it and loses
/// any error.
class WritableFile {
public:
  virtual ~WritableFile() = default;
  /// Appends `data`; may buffer.
  virtual Status append(std::string_view data) = 0;
  /// Hands buffered bytes to the operating system.
  virtual Status flush() = 0;
  /// flush(), then waits until the bytes are on the disk.
  virtual Status sync() = 0;
  virtual Status close() = 0;
};

/// A file open for reading. Reads may come from several threads.
class RandomAccessFile {
public:
  virtual ~RandomAccessFile() = default;
  /// Reads up to `size` bytes at `offset` into `buffer`; returns how many,
  /// fewer only at the end of the file.
  virtual Expected<size_t> read(uint64_t offset, size_t size,
                                char *buffer) const = 0;
  virtual uint64_t size() const = 0;
};

/// A file that is read from front to back: on a disk, or one without a size, as
/// pipes and devices are.
class SequentialFile {
public:
  virtual ~SequentialFile() = default;
  /// Reads up to `size` of the bytes that follow; returns how many, 0 only at
  /// the end. Cancelled where waiting for them was given up.
  virtual Expected<size_t> read(size_t size, char *buffer) = 0;
  /// Passes over up to `size` bytes without reading them; returns how many.
  virtual uint64_t skip(uint64_t size) = 0;
};

/// A lock on a file; destroying it gives it up.
class FileLock {
public:
  virtual ~FileLock() = default;
};

/// The kind of a directory's entry itself: a link is a Link, wherever it leads.
enum class FileKind { None, Regular, Directory, Link, Other };

/// Whether to give up waiting; polled on the waiting thread.
using StopPredicate = bool (*)();

/// The operations on files that the runtime uses. Messages name the path and
/// the system's reason. Paths are passed on as they are.
class FileSystem {
public:
  virtual ~FileSystem() = default;

  virtual Expected<std::unique_ptr<RandomAccessFile>>
  openForReading(const std::string &path) = 0;
  /// Opens `path` to be read once. Waits for its bytes, also those of a pipe
  /// without a writer, until `stopped`; null: as long as it takes.
  virtual Expected<std::unique_ptr<SequentialFile>>
  openStream(const std::string &path, StopPredicate stopped);
  /// Creates or truncates `path`.
  virtual Expected<std::unique_ptr<WritableFile>>
  create(const std::string &path) = 0;
  /// Creates `path`. AlreadyExists where there is anything of that name, a link
  /// that leads nowhere among it; no link is followed.
  virtual Expected<std::unique_ptr<WritableFile>>
  createNew(const std::string &path) = 0;
  /// Opens `path` for appending, creating it if it isn't there.
  virtual Expected<std::unique_ptr<WritableFile>>
  openForAppending(const std::string &path) = 0;
  /// Replaces `to` atomically.
  virtual Status rename(const std::string &from, const std::string &to) = 0;
  virtual Status remove(const std::string &path) = 0;
  /// Leaves the first `size` bytes of a file. No link is followed.
  virtual Status truncate(const std::string &path, uint64_t size) = 0;
  /// Removes an empty directory.
  virtual Status removeDirectory(const std::string &path) = 0;
  /// Creates `path` and its parents; no error if it exists.
  virtual Status createDirectories(const std::string &path) = 0;
  /// Makes renames and removals in directory `path` durable.
  virtual Status syncDirectory(const std::string &path) = 0;
  virtual bool exists(const std::string &path) = 0;
  /// FileKind::None also if it cannot be determined.
  virtual FileKind kindOf(const std::string &path) = 0;
  /// When the file's bytes were last changed, in seconds since 1970.
  virtual Expected<double> modificationTime(const std::string &path) = 0;
  /// Creates `path`, holding `holder`, and locks it until the lock is
  /// destroyed, which removes it, or this process ends, however it does.
  /// FailedPrecondition, with the holder's text for a message, if another
  /// process holds it. Unimplemented if there are no locks, or `path` is not a
  /// lock's file: a link, say, which isn't followed.
  virtual Expected<std::unique_ptr<FileLock>> lock(const std::string &path,
                                                   const std::string &holder);
  /// Names of the entries of a directory, sorted, without "." and "..".
  virtual Expected<std::vector<std::string>> list(const std::string &path) = 0;

  /// The machine's own files.
  static FileSystem &posix();
};

/// Creates `path` for bytes that will be renamed when they are complete. Files
/// of a killed process are replaced. AlreadyExists, saying what it is, where
/// something exists that no process of ours leaves: a link, which isn't
/// followed, or a folder.
Expected<std::unique_ptr<WritableFile>>
createTemporary(FileSystem &fileSystem, const std::string &path);

/// Gives a directory's entry that is in our way, and isn't ours, a name of its
/// own beside it: `<path>.aside`. Returns that.
Expected<std::string> moveAside(FileSystem &fileSystem,
                                const std::string &path);

/// "a link", "a folder", for messages.
const char *kindText(FileKind kind);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_FILESYSTEM_H
