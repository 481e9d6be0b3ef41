//===- PosixFileSystem.cpp - The machine's file system --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/FileSystem.h"

#include "runtime/Support/PosixSequentialFile.h"
#include "runtime/Support/PosixStatus.h"
#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ingot;

static StatusCode codeOf(int error) {
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return StatusCode::NotFound;
  case EACCES:
  case EPERM:
  case EROFS:
    return StatusCode::PermissionDenied;
  case ENOSPC:
  case EDQUOT:
  case EMFILE:
  case ENFILE:
    return StatusCode::ResourceExhausted;
  case EEXIST:
    return StatusCode::AlreadyExists;
  // Errors of a file server that cannot be reached at the moment: a retry may
  // succeed.
  case EAGAIN:
  case EHOSTDOWN:
  case EHOSTUNREACH:
  case ESTALE:
  case ETIMEDOUT:
    return StatusCode::Unavailable;
  default:
    return StatusCode::Unknown;
  }
}

Status ingot::posixFailure(int error, const char *what,
                           const std::string &path) {
  return Status(codeOf(error), std::string("cannot ") + what + " '" + path +
                                   "': " + std::strerror(error));
}

namespace {

Status failure(const char *what, const std::string &path) {
  return posixFailure(errno, what, path);
}

class PosixReader final : public RandomAccessFile {
public:
  PosixReader(std::string path, int descriptor, uint64_t size)
      : path(std::move(path)), descriptor(descriptor), byteSize(size) {}
  ~PosixReader() override { ::close(descriptor); }

  Expected<size_t> read(uint64_t offset, size_t size,
                        char *buffer) const override {
    size_t done = 0;
    while (done < size) {
      ssize_t n = ::pread(descriptor, buffer + done, size - done,
                          static_cast<off_t>(offset + done));
      if (n < 0) {
        if (errno == EINTR)
          continue;
        return failure("read", path);
      }
      if (n == 0)
        break;
      done += static_cast<size_t>(n);
    }
    return done;
  }

  uint64_t size() const override { return byteSize; }

private:
  std::string path;
  int descriptor;
  uint64_t byteSize;
};

class PosixWritableFile final : public WritableFile {
public:
  PosixWritableFile(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}
  ~PosixWritableFile() override {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  Status append(std::string_view data) override {
    if (pending.size() + data.size() <= bufferSize) {
      pending.append(data);
      return Status::ok();
    }
    INGOT_RETURN_IF_ERROR(flush());
    if (data.size() < bufferSize) {
      pending.append(data);
      return Status::ok();
    }
    return write(data);
  }

  Status flush() override {
    Status status = write(pending);
    pending.clear();
    return status;
  }

  Status sync() override {
    INGOT_RETURN_IF_ERROR(flush());
    if (::fsync(descriptor) != 0)
      return failure("sync", path);
    return Status::ok();
  }

  Status close() override {
    Status status = flush();
    int result = ::close(descriptor);
    descriptor = -1;
    if (status.isOk() && result != 0)
      return failure("close", path);
    return status;
  }

private:
  static constexpr size_t bufferSize = 64 * 1024;
  static constexpr uint64_t writeBehind = 8 << 20;

  Status write(std::string_view data) {
    while (!data.empty()) {
      ssize_t n = ::write(descriptor, data.data(), data.size());
      if (n < 0) {
        if (errno == EINTR)
          continue;
        return failure("write", path);
      }
      data.remove_prefix(static_cast<size_t>(n));
      transferredBytes += static_cast<uint64_t>(n);
      unwritten += static_cast<uint64_t>(n);
    }
    // Let the disk start to write before all data has been appended, so that a
    // later sync() waits less. A failure does not matter, because sync() writes
    // all bytes anyway.
    if (unwritten >= writeBehind) {
      off_t end = ::lseek(descriptor, 0, SEEK_CUR);
      (void)::sync_file_range(descriptor, end - static_cast<off_t>(unwritten),
                              static_cast<off_t>(unwritten),
                              SYNC_FILE_RANGE_WRITE);
      unwritten = 0;
    }
    return Status::ok();
  }

  std::string path;
  int descriptor;
  std::string pending;
  uint64_t unwritten = 0; // bytes since the last sync_file_range()
};

/// A lock of flock(2). The system releases it when the process ends, so a
/// killed process leaves a file but no lock.
class PosixLock final : public FileLock {
public:
  static Expected<std::unique_ptr<FileLock>> take(const std::string &path,
                                                  const std::string &holder) {
    while (true) {
      // Do not follow links: the target is another file, and would be
      // truncated.
      int descriptor =
          ::open(path.c_str(),
                 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
      if (descriptor < 0) {
        if (errno == ELOOP)
          return noLock(path, "is a symbolic link");
        if (errno == EISDIR || errno == ENXIO)
          return noLock(path, "is not a file");
        return failure("create", path);
      }
      std::unique_ptr<PosixLock> lock(new PosixLock(path, descriptor));
      struct stat opened, named;
      if (::fstat(descriptor, &opened) != 0)
        return failure("read the attributes of", path);
      if (!S_ISREG(opened.st_mode))
        return noLock(path, "is not a file");
      if (opened.st_nlink > 1)
        return noLock(path, "has several hard links");
      if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
          return Status(StatusCode::FailedPrecondition, lock->readHolder());
        Status status = failure("lock", path);
        // The file system has no locks, for example because its file server
        // runs no lock manager.
        return Status(StatusCode::Unimplemented, status.message());
      }
      lock->isHeld = true;
      // The previous owner of the lock may have removed the file after it was
      // opened here. If `path` no longer names the opened file, start again
      // with a new file.
      if (::fstat(descriptor, &opened) != 0 ||
          ::lstat(path.c_str(), &named) != 0 || opened.st_ino != named.st_ino ||
          opened.st_dev != named.st_dev) {
        lock->isHeld = false;
        continue;
      }
      // The text is for messages only, so a failure to write it is ignored.
      if (::ftruncate(descriptor, 0) == 0)
        (void)!::pwrite(descriptor, holder.data(), holder.size(), 0);
      return std::unique_ptr<FileLock>(std::move(lock));
    }
  }

  ~PosixLock() override {
    if (isHeld)
      ::unlink(path.c_str());
    ::close(descriptor);
  }

private:
  PosixLock(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}

  static Status noLock(const std::string &path, const char *why) {
    return Status(StatusCode::Unimplemented,
                  "cannot lock '" + path + "': it " + why);
  }

  std::string readHolder() const {
    char text[256];
    ssize_t size = ::pread(descriptor, text, sizeof(text), 0);
    return size > 0 ? std::string(text, static_cast<size_t>(size))
                    : "another process";
  }

  std::string path;
  int descriptor;
  bool isHeld = false;
};

class PosixFileSystem final : public FileSystem {
public:
  Expected<std::unique_ptr<RandomAccessFile>>
  openForReading(const std::string &path) override {
    int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return failure("open", path);
    struct stat info;
    if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
      if (!S_ISREG(info.st_mode))
        errno = EISDIR;
      Status status = failure("open", path);
      ::close(descriptor);
      return status;
    }
    return std::unique_ptr<RandomAccessFile>(std::make_unique<PosixReader>(
        path, descriptor, static_cast<uint64_t>(info.st_size)));
  }

  Expected<std::unique_ptr<SequentialFile>>
  openStream(const std::string &path, StopPredicate stopped) override {
    return openPosixStream(path, stopped);
  }

  Expected<std::unique_ptr<WritableFile>>
  create(const std::string &path) override {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, "create");
  }

  Expected<std::unique_ptr<WritableFile>>
  createNew(const std::string &path) override {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                "create");
  }

  Expected<std::unique_ptr<WritableFile>>
  openForAppending(const std::string &path) override {
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, "open");
  }

  Status rename(const std::string &from, const std::string &to) override {
    if (::rename(from.c_str(), to.c_str()) != 0)
      return failure("rename", from).withContext("to '" + to + "'");
    return Status::ok();
  }

  Status remove(const std::string &path) override {
    if (::unlink(path.c_str()) != 0)
      return failure("remove", path);
    return Status::ok();
  }

  Status truncate(const std::string &path, uint64_t size) override {
    int descriptor = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
      return failure("open", path);
    int result = ::ftruncate(descriptor, static_cast<off_t>(size));
    int error = errno;
    ::close(descriptor);
    errno = error;
    return result == 0 ? Status::ok() : failure("truncate", path);
  }

  Status removeDirectory(const std::string &path) override {
    if (::rmdir(path.c_str()) != 0)
      return failure("remove", path);
    return Status::ok();
  }

  Status createDirectories(const std::string &path) override {
    for (size_t end = 0; end != std::string::npos;) {
      end = path.find('/', end + 1);
      std::string prefix = path.substr(0, end);
      if (prefix.empty() || ::mkdir(prefix.c_str(), 0777) == 0)
        continue;
      int error = errno;
      struct stat info;
      if (::stat(prefix.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
        continue;
      // EEXIST: something other than a directory has this name.
      errno = error == EEXIST ? ENOTDIR : error;
      return failure("create directory", prefix);
    }
    return Status::ok();
  }

  Status syncDirectory(const std::string &path) override {
    int descriptor = ::open(path.empty() ? "." : path.c_str(),
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
      return failure("open", path);
    int result = ::fsync(descriptor);
    int error = errno;
    ::close(descriptor);
    errno = error;
    if (result != 0)
      return failure("sync", path);
    return Status::ok();
  }

  bool exists(const std::string &path) override {
    return ::access(path.c_str(), F_OK) == 0;
  }

  FileKind kindOf(const std::string &path) override {
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0)
      return FileKind::None;
    if (S_ISREG(info.st_mode))
      return FileKind::Regular;
    if (S_ISDIR(info.st_mode))
      return FileKind::Directory;
    return S_ISLNK(info.st_mode) ? FileKind::Link : FileKind::Other;
  }

  Expected<double> modificationTime(const std::string &path) override {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0)
      return failure("read the attributes of", path);
    return static_cast<double>(info.st_mtim.tv_sec) +
           static_cast<double>(info.st_mtim.tv_nsec) * 1e-9;
  }

  Expected<std::unique_ptr<FileLock>> lock(const std::string &path,
                                           const std::string &holder) override {
    return PosixLock::take(path, holder);
  }

  Expected<std::vector<std::string>> list(const std::string &path) override {
    DIR *directory = ::opendir(path.empty() ? "." : path.c_str());
    if (!directory)
      return failure("list", path);
    std::vector<std::string> names;
    while (const dirent *entry = ::readdir(directory)) {
      std::string_view name = entry->d_name;
      if (name != "." && name != "..")
        names.emplace_back(name);
    }
    ::closedir(directory);
    std::sort(names.begin(), names.end());
    return names;
  }

private:
  static Expected<std::unique_ptr<WritableFile>>
  open(const std::string &path, int flags, const char *what) {
    int descriptor = ::open(path.c_str(), flags, 0666);
    if (descriptor < 0)
      return failure(what, path);
    return std::unique_ptr<WritableFile>(
        std::make_unique<PosixWritableFile>(path, descriptor));
  }
};

/// Reads a RandomAccessFile from front to back. Such a file has a size, so
/// reading it never waits for a writer.
class SequentialFileAdapter final : public SequentialFile {
public:
  explicit SequentialFileAdapter(std::unique_ptr<RandomAccessFile> file)
      : file(std::move(file)) {}

  Expected<size_t> read(size_t size, char *buffer) override {
    INGOT_ASSIGN_OR_RETURN(size_t count, file->read(offset, size, buffer));
    offset += count;
    return count;
  }

  uint64_t skip(uint64_t size) override {
    uint64_t left = file->size() - std::min(file->size(), offset);
    uint64_t skipped = std::min(size, left);
    offset += skipped;
    return skipped;
  }

private:
  std::unique_ptr<RandomAccessFile> file;
  uint64_t offset = 0;
};

} // namespace

Expected<std::unique_ptr<SequentialFile>>
FileSystem::openStream(const std::string &path, StopPredicate) {
  INGOT_ASSIGN_OR_RETURN(auto file, openForReading(path));
  return std::unique_ptr<SequentialFile>(
      std::make_unique<SequentialFileAdapter>(std::move(file)));
}

Expected<std::unique_ptr<FileLock>> FileSystem::lock(const std::string &path,
                                                     const std::string &) {
  return Status(StatusCode::Unimplemented,
                "cannot lock '" + path +
                    "': its file system does not support locks");
}

const char *ingot::kindText(FileKind kind) {
  switch (kind) {
  case FileKind::None:
    return "nothing";
  case FileKind::Regular:
    return "a file";
  case FileKind::Directory:
    return "a folder";
  case FileKind::Link:
    return "a link";
  case FileKind::Other:
    return "a pipe or a device";
  }
  return "";
}

Expected<std::unique_ptr<WritableFile>>
ingot::createTemporary(FileSystem &fileSystem, const std::string &path) {
  FileKind kind = fileSystem.kindOf(path);
  if (kind != FileKind::None && kind != FileKind::Regular)
    return Status(StatusCode::AlreadyExists, "cannot create '" + path +
                                                 "': it is " + kindText(kind) +
                                                 " already");
  if (kind == FileKind::Regular)
    INGOT_RETURN_IF_ERROR(fileSystem.remove(path));
  return fileSystem.createNew(path);
}

Expected<std::string> ingot::moveAside(FileSystem &fileSystem,
                                       const std::string &path) {
  std::string aside = path + ".aside";
  for (int number = 2; fileSystem.kindOf(aside) != FileKind::None; ++number)
    aside = path + ".aside-" + std::to_string(number);
  INGOT_RETURN_IF_ERROR(fileSystem.rename(path, aside));
  return aside;
}

FileSystem &FileSystem::posix() {
  static PosixFileSystem instance;
  return instance;
}
