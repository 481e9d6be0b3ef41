//===- OptimizerOps.h - Steps of optimizers ---------------------*- C++ -*-===//
#ifndef INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H
#define INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H

#include "dialects/Ingot/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOptimizerOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H
