//===- FlushDenormals.h - Flushes denormals to zero -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's threads flush denormals to zero. The threads of this runtime do
// the same, for equal results and equal speed.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_FLUSHDENORMALS_H
#define INGOT_RUNTIME_DEVICE_FLUSHDENORMALS_H

namespace ingot {

/// Makes this thread, and every thread that it starts later, treat denormals in
/// operands and results as zero (DAZ and FTZ).
void flushDenormals();

/// Flushes denormals on the current thread, which the runtime did not start,
/// for the lifetime of this object.
class ScopedFlushDenormals {
public:
  ScopedFlushDenormals();
  ~ScopedFlushDenormals();
  ScopedFlushDenormals(const ScopedFlushDenormals &) = delete;
  ScopedFlushDenormals &operator=(const ScopedFlushDenormals &) = delete;

private:
  unsigned before;
};

/// Computes with denormals on the current thread for the lifetime of this
/// object.
class ScopedKeepDenormals {
public:
  ScopedKeepDenormals();
  ~ScopedKeepDenormals();
  ScopedKeepDenormals(const ScopedKeepDenormals &) = delete;
  ScopedKeepDenormals &operator=(const ScopedKeepDenormals &) = delete;

private:
  unsigned before;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_FLUSHDENORMALS_H
