//===- EnsembleOps.h - Ensembles and their candidates -----------*- C++ -*-===//
#ifndef INGOT_DIALECTS_INGOT_ENSEMBLEOPS_H
#define INGOT_DIALECTS_INGOT_ENSEMBLEOPS_H

#include "dialects/Ingot/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotEnsembleOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_ENSEMBLEOPS_H
