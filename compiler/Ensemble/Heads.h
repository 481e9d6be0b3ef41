//===- Heads.h - Heads: losses and predictions ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Estimator's heads, with its losses (the sum over examples and dimensions,
// weighted, divided by their number), the keys of its predictions, and the
// figures from which the runtime makes its metrics, under the names that
// compiler/Import/AdaNetHeads.h describes.
//
//   auto head = makeHead(search.head());
//   head->check(columns);                  // once in an entry that trains
//   Tensor loss = head->loss(logits, columns);
//   for (const Figure &figure : head->figures(logits, columns))
//     entry.fetch(prefix + figure.name, figure.value);
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_ENSEMBLE_HEADS_H
#define INGOT_COMPILER_ENSEMBLE_HEADS_H

#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// The head that a search describes, which has passed checkSearch; null for an
/// unknown kind.
std::shared_ptr<const adanet::Head> makeHead(const proto::SearchHead &head);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_HEADS_H
