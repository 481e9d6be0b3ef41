//===- Heads.h - What logits mean, by a search file -------------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_HEADS_H
#define INGOT_COMPILER_ENSEMBLE_HEADS_H

#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// The head that a search file describes; the file was checked.
std::shared_ptr<const adanet::Head> makeHead(const proto::SearchHead &head);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_HEADS_H
