//===- FaultFileSystem.cpp - A disk that fails when it is told to ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "FaultFileSystem.h"

#include "runtime/Support/Expected.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::test;

namespace {

std::string parentOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Status notFound(const std::string &path) {
  return Status(StatusCode::NotFound, "cannot open '" + path + "': no file");
}

} // namespace

class FaultFileSystem::Reader final : public RandomAccessFile {
public:
  Reader(FaultFileSystem &disk, std::string path, FilePointer file)
      : disk(disk), path(std::move(path)), file(std::move(file)) {}

  Expected<size_t> read(uint64_t offset, size_t size,
                        char *buffer) const override {
    std::lock_guard<std::recursive_mutex> lock(disk.mutex);
    INGOT_RETURN_IF_ERROR(disk.call("read", path));
    if (offset >= file->bytes.size())
      return size_t(0);
    return file->bytes.copy(buffer, size, offset);
  }
  uint64_t size() const override {
    std::lock_guard<std::recursive_mutex> lock(disk.mutex);
    return file->bytes.size();
  }

private:
  FaultFileSystem &disk;
  std::string path;
  FilePointer file;
};

class FaultFileSystem::Writer final : public WritableFile {
public:
  Writer(FaultFileSystem &disk, std::string path, FilePointer file)
      : disk(disk), path(std::move(path)), file(std::move(file)) {}

  Status append(std::string_view data) override {
    std::lock_guard<std::recursive_mutex> lock(disk.mutex);
    INGOT_RETURN_IF_ERROR(disk.call("write", path));
    file->bytes.append(data);
    file->modified = disk.clock();
    return Status::ok();
  }
  Status flush() override { return disk.call("flush", path); }
  Status sync() override {
    std::lock_guard<std::recursive_mutex> lock(disk.mutex);
    INGOT_RETURN_IF_ERROR(disk.call("sync", path));
    file->synced = file->bytes;
    return Status::ok();
  }
  Status close() override { return disk.call("close", path); }

private:
  FaultFileSystem &disk;
  std::string path;
  FilePointer file;
};

FaultFileSystem::FaultFileSystem(std::vector<std::string> directories) {
  live.directories = {directories.begin(), directories.end()};
  live.directories.insert(".");
  durable = live;
}

void FaultFileSystem::failCall(size_t call, StatusCode code) {
  failing = call;
  failureCode = code;
}

void FaultFileSystem::crashAtCall(size_t call) { crashing = call; }

Status FaultFileSystem::call(const char *what, const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  size_t number = callCount++;
  down |= number >= crashing;
  if (down)
    return Status(StatusCode::Unavailable, "the machine is down");
  if (number == failing)
    return Status(failureCode, std::string("cannot ") + what + " '" + path +
                                   "': told to fail");
  return Status::ok();
}

void FaultFileSystem::apply(const Change &change, Tree &tree) {
  switch (change.kind) {
  case Kind::Create:
    tree.files[change.path] = change.file;
    break;
  case Kind::Rename: {
    auto from = tree.files.find(change.from);
    if (from != tree.files.end() && from->second == change.file)
      tree.files.erase(from);
    tree.files[change.path] = change.file;
    break;
  }
  case Kind::Remove: {
    auto at = tree.files.find(change.path);
    if (at != tree.files.end() && at->second == change.file)
      tree.files.erase(at);
    break;
  }
  case Kind::MakeDirectory:
    tree.directories.insert(change.path);
    break;
  case Kind::RemoveDirectory:
    tree.directories.erase(change.path);
    std::erase_if(tree.files, [&](const auto &file) {
      return parentOf(file.first) == change.path;
    });
    break;
  }
}

void FaultFileSystem::change(Change change) {
  apply(change, live);
  pending.push_back(std::move(change));
}

void FaultFileSystem::restart(Crash crash, uint32_t seed) {
  std::mt19937 random(seed);
  size_t kept =
      crash == Crash::Tears ? random() % (pending.size() + 1) : pending.size();
  Tree disk = crash == Crash::KeepsAll ? live : durable;
  if (crash == Crash::Tears || crash == Crash::Reorders)
    for (size_t i = 0; i < kept; ++i)
      if (crash == Crash::Tears || random() % 2 == 0)
        apply(pending[i], disk);
  // The entries of a new directory may be on the disk before its own name is:
  // after the crash, they are gone.
  std::erase_if(disk.files, [&](const auto &file) {
    return !disk.directories.contains(parentOf(file.first));
  });
  for (auto &[path, file] : disk.files) {
    auto survivor = std::make_shared<File>(*file);
    std::string &bytes = survivor->bytes;
    size_t synced = survivor->synced.size();
    if (crash == Crash::DropsUnsynced || bytes.size() < synced) {
      bytes = survivor->synced;
    } else if (crash == Crash::Tears) {
      bytes.resize(synced + random() % (bytes.size() - synced + 1));
    } else if (crash == Crash::Reorders) {
      // The length of the file was written before some of the bytes.
      for (size_t i = synced; i < bytes.size(); ++i)
        if (random() % 4 == 0)
          bytes[i] = '\0';
    }
    survivor->synced = bytes;
    file = survivor;
  }
  live = durable = std::move(disk);
  pending.clear();
  failing = crashing = never;
  down = false;
}

void FaultFileSystem::put(const std::string &path, std::string bytes) {
  auto file = std::make_shared<File>();
  file->bytes = file->synced = std::move(bytes);
  live.files[path] = durable.files[path] = file;
}

void FaultFileSystem::setKind(const std::string &path, FileKind kind) {
  live.files.at(path)->kind = kind;
}

std::string FaultFileSystem::get(const std::string &path) const {
  auto at = live.files.find(path);
  return at == live.files.end() ? std::string() : at->second->bytes;
}

std::vector<std::string> FaultFileSystem::paths() const {
  std::vector<std::string> paths(live.directories.begin(),
                                 live.directories.end());
  for (const auto &[path, file] : live.files)
    paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

Expected<std::unique_ptr<RandomAccessFile>>
FaultFileSystem::openForReading(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("open", path));
  auto at = live.files.find(path);
  if (at == live.files.end())
    return notFound(path);
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<Reader>(*this, path, at->second));
}

Expected<std::unique_ptr<WritableFile>>
FaultFileSystem::open(const std::string &path, bool truncate) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("create", path));
  if (!live.directories.contains(parentOf(path)))
    return notFound(path);
  FilePointer &file = live.files[path];
  if (!file) {
    file = std::make_shared<File>();
    change({Kind::Create, path, "", file});
  }
  if (truncate) {
    file->bytes.clear();
    file->modified = clock();
  }
  return std::unique_ptr<WritableFile>(
      std::make_unique<Writer>(*this, path, live.files[path]));
}

Expected<std::unique_ptr<WritableFile>>
FaultFileSystem::create(const std::string &path) {
  return open(path, /*truncate=*/true);
}

Expected<std::unique_ptr<WritableFile>>
FaultFileSystem::createNew(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!down && kindOf(path) != FileKind::None)
    return Status(StatusCode::AlreadyExists,
                  "cannot create '" + path + "': File exists");
  return open(path, /*truncate=*/true);
}

Expected<std::unique_ptr<WritableFile>>
FaultFileSystem::openForAppending(const std::string &path) {
  return open(path, /*truncate=*/false);
}

Status FaultFileSystem::rename(const std::string &from, const std::string &to) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("rename", from));
  auto at = live.files.find(from);
  if (at == live.files.end() || !live.directories.contains(parentOf(to)))
    return notFound(from);
  change({Kind::Rename, to, from, at->second});
  return Status::ok();
}

Status FaultFileSystem::remove(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("remove", path));
  auto at = live.files.find(path);
  if (at == live.files.end())
    return notFound(path);
  change({Kind::Remove, path, "", at->second});
  return Status::ok();
}

Status FaultFileSystem::truncate(const std::string &path, uint64_t size) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("cut", path));
  auto at = live.files.find(path);
  if (at == live.files.end())
    return notFound(path);
  at->second->bytes.resize(size);
  at->second->modified = clock();
  return Status::ok();
}

Status FaultFileSystem::removeDirectory(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("remove", path));
  if (!live.directories.contains(path))
    return notFound(path);
  for (const auto &[file, contents] : live.files)
    if (parentOf(file) == path)
      return Status(StatusCode::Unknown,
                    "cannot remove '" + path + "': not empty");
  change({Kind::RemoveDirectory, path, "", nullptr});
  return Status::ok();
}

Status FaultFileSystem::createDirectories(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("create directory", path));
  std::vector<std::string> missing;
  for (std::string at = path; !live.directories.contains(at) && !at.empty();
       at = parentOf(at))
    missing.push_back(at);
  for (auto at = missing.rbegin(); at != missing.rend(); ++at)
    change({Kind::MakeDirectory, *at, "", nullptr});
  return Status::ok();
}

Status FaultFileSystem::syncDirectory(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("sync", path));
  if (!live.directories.contains(path))
    return notFound(path);
  std::erase_if(pending, [&](const Change &change) {
    if (parentOf(change.path) != path)
      return false;
    apply(change, durable);
    return true;
  });
  return Status::ok();
}

bool FaultFileSystem::exists(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return !down &&
         (live.files.contains(path) || live.directories.contains(path));
}

FileKind FaultFileSystem::kindOf(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (down)
    return FileKind::None;
  if (auto at = live.files.find(path); at != live.files.end())
    return at->second->kind;
  return live.directories.contains(path) ? FileKind::Directory : FileKind::None;
}

Expected<double> FaultFileSystem::modificationTime(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("look at", path));
  auto at = live.files.find(path);
  if (at == live.files.end())
    return notFound(path);
  return at->second->modified;
}

Expected<std::vector<std::string>>
FaultFileSystem::list(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  INGOT_RETURN_IF_ERROR(call("list", path));
  if (!live.directories.contains(path))
    return notFound(path);
  std::vector<std::string> names;
  for (const std::string &entry : paths())
    if (entry != "." && parentOf(entry) == path)
      names.push_back(path == "." ? entry : entry.substr(path.size() + 1));
  return names;
}
