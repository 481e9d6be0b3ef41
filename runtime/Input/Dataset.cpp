//===- Dataset.cpp - Interface of dataset iterators -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads operands, attributes and inputs of a dataset op from the program's
// tables.
//===----------------------------------------------------------------------===//
#include "runtime/Input/Dataset.h"
#include "runtime/ABI/Program.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/DType.h"

#include <cstring>

namespace ingot::input {

Status DatasetIterator::skip(uint64_t count, uint64_t &skipped) {
  Element element;
  bool end = false;
  for (skipped = 0; skipped < count; ++skipped) {
    INGOT_RETURN_IF_ERROR(next(element, end));
    if (end)
      break;
  }
  return Status::ok();
}

Status skipBatches(DatasetIterator &input, uint64_t batchSize,
                   bool dropsRemainder, uint64_t count, uint64_t &skipped) {
  for (skipped = 0; skipped < count; ++skipped) {
    uint64_t rows = 0;
    INGOT_RETURN_IF_ERROR(input.skip(batchSize, rows));
    if (rows == 0 || (rows < batchSize && dropsRemainder))
      break;
  }
  return Status::ok();
}

size_t DatasetOperand::rowSize() const {
  int64_t elements = 0;
  (void)countElements(shape.subspan(1), elements);
  return static_cast<size_t>(elements) * elementSize(dtype);
}

Status DatasetIterator::nextRows(std::span<uint64_t> rows, size_t &count) {
  return Status(StatusCode::Internal,
                "elements of this dataset cannot be read as rows of a batch: "
                "they are not rows of tensors");
}

void makeRow(TensorMemoryPool &pool, std::span<const DatasetOperand> tensors,
             uint64_t row, Element &element) {
  element.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const DatasetOperand &tensor = tensors[i];
    element[i] = Tensor::copy(pool, tensor.dtype, tensor.shape.subspan(1),
                              static_cast<const char *>(tensor.data) +
                                  row * tensor.rowSize());
  }
}

int64_t DatasetOperand::numElements() const {
  int64_t count = 0;
  return countElements(shape, count) ? count : 0;
}

int64_t DatasetOperand::integer() const {
  if (dtype == INGOT_INT32)
    return *static_cast<const int32_t *>(data);
  return *static_cast<const int64_t *>(data);
}

std::string_view DatasetOperand::string(int64_t index) const {
  const ingot_string &value = static_cast<const ingot_string *>(data)[index];
  return {value.data, value.size};
}

const ingot_dataset &DatasetContext::dataset() const {
  return environment.program.datasets[index];
}

std::string DatasetContext::name() const {
  return std::string("dataset '") + dataset().node + "' (" + dataset().op + ")";
}

Expected<DatasetOperand> DatasetContext::operand(uint32_t number, int32_t dtype,
                                                 int rank) const {
  const ingot_dataset_operand &operand = dataset().operands[number];
  DatasetOperand view;
  if (operand.constant) {
    const ingot_tensor_spec &spec = operand.constant->spec;
    view = {spec.dtype, {spec.dims, spec.rank}, operand.constant->data, true};
  } else {
    if (!arguments || operand.argument >= arguments->size())
      return Status(StatusCode::Internal,
                    name() + ": operand " + std::to_string(number) +
                        " is argument " + std::to_string(operand.argument) +
                        " of the enclosing function, but the number of its "
                        "arguments is " +
                        std::to_string(arguments ? arguments->size() : 0));
    const Tensor &tensor = (*arguments)[operand.argument];
    view = {tensor.dtype(), tensor.shape(), tensor.data()};
  }
  if (dtype && view.dtype != dtype)
    return Status(StatusCode::InvalidArgument,
                  name() + ": operand " + std::to_string(number) + " is " +
                      dtypeName(view.dtype) + ", expected " + dtypeName(dtype));
  if (rank >= 0 && view.shape.size() != static_cast<size_t>(rank))
    return Status(StatusCode::InvalidArgument,
                  name() + ": operand " + std::to_string(number) +
                      " has shape " + shapeText(view.shape) +
                      ", expected rank " + std::to_string(rank));
  return view;
}

Expected<int64_t> DatasetContext::integer(uint32_t number) const {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand view, operand(number, INGOT_INT64, 0));
  return view.integer();
}

Expected<bool> DatasetContext::boolean(uint32_t number) const {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand view, operand(number, INGOT_BOOL, 0));
  return view.boolean();
}

Expected<Tensor> DatasetContext::window(uint32_t number) const {
  const ingot_dataset_operand &operand = dataset().operands[number];
  if (!operand.constant && arguments && operand.argument < arguments->size() &&
      (*arguments)[operand.argument].dtype() == INGOT_VARIANT)
    return (*arguments)[operand.argument];
  return Status(StatusCode::InvalidArgument,
                name() + ": operand " + std::to_string(number) +
                    " must be a dataset, such as those that are the elements "
                    "of window(), but is " +
                    (operand.constant ? "a constant"
                     : arguments && operand.argument < arguments->size()
                         ? dtypeName((*arguments)[operand.argument].dtype())
                         : "missing"));
}

Expected<Element> DatasetContext::variadicOperands() const {
  size_t named = datasetOp(dataset())->operands.size();
  Element values;
  for (uint32_t i = 0; i + named < dataset().num_operands; ++i) {
    INGOT_ASSIGN_OR_RETURN(DatasetOperand view, operand(i, 0, -1));
    // A constant of the program is read where it lies, if kernels can read it
    // there. Strings are copied together with their bytes.
    bool staysInPlace =
        view.isConstant && view.dtype != INGOT_STRING &&
        reinterpret_cast<uintptr_t>(view.data) % INGOT_ALIGNMENT == 0;
    auto make = staysInPlace ? Tensor::view : Tensor::copy;
    values.push_back(make(environment.pool, view.dtype, view.shape, view.data));
  }
  return values;
}

int64_t DatasetContext::attribute(const char *name, int64_t otherwise) const {
  for (uint32_t i = 0; i < dataset().num_attributes; ++i)
    if (!std::strcmp(dataset().attributes[i].name, name))
      return dataset().attributes[i].integer;
  return otherwise;
}

std::string_view DatasetContext::text(const char *name) const {
  for (uint32_t i = 0; i < dataset().num_attributes; ++i)
    if (const ingot_attribute &attribute = dataset().attributes[i];
        attribute.string && !std::strcmp(attribute.name, name))
      return attribute.string;
  return {};
}

static Expected<std::unique_ptr<DatasetIterator>>
make(const DatasetContext &context) {
  const DatasetOp *op = datasetOp(context.dataset());
  if (!op)
    return Status(StatusCode::Unimplemented,
                  context.name() + ": the program has no code for this "
                                   "dataset: compile the graph again");
  if (!context.env().exchanges)
    return op->make(context);
  INGOT_ASSIGN_OR_RETURN(auto iterator, op->make(context));
  return makePending(context, std::move(iterator));
}

Expected<std::unique_ptr<DatasetIterator>>
DatasetContext::makeInput(uint32_t input) const {
  return make({environment, dataset().inputs[input], arguments, randomStates,
               deferred});
}

bool DatasetContext::hasOwnMap() const {
  const ingot_dataset &input =
      environment.program.datasets[dataset().inputs[0]];
  const DatasetOp *op = datasetOp(input);
  return op && op->has(Maps) && !std::strcmp(input.node, dataset().node);
}

Expected<std::shared_ptr<RandomState>> DatasetContext::randomState() const {
  if (randomStates)
    return randomStates->state();
  auto state = std::make_shared<RandomState>();
  const ingot_function &function =
      environment.program.functions[dataset().function];
  if (function.num_seeds) {
    INGOT_ASSIGN_OR_RETURN(state->seed, drawSeed());
  }
  return state;
}

Expected<std::shared_ptr<RandomStates>> DatasetContext::bodyStates() const {
  if (randomStates)
    return randomStates->body();
  uint64_t seed = 0;
  if (drawsRandom(environment.program, static_cast<uint32_t>(dataset().body),
                  /*unseeded=*/true)) {
    INGOT_ASSIGN_OR_RETURN(seed, drawSeed());
  }
  return std::make_shared<RandomStates>(seed);
}

Expected<std::unique_ptr<DatasetIterator>>
makeIterator(IteratorContext &environment, uint32_t index,
             const Element *arguments, RandomStates *randomStates) {
  return make(DatasetContext(environment, index, arguments, randomStates));
}

bool readsVariables(const ingot_program &program, uint32_t index) {
  const ingot_dataset &dataset = program.datasets[index];
  if (dataset.function >= 0 &&
      program.functions[dataset.function].num_variables)
    return true;
  if (dataset.body >= 0 &&
      readsVariables(program, static_cast<uint32_t>(dataset.body)))
    return true;
  for (uint32_t i = 0; i < dataset.num_inputs; ++i)
    if (readsVariables(program, dataset.inputs[i]))
      return true;
  return false;
}

void updateInput(const DatasetIterator &input, NodeState &state) {
  if (state.inputs_size() == 1)
    return input.update(*state.mutable_inputs(0));
  state.clear_inputs();
  input.save(*state.add_inputs());
}

Status restoreInput(DatasetIterator &input, const NodeState &state) {
  if (state.inputs_size() != 1)
    return badState("a dataset has " + std::to_string(state.inputs_size()) +
                    " inputs, expected 1");
  return input.restore(state.inputs(0));
}

Status badState(std::string_view what) {
  return Status(StatusCode::DataLoss,
                "iterator state is damaged: " + std::string(what) +
                    "; restore an earlier checkpoint, or start the input anew "
                    "(ingot-ckpt strip --iterators)");
}

} // namespace ingot::input
