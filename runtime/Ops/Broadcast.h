//===- Broadcast.h - Broadcasts two shapes ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_BROADCAST_H
#define INGOT_RUNTIME_OPS_BROADCAST_H

#include "runtime/Ops/OpKernelContext.h"

#include <vector>

namespace ingot::ops {

/// Broadcasts two tensors against each other, by NumPy's rules.
class Broadcast {
public:
  static Expected<Broadcast> create(Dims a, Dims b) {
    Broadcast result;
    size_t rank = std::max(a.size(), b.size());
    result.theDims.resize(rank);
    for (auto &strides : result.strides)
      strides.resize(rank);
    int64_t strideA = 1, strideB = 1;
    for (size_t i = 0; i < rank; ++i) {
      int64_t dimA = i < a.size() ? a[a.size() - 1 - i] : 1;
      int64_t dimB = i < b.size() ? b[b.size() - 1 - i] : 1;
      if (dimA != dimB && dimA != 1 && dimB != 1)
        return Status(StatusCode::InvalidArgument,
                      "shapes " + dimsText(a) + " and " + dimsText(b) +
                          " cannot be broadcast against each other");
      size_t axis = rank - 1 - i;
      result.theDims[axis] = dimA == 1 ? dimB : dimA;
      result.strides[0][axis] = dimA == 1 ? 0 : strideA;
      result.strides[1][axis] = dimB == 1 ? 0 : strideB;
      strideA *= dimA;
      strideB *= dimB;
    }
    return result;
  }

  Dims dims() const { return theDims; }

  /// Calls function(i, j, k) for each element i of the result, where i is
  /// computed from element j of `a` and element k of `b`. All three are flat
  /// (row-major) indices.
  template <typename FunctionT> void forEach(FunctionT function) const {
    int64_t size = 1;
    for (int64_t dim : theDims)
      size *= dim;
    for (int64_t i = 0; i < size; ++i) {
      int64_t rest = i, a = 0, b = 0;
      for (size_t axis = theDims.size(); axis-- > 0;) {
        int64_t at = rest % theDims[axis];
        rest /= theDims[axis];
        a += at * strides[0][axis];
        b += at * strides[1][axis];
      }
      function(static_cast<size_t>(i), static_cast<size_t>(a),
               static_cast<size_t>(b));
    }
  }

private:
  std::vector<int64_t> theDims, strides[2];
};

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_BROADCAST_H
