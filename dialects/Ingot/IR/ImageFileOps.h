//===- ImageFileOps.h - Files, and the images in them -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_IMAGEFILEOPS_H
#define INGOT_DIALECTS_INGOT_IR_IMAGEFILEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotImageFileOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_IMAGEFILEOPS_H
