//===- SharedMessageMemory.cpp - Memory that ranks share ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/SharedMessageMemory.h"

#include "runtime/ABI/Tensor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace ingot;

static Status failed(const char *what) {
  return Status(StatusCode::Unavailable, std::string("shared memory: ") + what +
                                             ": " + std::strerror(errno));
}

//===----------------------------------------------------------------------===//
// SharedFileMapping
//===----------------------------------------------------------------------===//

SharedFileMapping::SharedFileMapping(SharedFileMapping &&other) noexcept
    : file(std::exchange(other.file, -1)),
      address(std::exchange(other.address, nullptr)),
      numBytes(std::exchange(other.numBytes, 0)) {}

SharedFileMapping::~SharedFileMapping() {
  if (address)
    ::munmap(address, numBytes);
  if (file >= 0)
    ::close(file);
}

Status SharedFileMapping::map(size_t size) {
  void *mapped =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    return failed("mmap");
  address = static_cast<std::byte *>(mapped);
  numBytes = size;
  return Status::ok();
}

Expected<SharedFileMapping> SharedFileMapping::create(size_t size) {
  SharedFileMapping mapping;
  mapping.file =
      ::memfd_create("ingot-messages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (mapping.file < 0)
    return failed("memfd_create");
  // Beyond RLIMIT_FSIZE this would send SIGXFSZ.
  if (::ftruncate(mapping.file, static_cast<off_t>(size)) != 0)
    return failed("ftruncate");
  // Nobody may cut the file, as accesses beyond its end would be SIGBUS.
  if (::fcntl(mapping.file, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
    return failed("F_ADD_SEALS");
  INGOT_RETURN_IF_ERROR(mapping.map(size));
  return mapping;
}

Expected<SharedFileMapping>
SharedFileMapping::open(int64_t process, int64_t descriptor, size_t size) {
  SharedFileMapping mapping;
  std::string path =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  mapping.file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (mapping.file < 0)
    return failed(path.c_str());
  // In another PID namespace this is another process, with files of any kind.
  // Only files of memfd_create() have seals.
  int seals = ::fcntl(mapping.file, F_GET_SEALS);
  struct stat found = {};
  if (seals < 0 || !(seals & F_SEAL_SHRINK) ||
      ::fstat(mapping.file, &found) != 0 ||
      static_cast<size_t>(found.st_size) != size) {
    errno = EBADF;
    return failed(path.c_str());
  }
  INGOT_RETURN_IF_ERROR(mapping.map(size));
  ::close(std::exchange(mapping.file, -1));
  return mapping;
}

//===----------------------------------------------------------------------===//
// SharedMessageMemory
//===----------------------------------------------------------------------===//

/// The least size of a file. Its pages take memory when they are used.
static constexpr size_t fileBytes = size_t(64) << 20;

Status SharedMessageMemory::createFirstFile() {
  for (auto resource : {RLIMIT_FSIZE, RLIMIT_AS}) {
    rlimit limit = {};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
      errno = EFBIG;
      return failed("getrlimit");
    }
  }
  std::lock_guard lock(mutex);
  return addFile(fileBytes);
}

Status SharedMessageMemory::addFile(size_t size) {
  INGOT_ASSIGN_OR_RETURN(SharedFileMapping file,
                         SharedFileMapping::create(size));
  files.push_back(std::move(file));
  used = 0;
  return Status::ok();
}

/// Returns `size` bytes that were never allocated before.
Expected<std::byte *> SharedMessageMemory::reserve(size_t size) {
  if (files.empty() || files.back().size() - used < size)
    INGOT_RETURN_IF_ERROR(addFile(std::max(size, fileBytes)));
  // Without memory for the pages, their first use would be SIGBUS.
  if (::fallocate(files.back().descriptor(), 0, static_cast<off_t>(used),
                  static_cast<off_t>(size)) != 0)
    return failed("fallocate");
  std::byte *data = files.back().data() + used;
  used += size;
  return data;
}

std::shared_ptr<std::byte> SharedMessageMemory::allocate(size_t bytes) {
  std::lock_guard lock(mutex);
  if (isFailed)
    return nullptr;
  constexpr size_t alignment = INGOT_ALIGNMENT;
  size_t size = std::max((bytes + alignment - 1) / alignment * alignment,
                         size_t(alignment));
  auto free = [this, size](std::byte *data) {
    std::lock_guard lock(mutex);
    freed.emplace(size, FreedRange{data, now});
  };
  auto [begin, end] = freed.equal_range(size);
  for (auto range = begin; range != end; ++range) {
    if (now - range->second.time < 2)
      continue;
    std::byte *data = range->second.data;
    freed.erase(range);
    std::memset(data, 0, bytes);
    return {data, free};
  }
  auto data = reserve(size);
  if (!data) {
    failure = Status(data.status().code(),
                     data.status().message() + ": try --shared-memory no");
    isFailed = true;
    return nullptr;
  }
  return {*data, free};
}

void SharedMessageMemory::freedIsUnread() {
  std::lock_guard lock(mutex);
  ++now;
}

SharedMessageLocation
SharedMessageMemory::locationOf(std::span<const std::byte> bytes) const {
  std::lock_guard lock(mutex);
  SharedMessageLocation location;
  location.size = bytes.size();
  for (size_t i = 0; i < files.size() && !bytes.empty(); ++i) {
    const SharedFileMapping &file = files[i];
    if (bytes.data() < file.data() || bytes.data() >= file.data() + file.size())
      continue;
    location.file = i + 1;
    location.fileSize = file.size();
    location.offset = static_cast<uint64_t>(bytes.data() - file.data());
    location.descriptor = file.descriptor();
  }
  return location;
}

void SharedMessageMemory::reduce(ElementReduction how, std::byte *to,
                                 const std::byte *left, const std::byte *right,
                                 size_t count) {
  if (!isFailed)
    hostValueMemory().reduce(how, to, left, right, count);
}

void SharedMessageMemory::copy(std::byte *to, const std::byte *from,
                               size_t bytes) {
  if (!isFailed)
    hostValueMemory().copy(to, from, bytes);
}

void SharedMessageMemory::fetch(std::span<const FetchedBytes> copies) {
  if (!isFailed)
    hostValueMemory().fetch(copies);
}

void SharedMessageMemory::put(std::byte *to, const std::byte *from,
                              size_t bytes) {
  if (!isFailed)
    hostValueMemory().put(to, from, bytes);
}

//===----------------------------------------------------------------------===//
// PeerMessageMemory
//===----------------------------------------------------------------------===//

Expected<std::span<std::byte>>
PeerMessageMemory::map(const SharedMessageLocation &location) {
  if (location.size == 0)
    return std::span<std::byte>();
  if (location.file == 0 || location.offset > location.fileSize ||
      location.fileSize - location.offset < location.size)
    return Status(StatusCode::Internal,
                  "shared memory: a message is not in the sender's files");
  auto found = files.find(location.file);
  if (found == files.end()) {
    INGOT_ASSIGN_OR_RETURN(SharedFileMapping file,
                           SharedFileMapping::open(process, location.descriptor,
                                                   location.fileSize));
    found = files.emplace(location.file, std::move(file)).first;
  }
  return std::span(found->second.data() + location.offset,
                   static_cast<size_t>(location.size));
}
