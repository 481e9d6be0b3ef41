//===- BundleIndexBuilder.cpp - The index of a bundle that is written -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/TableWriter.h"
#include "runtime/Support/DType.h"

using namespace ingot;

namespace {

// The version of the bundle format that this file writes; TensorFlow's
// kTensorBundleVersion.
constexpr int32_t bundleVersion = 1;

// Adds the dimensions of a shape to a TensorShapeProto. Callers create the
// message even for scalars, for which it stays empty, because TensorFlow does
// so.
void setShape(proto::TensorShapeProto &proto, const Shape &shape) {
  for (int64_t size : shape)
    proto.add_dim()->set_size(size);
}

bool sameShape(const proto::TensorShapeProto &proto, const Shape &shape) {
  if (static_cast<size_t>(proto.dim_size()) != shape.size())
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (proto.dim(static_cast<int>(d)).size() != shape[d])
      return false;
  return true;
}

Shape shapeFrom(const proto::TensorShapeProto &proto) {
  Shape shape;
  for (const auto &dim : proto.dim())
    shape.push_back(dim.size());
  return shape;
}

Status refused(const std::string &key, const std::string &why) {
  return Status(StatusCode::InvalidArgument, "tensor '" + key + "': " + why);
}

/// Checks that no two slices of a partitioned tensor share elements. Returns
/// InvalidArgument, naming the tensor, if two do.
Status checkDisjoint(const std::string &key,
                     const proto::BundleEntryProto &entry) {
  Shape shape = shapeFrom(entry.shape());
  std::vector<TensorSlice> boxes;
  for (const auto &slice : entry.slices()) {
    TensorSlice box;
    for (int d = 0; d < slice.extent_size(); ++d) {
      const auto &extent = slice.extent(d);
      bool isFull = extent.has_length_case() ==
                    proto::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET;
      box.extents.push_back({extent.start(), isFull
                                                 ? shape[static_cast<size_t>(d)]
                                                 : extent.length()});
    }
    boxes.push_back(std::move(box));
  }
  if (auto overlap = findOverlap(boxes))
    return refused(key, "slices " + boxes[overlap->first].text() + " and " +
                            boxes[overlap->second].text() + " overlap");
  return Status::ok();
}

} // namespace

Status BundleIndexBuilder::addStored(const std::string &key, int32_t dtype,
                                     const Shape &shape, uint64_t offset,
                                     uint64_t size, uint32_t maskedCrc) {
  auto [at, isNew] = entries.try_emplace(key);
  if (!isNew)
    return refused(key, "must not be saved twice");
  proto::BundleEntryProto &entry = at->second;
  entry.set_dtype(static_cast<proto::DataType>(dtype));
  setShape(*entry.mutable_shape(), shape);
  entry.set_offset(static_cast<int64_t>(offset));
  entry.set_size(static_cast<int64_t>(size));
  entry.set_crc32c(maskedCrc);
  return Status::ok();
}

Status BundleIndexBuilder::addSlice(const std::string &key, int32_t dtype,
                                    const Shape &fullShape,
                                    const TensorSlice &slice) {
  auto [at, isNew] = entries.try_emplace(key);
  proto::BundleEntryProto &entry = at->second;
  if (isNew) {
    entry.set_dtype(static_cast<proto::DataType>(dtype));
    setShape(*entry.mutable_shape(), fullShape);
  } else if (entry.slices().empty()) {
    return refused(key, "must not be saved both whole and in slices");
  } else if (entry.dtype() != dtype || !sameShape(entry.shape(), fullShape)) {
    return refused(key,
                   "its slices must have the same type and full shape, but "
                   "one slice is of a tensor " +
                       dtypeName(dtype) + shapeText(fullShape) +
                       ", an earlier one of " + dtypeName(entry.dtype()) +
                       shapeText(shapeFrom(entry.shape())));
  }
  proto::TensorSliceProto *proto = entry.add_slices();
  for (const TensorSlice::Extent &extent : slice.extents) {
    proto::TensorSliceProto::Extent *out = proto->add_extent();
    if (extent.isFull())
      continue;
    out->set_start(extent.start);
    out->set_length(extent.length);
  }
  return Status::ok();
}

Status BundleIndexBuilder::merge(const BundleIndexBuilder &part,
                                 uint32_t shard) {
  for (const auto &[key, theirs] : part.entries) {
    auto [at, isNew] = entries.try_emplace(key, theirs);
    proto::BundleEntryProto &ours = at->second;
    if (isNew) {
      // `shard_id` is meaningless for a partitioned tensor, whose entry has no
      // data but only a list of slices. It is set because TensorFlow sets it.
      ours.set_shard_id(static_cast<int32_t>(shard));
      continue;
    }
    if (ours.slices().empty() || theirs.slices().empty())
      return refused(key, "must not be saved twice");
    if (ours.dtype() != theirs.dtype() ||
        !sameShape(ours.shape(), shapeFrom(theirs.shape())))
      return refused(key,
                     "its slices must have the same type and full shape, but "
                     "one slice is of a tensor " +
                         dtypeName(theirs.dtype()) +
                         shapeText(shapeFrom(theirs.shape())) +
                         ", an earlier one of " + dtypeName(ours.dtype()) +
                         shapeText(shapeFrom(ours.shape())));
    ours.mutable_slices()->MergeFrom(theirs.slices());
  }
  return Status::ok();
}

Expected<std::string> BundleIndexBuilder::serialize(uint32_t numShards) const {
  proto::BundleHeaderProto header;
  header.set_num_shards(static_cast<int32_t>(numShards));
  header.mutable_version()->set_producer(bundleVersion);
  std::map<std::string, std::string> records;
  records.emplace("", header.SerializeAsString());
  for (const auto &[key, entry] : entries) {
    INGOT_RETURN_IF_ERROR(checkDisjoint(key, entry));
    records.emplace(key, entry.SerializeAsString());
  }
  return buildTable(records);
}

std::vector<std::string> BundleIndexBuilder::texts() const {
  std::vector<std::string> texts;
  for (const auto &[key, entry] : entries) {
    texts.push_back(key);
    texts.push_back(entry.SerializeAsString());
  }
  return texts;
}

Expected<BundleIndexBuilder>
BundleIndexBuilder::fromTexts(std::span<const std::string> texts) {
  BundleIndexBuilder index;
  for (size_t i = 0; i + 1 < texts.size(); i += 2)
    if (!index.entries[texts[i]].ParseFromString(texts[i + 1]))
      return Status(StatusCode::DataLoss,
                    "the index entry of tensor '" + texts[i] +
                        "', which another process has sent, is damaged");
  return index;
}
