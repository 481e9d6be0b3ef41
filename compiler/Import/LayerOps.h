//===- LayerOps.h - The families of ops that layers are made of -*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_LAYEROPS_H
#define INGOT_COMPILER_IMPORT_LAYEROPS_H

#include "compiler/Import/OpTable.h"

namespace ingot::importer {

void addConvolutionOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addProductOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_LAYEROPS_H
