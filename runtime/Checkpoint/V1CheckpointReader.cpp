//===- V1CheckpointReader.cpp - Reads V1 checkpoints ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/V1CheckpointReader.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/ProtoConversions.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParallelTasks.h"
#include "runtime/Support/ProtoWireReader.h"

#include "proto/SavedTensorSlices.pb.h"

#include <set>

using namespace ingot;

namespace {

// The version of the V1 format that this reader supports; TensorFlow's
// TF_CHECKPOINT_VERSION.
constexpr int32_t tableVersion = 1;

// Protobuf field numbers: `data` in SavedTensorSlices; name, slice and
// TensorProto in SavedSlice.
enum { DataField = 2, NameField = 1, SliceField = 2, TensorField = 3 };

// The size limit, in bytes, of a record's name and slice, which are the fields
// that come before its elements.
constexpr uint64_t largestDescription = 1024 * 1024;

/// Reads the tag and the size of a length-delimited field. Returns false if the
/// next field is of another wire type or extends beyond `end`.
bool takeField(TableRecordByteStream &record, uint64_t end, uint64_t &number,
               uint64_t &fieldEnd) {
  uint64_t tag, size;
  if (!record.readVarint(tag) || (tag & 7) != Delimited ||
      !record.readVarint(size) || record.position() > end ||
      size > end - record.position())
    return false;
  number = tag >> 3;
  fieldEnd = record.position() + size;
  return true;
}

/// Reads the next `size` bytes of a record into `bytes`. The string grows as
/// bytes arrive, because a damaged `size` may be too large to allocate in
/// advance.
bool takeBytes(TableRecordByteStream &record, uint64_t size,
               std::string &bytes) {
  bytes.clear();
  while (size > 0) {
    std::string_view piece = record.peek().substr(0, size);
    if (piece.empty())
      return false;
    bytes.append(piece);
    record.advance(piece.size());
    size -= piece.size();
  }
  return true;
}

} // namespace

V1CheckpointReader::~V1CheckpointReader() = default;

Expected<std::unique_ptr<V1CheckpointReader>>
V1CheckpointReader::open(FileSystem &fileSystem,
                         const std::vector<std::string> &files) {
  std::unique_ptr<V1CheckpointReader> reader(new V1CheckpointReader);
  for (uint32_t i = 0; i < files.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<TableReader> table,
                           TableReader::open(fileSystem, files[i]));
    reader->tables.push_back(std::move(table));
    INGOT_RETURN_IF_ERROR(reader->load(i));
  }
  for (auto &[name, entry] : reader->entries) {
    INGOT_RETURN_IF_ERROR(reader->finish(name, entry));
    reader->names.push_back(name);
  }
  return reader;
}

/// Reads the list of tensors in the first record of `table`.
Status V1CheckpointReader::load(uint32_t table) {
  // Copies only the first record, as a large tensor may be in the same block.
  std::string list;
  INGOT_ASSIGN_OR_RETURN(
      bool found, tables[table]->streamRecord(
                      "", [&](std::string_view, TableRecordByteStream &record,
                              uint64_t size) {
                        takeBytes(record, size, list);
                        return Status::ok();
                      }));
  if (!found)
    return Status(StatusCode::DataLoss,
                  "'" + tables[table]->path() +
                      "': no V1 checkpoint, or a damaged one: the record at "
                      "offset 0 that lists the tensors is missing");
  return addTensors(table, list);
}

/// Parses the list of tensors in the first record of table `table`, and adds
/// the table's slices to `entries`. Returns DataLoss if a tensor has another
/// type or shape than in an earlier table.
Status V1CheckpointReader::addTensors(uint32_t table, std::string_view value) {
  auto failure = [&](StatusCode code, const std::string &what) {
    return Status(code, "'" + tables[table]->path() + "': " + what);
  };
  proto::SavedTensorSlices record;
  if (!parseMessage(record, value) || !record.has_meta())
    return failure(StatusCode::DataLoss,
                   "not a V1 checkpoint: can't parse the record at offset 0, "
                   "which must list the tensors");
  if (record.meta().versions().min_consumer() > tableVersion)
    return failure(StatusCode::Unimplemented,
                   "the checkpoint requires a reader of version " +
                       std::to_string(record.meta().versions().min_consumer()) +
                       " or newer, but Ingot implements version " +
                       std::to_string(tableVersion));
  for (const proto::SavedSliceMeta &tensor : record.meta().tensor()) {
    auto damage = [&](const std::string &what) {
      return failure(StatusCode::DataLoss,
                     "tensor " + quotedKey(tensor.name()) + ": " + what);
    };
    Shape shape = shapeFrom(tensor.shape());
    if (tensor.shape().unknown_rank() || !elementCount(shape))
      return damage(tensor.shape().unknown_rank()
                        ? std::string("its shape is unknown")
                        : "its shape " + shapeText(shape) +
                              " has a negative dimension or too many elements");
    auto [at, isNew] = entries.try_emplace(tensor.name());
    TensorWithSlices &entry = at->second;
    if (isNew) {
      entry.dtype = tensor.type();
      entry.shape = std::move(shape);
    } else if (entry.dtype != tensor.type() || entry.shape != shape) {
      return damage(
          "it is " + dtypeName(tensor.type()) + shapeText(shape) + " here, " +
          dtypeName(entry.dtype) + shapeText(entry.shape) + " in '" +
          tables[entry.tables.empty() ? table : entry.tables[0]]->path() + "'");
    }
    if (tensor.slice().empty())
      return damage("it has no slices, expected at least one");
    for (const auto &slice : tensor.slice()) {
      entry.stored.push_back(sliceFrom(slice));
      entry.tables.push_back(table);
    }
  }
  return Status::ok();
}

/// Checks that the slices of a tensor lie inside it, do not overlap, and can
/// fit into their files. Called when the file is opened, before memory for the
/// tensor is allocated.
Status V1CheckpointReader::finish(const std::string &name,
                                  TensorWithSlices &entry) const {
  std::vector<TensorSlice> boxes;
  for (size_t i = 0; i < entry.stored.size(); ++i) {
    const TableReader &table = *tables[entry.tables[i]];
    auto failure = [&](const std::string &what) {
      return Status(StatusCode::DataLoss, "'" + table.path() + "': tensor " +
                                              quotedKey(name) + ": " + what);
    };
    Expected<TensorSlice> box = entry.stored[i].within(entry.shape);
    if (!box)
      return failure(box.status().message());
    // Rejects a count of elements for which the file is too small. An element
    // takes at least one byte, and snappy expands a byte to less than 32 bytes.
    auto count = static_cast<uint64_t>(*elementCount(box->shape()));
    if (count / 32 > table.fileSize())
      return failure("the slice has " + std::to_string(count) +
                     " elements, more than a file of " +
                     std::to_string(table.fileSize()) + " bytes can hold");
    boxes.push_back(std::move(*box));
  }
  bool isWhole = boxes.size() == 1 && boxes[0].shape() == entry.shape;
  if (auto overlap = findOverlap(boxes);
      overlap || (entry.shape.empty() && boxes.size() > 1))
    return Status(
        StatusCode::DataLoss,
        "'" + tables[entry.tables[overlap ? overlap->second : 1]]->path() +
            "': tensor " + quotedKey(name) + ": its slice overlaps one in '" +
            tables[entry.tables[overlap ? overlap->first : 0]]->path() +
            "': use the files of one save only");
  if (!isWhole)
    entry.slices = entry.stored;
  return Status::ok();
}

const CheckpointEntry *V1CheckpointReader::find(std::string_view key) const {
  auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::vector<TensorLocation>
V1CheckpointReader::parts(std::string_view key) const {
  std::vector<TensorLocation> parts;
  auto found = entries.find(key);
  if (found == entries.end())
    return parts;
  const TensorWithSlices &entry = found->second;
  for (size_t i = 0; i < entry.stored.size(); ++i) {
    const TableReader &table = *tables[entry.tables[i]];
    parts.push_back({entry.slices.empty() ? TensorSlice() : entry.stored[i],
                     entry.tables[i],
                     table.blockOffset(encodeSliceKey(key, entry.stored[i])),
                     0});
  }
  return parts;
}

uint32_t V1CheckpointReader::numShards() const {
  return static_cast<uint32_t>(tables.size());
}

std::string V1CheckpointReader::shardPath(uint32_t shard) const {
  return tables[shard]->path();
}

Status V1CheckpointReader::damaged(const TableReader &table,
                                   std::string_view key, std::string_view name,
                                   const std::string &what) const {
  return Status(StatusCode::DataLoss,
                "'" + table.path() + "': tensor " + quotedKey(name) +
                    " (in the block at offset " +
                    std::to_string(table.blockOffset(key)) + "): " + what);
}

/// Decodes one slice's elements from the next `size` bytes of `record` into
/// `destination`. Returns DataLoss if the record is malformed, or belongs to
/// another tensor than `name` or to another slice than `slice`.
Status V1CheckpointReader::decode(const TableReader &table,
                                  std::string_view key,
                                  TableRecordByteStream &record, uint64_t size,
                                  std::string_view name,
                                  const TensorWithSlices &entry,
                                  const TensorSlice &slice,
                                  const TensorValueSink &destination) const {
  INGOT_ASSIGN_OR_RETURN(TensorSlice box, slice.within(entry.shape));
  auto unparsable = [&] {
    return damaged(table, key, name, "its record can't be parsed");
  };
  // A record is a SavedTensorSlices message, whose field `data` contains a
  // SavedSlice message. The fields of the latter are name, slice and
  // TensorProto. Each field occurs at most once; a missing field is empty.
  uint64_t end = record.position() + size, number = 0, fieldEnd = 0;
  if (!takeField(record, end, number, fieldEnd) || number != DataField ||
      fieldEnd != end)
    return unparsable();
  std::string bytes, storedName;
  proto::TensorSliceProto stored;
  bool seen[4] = {};
  while (record.position() < end) {
    if (!takeField(record, end, number, fieldEnd) || number > TensorField ||
        number == 0 || seen[number])
      return unparsable();
    seen[number] = true;
    if (number == TensorField) {
      std::string wrong =
          decodeTensorValues(record, fieldEnd - record.position(), entry.dtype,
                             *elementCount(box.shape()), destination);
      if (!wrong.empty())
        return damaged(table, key, name, wrong);
    } else if (fieldEnd - record.position() > largestDescription ||
               !takeBytes(record, fieldEnd - record.position(), bytes) ||
               (number == SliceField && !parseMessage(stored, bytes))) {
      return unparsable();
    } else if (number == NameField) {
      storedName = bytes;
    }
  }
  if (storedName != name || sliceFrom(stored) != slice)
    return damaged(table, key, name,
                   "its record names another tensor or slice, " +
                       quotedKey(storedName) + ", " + sliceFrom(stored).text());
  if (!seen[TensorField] && *elementCount(box.shape()) != 0)
    return damaged(table, key, name,
                   "its record has no elements, expected " +
                       std::to_string(*elementCount(box.shape())));
  return Status::ok();
}

Status V1CheckpointReader::readPart(std::string_view name, size_t part,
                                    const TensorSlice &from,
                                    const TensorSlice &box,
                                    void *destination) const {
  const TensorWithSlices &entry = entries.find(name)->second;
  const TableReader &table = *tables[entry.tables[part]];
  const TensorSlice &slice = entry.stored[part];
  size_t elementSize = dtypeSize(entry.dtype);
  if (elementSize == 0 && entry.dtype != INGOT_STRING)
    return Status(StatusCode::Unimplemented,
                  "'" + table.path() + "': tensor " + quotedKey(name) +
                      " has type " + dtypeName(entry.dtype) +
                      ", which is not supported");
  TensorValueSink values;
  if (from == box) {
    values.whole = destination;
  } else if (entry.dtype == INGOT_STRING) {
    values.text = [&](int64_t index, std::string text) {
      forEachSharedRun(
          from, index, 1, box, [&](int64_t toIndex, int64_t, int64_t) {
            static_cast<std::string *>(destination)[toIndex] = std::move(text);
          });
    };
  } else {
    values.run = [&](int64_t first, int64_t count, const char *bytes) {
      copySharedElements(from, first, count, box, elementSize, bytes,
                         static_cast<char *>(destination));
    };
  }
  std::string key = encodeSliceKey(name, slice);
  INGOT_ASSIGN_OR_RETURN(
      bool found, table.streamRecord(key, [&](std::string_view,
                                              TableRecordByteStream &record,
                                              uint64_t size) {
        return decode(table, key, record, size, name, entry, slice, values);
      }));
  if (!found)
    return damaged(table, key, name,
                   "its slice " + slice.text() +
                       " is in the list of tensors, but its record is missing");
  return Status::ok();
}

/// Reads all records of a table, and checks that they are exactly the slices
/// that the list in the first record describes.
Status V1CheckpointReader::findTableDamage(uint32_t table) const {
  // The slice whose elements a record must hold, according to the list in the
  // first record.
  struct ExpectedSlice {
    const std::string *name;
    const TensorWithSlices *entry;
    const TensorSlice *slice;
  };
  std::map<std::string, ExpectedSlice, std::less<>> expected;
  for (const auto &[name, entry] : entries)
    for (size_t i = 0; i < entry.stored.size(); ++i)
      if (entry.tables[i] == table)
        expected.emplace(encodeSliceKey(name, entry.stored[i]),
                         ExpectedSlice{&name, &entry, &entry.stored[i]});
  const TableReader &reader = *tables[table];
  INGOT_RETURN_IF_ERROR(reader.streamAll(
      [&](std::string_view key, TableRecordByteStream &record, uint64_t size) {
        if (key.empty())
          return Status::ok();
        auto found = expected.find(key);
        if (found == expected.end())
          return Status(StatusCode::DataLoss,
                        "'" + reader.path() + "': damaged at offset " +
                            std::to_string(reader.blockOffset(key)) +
                            ": record " + quotedKey(key) +
                            " is not in the list of tensors that the file's "
                            "first record contains");
        ExpectedSlice tensor = found->second;
        expected.erase(found);
        return decode(reader, key, record, size, *tensor.name, *tensor.entry,
                      *tensor.slice, TensorValueSink());
      }));
  for (const auto &[key, tensor] : expected)
    return damaged(reader, key, *tensor.name,
                   "its slice " + tensor.slice->text() +
                       " is in the list of tensors, but its record is missing");
  return Status::ok();
}

std::vector<Status> V1CheckpointReader::findDamage(unsigned threads) const {
  std::vector<Status> found(tables.size()), damage;
  (void)runTasks(threads, tables.size(), [&](size_t i) {
    found[i] = findTableDamage(static_cast<uint32_t>(i));
    return Status::ok();
  });
  for (Status &status : found)
    if (!status.isOk())
      damage.push_back(std::move(status));
  return damage;
}
