//===- CheckpointReader.cpp - Reads checkpoints of any format -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"

#include <algorithm>

using namespace ingot;

const char *ingot::formatName(CheckpointReader::Format format) {
  switch (format) {
  case CheckpointReader::Format::V2:
    return "V2";
  case CheckpointReader::Format::V1:
    return "V1";
  case CheckpointReader::Format::Safetensors:
    return "safetensors";
  }
  return "";
}

std::string ingot::quotedKey(std::string_view key) {
  std::string text = "'";
  for (char c : key)
    text += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  return text + "'";
}

std::string ingot::sliceSpec(const Shape &full, const TensorSlice &slice) {
  if (slice.extents.empty())
    return "";
  std::string text;
  for (int64_t size : full)
    text += std::to_string(size) + " ";
  return text + slice.text();
}

/// Checks that the checkpoint has tensor `key` with type `dtype`, and that
/// `slice` of it has shape `shape` and is covered by stored slices. Returns the
/// slice as a box with explicit lengths. Reads the index only, no elements.
Expected<TensorSlice> CheckpointReader::locate(std::string_view key,
                                               std::string_view slice,
                                               int32_t dtype,
                                               const Shape &shape) const {
  const CheckpointEntry *entry = find(key);
  if (!entry)
    return Status(StatusCode::NotFound,
                  "the checkpoint has no tensor of this name");
  if (entry->dtype != dtype)
    return Status(StatusCode::InvalidArgument,
                  "has type " + dtypeName(entry->dtype) + ", expected " +
                      dtypeName(dtype));
  TensorSlice wanted;
  if (!slice.empty()) {
    INGOT_ASSIGN_OR_RETURN(ShapeAndSlice part, parseShapeAndSlice(slice));
    if (part.fullShape != entry->shape)
      return Status(
          StatusCode::InvalidArgument,
          "has shape " + shapeText(entry->shape) +
              ", but the requested slice is part of a tensor of shape " +
              shapeText(part.fullShape));
    wanted = std::move(part.slice);
  }
  INGOT_ASSIGN_OR_RETURN(TensorSlice box, wanted.within(entry->shape));
  if (box.shape() != shape)
    return Status(StatusCode::InvalidArgument,
                  "has shape " + shapeText(box.shape()) + ", expected " +
                      shapeText(shape));
  if (entry->slices.empty())
    return box;
  // Checks that the stored slices cover the requested box. As they do not
  // overlap each other, they cover it if the sizes of their intersections with
  // the box add up to the box's size.
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
                      " requested elements: the checkpoint is incomplete");
  return box;
}

Status CheckpointReader::check(std::string_view key, std::string_view slice,
                               int32_t dtype, const Shape &shape) const {
  return locate(key, slice, dtype, shape).takeStatus();
}

Status CheckpointReader::read(std::string_view key, std::string_view slice,
                              int32_t dtype, const Shape &shape,
                              void *destination) const {
  Expected<TensorSlice> box = locate(key, slice, dtype, shape);
  if (!box)
    return box.takeStatus().withContext("'" + describingFile() + "': tensor " +
                                        quotedKey(key));
  const CheckpointEntry &entry = *find(key);
  if (entry.slices.empty()) {
    INGOT_ASSIGN_OR_RETURN(TensorSlice all, TensorSlice().within(entry.shape));
    return readPart(key, 0, all, *box, destination);
  }
  for (size_t part = 0; part < entry.slices.size(); ++part) {
    INGOT_ASSIGN_OR_RETURN(TensorSlice from,
                           entry.slices[part].within(entry.shape));
    if (intersect(from, *box))
      INGOT_RETURN_IF_ERROR(readPart(key, part, from, *box, destination));
  }
  return Status::ok();
}

Status CheckpointReader::verify(unsigned threads) const {
  std::vector<Status> damage = findDamage(threads);
  return damage.empty() ? Status::ok() : std::move(damage.front());
}

Expected<TensorData> ingot::readTensor(const CheckpointReader &reader,
                                       std::string_view key,
                                       std::string_view slice) {
  const CheckpointEntry *entry = reader.find(key);
  if (!entry)
    return Status(StatusCode::NotFound,
                  "no tensor " + quotedKey(key) + " in the checkpoint");
  Shape shape = entry->shape;
  if (!slice.empty()) {
    Expected<ShapeAndSlice> part = parseShapeAndSlice(slice);
    if (!part)
      return part.takeStatus().withContext("tensor " + quotedKey(key));
    INGOT_ASSIGN_OR_RETURN(TensorSlice box,
                           part->slice.within(part->fullShape));
    shape = box.shape();
  }
  Status status = reader.check(key, slice, entry->dtype, shape);
  if (!status.isOk())
    return std::move(status).withContext("tensor " + quotedKey(key));
  INGOT_RETURN_IF_ERROR(reader.checkPlaces(key));
  auto count = static_cast<size_t>(*elementCount(shape));
  TensorData tensor;
  if (entry->dtype == INGOT_STRING)
    tensor.strings.resize(count);
  else if (size_t size = dtypeSize(entry->dtype))
    tensor.bytes.resize(count * size);
  else
    return Status(StatusCode::Unimplemented,
                  "tensor " + quotedKey(key) + " has type " +
                      dtypeName(entry->dtype) +
                      "; variant tensors can be read only by the program that "
                      "wrote them");
  INGOT_RETURN_IF_ERROR(
      reader.read(key, slice, entry->dtype, shape, tensor.data()));
  return tensor;
}
