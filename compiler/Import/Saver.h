//===- Saver.h - The graph's savers, understood -----------------*- C++ -*-===//
//
// What a Saver's dozens of nodes come to: which variable or iterator is saved
// under which key, slice and shard.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_SAVER_H
#define INGOT_COMPILER_IMPORT_SAVER_H

#include "compiler/Import/Program.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// Adds the `ingot.saver` that a SaverDef describes to the program: follows
/// the tensor that it saves by back to the SaveV2 nodes, one a shard, and the
/// op that it restores by back to RestoreV2, and checks that both agree. Null,
/// with the problems recorded, where they do something else.
mlir::ingot::SaverOp importSaver(Program &program, const proto::SaverDef &def,
                                 Problems &problems);

/// For a graph that brings no saver although some of its variables are parts of
/// a tensor, as partitioners make them: adds the saver that TensorFlow would
/// make, which saves these under the tensor's name and their slices of it, and
/// all others by their names. Comes behind all entries.
void importPartsSaver(Program &program, Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SAVER_H
