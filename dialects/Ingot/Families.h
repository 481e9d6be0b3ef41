//===- Families.h - The families of ops that stand by themselves -*- C++
//-*-===//
//
// Each family has its ops in a .td, a header and a .cpp of its own, and is
// added to the dialect by one function: a new op rebuilds its family alone.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_FAMILIES_H
#define INGOT_DIALECTS_INGOT_FAMILIES_H

namespace mlir::ingot {

class IngotDialect;

void addOptimizerOps(IngotDialect &dialect);
void addBroadcastOps(IngotDialect &dialect);
void addCheckpointOps(IngotDialect &dialect);
void addControlOps(IngotDialect &dialect);
void addReportOps(IngotDialect &dialect);
void addArrayOps(IngotDialect &dialect);
void addIndexingOps(IngotDialect &dialect);
void addMatrixOps(IngotDialect &dialect);
void addRearrangeOps(IngotDialect &dialect);
void addSetOps(IngotDialect &dialect);
void addSparseOps(IngotDialect &dialect);
void addStringOps(IngotDialect &dialect);
void addTableOps(IngotDialect &dialect);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_FAMILIES_H
