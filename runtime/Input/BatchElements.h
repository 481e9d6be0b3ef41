//===- BatchElements.h - Elements of a queue as one batch -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_BATCHELEMENTS_H
#define INGOT_RUNTIME_INPUT_BATCHELEMENTS_H

#include "runtime/Input/Tensor.h"

#include <span>
#include <vector>

namespace ingot::input {

/// Returns the shape of a batch of component `component` of elements that were
/// dequeued from a TensorFlow 1 queue. `declared` is the shape that the queue
/// declares for the component of one element; each of its dynamic dimensions
/// gets the largest size that it has in any of the elements.
std::vector<int64_t> batchShape(Shape declared,
                                std::span<const Element *const> elements,
                                size_t component);

/// Copies component `component` of the elements to `to`, the rows of a batch of
/// shape `shape`. Elements smaller than a row are padded with zeros or empty
/// strings. The bytes of strings are not copied, so `elements` must outlive the
/// batch.
void copyToBatch(std::span<const Element *const> elements, size_t component,
                 Shape shape, void *to);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_BATCHELEMENTS_H
