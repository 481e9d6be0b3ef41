//===- Restore.cpp - Restores whole checkpoints ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNameMap.h"
#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Checkpoint/RestoreMessages.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Support/ParallelTasks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace ingot;

namespace {

// The largest number of missing tensors for which the message suggests similar
// names. Each suggestion compares a name with all names in the checkpoint,
// which would take long if the checkpoint is that of another model.
constexpr size_t maxSuggestions = 20;

/// One restore of a checkpoint. plan() looks up all items and collects every
/// mismatch; only if there is none, readAll() reads the tensors.
class CheckpointRestore {
public:
  CheckpointRestore(FileSystem &fileSystem, const CheckpointReader &reader,
                    const ObjectCheckpointNames &objects,
                    std::span<const TensorToRestore> items,
                    const RestoreOptions &options)
      : fileSystem(fileSystem), reader(reader), objects(objects), items(items),
        options(options) {}

  void plan(const CheckpointNameMap &map);
  void findUnused();
  Status problems(const std::string &prefix) const;
  Status readAll(const std::string &prefix);

  RestoreReport report;

private:
  /// A planned read: the index of the item in `items`, and the tensor's key in
  /// the checkpoint.
  struct PlannedTensorRead {
    size_t item;
    std::string key;
    Shape shape; // the shape as stored
  };

  const Shape &storedShape(const TensorToRestore &item,
                           const Shape &stored) const;
  Status readItem(const PlannedTensorRead &read,
                  const TensorToRestore &item) const;
  void addMissing(size_t item, const std::string &key);
  static std::string describe(const TensorToRestore &item,
                              const std::string &key);

  FileSystem &fileSystem;
  const CheckpointReader &reader;
  const ObjectCheckpointNames &objects;
  std::span<const TensorToRestore> items;
  const RestoreOptions &options;
  std::vector<PlannedTensorRead> reads;
  // True if a tensor was found by its variable's name in the description of an
  // object-based checkpoint.
  bool byObjectNames = false;
  std::set<std::string, std::less<>> wanted;
  std::vector<std::string> missing, unfit;
  std::vector<UnrestorableItem> refused; // the missing and the unfit items
  std::vector<std::string> candidates;   // names to suggest for missing ones
};

std::string CheckpointRestore::describe(const TensorToRestore &item,
                                        const std::string &key) {
  if (key == item.key)
    return "'" + key + "'";
  return "'" + key + "' (for '" + item.key + "')";
}

void CheckpointRestore::addMissing(size_t item, const std::string &key) {
  report.missing.push_back(item);
  if (items[item].optional || options.allowMissing)
    return;
  refused.push_back({&items[item], key, nullptr});
  std::string line = describe(items[item], key);
  if (missing.size() < maxSuggestions) {
    if (candidates.empty())
      for (const std::string &known : reader.keys())
        candidates.push_back(objects.nameOf(known));
    std::string names;
    for (const std::string &name : nearestNames(key, candidates))
      names += (names.empty() ? "'" : ", '") + name + "'";
    if (!names.empty())
      line += ", nearest: " + names;
  }
  missing.push_back(std::move(line));
}

/// Returns whether the shape `stored` equals `shape`, in which a dimension of
/// -1 matches any size.
static bool fits(const Shape &shape, const Shape &stored) {
  return std::equal(shape.begin(), shape.end(), stored.begin(), stored.end(),
                    [](int64_t wanted, int64_t found) {
                      return wanted == -1 || wanted == found;
                    });
}

/// Returns the shape to request from the checkpoint for an item: the stored
/// shape if it matches the shape of an item that reads a whole tensor
/// (item.whole), or if the tensor may be reshaped and has the item's number of
/// elements; otherwise the item's shape.
const Shape &CheckpointRestore::storedShape(const TensorToRestore &item,
                                            const Shape &stored) const {
  if (item.whole)
    return fits(item.shape, stored) ? stored : item.shape;
  bool reshapes = (item.reshape || options.reshape) && item.slice.empty() &&
                  elementCount(item.shape) == elementCount(stored);
  return reshapes ? stored : item.shape;
}

/// Looks up every item in the checkpoint's index. If its type and shape match,
/// adds it to `reads`, otherwise to the missing or the unfit items.
void CheckpointRestore::plan(const CheckpointNameMap &map) {
  for (size_t i = 0; i < items.size(); ++i) {
    const TensorToRestore &item = items[i];
    std::string name = item.keepsName ? item.key : map.apply(item.key);
    Expected<std::string> found = objects.keyOf(reader, name);
    if (!found) {
      unfit.push_back(describe(item, name) + ": " + found.status().message());
      continue;
    }
    std::string key = std::move(*found);
    byObjectNames |= key != name;
    wanted.insert(key);
    const CheckpointEntry *entry = reader.find(key);
    if (!entry) {
      addMissing(i, name);
      continue;
    }
    if (item.optional && entry->dtype == INGOT_VARIANT) {
      report.missing.push_back(i);
      if (item.variants && entry->shape.size() == 1) {
        reads.push_back({i, std::move(key), entry->shape});
        continue;
      }
      report.notes.push_back(
          "'" + key +
          "' is a variant, readable only by the program that "
          "wrote it; skipped");
      continue;
    }
    const Shape &shape = storedShape(item, entry->shape);
    Status status = reader.check(key, item.slice, item.dtype, shape);
    if (status.isOk()) {
      reads.push_back({i, std::move(key), shape});
    } else {
      unfit.push_back(describe(item, key) + ": " + status.message());
      refused.push_back({&item, std::move(key), entry});
    }
  }
  if (byObjectNames)
    report.warnings.push_back(
        "is object-based (tf.train.Checkpoint, Keras) and is restored by its "
        "variables' names, which may differ in another program");
  // Orders the reads so that each shard is read from front to back, and so that
  // threads read from all shards at the same time. The order of `items` does
  // not matter.
  std::vector<std::tuple<size_t, uint32_t, uint64_t, size_t>> order;
  std::vector<std::vector<std::pair<uint64_t, size_t>>> perShard(
      reader.numShards());
  for (size_t i = 0; i < reads.size(); ++i)
    if (std::vector<TensorLocation> parts = reader.parts(reads[i].key);
        !parts.empty())
      perShard[parts[0].shard].emplace_back(parts[0].offset, i);
  for (uint32_t shard = 0; shard < perShard.size(); ++shard) {
    std::sort(perShard[shard].begin(), perShard[shard].end());
    for (size_t i = 0; i < perShard[shard].size(); ++i)
      order.emplace_back(i, shard, perShard[shard][i].first,
                         perShard[shard][i].second);
  }
  std::sort(order.begin(), order.end());
  std::vector<PlannedTensorRead> sorted;
  for (const auto &[turn, shard, offset, i] : order)
    sorted.push_back(std::move(reads[i]));
  reads = std::move(sorted);
}

void CheckpointRestore::findUnused() {
  for (const std::string &key : reader.keys()) {
    if (wanted.contains(key) || objects.isBookkeeping(key) ||
        key.starts_with(hookKeyPrefix))
      continue;
    if (reader.find(key)->dtype == INGOT_VARIANT)
      report.notes.push_back(
          "'" + key +
          "' is a variant, readable only by the program that "
          "wrote it; skipped");
    else
      report.unused.push_back(key);
  }
}

/// Returns one error that lists all mismatches, or ok if there are none.
Status CheckpointRestore::problems(const std::string &prefix) const {
  std::string text;
  auto list = [&](const std::string &title,
                  const std::vector<std::string> &lines) {
    if (lines.empty())
      return;
    text += "\n  " + title + ":";
    for (const std::string &line : lines)
      text += "\n    " + line;
  };
  list(std::string(missingTitle), missing);
  list(std::string(unfitTitle), unfit);
  // Lists the tensors that no item reads. If a name is missing, they are listed
  // even if options.allowUnused is set, because the missing tensor may be among
  // them under another name.
  if (!options.allowUnused || !missing.empty()) {
    std::vector<std::string> lines;
    for (const std::string &key : report.unused) {
      std::string name = objects.nameOf(key);
      lines.push_back("'" + name + "'" +
                      (name == key ? "" : " (under '" + key + "')"));
    }
    list(std::string(unusedTitle), lines);
  }
  if (text.empty())
    return Status::ok();
  ObjectCheckpointNameMatch match;
  for (const std::string &key : report.unused)
    match.unused.push_back(objects.nameOf(key));
  for (const PlannedTensorRead &read : reads)
    match.numMatched += !items[read.item].keepsName;
  std::string sentence = mismatchSentence(
      reader, prefix, objects.isObjectBased() ? &match : nullptr, refused);
  return Status(missing.empty() ? StatusCode::InvalidArgument
                                : StatusCode::NotFound,
                "cannot restore '" + prefix +
                    "':" + (sentence.empty() ? "" : " " + sentence) + text);
}

Status CheckpointRestore::readItem(const PlannedTensorRead &read,
                                   const TensorToRestore &item) const {
  if (item.whole) {
    INGOT_ASSIGN_OR_RETURN(*item.whole, readTensor(reader, read.key));
    return Status::ok();
  }
  if (reader.find(read.key)->dtype != INGOT_VARIANT)
    return reader.read(read.key, item.slice, item.dtype, read.shape, item.data);
  INGOT_RETURN_IF_ERROR(reader.checkPlaces(read.key));
  uint64_t bytes = reader.parts(read.key)[0].size;
  // Each element of a variant tensor takes at least 5 bytes: a length, and a
  // checksum of 4 bytes.
  if (static_cast<uint64_t>(read.shape[0]) > bytes / 5)
    return Status(StatusCode::DataLoss,
                  "'" + read.key + "' has " + std::to_string(bytes) +
                      " bytes for " + std::to_string(read.shape[0]) +
                      " elements of a variant tensor, expected at least 5 for "
                      "each");
  item.variants->resize(static_cast<size_t>(read.shape[0]));
  return reader.read(read.key, "", INGOT_VARIANT, read.shape,
                     item.variants->data());
}

/// Reads the planned tensors, several at a time.
Status CheckpointRestore::readAll(const std::string &prefix) {
  // Items with the same destination are read one after the other, so that the
  // last one wins regardless of the number of threads.
  std::vector<std::vector<const PlannedTensorRead *>> groups;
  std::map<const void *, size_t> groupOf;
  for (const PlannedTensorRead &read : reads) {
    const TensorToRestore &item = items[read.item];
    auto [at, isNew] = groupOf.try_emplace(
        item.whole ? static_cast<const void *>(item.whole) : item.data,
        groups.size());
    if (isNew)
      groups.emplace_back();
    groups[at->second].push_back(&read);
  }
  return runTasks(options.threads, groups.size(), [&](size_t group) {
    for (const PlannedTensorRead *read : groups[group]) {
      const TensorToRestore &item = items[read->item];
      Status status = readItem(*read, item);
      if (!status.isOk())
        return afterSentence(
            readSentence(fileSystem, reader, prefix, read->key),
            std::move(status));
    }
    return Status::ok();
  });
}

} // namespace

Expected<RestoreReport>
ingot::restoreCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                         std::span<const TensorToRestore> items,
                         const RestoreOptions &options) {
  INGOT_ASSIGN_OR_RETURN(CheckpointNameMap map,
                         CheckpointNameMap::create(options.renames));
  Expected<std::unique_ptr<CheckpointReader>> opened =
      CheckpointReader::open(fileSystem, prefix);
  if (!opened)
    return afterSentence(openSentence(fileSystem, prefix), opened.takeStatus());
  std::unique_ptr<CheckpointReader> reader = std::move(*opened);
  Expected<ObjectCheckpointNames> objects =
      ObjectCheckpointNames::read(*reader);
  if (!objects)
    return objects.takeStatus().withContext("'" + prefix + "'");
  CheckpointRestore restoring(fileSystem, *reader, *objects, items, options);
  restoring.plan(map);
  restoring.findUnused();
  INGOT_RETURN_IF_ERROR(restoring.problems(prefix));
  if (options.beforeReading)
    INGOT_RETURN_IF_ERROR(options.beforeReading(restoring.report.missing));
  INGOT_RETURN_IF_ERROR(restoring.readAll(prefix));
  return std::move(restoring.report);
}
