//===- BundleWriter.cpp - Writes V2 checkpoints: the data -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"

#include <algorithm>

using namespace ingot;

namespace {

// Data is processed in chunks of this size: the checksum of a chunk is
// computed, then the chunk is written while it is still in the core's cache.
constexpr size_t chunkSize = 256 * 1024;

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

} // namespace

Expected<std::unique_ptr<BundleWriter>>
BundleWriter::create(FileSystem &fileSystem, const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                         createTemporary(fileSystem, path));
  return std::unique_ptr<BundleWriter>(new BundleWriter(std::move(file)));
}

Status BundleWriter::append(const void *bytes, size_t size, uint32_t &crc) {
  const char *next = static_cast<const char *>(bytes);
  while (size > 0) {
    size_t part = std::min(size, chunkSize);
    crc = crc32c(crc, next, part);
    INGOT_RETURN_IF_ERROR(file->append({next, part}));
    written += part;
    next += part;
    size -= part;
  }
  return Status::ok();
}

/// Writes string elements in TensorFlow's format: the lengths of all strings as
/// varints, the masked checksum of the lengths, then the strings. In checksums
/// each length counts as a 4-byte integer (8 bytes from 4 GiB on), not as its
/// varint. Updates `crc`, the checksum of the whole tensor.
Status BundleWriter::appendStrings(const std::string *strings, int64_t count,
                                   uint32_t &crc) {
  std::string lengths;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length = strings[i].size();
    appendVarint(lengths, length);
    crc = crc32c(crc, &length, length <= UINT32_MAX ? 4 : 8);
  }
  INGOT_RETURN_IF_ERROR(file->append(lengths));
  written += lengths.size();
  uint32_t masked = maskCrc32c(crc);
  INGOT_RETURN_IF_ERROR(append(&masked, sizeof(masked), crc));
  for (int64_t i = 0; i < count; ++i)
    INGOT_RETURN_IF_ERROR(append(strings[i].data(), strings[i].size(), crc));
  return Status::ok();
}

/// Writes variant elements in TensorFlow's format: for each element its length
/// as a varint, its serialized bytes, and the masked checksum of all bytes so
/// far. In checksums each length counts as an 8-byte integer, not as its
/// varint. Updates `crc`, the checksum of the whole tensor.
Status BundleWriter::appendVariants(const std::string *variants, int64_t count,
                                    uint32_t &crc) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length = variants[i].size();
    std::string varint;
    appendVarint(varint, length);
    INGOT_RETURN_IF_ERROR(file->append(varint));
    written += varint.size();
    crc = crc32c(crc, &length, sizeof(length));
    INGOT_RETURN_IF_ERROR(append(variants[i].data(), length, crc));
    uint32_t masked = maskCrc32c(crc);
    INGOT_RETURN_IF_ERROR(append(&masked, sizeof(masked), crc));
  }
  return Status::ok();
}

Status BundleWriter::addStored(const std::string &key, int32_t dtype,
                               const Shape &shape, const void *data) {
  std::optional<int64_t> count = elementCount(shape);
  size_t elementSize = dtypeSize(dtype);
  bool isVariant = dtype == INGOT_VARIANT;
  if (!count || (elementSize == 0 && dtype != INGOT_STRING && !isVariant) ||
      (elementSize != 0 &&
       *count > INT64_MAX / static_cast<int64_t>(elementSize)))
    return Status(
        StatusCode::InvalidArgument,
        "a checkpoint cannot store type " + dtypeName(dtype) + " with shape " +
            shapeText(shape) +
            ": elements must be strings or have a fixed size, and must "
            "take fewer than 2^63 bytes together");
  uint64_t offset = written;
  uint32_t crc = 0;
  INGOT_RETURN_IF_ERROR(
      isVariant
          ? appendVariants(static_cast<const std::string *>(data), *count, crc)
      : dtype == INGOT_STRING
          ? appendStrings(static_cast<const std::string *>(data), *count, crc)
          : append(data, static_cast<size_t>(*count) * elementSize, crc));
  return theIndex.addStored(key, dtype, shape, offset, written - offset,
                            maskCrc32c(crc));
}

Status BundleWriter::add(const std::string &key, std::string_view slice,
                         int32_t dtype, const Shape &shape, const void *data) {
  auto inTensor = [&](Status status) {
    return std::move(status).withContext("tensor '" + key + "'");
  };
  if (key.empty() || isSliceKey(key))
    return Status(
        StatusCode::InvalidArgument,
        "a tensor's name must not be empty or begin with a zero byte");
  if (slice.empty())
    return inTensor(addStored(key, dtype, shape, data));

  Expected<ShapeAndSlice> part = parseShapeAndSlice(slice);
  if (!part)
    return inTensor(part.takeStatus());
  Expected<TensorSlice> box = part->slice.within(part->fullShape);
  if (!box)
    return inTensor(box.takeStatus());
  if (box->shape() != shape)
    return inTensor(Status(StatusCode::InvalidArgument,
                           "has shape " + shapeText(shape) +
                               ", but its slice '" + std::string(slice) +
                               "' has shape " + shapeText(box->shape())));
  // Like TensorFlow, stores a slice that covers the whole tensor as a tensor
  // without slices.
  if (box->shape() == part->fullShape)
    return inTensor(addStored(key, dtype, shape, data));
  INGOT_RETURN_IF_ERROR(
      theIndex.addSlice(key, dtype, part->fullShape, part->slice));
  return inTensor(
      addStored(encodeSliceKey(key, part->slice), dtype, shape, data));
}

Status BundleWriter::finish() {
  INGOT_RETURN_IF_ERROR(file->sync());
  return file->close();
}
