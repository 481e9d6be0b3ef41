//===- Heads.h - Heads: losses and predictions ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Heads with the losses and prediction keys of TensorFlow's Estimator. The loss
// is the sum of the weighted losses of all examples and logits dimensions,
// divided by the number of these losses. Heads also return the figures from
// which the runtime computes metrics; compiler/Import/AdaNet/AdaNetHeads.h
// describes the figures' names.
//
//   auto head = makeHead(search.head());
//   head->check(columns);                  // once in an entry that trains
//   Tensor loss = head->loss(logits, columns);
//   for (const NamedTensor &figure : head->figures(logits, columns))
//     entry.fetch(prefix + figure.name, figure.value);
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_ENSEMBLE_HEADS_H
#define INGOT_COMPILER_ENSEMBLE_HEADS_H

#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Makes the head that `head` describes, which must have passed checkSearch.
/// Returns null if its kind is not set.
std::shared_ptr<const adanet::Head> makeHead(const proto::SearchHead &head);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_HEADS_H
