//===- BundleReader.cpp - Reads V2 checkpoints: the index -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/ProtoConversions.h"
#include "runtime/Checkpoint/StoredTensor.h"
#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParallelTasks.h"

#include "proto/TensorBundle.pb.h"

#include <algorithm>

using namespace ingot;

namespace {

// The version of the bundle format that this reader supports; TensorFlow's
// kTensorBundleVersion.
constexpr int32_t bundleVersion = 1;

// The largest possible number of shards, because names of data shards have five
// digits for this number.
constexpr int32_t mostShards = 99999;

// findDamage() reports at most this number of missing shards, as a damaged
// header can claim any number of shards.
constexpr size_t mostMissingNamed = 20;

} // namespace

BundleReader::BundleReader(FileSystem &fileSystem, std::string index,
                           ShardNamer namer)
    : fileSystem(fileSystem), indexFile(std::move(index)),
      shardNamer(std::move(namer)) {}

BundleReader::~BundleReader() = default;

Expected<std::unique_ptr<BundleReader>>
BundleReader::open(FileSystem &fileSystem, std::string prefix) {
  std::string index = indexPath(prefix);
  return openFiles(
      fileSystem, std::move(index),
      [prefix = std::move(prefix)](uint32_t shard, uint32_t numShards) {
        return ingot::shardPath(prefix, shard, numShards);
      });
}

Expected<std::unique_ptr<BundleReader>>
BundleReader::openFiles(FileSystem &fileSystem, std::string index,
                        ShardNamer shardNamer) {
  std::unique_ptr<BundleReader> reader(
      new BundleReader(fileSystem, std::move(index), std::move(shardNamer)));
  INGOT_RETURN_IF_ERROR(reader->load());
  return reader;
}

/// Reads all records of the index. The first record is the header: its key is
/// empty, so it precedes all other keys of the sorted table.
Status BundleReader::load() {
  bool first = true;
  INGOT_RETURN_IF_ERROR(readTable(
      fileSystem, indexFile, [&](std::string_view key, std::string_view value) {
        if (first != key.empty())
          return Status(StatusCode::DataLoss,
                        "'" + indexFile +
                            "': damaged: its first record must be the bundle's "
                            "header, with an empty key");
        if (!first)
          return addEntry(key, value);
        first = false;
        return addHeader(value);
      }));
  if (first)
    return Status(
        StatusCode::DataLoss,
        "'" + indexFile +
            "': damaged: it has no record, and so lacks the bundle's header");
  for (const auto &[name, entry] : entries) {
    if (isSliceKey(name))
      continue;
    INGOT_RETURN_IF_ERROR(checkSlices(name, entry));
    names.push_back(name);
  }
  return Status::ok();
}

Status BundleReader::addHeader(std::string_view value) {
  auto failure = [&](StatusCode code, const std::string &what) {
    return Status(code, "'" + indexFile + "': " + what);
  };
  proto::BundleHeaderProto header;
  if (!parseMessage(header, value))
    return failure(StatusCode::DataLoss,
                   "the bundle's header can't be parsed: the file is damaged, "
                   "or not the index of a checkpoint");
  if (header.num_shards() <= 0 || header.num_shards() > mostShards)
    return failure(
        StatusCode::DataLoss,
        "the bundle's header claims " + std::to_string(header.num_shards()) +
            " data shards, expected 1 to " + std::to_string(mostShards));
  if (header.endianness() != proto::BundleHeaderProto::LITTLE)
    return failure(StatusCode::Unimplemented,
                   "big-endian checkpoints are not supported");
  if (header.version().min_consumer() > bundleVersion)
    return failure(StatusCode::Unimplemented,
                   "the checkpoint requires a reader of bundle version " +
                       std::to_string(header.version().min_consumer()) +
                       " or later, but this reader has version " +
                       std::to_string(bundleVersion));
  shardCount = static_cast<uint32_t>(header.num_shards());
  return Status::ok();
}

Status BundleReader::addEntry(std::string_view key, std::string_view value) {
  auto failure = [&](std::string_view what) {
    return Status(StatusCode::DataLoss, "'" + indexFile + "': tensor " +
                                            quotedKey(key) + ": " +
                                            std::string(what));
  };
  proto::BundleEntryProto proto;
  if (!parseMessage(proto, value))
    return failure(
        "its index entry can't be parsed: the checkpoint is damaged");
  if (proto.shard_id() < 0 || proto.offset() < 0 || proto.size() < 0 ||
      proto.shape().unknown_rank())
    return failure("its index entry must have a shape and no negative numbers, "
                   "but has shard " +
                   std::to_string(proto.shard_id()) + ", offset " +
                   std::to_string(proto.offset()) + ", size " +
                   std::to_string(proto.size()) + " and " +
                   (proto.shape().unknown_rank() ? "no shape" : "a shape"));
  BundleEntry entry;
  entry.dtype = proto.dtype();
  entry.shape = shapeFrom(proto.shape());
  entry.shard = static_cast<uint32_t>(proto.shard_id());
  entry.offset = static_cast<uint64_t>(proto.offset());
  entry.size = static_cast<uint64_t>(proto.size());
  entry.crc32c = proto.crc32c();
  for (const auto &slice : proto.slices())
    entry.slices.push_back(sliceFrom(slice));
  if (Status status = checkEntry(entry); !status.isOk())
    return failure(status.message());
  entries.emplace(key, std::move(entry));
  return Status::ok();
}

/// Checks that the size, shape and shard of an index entry agree with each
/// other. Called when the index is read, before memory for the tensor is
/// allocated, since a damaged entry may claim any size.
Status BundleReader::checkEntry(const BundleEntry &entry) const {
  auto failure = [](const std::string &what) {
    return Status(StatusCode::DataLoss, what);
  };
  std::optional<int64_t> elements = elementCount(entry.shape);
  if (!elements)
    return failure("its shape " + shapeText(entry.shape) +
                   " has a negative dimension or too many elements");
  if (!entry.slices.empty())
    return Status::ok();
  if (entry.shard >= shardCount)
    return failure(
        "its index entry names data shard " + std::to_string(entry.shard) +
        ", but the checkpoint has only " + std::to_string(shardCount) +
        " data shards, numbered from 0");
  auto count = static_cast<uint64_t>(*elements);
  if (size_t size = dtypeSize(entry.dtype)) {
    if (entry.size % size != 0 || entry.size / size != count)
      return failure("it has " + std::to_string(entry.size) + " bytes, but " +
                     dtypeName(entry.dtype) + shapeText(entry.shape) +
                     " needs " + std::to_string(count) + " elements of " +
                     std::to_string(size) + " bytes");
  } else if (entry.dtype == INGOT_STRING) {
    // Checks that the bytes suffice for `count` strings: each string's length
    // is a varint of at least one byte, and a checksum of four bytes follows
    // the lengths.
    if (entry.size < 4 || entry.size - 4 < count)
      return failure("it has " + std::to_string(entry.size) + " bytes for " +
                     std::to_string(count) + " strings, expected at least " +
                     std::to_string(count + 4));
  }
  return Status::ok();
}

/// Checks that all slices of a partitioned tensor are in the index, lie inside
/// the tensor, and do not overlap.
Status BundleReader::checkSlices(const std::string &name,
                                 const BundleEntry &entry) const {
  auto failure = [&](const std::string &what) {
    return Status(StatusCode::DataLoss, "'" + indexFile + "': tensor " +
                                            quotedKey(name) + ": " + what);
  };
  std::vector<TensorSlice> boxes;
  for (const TensorSlice &slice : entry.slices) {
    Expected<TensorSlice> box = slice.within(entry.shape);
    if (!box)
      return failure(box.status().message());
    const BundleEntry *stored = find(encodeSliceKey(name, slice));
    if (!stored)
      return failure("its slice " + slice.text() +
                     " is listed, but has no entry of its own in the index: "
                     "the checkpoint is damaged");
    if (stored->dtype != entry.dtype || stored->shape != box->shape() ||
        !stored->slices.empty())
      return failure("its slice " + slice.text() + " is stored as " +
                     dtypeName(stored->dtype) + shapeText(stored->shape) +
                     ", expected an unsliced " + dtypeName(entry.dtype) +
                     shapeText(box->shape()));
    boxes.push_back(std::move(*box));
  }
  if (auto overlap = findOverlap(boxes))
    return failure("its slices " + entry.slices[overlap->first].text() +
                   " and " + entry.slices[overlap->second].text() + " overlap");
  return Status::ok();
}

const BundleEntry *BundleReader::find(std::string_view key) const {
  auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::string BundleReader::shardPath(uint32_t shard) const {
  return shardNamer(shard, shardCount);
}

Expected<const RandomAccessFile *>
BundleReader::shardFile(uint32_t shard) const {
  std::lock_guard<std::mutex> lock(shardMutex);
  std::unique_ptr<RandomAccessFile> &file = shardFiles[shard];
  if (!file) {
    Expected<std::unique_ptr<RandomAccessFile>> opened =
        fileSystem.openForReading(shardPath(shard));
    if (!opened)
      return opened.takeStatus().withContext(
          "data shard " + std::to_string(shard) + " of '" + indexFile + "'");
    file = std::move(*opened);
  }
  return file.get();
}

/// Returns the index entry that locates the data of part `part` of tensor
/// `key`. A tensor stored whole has one part, located by the tensor's own
/// entry. The parts of a partitioned tensor are its slices, each of which has
/// an entry.
const BundleEntry &BundleReader::storedEntry(std::string_view key,
                                             size_t part) const {
  const BundleEntry &entry = *find(key);
  return entry.slices.empty() ? entry
                              : *find(encodeSliceKey(key, entry.slices[part]));
}

std::vector<TensorLocation> BundleReader::parts(std::string_view key) const {
  std::vector<TensorLocation> parts;
  const BundleEntry *entry = find(key);
  if (!entry)
    return parts;
  for (size_t i = 0; i < std::max<size_t>(entry->slices.size(), 1); ++i) {
    const BundleEntry &stored = storedEntry(key, i);
    parts.push_back({entry->slices.empty() ? TensorSlice() : entry->slices[i],
                     stored.shard, stored.offset, stored.size});
  }
  return parts;
}

Status BundleReader::checkPlaces(std::string_view key) const {
  size_t count = parts(key).size();
  for (size_t i = 0; i < count; ++i) {
    const BundleEntry &stored = storedEntry(key, i);
    INGOT_ASSIGN_OR_RETURN(const RandomAccessFile *file,
                           shardFile(stored.shard));
    INGOT_RETURN_IF_ERROR(
        StoredTensor(shardPath(stored.shard), *file, quotedKey(key), stored)
            .checkPlace());
  }
  return Status::ok();
}

Status BundleReader::readPart(std::string_view key, size_t part,
                              const TensorSlice &from, const TensorSlice &box,
                              void *destination) const {
  const BundleEntry &stored = storedEntry(key, part);
  INGOT_ASSIGN_OR_RETURN(const RandomAccessFile *file, shardFile(stored.shard));
  return StoredTensor(shardPath(stored.shard), *file, quotedKey(key), stored)
      .read(from, box, destination);
}

std::vector<Status> BundleReader::findDamage(unsigned threads) const {
  std::vector<Status> damage;
  std::vector<bool> isMissing(shardCount, false);
  for (uint32_t shard = 0; shard < shardCount; ++shard) {
    if (damage.size() == mostMissingNamed) {
      // Stops looking for missing shards after `mostMissingNamed`, since a
      // damaged header can claim any number of shards. All further shards count
      // as missing.
      std::fill(isMissing.begin() + shard, isMissing.end(), true);
      break;
    }
    Expected<const RandomAccessFile *> file = shardFile(shard);
    if (file)
      continue;
    isMissing[shard] = true;
    damage.push_back(file.takeStatus());
  }
  std::vector<std::pair<const std::string *, const BundleEntry *>> stored;
  for (const auto &[key, entry] : entries)
    if (entry.slices.empty() && !isMissing[entry.shard])
      stored.emplace_back(&key, &entry);
  std::vector<Status> found(stored.size());
  (void)runTasks(threads, stored.size(), [&](size_t i) {
    const BundleEntry &entry = *stored[i].second;
    Expected<const RandomAccessFile *> file = shardFile(entry.shard);
    found[i] = file ? StoredTensor(shardPath(entry.shard), **file,
                                   quotedKey(*stored[i].first), entry)
                          .verify()
                    : file.takeStatus();
    return Status::ok();
  });
  for (Status &status : found)
    if (!status.isOk())
      damage.push_back(std::move(status));
  return damage;
}
