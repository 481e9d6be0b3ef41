//===- InferTrainOp.h - The train op of a graph that names none -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_INFERTRAINOP_H
#define INGOT_COMPILER_IMPORT_ENTRIES_INFERTRAINOP_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Finds the train op of a graph without collection `train_op`: the only node
/// that no other node uses, that groups or is an update, and that depends on
/// updates of trainable variables. Returns the node with a warning; or -1, with
/// a warning that names the candidates if there are several.
int inferTrainOp(Program &program);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_INFERTRAINOP_H
