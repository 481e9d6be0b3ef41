//===- CheckpointLibrary.cpp - libingotckpt's functions -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements the C functions of ingot/checkpoint.h with the runtime's
// checkpoint readers and writer.
//
//===----------------------------------------------------------------------===//

#include "ingot/checkpoint.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManagement.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>

using namespace ingot;

/// The object of the C interface: a checkpoint's reader, and the strings and
/// lists to which the C functions return pointers.
struct ingot_checkpoint {
  std::unique_ptr<CheckpointReader> reader;
  ObjectCheckpointNames objects;
  std::vector<std::vector<std::string>> slices; // slice texts, by tensor index

  /// Returns the entry of tensor `index`, or null if there is no such tensor.
  const CheckpointEntry *entry(size_t index) const {
    return index < reader->keys().size() ? reader->find(reader->keys()[index])
                                         : nullptr;
  }
};

namespace {

int32_t finish(const Status &status, char *message, size_t messageSize) {
  if (message && messageSize > 0) {
    size_t size = std::min(messageSize - 1, status.message().size());
    std::memcpy(message, status.message().data(), size);
    message[size] = '\0';
  }
  return static_cast<int32_t>(status.code());
}

/// Returns the shape of slice `slice` of a tensor, or of the whole tensor if
/// `slice` is null or "".
Expected<Shape> shapeOf(const CheckpointEntry &entry, const char *slice) {
  if (!slice || !*slice)
    return entry.shape;
  INGOT_ASSIGN_OR_RETURN(ShapeAndSlice part, parseShapeAndSlice(slice));
  INGOT_ASSIGN_OR_RETURN(TensorSlice box, part.slice.within(part.fullShape));
  return box.shape();
}

Expected<const CheckpointEntry *> entryAt(const ingot_checkpoint &checkpoint,
                                          size_t index) {
  if (const CheckpointEntry *entry = checkpoint.entry(index))
    return entry;
  return Status(StatusCode::InvalidArgument,
                "there is no tensor " + std::to_string(index) +
                    ": tensors are numbered from 0, and the checkpoint has " +
                    std::to_string(checkpoint.reader->keys().size()));
}

/// Reads the elements of tensor `index`, or of a slice of it, to `destination`.
/// Returns an error if the elements do not have `size` bytes in total, or are
/// strings or variants, whose size is not fixed.
Status readElements(const ingot_checkpoint &checkpoint, size_t index,
                    const char *slice, void *destination, uint64_t size) {
  INGOT_ASSIGN_OR_RETURN(const CheckpointEntry *entry,
                         entryAt(checkpoint, index));
  const std::string &name = checkpoint.reader->keys()[index];
  size_t elementSize = dtypeSize(entry->dtype);
  if (elementSize == 0)
    return Status(entry->dtype == INGOT_STRING ? StatusCode::InvalidArgument
                                               : StatusCode::Unimplemented,
                  "tensor '" + name + "' has type " + dtypeName(entry->dtype) +
                      (entry->dtype == INGOT_STRING
                           ? ": ingot_checkpoint_read_strings() reads it"
                           : ", readable only by the program that wrote it"));
  INGOT_ASSIGN_OR_RETURN(Shape shape, shapeOf(*entry, slice));
  uint64_t needed =
      static_cast<uint64_t>(elementCount(shape).value_or(0)) * elementSize;
  if (size != needed)
    return Status(StatusCode::InvalidArgument,
                  "tensor '" + name + "' needs " + std::to_string(needed) +
                      " bytes, but the size of the buffer is " +
                      std::to_string(size));
  return checkpoint.reader->read(name, slice ? slice : "", entry->dtype, shape,
                                 destination);
}

/// Copies strings into one allocation: first the descriptors, then the bytes to
/// which they point. The caller releases it with std::free.
Expected<ingot_checkpoint_string *>
packStrings(const std::vector<std::string> &strings) {
  size_t size = strings.size() * sizeof(ingot_checkpoint_string);
  for (const std::string &text : strings)
    size += text.size();
  auto *packed = static_cast<ingot_checkpoint_string *>(
      std::malloc(std::max<size_t>(size, 1)));
  if (!packed)
    return Status(StatusCode::ResourceExhausted,
                  "out of memory: a tensor of strings needs " +
                      std::to_string(size) + " bytes");
  auto *bytes = reinterpret_cast<char *>(packed + strings.size());
  for (size_t i = 0; i < strings.size(); ++i) {
    packed[i] = {bytes, strings[i].size()};
    std::memcpy(bytes, strings[i].data(), strings[i].size());
    bytes += strings[i].size();
  }
  return packed;
}

/// Copies the list of checkpoints in a `checkpoint` state file into one
/// allocation: first the structs, then the names (prefixes) to which they
/// point. The caller releases it with std::free.
Expected<ingot_checkpoint_listed *> packList(const CheckpointState &state) {
  const std::vector<std::string> &prefixes = state.allModelCheckpointPaths;
  const std::vector<double> &times = state.allModelCheckpointTimestamps;
  size_t size = prefixes.size() * sizeof(ingot_checkpoint_listed);
  for (const std::string &prefix : prefixes)
    size += prefix.size() + 1;
  auto *packed = static_cast<ingot_checkpoint_listed *>(
      std::malloc(std::max<size_t>(size, 1)));
  if (!packed)
    return Status(StatusCode::ResourceExhausted,
                  "out of memory: the list of checkpoints needs " +
                      std::to_string(size) + " bytes");
  auto *bytes = reinterpret_cast<char *>(packed + prefixes.size());
  for (size_t i = 0; i < prefixes.size(); ++i) {
    Expected<double> written = checkpointTime(FileSystem::posix(), prefixes[i]);
    packed[i] = {bytes,
                 i < times.size() ? times[i]
                 : written        ? *written
                                  : 0,
                 written ? 1 : 0};
    std::memcpy(bytes, prefixes[i].c_str(), prefixes[i].size() + 1);
    bytes += prefixes[i].size() + 1;
  }
  return packed;
}

/// Writes the caller's tensors as a V2 checkpoint. Copies the elements of
/// string tensors to std::string first, as TensorToSave requires.
Status writeTensors(const std::string &prefix,
                    const ingot_checkpoint_tensor *tensors, size_t count,
                    uint32_t shards, bool replace) {
  if (baseOf(prefix).empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + prefix +
                      "' is not a checkpoint's prefix: it has no file name");
  FileSystem &fileSystem = FileSystem::posix();
  if (!replace && fileSystem.exists(indexPath(prefix)))
    return Status(StatusCode::AlreadyExists,
                  "'" + indexPath(prefix) +
                      "' exists already: set 'replace' to replace the "
                      "checkpoint, or choose another prefix");
  std::vector<TensorToSave> items;
  std::deque<std::vector<std::string>> strings;
  for (size_t i = 0; i < count; ++i) {
    const ingot_checkpoint_tensor &tensor = tensors[i];
    TensorToSave item;
    item.key = tensor.name ? tensor.name : "";
    item.slice = tensor.slice ? tensor.slice : "";
    item.dtype = tensor.dtype;
    item.shape.assign(tensor.dims, tensor.dims + tensor.rank);
    item.data = tensor.data;
    std::optional<int64_t> elements = elementCount(item.shape);
    if (!elements || (!tensor.data && *elements > 0))
      return Status(
          StatusCode::InvalidArgument,
          "tensor '" + item.key + "' of shape " + shapeText(item.shape) +
              (elements
                   ? " needs a pointer to its elements, but its data is null"
                   : " has a negative dimension, or more than 2^63 - 1 "
                     "elements"));
    if (tensor.dtype == INGOT_STRING) {
      auto *texts = static_cast<const ingot_checkpoint_string *>(tensor.data);
      std::vector<std::string> &copy = strings.emplace_back();
      for (int64_t e = 0; e < *elements; ++e)
        copy.emplace_back(texts[e].data, texts[e].size);
      item.data = copy.data();
    }
    items.push_back(std::move(item));
  }
  shards = std::max(shards, 1u);
  spreadOverShards(items, shards);
  return writeCheckpoint(fileSystem, prefix, shards, shards > 1, items);
}

} // namespace

int32_t ingot_checkpoint_open(const char *path, ingot_checkpoint **checkpoint,
                              char *message, size_t messageSize) {
  *checkpoint = nullptr;
  auto open = [&]() -> Status {
    auto opened = std::make_unique<ingot_checkpoint>();
    INGOT_ASSIGN_OR_RETURN(opened->reader,
                           CheckpointReader::open(FileSystem::posix(), path));
    INGOT_ASSIGN_OR_RETURN(opened->objects,
                           ObjectCheckpointNames::read(*opened->reader));
    for (const std::string &key : opened->reader->keys()) {
      const CheckpointEntry &entry = *opened->reader->find(key);
      std::vector<std::string> &slices = opened->slices.emplace_back();
      for (const TensorSlice &slice : entry.slices)
        slices.push_back(sliceSpec(entry.shape, slice));
    }
    *checkpoint = opened.release();
    return Status::ok();
  };
  return finish(open(), message, messageSize);
}

void ingot_checkpoint_close(ingot_checkpoint *checkpoint) { delete checkpoint; }

const char *ingot_checkpoint_format(const ingot_checkpoint *checkpoint) {
  return formatName(checkpoint->reader->format());
}

size_t ingot_checkpoint_count(const ingot_checkpoint *checkpoint) {
  return checkpoint->reader->keys().size();
}

const char *ingot_checkpoint_name(const ingot_checkpoint *checkpoint,
                                  size_t index) {
  return checkpoint->entry(index) ? checkpoint->reader->keys()[index].c_str()
                                  : nullptr;
}

int64_t ingot_checkpoint_find(const ingot_checkpoint *checkpoint,
                              const char *name) {
  Expected<std::string> key =
      checkpoint->objects.keyOf(*checkpoint->reader, name);
  const std::vector<std::string> &keys = checkpoint->reader->keys();
  if (!key)
    return -1;
  auto found = std::lower_bound(keys.begin(), keys.end(), *key);
  return found != keys.end() && *found == *key ? found - keys.begin() : -1;
}

int32_t ingot_checkpoint_dtype(const ingot_checkpoint *checkpoint,
                               size_t index) {
  const CheckpointEntry *entry = checkpoint->entry(index);
  return entry ? entry->dtype : 0;
}

uint32_t ingot_checkpoint_rank(const ingot_checkpoint *checkpoint,
                               size_t index) {
  const CheckpointEntry *entry = checkpoint->entry(index);
  return entry ? static_cast<uint32_t>(entry->shape.size()) : 0;
}

const int64_t *ingot_checkpoint_dims(const ingot_checkpoint *checkpoint,
                                     size_t index) {
  const CheckpointEntry *entry = checkpoint->entry(index);
  return entry ? entry->shape.data() : nullptr;
}

uint64_t ingot_checkpoint_size(const ingot_checkpoint *checkpoint,
                               size_t index) {
  const CheckpointEntry *entry = checkpoint->entry(index);
  return entry ? static_cast<uint64_t>(elementCount(entry->shape).value_or(0)) *
                     dtypeSize(entry->dtype)
               : 0;
}

const char *ingot_checkpoint_dtype_name(int32_t dtype) {
  // The name of an unknown type contains its number, so dtypeName() returns a
  // std::string and not a literal. Keep one string per thread: the result is
  // valid until the thread's next call.
  static thread_local std::string name;
  name = dtypeName(dtype);
  return name.c_str();
}

size_t ingot_checkpoint_dtype_size(int32_t dtype) { return dtypeSize(dtype); }

size_t ingot_checkpoint_num_slices(const ingot_checkpoint *checkpoint,
                                   size_t index) {
  return checkpoint->entry(index) ? checkpoint->slices[index].size() : 0;
}

const char *ingot_checkpoint_slice(const ingot_checkpoint *checkpoint,
                                   size_t index, size_t slice) {
  return slice < ingot_checkpoint_num_slices(checkpoint, index)
             ? checkpoint->slices[index][slice].c_str()
             : nullptr;
}

int32_t ingot_checkpoint_read(const ingot_checkpoint *checkpoint, size_t index,
                              const char *slice, void *destination,
                              uint64_t size, char *message,
                              size_t messageSize) {
  return finish(readElements(*checkpoint, index, slice, destination, size),
                message, messageSize);
}

int32_t ingot_checkpoint_read_strings(const ingot_checkpoint *checkpoint,
                                      size_t index, const char *slice,
                                      ingot_checkpoint_string **strings,
                                      uint64_t *count, char *message,
                                      size_t messageSize) {
  *strings = nullptr;
  *count = 0;
  auto read = [&]() -> Status {
    INGOT_ASSIGN_OR_RETURN(const CheckpointEntry *entry,
                           entryAt(*checkpoint, index));
    const std::string &name = checkpoint->reader->keys()[index];
    if (entry->dtype != INGOT_STRING)
      return Status(StatusCode::InvalidArgument,
                    "tensor '" + name + "' has type " +
                        dtypeName(entry->dtype) +
                        ", expected string: ingot_checkpoint_read() reads it");
    INGOT_ASSIGN_OR_RETURN(
        TensorData tensor,
        readTensor(*checkpoint->reader, name, slice ? slice : ""));
    INGOT_ASSIGN_OR_RETURN(*strings, packStrings(tensor.strings));
    *count = tensor.strings.size();
    return Status::ok();
  };
  return finish(read(), message, messageSize);
}

void ingot_checkpoint_free_strings(ingot_checkpoint_string *strings) {
  std::free(strings);
}

int32_t ingot_checkpoint_verify(const ingot_checkpoint *checkpoint,
                                uint32_t threads, char *message,
                                size_t messageSize) {
  std::vector<Status> damage = checkpoint->reader->findDamage(threads);
  if (damage.empty())
    return finish(Status::ok(), message, messageSize);
  std::string lines;
  for (const Status &status : damage)
    lines += (lines.empty() ? "" : "\n") + status.message();
  return finish(Status(damage.front().code(), std::move(lines)), message,
                messageSize);
}

int32_t ingot_checkpoint_write(const char *prefix,
                               const ingot_checkpoint_tensor *tensors,
                               size_t count, uint32_t shards, int replace,
                               char *message, size_t messageSize) {
  return finish(writeTensors(prefix, tensors, count, shards, replace != 0),
                message, messageSize);
}

int32_t ingot_checkpoint_latest(const char *directory,
                                const char *latestFilename, char *prefix,
                                size_t prefixSize, char *message,
                                size_t messageSize) {
  auto find = [&]() -> Status {
    INGOT_ASSIGN_OR_RETURN(
        std::string found,
        latestCheckpoint(FileSystem::posix(), directory,
                         latestFilename ? latestFilename : "checkpoint"));
    if (found.size() >= prefixSize)
      return Status(
          StatusCode::InvalidArgument,
          "the buffer for the checkpoint's prefix '" + found +
              "' must have at least " + std::to_string(found.size() + 1) +
              " bytes, but prefix_size is " + std::to_string(prefixSize));
    std::memcpy(prefix, found.c_str(), found.size() + 1);
    return Status::ok();
  };
  return finish(find(), message, messageSize);
}

int32_t ingot_checkpoint_list(const char *directory, const char *latestFilename,
                              ingot_checkpoint_listed **list, size_t *count,
                              char *message, size_t messageSize) {
  *list = nullptr;
  *count = 0;
  auto read = [&]() -> Status {
    INGOT_ASSIGN_OR_RETURN(
        CheckpointState state,
        checkpointState(FileSystem::posix(), directory,
                        latestFilename ? latestFilename : "checkpoint"));
    INGOT_ASSIGN_OR_RETURN(*list, packList(state));
    *count = state.allModelCheckpointPaths.size();
    return Status::ok();
  };
  return finish(read(), message, messageSize);
}

void ingot_checkpoint_free_list(ingot_checkpoint_listed *list) {
  std::free(list);
}

size_t ingot_checkpoint_mtimes(const char *const *prefixes, size_t count,
                               double *times) {
  std::vector<std::string> names(prefixes, prefixes + count);
  std::vector<double> found = checkpointTimes(FileSystem::posix(), names);
  std::copy(found.begin(), found.end(), times);
  return found.size();
}

int32_t ingot_checkpoint_remove(const char *prefix, const char *metaGraphSuffix,
                                char *message, size_t messageSize) {
  return finish(removeCheckpoint(FileSystem::posix(), prefix,
                                 metaGraphSuffix ? metaGraphSuffix : "meta"),
                message, messageSize);
}

int32_t ingot_checkpoint_set_last(const char *directory,
                                  const char *latestFilename,
                                  const char *const *prefixes,
                                  const double *times, size_t count,
                                  char *message, size_t messageSize) {
  std::vector<LastCheckpointsEntry> list;
  for (size_t i = 0; i < count; ++i)
    list.push_back(
        {prefixes[i],
         times ? times[i] : std::numeric_limits<double>::infinity()});
  return finish(
      setLastCheckpoints(FileSystem::posix(), directory, list,
                         latestFilename ? latestFilename : "checkpoint"),
      message, messageSize);
}
