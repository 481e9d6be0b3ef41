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

/// Adds the `ingot.saver` of a SaverDef to the program: follows the tensor that
/// it saves by back to the SaveV2 nodes, one per shard, and the op that it
/// restores by back to RestoreV2, and checks that both agree. Null, with the
/// problems recorded, if they do anything else.
mlir::ingot::SaverOp importSaver(Program &program, const proto::SaverDef &def,
                                 Problems &problems);

/// For a graph without a saver some of whose variables are slices of a
/// partitioned tensor: adds the saver that TensorFlow would create, which saves
/// these under the tensor's name and their slices, and all others under their
/// names. Call it after all entries.
void importPartsSaver(Program &program, Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SAVER_H
