//===- FunctionCall.cpp - Runs a compiled dataset function ------*- C++ -*-===//
//
// Results are written straight into the tensors that are handed on, or what the
// function has allocated becomes one. Only strings are copied, since their
// bytes may lie in the element that goes away.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/FunctionCall.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ErrorSlot.h"

#include <algorithm>

namespace ingot::input {

FunctionCall::FunctionCall(Environment &environment, uint32_t function,
                           Element captured)
    : environment(environment),
      function(environment.program.functions[function]),
      captured(std::move(captured)) {
  auto arenaSize = static_cast<int64_t>(this->function.arena_size);
  arena = Tensor::allocate(environment.pool, INGOT_UINT8, {&arenaSize, 1});
  results.resize(this->function.num_outputs);
  feeds.resize(this->function.num_inputs);
  fetches.resize(this->function.num_outputs);
  fetchDims.resize(this->function.num_outputs);
}

// Compiled code takes the shapes it was compiled for on trust.
Status FunctionCall::checkInputs(const Element &element) const {
  if (element.size() + captured.size() != function.num_inputs)
    return Status(StatusCode::InvalidArgument,
                  "has " + std::to_string(element.size() + captured.size()) +
                      " arguments, the function expects " +
                      std::to_string(function.num_inputs));
  for (uint32_t i = 0; i < function.num_inputs; ++i) {
    const Tensor &input =
        i < element.size() ? element[i] : captured[i - element.size()];
    const ingot_tensor_spec &spec = function.inputs[i];
    Shape expected(spec.dims, spec.rank);
    if (input.dtype() != spec.dtype || !fits(input.shape(), expected))
      return Status(StatusCode::InvalidArgument,
                    "argument " + std::to_string(i) + " is " +
                        dtypeName(input.dtype()) + shapeText(input.shape()) +
                        ", the function expects " + dtypeName(spec.dtype) +
                        shapeText(expected));
  }
  return Status::ok();
}

/// What compiled code sees of a tensor, which it only reads.
static ingot_tensor viewOf(const Tensor &tensor) {
  return {const_cast<void *>(tensor.data()),
          const_cast<int64_t *>(tensor.shape().data()),
          static_cast<uint32_t>(tensor.shape().size()), tensor.dtype()};
}

Status FunctionCall::call(const Element &element) {
  INGOT_RETURN_IF_ERROR(checkInputs(element));
  for (uint32_t i = 0; i < function.num_inputs; ++i)
    feeds[i] =
        viewOf(i < element.size() ? element[i] : captured[i - element.size()]);
  return takeError(function.run[environment.options.target](
      environment.options.context, static_cast<uint8_t *>(arena.mutableData()),
      nullptr, feeds.data(), fetches.data()));
}

// The function has allocated it; it may be more than one result, or an
// argument, or a constant.
Tensor FunctionCall::keep(const ingot_tensor &result) {
  Shape shape(result.dims, result.rank);
  if (result.dtype != INGOT_STRING)
    if (void *block = memory.take(result.data))
      return Tensor::adopt(environment.pool, result.dtype, shape, result.data,
                           block);
  return Tensor::copy(environment.pool, result.dtype, shape, result.data);
}

Status FunctionCall::run(Element &element) {
  for (uint32_t i = 0; i < function.num_outputs; ++i) {
    const ingot_tensor_spec &spec = function.outputs[i];
    fetchDims[i].assign(spec.dims, spec.dims + spec.rank);
    fetches[i] = {nullptr, fetchDims[i].data(), spec.rank, spec.dtype};
    int64_t count;
    results[i] = Tensor();
    if (!countElements(fetchDims[i], count))
      continue; // the function says how large it is
    results[i] = Tensor::allocate(environment.pool, spec.dtype, fetchDims[i]);
    fetches[i].data = results[i].mutableData();
  }
  RunMemory::Scope scope(memory);
  INGOT_RETURN_IF_ERROR(call(element));
  for (uint32_t i = 0; i < function.num_outputs; ++i)
    if (results[i].isNull() || fetches[i].dtype == INGOT_STRING)
      results[i] = keep(fetches[i]);
  element.swap(results);
  results.resize(function.num_outputs);
  return Status::ok();
}

Status FunctionCall::write(const Element &element, std::span<void *const> rows,
                           Element &owners) {
  for (uint32_t i = 0; i < function.num_outputs; ++i) {
    const ingot_tensor_spec &spec = function.outputs[i];
    fetchDims[i].assign(spec.dims, spec.dims + spec.rank);
    fetches[i] = {rows[i], fetchDims[i].data(), spec.rank, spec.dtype};
  }
  RunMemory::Scope scope(memory);
  INGOT_RETURN_IF_ERROR(call(element));
  for (uint32_t i = 0; i < function.num_outputs; ++i) {
    if (fetches[i].dtype != INGOT_STRING)
      continue;
    Tensor strings = Tensor::copy(environment.pool, INGOT_STRING, fetchDims[i],
                                  fetches[i].data);
    std::copy_n(static_cast<const ingot_string *>(strings.data()),
                strings.numElements(), static_cast<ingot_string *>(rows[i]));
    owners.push_back(std::move(strings));
  }
  return Status::ok();
}

} // namespace ingot::input
