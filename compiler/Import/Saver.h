//===- Saver.h - Recognizes the graph's savers ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports savers. A saver's dozens of nodes are not imported one by one; they
// are reduced to the key, slice and shard of each saved variable or iterator.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_SAVER_H
#define INGOT_COMPILER_IMPORT_SAVER_H

#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/VariableOps.h"

namespace ingot::importer {

/// Adds an `ingot.saver` for the SaverDef `def` to the program. The SaverDef's
/// save tensor depends on the save nodes, one per shard, and its restore op on
/// the restore nodes. Checks that the restore nodes restore what the save nodes
/// save. Returns null, with the problems recorded, if these nodes are not those
/// of a tf.train.Saver.
mlir::ingot::SaverOp importSaver(Program &program, const proto::SaverDef &def,
                                 ImportErrors &problems);

/// Adds a saver to a program that has none although some of its variables are
/// slices of a partitioned tensor. Like the saver that TensorFlow would create,
/// it saves such a variable as a slice under the tensor's name, and all other
/// variables under their own names. Must be called after all entries have been
/// imported.
void importPartsSaver(Program &program, ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SAVER_H
