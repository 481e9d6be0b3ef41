//===- Checkpoint.cpp - Saves and restores tensors ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"

#include <deque>

using namespace ingot;
using namespace ingot::ops;

static std::vector<std::string> stringsOf(const OpInput &input) {
  std::vector<std::string> strings;
  for (int64_t i = 0; i < input.numElements(); ++i)
    strings.emplace_back(input.text(static_cast<size_t>(i)));
  return strings;
}

INGOT_RUNTIME_OP(save_tensors) {
  auto names = op.texts("names"), slices = op.texts("slices");
  std::vector<TensorToSave> items;
  std::deque<std::vector<std::string>> strings;
  for (size_t i = 0; i < names.size(); ++i) {
    OpInput tensor = op.input(1 + i);
    TensorToSave item;
    item.key = view(names[i]);
    item.slice = view(slices[i]);
    item.dtype = tensor.dtype();
    item.shape.assign(tensor.dims().begin(), tensor.dims().end());
    item.data = tensor.data();
    if (tensor.dtype() == INGOT_STRING)
      item.data = strings.emplace_back(stringsOf(tensor)).data();
    items.push_back(std::move(item));
  }
  FileSystem &fileSystem = *op.context().fileSystem;
  std::string prefix(op.input(0).text(0));
  if (op.flag("writes_v1"))
    return writeV1Checkpoint(fileSystem, prefix, 1, false, items).takeStatus();
  return writeCheckpoint(fileSystem, prefix, 1, false, items);
}

/// Reads the checkpoint's tensor `key` into output `i`: the whole tensor if
/// `slice` is "", otherwise the slice that `slice` describes.
static Status restore(OpKernelContext &op, size_t i,
                      const CheckpointReader &reader, std::string_view key,
                      std::string_view slice) {
  const CheckpointEntry *entry = reader.find(key);
  if (!entry)
    return Status(StatusCode::NotFound,
                  "the checkpoint has no tensor '" + std::string(key) + "'");
  Shape shape = entry->shape;
  if (!slice.empty()) {
    INGOT_ASSIGN_OR_RETURN(ShapeAndSlice part, parseShapeAndSlice(slice));
    INGOT_ASSIGN_OR_RETURN(TensorSlice box, part.slice.within(part.fullShape));
    shape = box.shape();
  }
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(i, shape));
  if (op.outputType(i) != INGOT_STRING)
    return reader.read(key, slice, op.outputType(i), shape, data);
  std::vector<std::string> strings(
      static_cast<size_t>(elementCount(shape).value_or(0)));
  INGOT_RETURN_IF_ERROR(
      reader.read(key, slice, INGOT_STRING, shape, strings.data()));
  auto *elements = static_cast<ingot_string *>(data);
  for (size_t element = 0; element < strings.size(); ++element) {
    INGOT_ASSIGN_OR_RETURN(elements[element], op.string(strings[element]));
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(restore_tensors) {
  std::string prefix(op.input(0).text(0));
  auto names = op.texts("names"), slices = op.texts("slices");
  INGOT_ASSIGN_OR_RETURN(
      auto reader, CheckpointReader::open(*op.context().fileSystem, prefix));
  for (size_t i = 0; i < names.size(); ++i)
    INGOT_RETURN_IF_ERROR(
        restore(op, i, *reader, view(names[i]), view(slices[i])));
  return Status::ok();
}
