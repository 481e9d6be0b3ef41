//===- CapturedFunction.cpp - Runs a compiled dataset function --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Calls compiled functions of datasets. A function's results are written
// directly into the tensors of the new element, or memory that the function
// allocated becomes a tensor. Only strings are copied, because their bytes may
// be in the argument element, which is freed.
//===----------------------------------------------------------------------===//
#include "runtime/Input/CapturedFunction.h"

#include "runtime/ABI/Program.h"
#include "runtime/Device/LaunchSetup.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ErrorSlot.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

/// The number of 64-bit words in the position, and in the seed, of a random op.
static constexpr int64_t stateSize = 2;

// Initializes the state of the function's random ops if it is empty. Positions
// start at zero. Ops to which the graph gives no seed use the random number
// `state.seed` as their seed. The seed is saved, so that a resumed run
// continues the same sequence.
static Status prepareState(const ingot_function &function, RandomState &state) {
  size_t numPositions = stateSize * function.num_positions;
  size_t size = numPositions + stateSize * function.num_seeds;
  if (state.words.empty()) {
    state.words.resize(size);
    for (size_t i = numPositions; i < size; i += stateSize)
      state.words[i] = state.seed;
  }
  if (state.words.size() == size)
    return Status::ok();
  return badState("the state of a function's random ops has " +
                  std::to_string(state.words.size()) + " numbers, expected " +
                  std::to_string(size));
}

Expected<CapturedFunction>
CapturedFunction::create(const DatasetContext &context, Element captured) {
  IteratorContext &environment = context.env();
  const ingot_function &function =
      environment.program.functions[context.dataset().function];
  INGOT_ASSIGN_OR_RETURN(auto random, context.randomState());
  INGOT_RETURN_IF_ERROR(prepareState(function, *random));
  return CapturedFunction(environment, function, std::move(captured),
                          std::move(random));
}

CapturedFunction::CapturedFunction(IteratorContext &environment,
                                   const ingot_function &function,
                                   Element captured,
                                   std::shared_ptr<RandomState> random)
    : environment(&environment), function(&function),
      captured(std::move(captured)), random(std::move(random)),
      memory(&environment.pool.adopted()) {
  auto arenaSize = static_cast<int64_t>(function.arena_size);
  arena = Tensor::allocate(environment.pool, INGOT_UINT8, {&arenaSize, 1});
  setArguments(function.num_arguments, function.arguments, function.constants,
               /*variables=*/nullptr,
               static_cast<uint8_t *>(arena.mutableData()));
  results.resize(function.num_outputs);
  feeds.resize(function.num_inputs);
  fetches.resize(function.num_outputs);
  fetchDims.resize(function.num_outputs);
  states.resize(function.num_positions + function.num_seeds);
  for (Tensor &state : states)
    state = Tensor::allocate(environment.pool, INGOT_INT64, {&stateSize, 1});
}

void CapturedFunction::save(NodeState &state) const {
  if (draws())
    state.mutable_random()->mutable_words()->Add(random->words.begin(),
                                                 random->words.end());
}

Status CapturedFunction::restore(const NodeState &state) {
  random->words.assign(state.random().words().begin(),
                       state.random().words().end());
  return prepareState(*function, *random);
}

const Tensor &CapturedFunction::argument(const Element &element,
                                         size_t index) const {
  if (index < element.size())
    return element[index];
  index -= element.size();
  return index < captured.size() ? captured[index]
                                 : states[index - captured.size()];
}

// Checks the types and shapes of the arguments, which compiled code does not
// check.
Status CapturedFunction::checkInputs(const Element &element) const {
  uint32_t expectedInputs = function->num_inputs - function->num_variables;
  if (numArguments(element) != expectedInputs)
    return Status(StatusCode::InvalidArgument,
                  "the dataset passes " +
                      std::to_string(numArguments(element)) +
                      " arguments to its function, which expects " +
                      std::to_string(expectedInputs));
  for (uint32_t i = 0; i < expectedInputs; ++i) {
    const Tensor &input = argument(element, i);
    const ingot_tensor_spec &spec = function->inputs[i];
    Shape expected(spec.dims, spec.rank);
    if (input.dtype() != spec.dtype || !fits(input.shape(), expected))
      return Status(StatusCode::InvalidArgument,
                    "argument " + std::to_string(i) +
                        " of the dataset's function is " +
                        dtypeName(input.dtype()) + shapeText(input.shape()) +
                        ", but the function expects " + dtypeName(spec.dtype) +
                        shapeText(expected));
  }
  return Status::ok();
}

/// Returns an ingot_tensor that refers to `tensor`. Compiled code only reads
/// it.
static ingot_tensor viewOf(const Tensor &tensor) {
  return {const_cast<void *>(tensor.data()),
          const_cast<int64_t *>(tensor.shape().data()),
          static_cast<uint32_t>(tensor.shape().size()), tensor.dtype()};
}

// Passes the current values of the program's variables as the function's inputs
// from index `first` on. checkPipeline() has checked that their types match.
Status CapturedFunction::feedVariables(size_t first) {
  const InputPipelineOptions &options = environment->options;
  for (uint32_t i = 0; i < function->num_variables; ++i) {
    const ingot_tensor_spec &spec = function->inputs[first + i];
    INGOT_ASSIGN_OR_RETURN(
        const void *data,
        options.readVariable(options.context, function->variables[i]));
    feeds[first + i] = {const_cast<void *>(data),
                        const_cast<int64_t *>(spec.dims), spec.rank,
                        spec.dtype};
  }
  return Status::ok();
}

Status CapturedFunction::call(const Element &element) {
  INGOT_RETURN_IF_ERROR(checkInputs(element));
  for (size_t i = 0; i < states.size(); ++i)
    std::memcpy(states[i].mutableData(), &random->words[i * stateSize],
                stateSize * sizeof(uint64_t));
  size_t numArguments = this->numArguments(element);
  for (size_t i = 0; i < numArguments; ++i)
    feeds[i] = viewOf(argument(element, i));
  INGOT_RETURN_IF_ERROR(feedVariables(numArguments));
  return takeError(function->run(environment->options.context,
                                 static_cast<uint8_t *>(arena.mutableData()),
                                 nullptr, feeds.data(), fetches.data()));
}

// Makes a tensor of a result of dynamic shape. If the function allocated its
// memory, the tensor takes ownership of it. If the result is an argument or a
// constant, or shares memory with an earlier result, its elements are copied.
Tensor CapturedFunction::keep(const ingot_tensor &result) {
  Shape shape(result.dims, result.rank);
  if (result.dtype != INGOT_STRING)
    if (void *block = memory.take(result.data))
      return Tensor::adopt(environment->pool, result.dtype, shape, result.data,
                           block);
  return Tensor::copy(environment->pool, result.dtype, shape, result.data);
}

Status CapturedFunction::run(Element &element) {
  for (uint32_t i = 0; i < function->num_outputs; ++i) {
    const ingot_tensor_spec &spec = function->outputs[i];
    fetchDims[i].assign(spec.dims, spec.dims + spec.rank);
    fetches[i] = {nullptr, fetchDims[i].data(), spec.rank, spec.dtype};
    int64_t count;
    results[i] = Tensor();
    if (!countElements(fetchDims[i], count))
      continue; // dynamic shape: the function allocates
    results[i] = Tensor::allocate(environment->pool, spec.dtype, fetchDims[i]);
    fetches[i].data = results[i].mutableData();
  }
  RunArena::ArenaRunScope scope(memory);
  INGOT_RETURN_IF_ERROR(call(element));
  for (uint32_t i = 0; i < function->num_outputs; ++i)
    if (results[i].isNull() || fetches[i].dtype == INGOT_STRING)
      results[i] = keep(fetches[i]);
  size_t numResults = results.size() - function->num_positions;
  for (size_t i = numResults; i < results.size(); ++i)
    std::memcpy(&random->words[(i - numResults) * stateSize], results[i].data(),
                stateSize * sizeof(uint64_t));
  results.resize(numResults);
  element.swap(results);
  results.resize(function->num_outputs);
  return Status::ok();
}

Status CapturedFunction::write(const Element &element,
                               std::span<void *const> rows, Element &owners) {
  for (uint32_t i = 0; i < function->num_outputs; ++i) {
    const ingot_tensor_spec &spec = function->outputs[i];
    fetchDims[i].assign(spec.dims, spec.dims + spec.rank);
    fetches[i] = {rows[i], fetchDims[i].data(), spec.rank, spec.dtype};
  }
  RunArena::ArenaRunScope scope(memory);
  INGOT_RETURN_IF_ERROR(call(element));
  for (uint32_t i = 0; i < function->num_outputs; ++i) {
    if (fetches[i].dtype != INGOT_STRING)
      continue;
    Tensor strings = Tensor::copy(environment->pool, INGOT_STRING, fetchDims[i],
                                  fetches[i].data);
    std::copy_n(static_cast<const ingot_string *>(strings.data()),
                strings.numElements(), static_cast<ingot_string *>(rows[i]));
    owners.push_back(std::move(strings));
  }
  return Status::ok();
}

bool preservesCardinality(const DatasetContext &map) {
  return map.attribute("preserve_cardinality", 0) != 0;
}

Status describeMapFailure(Status status, bool preserveCardinality,
                          const std::string &name, const std::string &origin,
                          bool &end) {
  // As in TensorFlow, OutOfRange from the function of a map ends the dataset,
  // unless the map has preserve_cardinality.
  if (status.code() == StatusCode::OutOfRange && !preserveCardinality) {
    end = true;
    return Status::ok();
  }
  if (status.code() == StatusCode::OutOfRange)
    status = Status(StatusCode::InvalidArgument, status.message());
  return std::move(status).withContext(origin.empty() ? name
                                                      : name + ", " + origin);
}

} // namespace ingot::input
