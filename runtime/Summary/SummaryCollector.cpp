//===- SummaryCollector.cpp - Collects a step's summaries -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/SummaryCollector.h"

#include "runtime/Support/Numeric.h"

using namespace ingot;

void SummaryCollector::addScalar(const char *tag, int32_t dtype,
                                 const void *value) {
  if (isNumeric(dtype))
    theScalars.push_back(
        {tag, static_cast<float>(elementAsDouble(dtype, value))});
}
