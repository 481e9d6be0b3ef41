//===- OpKernelContext.cpp - Interface of runtime ops ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/ErrorSlot.h"

#include <cstring>

namespace ingot::ops {

size_t elementSize(int32_t dtype) {
  if (dtype == INGOT_STRING)
    return sizeof(ingot_string);
  return dtype == INGOT_VARIANT ? sizeof(int64_t) : dtypeSize(dtype);
}

std::string dimsText(Dims dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") +
            (dims[i] < 0 ? std::string("?") : std::to_string(dims[i]));
  return text + "]";
}

std::vector<int64_t> OpInput::integers() const {
  std::vector<int64_t> values(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = integer(i);
  return values;
}

const ingot_op_attribute *OpKernelContext::find(std::string_view name) const {
  for (uint32_t i = 0; i < info.num_attributes; ++i)
    if (info.attributes[i].name == name)
      return &info.attributes[i];
  return nullptr;
}

int64_t OpKernelContext::integer(std::string_view name,
                                 int64_t byDefault) const {
  const ingot_op_attribute *attribute = find(name);
  return attribute ? attribute->integer : byDefault;
}

double OpKernelContext::number(std::string_view name, double byDefault) const {
  const ingot_op_attribute *attribute = find(name);
  return attribute ? attribute->number : byDefault;
}

std::string_view OpKernelContext::text(std::string_view name,
                                       std::string_view byDefault) const {
  const ingot_op_attribute *attribute = find(name);
  return attribute ? view(attribute->string) : byDefault;
}

std::span<const int64_t>
OpKernelContext::integers(std::string_view name) const {
  const ingot_op_attribute *attribute = find(name);
  if (!attribute)
    return {};
  return {attribute->integers, attribute->num_values};
}

std::span<const ingot_string>
OpKernelContext::texts(std::string_view name) const {
  const ingot_op_attribute *attribute = find(name);
  if (!attribute)
    return {};
  return {attribute->strings, attribute->num_values};
}

Status OpKernelContext::wrongShape(size_t i, Dims dims) const {
  const ingot_tensor &tensor = outputs[i];
  return invalid("output " + std::to_string(i) + " has shape " +
                 dimsText(dims) + ", but the graph was compiled for " +
                 (tensor.rank == dims.size()
                      ? "shape " + dimsText({tensor.dims, tensor.rank})
                      : "rank " + std::to_string(tensor.rank)));
}

Expected<void *> OpKernelContext::allocate(size_t i, Dims dims) {
  ingot_tensor &tensor = outputs[i];
  // Check the rank and, if the output's shape is static (`tensor.data` is set),
  // the dims: compiled code has allocated memory for that shape.
  if (tensor.rank != dims.size() ||
      (tensor.data && !std::equal(dims.begin(), dims.end(), tensor.dims)))
    return wrongShape(i, dims);
  if (tensor.data)
    return tensor.data;
  auto bytes = static_cast<int64_t>(elementSize(tensor.dtype));
  for (int64_t dim : dims)
    if (dim == 0)
      bytes = 0;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(bytes, dim, &bytes) || dim < 0)
      return Status(StatusCode::ResourceExhausted,
                    "output " + std::to_string(i) + " has shape " +
                        dimsText(dims) + ", which exceeds the address space");
  INGOT_ASSIGN_OR_RETURN(tensor.data, memory().allocate(bytes));
  std::copy(dims.begin(), dims.end(), tensor.dims);
  return tensor.data;
}

Status OpKernelContext::lend(size_t i, Dims dims, void *data) {
  ingot_tensor &tensor = outputs[i];
  if (!std::equal(dims.begin(), dims.end(), tensor.dims,
                  tensor.dims + tensor.rank))
    return wrongShape(i, dims);
  tensor.data = data;
  return Status::ok();
}

Status OpKernelContext::forward(size_t i, const OpInput &input) {
  INGOT_ASSIGN_OR_RETURN(void *data, allocate(i, input.dims()));
  size_t bytes =
      static_cast<size_t>(input.numElements()) * elementSize(input.dtype());
  if (bytes)
    std::memcpy(data, input.data(), bytes);
  return Status::ok();
}

Expected<ingot_string> OpKernelContext::string(std::string_view text) {
  const char *copy = memory().copy(text);
  if (!copy)
    return Status(StatusCode::ResourceExhausted,
                  "out of memory: a string needs " +
                      std::to_string(text.size()) + " bytes");
  return ingot_string{copy, text.size()};
}

int32_t OpKernelContext::finish(Status status) const {
  return recordError(
      std::move(status).withContext("node '" + std::string(info.node) + "'"));
}

} // namespace ingot::ops
