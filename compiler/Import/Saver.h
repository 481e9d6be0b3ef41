//===- Saver.h - Recognizes the graph's savers ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reduces a Saver's dozens of nodes to the key, slice and shard of each saved
// variable or iterator.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_SAVER_H
#define INGOT_COMPILER_IMPORT_SAVER_H

#include "compiler/Import/Program.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// Adds the `ingot.saver` of a SaverDef to the program. Finds the SaveV2 nodes,
/// one per shard, that the SaverDef's save tensor depends on, and the RestoreV2
/// nodes of its restore op, and checks that both agree. Returns null, with the
/// problems recorded, if these nodes are not those of a tf.train.Saver.
mlir::ingot::SaverOp importSaver(Program &program, const proto::SaverDef &def,
                                 Problems &problems);

/// Adds the saver that TensorFlow would create to a program that has no saver
/// but variables that are slices of a partitioned tensor. It saves each of
/// these as a slice under the tensor's name, and all other variables under
/// their own names. Must be called after all entries have been imported.
void importPartsSaver(Program &program, Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SAVER_H
