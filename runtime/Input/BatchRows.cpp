//===- BatchRows.cpp - Writes the rows of a batch in place ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/BatchRows.h"
#include "runtime/ABI/Program.h"
#include "runtime/Device/ThreadPool.h"
#include "runtime/Input/CapturedFunction.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/ParseExampleFunction.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

void BatchComponentBuilder::begin(TensorMemoryPool &pool, int32_t type,
                                  Shape element, uint64_t capacity) {
  dtype = type;
  shape.assign(1, static_cast<int64_t>(capacity));
  shape.insert(shape.end(), element.begin(), element.end());
  batch = Tensor::allocate(pool, dtype, shape);
  rowSize = batch.byteSize() / static_cast<size_t>(capacity);
  kept.clear();
}

void *BatchComponentBuilder::row(TensorMemoryPool &pool, uint64_t index) {
  if (index == static_cast<uint64_t>(shape[0])) {
    shape[0] *= 2;
    Tensor larger = Tensor::allocate(pool, dtype, shape);
    std::memcpy(larger.mutableData(), batch.data(), batch.byteSize());
    batch = std::move(larger);
  }
  return static_cast<char *>(batch.mutableData()) + index * rowSize;
}

void BatchComponentBuilder::append(TensorMemoryPool &pool, uint64_t index,
                                   const Tensor &tensor) {
  void *to = row(pool, index);
  if (rowSize)
    std::memcpy(to, tensor.data(), rowSize);
  if (hasStrings())
    keep(tensor);
}

Tensor BatchComponentBuilder::finish(TensorMemoryPool &pool, uint64_t count,
                                     size_t leastSize) {
  batch.shrinkFirstDimension(static_cast<int64_t>(count));
  if (hasStrings())
    batch = Tensor::lasting(pool, std::move(batch), std::move(kept), leastSize);
  kept.clear();
  return std::move(batch);
}

namespace {

template <typename CallT>
class MapFunctionRowWriter final : public BatchRowWriter {
public:
  MapFunctionRowWriter(TensorMemoryPool &pool, const ingot_function &function,
                       CallT call, bool preserveCardinality, std::string name)
      : pool(pool), function(function), call(std::move(call)),
        preserveCardinality(preserveCardinality), name(std::move(name)) {}

  std::span<const ingot_tensor_spec> outputs() const override {
    return {function.outputs, function.num_outputs};
  }

  Status append(const Element &element, uint64_t index,
                std::vector<BatchComponentBuilder> &components,
                const DatasetIterator &input, bool &end) override {
    rows.clear();
    for (BatchComponentBuilder &component : components)
      rows.push_back(component.row(pool, index));
    Status status = call.write(element, rows, owners);
    for (BatchComponentBuilder &component : components)
      for (const Tensor &owner : owners)
        if (component.hasStrings())
          component.keep(owner);
    owners.clear();
    return status.isOk()
               ? status
               : describeMapFailure(std::move(status), preserveCardinality,
                                    name, input.describeLatest(), end);
  }

private:
  TensorMemoryPool &pool;
  const ingot_function &function;
  CallT call;
  bool preserveCardinality;
  std::string name;
  std::vector<void *> rows;
  Element owners; // tensors with the bytes of this row's strings
};

} // namespace

/// Whether a map may call the function on several threads, which is worth more
/// than having the batch call it: a copy of a large row takes less time than
/// the function that computes it.
static bool mayBeParallel(const DatasetOp &map,
                          const ingot_function &function) {
  constexpr int64_t minRowBytes = 16 << 10;
  int64_t bytes = 0;
  for (const ingot_tensor_spec &spec :
       std::span(function.outputs, function.num_outputs)) {
    int64_t count = 0;
    if (countElements({spec.dims, spec.rank}, count))
      bytes += count * static_cast<int64_t>(dtypeSize(spec.dtype));
  }
  return map.has(CallsInParallel) && bytes >= minRowBytes &&
         availableCores() > 1;
}

static bool hasKnownShapes(const ingot_function &function) {
  return std::all_of(function.outputs, function.outputs + function.num_outputs,
                     [](const ingot_tensor_spec &spec) {
                       int64_t count;
                       return countElements({spec.dims, spec.rank}, count);
                     });
}

MapDatasetFusedIntoBatch findDeferredMap(const ingot_program &program,
                                         uint32_t input) {
  bool isDirect = true, isLater = false;
  // Walk down the inputs until a map is found. The walk ends, because
  // checkPipeline() has found that the datasets form a tree.
  for (uint32_t at = input;;) {
    const ingot_dataset &dataset = program.datasets[at];
    const DatasetOp *op = datasetOp(dataset);
    if (!op)
      return {};
    if (op->has(Maps)) {
      const ingot_function &function = program.functions[dataset.function];
      // A batch cannot run the map's function in the map's place if the
      // function draws random numbers: their state is saved with the map.
      if (function.num_positions || function.num_seeds)
        return {};
      bool suits = function.parse ? function.inputs[0].rank == 0 : isDirect;
      suits &= function.parse || !mayBeParallel(*op, function);
      return suits && hasKnownShapes(function)
                 ? MapDatasetFusedIntoBatch{at, isLater}
                 : MapDatasetFusedIntoBatch();
    }
    if (!op->has(PassesThrough) || dataset.num_inputs != 1)
      return {};
    isDirect = false;
    isLater |= op->has(BuffersInput);
    at = dataset.inputs[0];
  }
}

Expected<std::unique_ptr<BatchRowWriter>>
makeBatchRowWriter(const DatasetContext &batch,
                   MapDatasetFusedIntoBatch deferred) {
  DatasetContext map = batch.with(static_cast<uint32_t>(deferred.dataset));
  IteratorContext &environment = map.env();
  auto index = static_cast<uint32_t>(map.dataset().function);
  const ingot_function &function = environment.program.functions[index];
  auto make = [&](auto call) -> std::unique_ptr<BatchRowWriter> {
    return std::make_unique<MapFunctionRowWriter<decltype(call)>>(
        environment.pool, function, std::move(call), preservesCardinality(map),
        map.name());
  };
  if (onlyParses(function)) {
    ParseExampleFunction call(environment, index);
    INGOT_RETURN_IF_ERROR(call.prepare());
    return {make(std::move(call))};
  }
  INGOT_ASSIGN_OR_RETURN(Element captured, map.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(CapturedFunction call,
                         CapturedFunction::create(map, std::move(captured)));
  return {make(std::move(call))};
}

} // namespace ingot::input
