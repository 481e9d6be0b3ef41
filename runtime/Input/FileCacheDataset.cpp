//===- FileCacheDataset.cpp - Caches elements in files ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// CacheDataset with a file name. The first complete pass over the input is
// written in the format of TensorFlow's cache, a bundle of `<name>.index` and
// one data file; later passes and later runs read it, and so can TensorFlow.
// The key of component j of element i is made of i and j by the format
// "%7zu_%zu". The files of a pass that ends early are removed. While a pass
// writes, a lock file names the writing process.
//===----------------------------------------------------------------------===//
#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Input/CacheDataset.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ReplaceFile.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <unistd.h>

namespace ingot::input {

namespace {

/// Reads and writes the files of one cache.
class CacheFiles {
public:
  CacheFiles(FileSystem &fileSystem, std::string prefix, size_t numComponents)
      : fileSystem(fileSystem), prefix(std::move(prefix)) {
    for (size_t last = numComponents - 1; last >= 10; last /= 10)
      ++componentWidth;
  }

  bool exists() const { return fileSystem.exists(indexPath(prefix)); }

  Status open() {
    INGOT_ASSIGN_OR_RETURN(reader, BundleReader::open(fileSystem, prefix));
    return Status::ok();
  }

  /// Reads element `number`, which has `numComponents` components. Sets `end`
  /// after the last element.
  Status read(TensorMemoryPool &pool, uint64_t number, size_t numComponents,
              Element &element, bool &end);

  /// Creates the lock file and the data file. Returns AlreadyExists if another
  /// process writes the cache.
  Status create();
  Status write(uint64_t number, const Element &element);
  /// Writes the index, and renames the files to their final names.
  Status finish();
  /// Removes the files that this pass has written, if any.
  void discard();

private:
  std::string lockPath() const { return prefix + "_0.lockfile"; }
  /// Returns true if the process that wrote the lock file is known to have
  /// ended.
  bool isStale() const;
  Expected<std::unique_ptr<WritableFile>> takeStaleLock();
  void unlock() {
    std::lock_guard<std::mutex> guard(heldMutex);
    held.erase(prefix);
    (void)fileSystem.remove(lockPath());
  }
  std::string key(uint64_t number, size_t component) const {
    char text[48];
    std::snprintf(text, sizeof(text), "%7zu_%*zu", static_cast<size_t>(number),
                  componentWidth, component);
    return text;
  }

  FileSystem &fileSystem;
  std::string prefix;
  int componentWidth = 1;
  std::unique_ptr<BundleReader> reader;
  std::unique_ptr<BundleWriter> writer;

  /// The prefixes of the caches that this process writes. If a cache is not in
  /// `held` but its lock file has this process's pid, an earlier process with
  /// the same pid wrote the lock file and was killed.
  static std::mutex heldMutex;
  static std::set<std::string> held;
};

std::mutex CacheFiles::heldMutex;
std::set<std::string> CacheFiles::held;

std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) ? std::string() : name;
}

bool CacheFiles::isStale() const {
  auto file = fileSystem.openForReading(lockPath());
  if (!file)
    return false;
  char text[512] = {};
  auto size = (*file)->read(0, sizeof(text) - 1, text);
  long pid = 0;
  char host[256] = {};
  const char *found = size ? std::strstr(text, "pid ") : nullptr;
  return found && std::sscanf(found, "pid %ld on %255s", &pid, host) == 2 &&
         host == hostName() && pid > 0 &&
         (pid == getpid() ||
          (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH));
}

/// Replaces the lock file if the process that wrote it has ended. A lock on a
/// second file (".turn") lets only one process at a time check and replace the
/// lock file; otherwise one process would remove the file that another has just
/// created.
Expected<std::unique_ptr<WritableFile>> CacheFiles::takeStaleLock() {
  Status taken(StatusCode::AlreadyExists, "");
  auto turn = fileSystem.lock(lockPath() + ".turn", "pid");
  if (!turn || fileSystem.kindOf(lockPath()) != FileKind::Regular || !isStale())
    return taken;
  if (Status removed = fileSystem.remove(lockPath()); !removed.isOk())
    return removed;
  return fileSystem.createNew(lockPath());
}

Status CacheFiles::create() {
  std::lock_guard<std::mutex> guard(heldMutex);
  auto isTaken = [&](const auto &created) {
    return !created && created.status().code() == StatusCode::AlreadyExists;
  };
  Expected<std::unique_ptr<WritableFile>> created(
      Status(StatusCode::AlreadyExists, ""));
  if (!held.contains(prefix)) {
    created = fileSystem.createNew(lockPath());
    if (isTaken(created))
      created = takeStaleLock();
  }
  if (isTaken(created))
    return Status(
        StatusCode::AlreadyExists,
        "the cache '" + prefix + "' is being written by another process: '" +
            lockPath() +
            "' exists. If no process is writing it, delete that file");
  INGOT_ASSIGN_OR_RETURN(auto lock, std::move(created));
  INGOT_RETURN_IF_ERROR(lock->append(
      "Created at: " + std::to_string(std::time(nullptr)) + "\npid " +
      std::to_string(getpid()) + " on " + hostName() + "\n"));
  INGOT_RETURN_IF_ERROR(lock->close());
  held.insert(prefix);
  INGOT_ASSIGN_OR_RETURN(
      writer, BundleWriter::create(
                  fileSystem, temporaryShardPath(prefix + "_0", 0, 1, "")));
  return Status::ok();
}

Status CacheFiles::write(uint64_t number, const Element &element) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < element.size(); ++i) {
    const Tensor &tensor = element[i];
    const void *data = tensor.data();
    if (tensor.dtype() == INGOT_STRING) {
      const auto *strings = static_cast<const ingot_string *>(data);
      texts.clear();
      for (int64_t at = 0; at < tensor.numElements(); ++at)
        texts.emplace_back(strings[at].data, strings[at].size);
      data = texts.data();
    }
    Shape shape = tensor.shape();
    INGOT_RETURN_IF_ERROR(writer->add(key(number, i), "", tensor.dtype(),
                                      ingot::Shape(shape.begin(), shape.end()),
                                      data));
  }
  return Status::ok();
}

Status CacheFiles::finish() {
  INGOT_RETURN_IF_ERROR(writer->finish());
  INGOT_ASSIGN_OR_RETURN(std::string index, writer->index().serialize(1));
  writer.reset();
  INGOT_RETURN_IF_ERROR(fileSystem.rename(
      temporaryShardPath(prefix + "_0", 0, 1, ""), shardPath(prefix, 0, 1)));
  // Write the index last, and completely before it gets its final name: a
  // reader that finds an index then finds the whole cache.
  INGOT_RETURN_IF_ERROR(
      writeDurably(fileSystem, temporaryIndexPath(prefix), contentsOf(index)));
  INGOT_RETURN_IF_ERROR(
      fileSystem.rename(temporaryIndexPath(prefix), indexPath(prefix)));
  INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(directoryOf(prefix)));
  unlock();
  return Status::ok();
}

void CacheFiles::discard() {
  if (!writer)
    return;
  writer.reset();
  (void)fileSystem.remove(temporaryShardPath(prefix + "_0", 0, 1, ""));
  unlock();
}

Status CacheFiles::read(TensorMemoryPool &pool, uint64_t number,
                        size_t numComponents, Element &element, bool &end) {
  element.clear();
  for (size_t i = 0; i < numComponents; ++i) {
    std::string name = key(number, i);
    const BundleEntry *entry = reader->find(name);
    end = !entry;
    if (end)
      return Status::ok();
    INGOT_ASSIGN_OR_RETURN(TensorData data, readTensor(*reader, name));
    std::vector<ingot_string> strings;
    for (const std::string &text : data.strings)
      strings.push_back({text.data(), text.size()});
    element.push_back(Tensor::copy(
        pool, entry->dtype, {entry->shape.data(), entry->shape.size()},
        entry->dtype == INGOT_STRING ? static_cast<void *>(strings.data())
                                     : data.data()));
  }
  return Status::ok();
}

class FileCacheIterator final : public DatasetIterator {
public:
  FileCacheIterator(TensorMemoryPool &pool,
                    std::unique_ptr<DatasetIterator> input,
                    size_t numComponents, CacheFiles files, std::string name)
      : pool(pool), input(std::move(input)), numComponents(numComponents),
        files(std::move(files)), name(std::move(name)) {}

  ~FileCacheIterator() override { files.discard(); }

  Status start() override {
    files.discard();
    position = 0;
    begun = true;
    ended = false;
    writes = !files.exists();
    if (!writes)
      return files.open().withContext(name);
    INGOT_RETURN_IF_ERROR(input->start());
    origin.Clear();
    input->save(origin);
    isOpen = false;
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    end = ended;
    if (end)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(writes ? passOn(element, end) : read(element, end));
    ended = end;
    position += !end;
    return Status::ok();
  }

  // The state does not contain the elements written so far: a restore reads the
  // pass from its start and writes the cache again.
  void save(NodeState &state) const override {
    if (!begun)
      return input->save(*state.add_inputs());
    state.set_position(position);
    state.set_ended(ended);
    if (writes)
      *state.mutable_origin() = origin;
  }

  Status restore(const NodeState &state) override {
    files.discard();
    position = 0;
    begun = ended = false;
    if (state.inputs_size())
      return restoreInput(*input, state);
    begun = true;
    writes = state.has_origin() && !files.exists();
    if (writes)
      return writeAgain(state);
    if (!files.exists())
      return Status(StatusCode::NotFound,
                    name + ": the cache's files have been removed since the "
                           "iterator was saved: restore them, or start the "
                           "input anew (ingot-ckpt strip --iterators)");
    position = state.position();
    ended = state.ended();
    return files.open().withContext(name);
  }

  std::string describeLatest() const override {
    return writes ? input->describeLatest() : std::string();
  }

private:
  Status read(Element &element, bool &end) {
    return files.read(pool, position, numComponents, element, end)
        .withContext(name);
  }

  Status passOn(Element &element, bool &end) {
    // As in TensorFlow, files are created when the first element is requested.
    if (!isOpen)
      INGOT_RETURN_IF_ERROR(files.create().withContext(name));
    isOpen = true;
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    return (end ? files.finish() : files.write(position, element))
        .withContext(name);
  }

  Status writeAgain(const NodeState &state) {
    origin = state.origin();
    isOpen = false;
    INGOT_RETURN_IF_ERROR(input->restore(origin));
    Element element;
    while (position < state.position() || (state.ended() && !ended)) {
      INGOT_RETURN_IF_ERROR(next(element, ended));
      if (ended && (position != state.position() || !state.ended()))
        return Status(StatusCode::DataLoss,
                      name + ": the input has " + std::to_string(position) +
                          " elements, but had " +
                          (state.ended() ? "" : "at least ") +
                          std::to_string(state.position()) +
                          " when the iterator was saved: restore the input's "
                          "files, or start the "
                          "input anew (ingot-ckpt strip --iterators)");
    }
    return Status::ok();
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  size_t numComponents;
  CacheFiles files;
  std::string name;
  NodeState origin;      // input's state before the writing pass
  uint64_t position = 0; // elements returned in this pass
  bool begun = false;
  bool writes = false; // this pass writes the cache; else it reads it
  bool isOpen = false; // the files being written are open
  bool ended = false;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeFileCacheDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand file,
                         context.operand(0, INGOT_STRING, 0));
  if (file.string().empty())
    return makeCacheDataset(context);
  const ingot_dataset &self = context.dataset();
  if (self.num_components == 0)
    return Status(
        StatusCode::InvalidArgument,
        context.name() +
            ": a cache in a file cannot store elements without components");
  for (uint32_t i = 0; i < self.num_components; ++i)
    if (elementSize(self.components[i].dtype) == 0)
      return Status(StatusCode::Unimplemented,
                    context.name() + ": component " + std::to_string(i) +
                        " is not a tensor, and cannot be cached in a file");
  const InputPipelineOptions &options = context.env().options;
  CacheFiles files(
      *options.fileSystem,
      resolveDataPath(options.dataDirectory, options.dataMap, file.string()),
      self.num_components);
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<FileCacheIterator>(
      context.env().pool, std::move(input), self.num_components,
      std::move(files), context.name())};
}

INGOT_DATASET(file_cache) = {.make = makeFileCacheDataset,
                             .operands = cacheOperands};

} // namespace ingot::input
