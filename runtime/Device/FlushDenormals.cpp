//===- FlushDenormals.cpp - Flushes denormals to zero ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/FlushDenormals.h"

#include <pmmintrin.h>
#include <xmmintrin.h>

void ingot::flushDenormals() {
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
}

ingot::ScopedFlushDenormals::ScopedFlushDenormals() : before(_mm_getcsr()) {
  flushDenormals();
}

ingot::ScopedFlushDenormals::~ScopedFlushDenormals() { _mm_setcsr(before); }

ingot::ScopedKeepDenormals::ScopedKeepDenormals() : before(_mm_getcsr()) {
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_OFF);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_OFF);
}

ingot::ScopedKeepDenormals::~ScopedKeepDenormals() { _mm_setcsr(before); }
