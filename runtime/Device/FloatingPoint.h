//===- FloatingPoint.h - How numbers too small are treated ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's threads flush denormals to zero; results and speed follow suit
// only where ours do.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_FLOATINGPOINT_H
#define INGOT_RUNTIME_DEVICE_FLOATINGPOINT_H

namespace ingot {

/// From here on this thread, and every thread it starts, treats denormals as
/// zero, in operands and results (DAZ and FTZ).
void flushDenormals();

/// The same while it exists, on this thread, which is a caller's.
class FlushDenormals {
public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals &) = delete;
  FlushDenormals &operator=(const FlushDenormals &) = delete;

private:
  unsigned before;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_FLOATINGPOINT_H
