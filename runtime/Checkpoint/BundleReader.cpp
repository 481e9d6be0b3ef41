//===- BundleReader.cpp - Reads V2 checkpoints: the index -----------------===//

#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/StoredTensor.h"
#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Support/DType.h"

#include "proto/TensorBundle.pb.h"

#include <algorithm>

using namespace ingot;

namespace {

// The version of the bundle format that we know, TensorFlow's
// kTensorBundleVersion.
constexpr int32_t bundleVersion = 1;

/// Parses a record's value; protobuf counts bytes in an int.
template <typename Message>
bool parse(Message &message, std::string_view value) {
  return value.size() <= INT32_MAX &&
         message.ParseFromArray(value.data(), static_cast<int>(value.size()));
}

bool isPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c != '\x7f'; });
}

/// A key for messages; slice keys hold bytes that don't print.
std::string quoted(std::string_view key) {
  if (isPrintable(key))
    return "'" + std::string(key) + "'";
  std::string text = "'";
  for (char c : key)
    text += isPrintable({&c, 1}) ? c : '?';
  return text + "'";
}

Shape shapeFrom(const proto::TensorShapeProto &proto) {
  Shape shape;
  for (const auto &dim : proto.dim())
    shape.push_back(dim.size());
  return shape;
}

TensorSlice sliceFrom(const proto::TensorSliceProto &proto) {
  TensorSlice slice;
  for (const auto &extent : proto.extent())
    slice.extents.push_back(
        {extent.start(),
         extent.has_length_case() == proto::TensorSliceProto::Extent::kLength
             ? extent.length()
             : TensorSlice::Extent::full});
  return slice;
}

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

Status BundleReader::load() {
  bool first = true;
  INGOT_RETURN_IF_ERROR(readTable(
      fileSystem, indexFile, [&](std::string_view key, std::string_view value) {
        if (first != key.empty())
          return Status(StatusCode::DataLoss,
                        "'" + indexFile + "': the bundle's header is missing");
        if (!first)
          return addEntry(key, value);
        first = false;
        return addHeader(value);
      }));
  if (first)
    return Status(StatusCode::DataLoss,
                  "'" + indexFile + "': the bundle's header is missing");
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
  if (!parse(header, value))
    return failure(StatusCode::DataLoss, "the bundle's header can't be parsed");
  if (header.num_shards() <= 0)
    return failure(StatusCode::DataLoss,
                   "the bundle's header speaks of " +
                       std::to_string(header.num_shards()) + " data shards");
  if (header.endianness() != proto::BundleHeaderProto::LITTLE)
    return failure(StatusCode::Unimplemented,
                   "the checkpoint was written by a big-endian machine, which "
                   "isn't supported");
  if (header.version().min_consumer() > bundleVersion)
    return failure(StatusCode::Unimplemented,
                   "the checkpoint asks for readers of bundle version " +
                       std::to_string(header.version().min_consumer()) +
                       ", this one knows version " +
                       std::to_string(bundleVersion));
  shardCount = static_cast<uint32_t>(header.num_shards());
  return Status::ok();
}

Status BundleReader::addEntry(std::string_view key, std::string_view value) {
  auto failure = [&](std::string_view what) {
    return Status(StatusCode::DataLoss, "'" + indexFile + "': tensor " +
                                            quoted(key) + ": " +
                                            std::string(what));
  };
  proto::BundleEntryProto proto;
  if (!parse(proto, value))
    return failure("its entry can't be parsed");
  if (proto.shard_id() < 0 || proto.offset() < 0 || proto.size() < 0 ||
      proto.shape().unknown_rank())
    return failure("its entry has a negative number or no shape");
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

/// Checks what an entry says against itself, before anything is allocated.
Status BundleReader::checkEntry(const BundleEntry &entry) const {
  auto failure = [](const std::string &what) {
    return Status(StatusCode::DataLoss, what);
  };
  std::optional<int64_t> elements = elementCount(entry.shape);
  if (!elements)
    return failure("its shape " + shapeText(entry.shape) +
                   " isn't that of a tensor");
  if (!entry.slices.empty())
    return Status::ok();
  if (entry.shard >= shardCount)
    return failure("it lies in data shard " + std::to_string(entry.shard) +
                   ", the checkpoint has " + std::to_string(shardCount));
  auto count = static_cast<uint64_t>(*elements);
  if (size_t size = dtypeSize(entry.dtype)) {
    if (entry.size % size != 0 || entry.size / size != count)
      return failure("it has " + std::to_string(entry.size) + " bytes, " +
                     dtypeName(entry.dtype) + shapeText(entry.shape) +
                     " needs " + std::to_string(count) + " times " +
                     std::to_string(size));
  } else if (entry.dtype == INGOT_STRING) {
    // Each element has a length of at least one byte; a checksum follows.
    if (entry.size < 4 || entry.size - 4 < count)
      return failure("it has " + std::to_string(entry.size) + " bytes for " +
                     std::to_string(count) + " strings");
  }
  return Status::ok();
}

/// Checks that the slices of a partitioned tensor are there, fit the tensor,
/// and don't overlap.
Status BundleReader::checkSlices(const std::string &name,
                                 const BundleEntry &entry) const {
  auto failure = [&](const std::string &what) {
    return Status(StatusCode::DataLoss,
                  "'" + indexFile + "': tensor " + quoted(name) + ": " + what);
  };
  std::vector<TensorSlice> boxes;
  for (const TensorSlice &slice : entry.slices) {
    Expected<TensorSlice> box = slice.within(entry.shape);
    if (!box)
      return failure(box.status().message());
    const BundleEntry *stored = find(encodeSliceKey(name, slice));
    if (!stored)
      return failure("its slice " + slice.text() + " isn't in the index");
    if (stored->dtype != entry.dtype || stored->shape != box->shape() ||
        !stored->slices.empty())
      return failure("its slice " + slice.text() + " is stored as " +
                     dtypeName(stored->dtype) + shapeText(stored->shape));
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

/// The part of tensor `key` that is asked for, after all that can be checked in
/// the index has been checked.
Expected<TensorSlice> BundleReader::locate(std::string_view key,
                                           std::string_view slice,
                                           int32_t dtype,
                                           const Shape &shape) const {
  const BundleEntry *entry = find(key);
  if (!entry)
    return Status(StatusCode::NotFound, "not in the checkpoint");
  if (entry->dtype != dtype)
    return Status(StatusCode::InvalidArgument,
                  "has type " + dtypeName(entry->dtype) + ", expected " +
                      dtypeName(dtype));
  TensorSlice wanted;
  if (!slice.empty()) {
    INGOT_ASSIGN_OR_RETURN(ShapeAndSlice part, parseShapeAndSlice(slice));
    if (part.fullShape != entry->shape)
      return Status(StatusCode::InvalidArgument,
                    "has shape " + shapeText(entry->shape) +
                        ", expected a tensor of shape " +
                        shapeText(part.fullShape) + " to take a slice of");
    wanted = std::move(part.slice);
  }
  INGOT_ASSIGN_OR_RETURN(TensorSlice box, wanted.within(entry->shape));
  if (box.shape() != shape)
    return Status(StatusCode::InvalidArgument,
                  "has shape " + shapeText(box.shape()) + ", expected " +
                      shapeText(shape));
  if (entry->slices.empty())
    return box;
  // The stored slices don't overlap, so that counting is enough.
  int64_t missing = *elementCount(shape);
  for (const TensorSlice &stored : entry->slices) {
    INGOT_ASSIGN_OR_RETURN(TensorSlice from, stored.within(entry->shape));
    if (std::optional<TensorSlice> shared = intersect(from, box))
      missing -= *elementCount(shared->shape());
  }
  if (missing != 0)
    return Status(StatusCode::DataLoss,
                  "its stored slices lack " + std::to_string(missing) +
                      " of the " + std::to_string(*elementCount(shape)) +
                      " elements asked for");
  return box;
}

Status BundleReader::check(std::string_view key, std::string_view slice,
                           int32_t dtype, const Shape &shape) const {
  return locate(key, slice, dtype, shape).takeStatus();
}

Status BundleReader::read(std::string_view key, std::string_view slice,
                          int32_t dtype, const Shape &shape,
                          void *destination) const {
  Expected<TensorSlice> box = locate(key, slice, dtype, shape);
  if (!box)
    return box.takeStatus().withContext("'" + indexFile + "': tensor " +
                                        quoted(key));
  auto readFrom = [&](const BundleEntry &stored,
                      const TensorSlice &from) -> Status {
    INGOT_ASSIGN_OR_RETURN(const RandomAccessFile *file,
                           shardFile(stored.shard));
    return StoredTensor(shardPath(stored.shard), *file, quoted(key), stored)
        .read(from, *box, destination);
  };
  const BundleEntry &entry = *find(key);
  if (entry.slices.empty()) {
    INGOT_ASSIGN_OR_RETURN(TensorSlice all, TensorSlice().within(entry.shape));
    return readFrom(entry, all);
  }
  for (const TensorSlice &stored : entry.slices) {
    INGOT_ASSIGN_OR_RETURN(TensorSlice from, stored.within(entry.shape));
    if (intersect(from, *box))
      INGOT_RETURN_IF_ERROR(readFrom(*find(encodeSliceKey(key, stored)), from));
  }
  return Status::ok();
}

Status BundleReader::verify() const {
  for (uint32_t shard = 0; shard < shardCount; ++shard) {
    Expected<const RandomAccessFile *> file = shardFile(shard);
    if (!file)
      return file.takeStatus();
  }
  for (const auto &[key, entry] : entries) {
    if (!entry.slices.empty())
      continue;
    INGOT_ASSIGN_OR_RETURN(const RandomAccessFile *file,
                           shardFile(entry.shard));
    INGOT_RETURN_IF_ERROR(
        StoredTensor(shardPath(entry.shard), *file, quoted(key), entry)
            .verify());
  }
  return Status::ok();
}
