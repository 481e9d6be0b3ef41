//===- BroadcastGradients.h - Gradients of broadcast operands ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_OPS_BROADCASTGRADIENTS_H
#define INGOT_COMPILER_IMPORT_OPS_BROADCASTGRADIENTS_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

class NodeDecomposition;

/// TensorFlow computes the gradient of a broadcast operand as a sum over axes
/// that BroadcastGradientArgs returns, reshaped to the operand's shape. The
/// number of these axes depends on sizes, so that the rank of the sum is
/// unknown. If the Reshape `node`, whose inputs are `parts.inputs`, has this
/// form, creates an `ingot.sum_to_shape` in its place and returns its result;
/// otherwise returns null.
mlir::Value importBroadcastGradient(NodeImport &node, NodeDecomposition &parts);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_BROADCASTGRADIENTS_H
