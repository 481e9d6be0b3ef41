//===- QueuePipeline.h - Interface of a pipeline of queues ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface through which compiled code uses a pipeline of queues: the
// queues, readers and runners that are connected in a TensorFlow 1 graph
// (docs/internals/queues.md). A queue op gets the QueuePipeline from the
// Iterator whose root dataset is the pipeline (Iterator::useQueues()).
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_QUEUEPIPELINE_H
#define INGOT_RUNTIME_INPUT_QUEUEPIPELINE_H

#include "runtime/Input/Tensor.h"
#include "runtime/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace ingot::input {

/// Connected queues, with the readers and runners that fill them. Ops of
/// compiled code refer to a queue or a reader by its index in the root
/// dataset's list of such nodes. Not thread-safe.
class QueuePipeline {
public:
  virtual ~QueuePipeline() = default;

  /// The request of a dequeue op.
  struct DequeueRequest {
    int64_t count = 1;
    /// Whether fewer than `count` elements are enough once the queue is closed.
    bool upTo = false;
    /// Whether the elements are to become one batch.
    bool many = false;
  };

  /// Takes elements from a node and appends them to `elements`. They are valid
  /// until compiled code uses the pipeline in a later run. Returns OutOfRange
  /// if the queue is closed and has too few elements.
  virtual Status take(uint64_t node, const DequeueRequest &request,
                      std::vector<const Element *> &elements) = 0;
  /// Returns the pool from which elements for put() are allocated.
  virtual TensorMemoryPool &blocks() = 0;
  /// Puts elements into a queue. Fails if the queue is closed or full.
  virtual Status put(uint64_t node, std::vector<Element> elements) = 0;
  virtual Expected<int64_t> size(uint64_t node) = 0;
  virtual Expected<bool> isClosed(uint64_t node) = 0;
  /// Returns the shapes that a node declares for its components.
  virtual std::vector<Shape> shapes(uint64_t node) const = 0;
  /// Closes a queue; if `cancel`, drops the elements that wait for room.
  virtual Status close(uint64_t node, bool cancel) = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_QUEUEPIPELINE_H
