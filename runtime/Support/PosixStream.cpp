//===- PosixStream.cpp - The machine's files, read sequentially -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A file server that is gone and a pipe without a writer block the thread
// asks them, and not every such call can be interrupted. So calls that may
// block run on a thread of their own, which is abandoned when the program has
// to stop; it owns all memory that its call touches, so this is safe. Bytes
// that the system has cached are read without one.
//
//===----------------------------------------------------------------------===//

#include "runtime/Support/PosixStream.h"

#include "runtime/Support/Activity.h"
#include "runtime/Support/PosixStatus.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

using namespace ingot;

namespace {

/// A call that may block, and its result. Shared by the thread that makes it
/// and the one that waits.
class BlockingCall {
public:
  virtual ~BlockingCall() = default;

  /// Makes the call; false where it was given up, because `stopped` has held
  /// for a while. Without a predicate it is made on this thread.
  static bool make(const std::shared_ptr<BlockingCall> &call,
                   StopPredicate stopped) {
    if (!stopped) {
      call->run();
      return true;
    }
    std::thread([call] {
      call->run();
      std::lock_guard lock(call->mutex);
      call->done = true;
      call->changed.notify_all();
    }).detach();
    // A slow disk is waited for: the step finishes.
    constexpr auto look = std::chrono::milliseconds(20);
    constexpr int patience = 10;
    std::unique_lock lock(call->mutex);
    for (int looks = 0; looks < patience; looks += stopped() ? 1 : 0)
      if (call->changed.wait_for(lock, look, [&] { return call->done; }))
        return true;
    return false;
  }

  int error = 0; // an errno

protected:
  virtual void run() = 0;

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

/// An open file, closed by the last owner.
struct Descriptor {
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  int number = -1;
};

class OpenCall final : public BlockingCall {
public:
  explicit OpenCall(std::string path) : path(std::move(path)) {}
  std::shared_ptr<Descriptor> file = std::make_shared<Descriptor>();
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

class ReadCall final : public BlockingCall {
public:
  ReadCall(std::shared_ptr<Descriptor> file, int64_t offset, size_t size)
      : bytes(size), file(std::move(file)), offset(offset) {}
  std::vector<char> bytes;
  size_t size = 0; // bytes read

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

  std::shared_ptr<Descriptor> file;
  int64_t offset; // -1: where the last read has ended
};

class PosixStream final : public SequentialFile {
public:
  PosixStream(std::string path, OpenCall &opened, StopPredicate stopped)
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
      // EAGAIN: not in memory yet. Others: the file's server can't say so.
      hasNoWait = errno == EAGAIN || errno == EINTR;
    }
    auto call = std::make_shared<ReadCall>(
        file, isRegular ? static_cast<int64_t>(offset) : -1, size);
    if (!BlockingCall::make(call, stopped))
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
  std::shared_ptr<Descriptor> file;
  StopPredicate stopped;
  bool isRegular, hasNoWait = true;
  uint64_t byteSize, offset = 0;
};

} // namespace

Expected<std::unique_ptr<SequentialFile>>
ingot::openPosixStream(std::string path, StopPredicate stopped) {
  auto call = std::make_shared<OpenCall>(path);
  if (!BlockingCall::make(call, stopped))
    return Status(StatusCode::Cancelled,
                  "stopped while opening '" + path + "'");
  if (call->error != 0)
    return posixFailure(call->error, "open", path);
  return std::unique_ptr<SequentialFile>(
      std::make_unique<PosixStream>(path, *call, stopped));
}
