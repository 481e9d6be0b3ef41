//===- PosixSequentialFile.cpp - Streams that can be abandoned ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Streams whose reads can be given up. A file server that does not answer, and
// a pipe without a writer, block the calling thread, and not every such call
// can be interrupted. So calls that may block run on their own thread, which is
// abandoned when the program has to stop. This is safe because that thread owns
// all memory that its call accesses. Bytes that the system has cached are read
// without a thread.
//===----------------------------------------------------------------------===//

#include "runtime/Support/PosixSequentialFile.h"

#include "runtime/Support/PosixStatus.h"
#include "runtime/Support/Thread.h"
#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace ingot;

namespace {

/// A system call that may block, and its result. The thread that makes the call
/// and the thread that waits for it share ownership of this object, so that
/// either may end first.
class BackgroundSystemCall {
public:
  virtual ~BackgroundSystemCall() = default;

  /// Makes the call on a new thread and waits for it. Returns false if waiting
  /// was given up, because `stopped` returned true for a while. If `stopped` is
  /// null, or if no thread can be started, makes the call on this thread.
  static bool make(const std::shared_ptr<BackgroundSystemCall> &call,
                   StopPredicate stopped) {
    if (!stopped) {
      call->run();
      return true;
    }
    auto started = Thread::start("blocking-call", [call] {
      call->run();
      std::lock_guard lock(call->mutex);
      call->done = true;
      call->changed.notify_all();
    });
    if (!started) {
      call->run();
      return true;
    }
    started->detach();
    // Wait a little longer (`patience` times `look`) even when `stopped`
    // returns true: a slow disk may still deliver the bytes that the current
    // step needs.
    constexpr auto look = std::chrono::milliseconds(20);
    constexpr int patience = 10;
    std::unique_lock lock(call->mutex);
    for (int looks = 0; looks < patience; looks += stopped() ? 1 : 0)
      if (call->changed.wait_for(lock, look, [&] { return call->done; }))
        return true;
    return false;
  }

  int error = 0; // errno of the call; 0: success

protected:
  virtual void run() = 0;

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

/// A shared file descriptor, closed by its last owner.
struct FileDescriptor {
  ~FileDescriptor() {
    if (number >= 0)
      ::close(number);
  }
  int number = -1;
};

class BackgroundOpenCall final : public BackgroundSystemCall {
public:
  explicit BackgroundOpenCall(std::string path) : path(std::move(path)) {}
  std::shared_ptr<FileDescriptor> file = std::make_shared<FileDescriptor>();
  struct stat info = {};

private:
  void run() override {
    do
      file->number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    while (file->number < 0 && errno == EINTR);
    if (file->number < 0 || ::fstat(file->number, &info) != 0)
      error = errno;
    else if (S_ISDIR(info.st_mode))
      error = EISDIR;
  }

  std::string path;
};

class BackgroundReadCall final : public BackgroundSystemCall {
public:
  BackgroundReadCall(std::shared_ptr<FileDescriptor> file, int64_t offset,
                     size_t size)
      : bytes(size), file(std::move(file)), offset(offset) {}
  std::vector<char> bytes;
  size_t size = 0; // bytes that were read

private:
  void run() override {
    ssize_t n;
    do
      n = offset < 0 ? ::read(file->number, bytes.data(), bytes.size())
                     : ::pread(file->number, bytes.data(), bytes.size(),
                               static_cast<off_t>(offset));
    while (n < 0 && errno == EINTR);
    if (n < 0)
      error = errno;
    else
      size = static_cast<size_t>(n);
  }

  std::shared_ptr<FileDescriptor> file;
  int64_t offset; // -1: at the file's current position
};

class PosixSequentialFile final : public SequentialFile {
public:
  PosixSequentialFile(std::string path, BackgroundOpenCall &opened,
                      StopPredicate stopped)
      : path(std::move(path)), file(opened.file), stopped(stopped),
        isRegular(S_ISREG(opened.info.st_mode)),
        byteSize(static_cast<uint64_t>(opened.info.st_size)) {}

  Expected<size_t> read(size_t size, char *buffer) override {
    if (isRegular && hasNoWait) {
      iovec part = {buffer, size};
      ssize_t n = ::preadv2(file->number, &part, 1, static_cast<off_t>(offset),
                            RWF_NOWAIT);
      if (n >= 0) {
        offset += static_cast<uint64_t>(n);
        transferredBytes += static_cast<uint64_t>(n);
        return static_cast<size_t>(n);
      }
      // EAGAIN means that the bytes are not cached, so read them on another
      // thread. Other errors mean that the file system does not support
      // RWF_NOWAIT, so do not try it again.
      hasNoWait = errno == EAGAIN || errno == EINTR;
    }
    auto call = std::make_shared<BackgroundReadCall>(
        file, isRegular ? static_cast<int64_t>(offset) : -1, size);
    if (!BackgroundSystemCall::make(call, stopped))
      return Status(StatusCode::Cancelled,
                    "stopped while reading '" + path + "'");
    if (call->error != 0)
      return posixFailure(call->error, "read", path);
    std::memcpy(buffer, call->bytes.data(), call->size);
    offset += call->size;
    transferredBytes += call->size;
    return call->size;
  }

  uint64_t skip(uint64_t size) override {
    if (!isRegular)
      return 0;
    uint64_t skipped = std::min(size, byteSize - std::min(byteSize, offset));
    offset += skipped;
    return skipped;
  }

private:
  std::string path;
  std::shared_ptr<FileDescriptor> file;
  StopPredicate stopped;
  bool isRegular, hasNoWait = true;
  uint64_t byteSize, offset = 0;
};

} // namespace

Expected<std::unique_ptr<SequentialFile>>
ingot::openPosixStream(std::string path, StopPredicate stopped) {
  auto call = std::make_shared<BackgroundOpenCall>(path);
  if (!BackgroundSystemCall::make(call, stopped))
    return Status(StatusCode::Cancelled,
                  "stopped while opening '" + path + "'");
  if (call->error != 0)
    return posixFailure(call->error, "open", path);
  return std::unique_ptr<SequentialFile>(
      std::make_unique<PosixSequentialFile>(path, *call, stopped));
}
