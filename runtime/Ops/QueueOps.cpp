//===- QueueOps.cpp - Ops of entries on queues ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on TensorFlow 1 queues and readers. Connected queues form a pipeline,
// over which the program has an iterator; each op refers to that iterator, and
// to one queue or reader of the pipeline. runtime/Input implements the queues.
//===----------------------------------------------------------------------===//

#include "runtime/Input/BatchElements.h"
#include "runtime/Input/QueuePipeline.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/ThreadActivity.h"

#include <cstring>

using namespace ingot;
using namespace ingot::ops;
using input::Element;
using input::QueuePipeline;
using input::Tensor;

static uint64_t nodeOf(OpKernelContext &op) {
  return static_cast<uint64_t>(op.integer("node", 0));
}

/// Calls `use` with the pipeline to which the op refers. Makes the pipeline's
/// iterator first if necessary.
static Status useQueues(OpKernelContext &op,
                        const std::function<Status(QueuePipeline &)> &use) {
  ingot_context &context = op.context();
  auto index = static_cast<uint32_t>(op.integer("iterator", 0));
  ThreadActivity::ActivityScope activity("waits for queues", op.node());
  SessionDatasetIterator &slot = context.iterators[index];
  if (slot.pending || !slot.iterator->isMade())
    INGOT_RETURN_IF_ERROR(makeIterator(context, index));
  return slot.iterator->useQueues(use);
}

/// Writes component `i` of the elements to output `i`: if `isBatch`, as a batch
/// of all elements; otherwise the component of the only element, unchanged.
static Status writeOutput(OpKernelContext &op, size_t i, bool isBatch,
                          input::Shape declared,
                          std::span<const Element *const> elements) {
  if (!isBatch) {
    const Tensor &tensor = (*elements.front())[i];
    INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(i, tensor.shape()));
    if (size_t size = tensor.byteSize())
      std::memcpy(data, tensor.data(), size);
    return Status::ok();
  }
  std::vector<int64_t> shape = input::batchShape(declared, elements, i);
  INGOT_ASSIGN_OR_RETURN(void *rows, op.allocate(i, shape));
  input::copyToBatch(elements, i, shape, rows);
  return Status::ok();
}

// Takes elements from a queue or a reader. Input: the number of elements to
// take as one batch; without this input, takes one element, unchanged. Outputs:
// the components of the batch or element.
INGOT_RUNTIME_OP(queue_dequeue) {
  QueuePipeline::DequeueRequest request;
  request.many = op.numInputs() != 0;
  request.upTo = op.flag("up_to");
  if (request.many)
    request.count = op.input(0).integer(0);
  if (request.count < 0)
    return op.invalid("cannot dequeue " + std::to_string(request.count) +
                      " elements: expected a number >= 0");
  return useQueues(op, [&](QueuePipeline &queues) -> Status {
    std::vector<const Element *> elements;
    INGOT_RETURN_IF_ERROR(queues.take(nodeOf(op), request, elements));
    std::vector<input::Shape> shapes = queues.shapes(nodeOf(op));
    for (size_t i = 0; i < op.numOutputs(); ++i)
      INGOT_RETURN_IF_ERROR(
          writeOutput(op, i, request.many, shapes[i], elements));
    return Status::ok();
  });
}

/// Returns one element with copies of the op's inputs or, if `many`, one
/// element for each row of the inputs.
static Expected<std::vector<Element>>
elementsOf(OpKernelContext &op, bool many, input::TensorMemoryPool &pool) {
  std::vector<Element> elements(1);
  if (many)
    elements.resize(op.numInputs() ? static_cast<size_t>(op.input(0).dim(0))
                                   : 0);
  for (size_t i = 0; i < op.numInputs(); ++i) {
    OpInput input = op.input(i);
    if (many && static_cast<size_t>(input.dim(0)) != elements.size())
      return op.invalid("all components must have the same first dimension, "
                        "but component " +
                        std::to_string(i) + " has shape " +
                        dimsText(input.dims()));
    Dims dims = input.dims().subspan(many ? 1 : 0);
    size_t bytes = elementSize(input.dtype());
    for (int64_t dim : dims)
      bytes *= static_cast<size_t>(dim);
    for (size_t row = 0; row < elements.size(); ++row)
      elements[row].push_back(
          Tensor::copy(pool, input.dtype(), dims,
                       static_cast<const char *>(input.data()) + row * bytes));
  }
  return elements;
}

// Puts elements into a queue: one with the inputs as its components or, with
// attribute `many`, one for each row of the inputs.
INGOT_RUNTIME_OP(queue_enqueue) {
  return useQueues(op, [&](QueuePipeline &queues) -> Status {
    INGOT_ASSIGN_OR_RETURN(std::vector<Element> elements,
                           elementsOf(op, op.flag("many"), queues.blocks()));
    return queues.put(nodeOf(op), std::move(elements));
  });
}

// Returns the number of elements in a queue.
INGOT_RUNTIME_OP(queue_size) {
  INGOT_ASSIGN_OR_RETURN(auto size, op.output<int32_t>(0, {}));
  return useQueues(op, [&](QueuePipeline &queues) -> Status {
    INGOT_ASSIGN_OR_RETURN(int64_t found, queues.size(nodeOf(op)));
    size[0] = static_cast<int32_t>(found);
    return Status::ok();
  });
}

// Returns whether a queue is closed.
INGOT_RUNTIME_OP(queue_is_closed) {
  INGOT_ASSIGN_OR_RETURN(auto closed, op.output<bool>(0, {}));
  return useQueues(op, [&](QueuePipeline &queues) -> Status {
    INGOT_ASSIGN_OR_RETURN(closed[0], queues.isClosed(nodeOf(op)));
    return Status::ok();
  });
}

// Closes a queue.
INGOT_RUNTIME_OP(queue_close) {
  return useQueues(op, [&](QueuePipeline &queues) {
    return queues.close(nodeOf(op), op.flag("cancel"));
  });
}
