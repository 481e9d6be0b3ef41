//===- V1Writer.cpp - Writes V1 checkpoints -------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes one sorted table per shard, as TensorFlow's TensorSliceWriter does: a
// first record that lists tensors and slices, then a record for each slice.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/MetaGraphWire.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Checkpoint/TableWriter.h"
#include "runtime/Checkpoint/TensorValues.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ReplaceFile.h"

#include "proto/SavedTensorSlices.pb.h"

#include <algorithm>
#include <map>

using namespace ingot;

namespace {

// TensorFlow's TF_CHECKPOINT_VERSION, and protobuf field numbers: `data` in
// SavedTensorSlices; name, slice and TensorProto in SavedSlice.
constexpr int32_t tableVersion = 1;
enum { DataField = 2, NameField = 1, SliceField = 2, TensorField = 3 };

/// The contents of one file (shard) of a V1 checkpoint.
class V1CheckpointTable {
public:
  Status add(const TensorToSave &item);
  Expected<std::string> build();

private:
  Expected<proto::SavedSliceMeta *> describe(const std::string &key,
                                             int32_t dtype, const Shape &shape);

  proto::SavedTensorSlices list;
  std::map<std::string, proto::SavedSliceMeta *> described;
  std::map<std::string, std::string> records;
};

void setSlice(proto::TensorSliceProto &proto, const TensorSlice &slice) {
  for (const TensorSlice::Extent &extent : slice.extents) {
    proto::TensorSliceProto::Extent *out = proto.add_extent();
    if (extent.isFull())
      continue;
    out->set_start(extent.start);
    out->set_length(extent.length);
  }
}

/// Returns the description of tensor `key` in the first record's list of
/// tensors. Adds the description if the tensor is new. Returns InvalidArgument
/// if type or shape differ from those of a slice added earlier.
Expected<proto::SavedSliceMeta *>
V1CheckpointTable::describe(const std::string &key, int32_t dtype,
                            const Shape &shape) {
  auto [at, isNew] = described.try_emplace(key);
  if (!isNew) {
    const proto::TensorShapeProto &known = at->second->shape();
    bool same = at->second->type() == dtype &&
                static_cast<size_t>(known.dim_size()) == shape.size();
    for (size_t d = 0; same && d < shape.size(); ++d)
      same = known.dim(static_cast<int>(d)).size() == shape[d];
    if (!same)
      return Status(
          StatusCode::InvalidArgument,
          "its slices must have the same type and full shape, but one "
          "slice is of a tensor " +
              dtypeName(dtype) + shapeText(shape) +
              ", an earlier one of type " + dtypeName(at->second->type()) +
              " and rank " + std::to_string(known.dim_size()));
    return at->second;
  }
  at->second = list.mutable_meta()->add_tensor();
  at->second->set_name(key);
  at->second->set_type(static_cast<proto::DataType>(dtype));
  proto::TensorShapeProto &full = *at->second->mutable_shape();
  for (int64_t size : shape)
    full.add_dim()->set_size(size);
  return at->second;
}

Status V1CheckpointTable::add(const TensorToSave &item) {
  TensorData loaded;
  const void *data = item.data;
  if (item.load) {
    INGOT_ASSIGN_OR_RETURN(loaded, item.load());
    data = loaded.data();
  }
  ShapeAndSlice part{item.shape, TensorSlice()};
  if (!item.slice.empty()) {
    INGOT_ASSIGN_OR_RETURN(part, parseShapeAndSlice(item.slice));
  }
  // V1 checkpoints store a whole tensor as a slice that covers each dimension
  // fully.
  part.slice.extents.resize(part.fullShape.size());
  INGOT_ASSIGN_OR_RETURN(proto::SavedSliceMeta * tensor,
                         describe(item.key, item.dtype, part.fullShape));
  setSlice(*tensor->add_slice(), part.slice);

  std::string values, record, value;
  std::optional<int64_t> count = elementCount(item.shape);
  if (!count || !appendTensorValues(values, item.dtype, *count, data))
    return Status(StatusCode::InvalidArgument,
                  "a V1 checkpoint cannot store type " + dtypeName(item.dtype) +
                      " with shape " + shapeText(item.shape) +
                      ": write V2 (--write-version v2)");
  proto::TensorSliceProto slice;
  setSlice(slice, part.slice);
  wire::appendMessage(record, NameField, item.key);
  wire::appendMessage(record, SliceField, slice.SerializeAsString());
  wire::appendMessage(record, TensorField, values);
  wire::appendMessage(value, DataField, record);
  // TensorFlow parses a record as one protobuf message, which is limited to 2
  // GiB.
  if (value.size() > INT32_MAX)
    return Status(
        StatusCode::InvalidArgument,
        "takes " + std::to_string(value.size()) +
            " bytes, but a slice in a V1 checkpoint has at most 2 GiB: write "
            "V2 (--write-version v2)");
  if (!records.emplace(encodeSliceKey(item.key, part.slice), std::move(value))
           .second)
    return Status(StatusCode::InvalidArgument,
                  "is saved twice: give each tensor or slice only once");
  return Status::ok();
}

Expected<std::string> V1CheckpointTable::build() {
  list.mutable_meta()->mutable_versions()->set_producer(tableVersion);
  records.emplace("", list.SerializeAsString());
  return buildTable(records);
}

/// Writes all tables of a V1 checkpoint. They get the temporary names of a V2
/// checkpoint's shards first, so that recoverSave() removes them after a crash.
Status writeTables(FileSystem &fileSystem, const std::string &prefix,
                   std::span<const ShardRename> moves,
                   std::span<const TensorToSave> items) {
  // Like TensorFlow's save ops, writes the tensors in ascending order of their
  // names.
  std::vector<const TensorToSave *> sorted;
  for (const TensorToSave &item : items)
    sorted.push_back(&item);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TensorToSave *a, const TensorToSave *b) {
                     return a->key < b->key;
                   });
  for (uint32_t shard = 0; shard < moves.size(); ++shard) {
    V1CheckpointTable table;
    for (const TensorToSave *item : sorted)
      if (item->shard == shard)
        INGOT_RETURN_IF_ERROR(
            table.add(*item).withContext("tensor '" + item->key + "'"));
    INGOT_ASSIGN_OR_RETURN(std::string bytes, table.build());
    INGOT_RETURN_IF_ERROR(
        writeDurably(fileSystem, moves[shard].from, contentsOf(bytes)));
  }
  return fileSystem.syncDirectory(directoryOf(prefix));
}

} // namespace

Expected<std::string>
ingot::writeV1Checkpoint(FileSystem &fileSystem, const std::string &prefix,
                         uint32_t numShards, bool sharded,
                         std::span<const TensorToSave> items,
                         const std::function<Status()> &beforeNames) {
  auto failed = [&](Status status) {
    (void)removeTemporaries(fileSystem, prefix);
    return std::move(status).withContext("cannot save '" + prefix + "'");
  };
  for (const TensorToSave &item : items)
    if (item.shard >= numShards || (!sharded && numShards != 1))
      return failed(
          Status(StatusCode::InvalidArgument,
                 "tensor '" + item.key + "' is assigned to shard " +
                     std::to_string(item.shard) +
                     ", but shards are numbered from 0, and their count is " +
                     std::to_string(numShards)));
  if (Status status = recoverSave(fileSystem, prefix); !status.isOk())
    return failed(std::move(status));
  std::vector<ShardRename> moves;
  for (uint32_t shard = 0; shard < numShards; ++shard)
    moves.push_back({temporaryShardPath(prefix, shard, numShards, ""),
                     sharded ? v1ShardPath(prefix, shard, numShards) : prefix});
  if (Status status = writeTables(fileSystem, prefix, moves, items);
      !status.isOk())
    return failed(std::move(status));
  if (beforeNames)
    if (Status status = beforeNames(); !status.isOk())
      return failed(std::move(status));
  // Removes the index of a V2 checkpoint of the same name, because readers
  // would prefer that checkpoint to this one. The data of the V2 checkpoint is
  // removed after the renames.
  std::vector<std::string> bundle;
  if (fileSystem.exists(indexPath(prefix))) {
    if (auto found = findSaveFiles(fileSystem, prefix))
      bundle = std::move(found->data);
    if (Status status = fileSystem.remove(indexPath(prefix)); !status.isOk())
      return failed(std::move(status));
  }
  for (const ShardRename &move : moves)
    if (Status status = fileSystem.rename(move.from, move.to); !status.isOk())
      return failed(std::move(status));
  for (const std::string &path : bundle)
    (void)fileSystem.remove(path);
  if (Status status = fileSystem.syncDirectory(directoryOf(prefix));
      !status.isOk())
    return failed(std::move(status));
  return sharded ? v1ShardPath(prefix, std::nullopt, numShards) : prefix;
}
