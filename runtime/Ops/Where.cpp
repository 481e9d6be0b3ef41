//===- Where.cpp - Coordinates of nonzero elements ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

/// Writes the coordinates of flat index `at` in a tensor in row-major order.
static void writeCoordinates(int64_t at, Dims dims, int64_t *row) {
  for (size_t axis = dims.size(); axis-- > 0;) {
    row[axis] = at % dims[axis];
    at /= dims[axis];
  }
}

template <typename T>
static Status where(OpKernelContext &op, const OpInput &input) {
  auto elements = input.as<T>();
  int64_t count = 0;
  for (const T &element : elements)
    count += element != T();
  auto rank = static_cast<int64_t>(input.rank());
  INGOT_ASSIGN_OR_RETURN(auto rows, op.output<int64_t>(0, {count, rank}));
  int64_t *row = rows.data();
  for (size_t i = 0; i < elements.size(); ++i)
    if (elements[i] != T()) {
      writeCoordinates(static_cast<int64_t>(i), input.dims(), row);
      row += rank;
    }
  return Status::ok();
}

INGOT_RUNTIME_OP(where) {
  OpInput input = op.input(0);
  auto visitor = [&]<typename T>() { return where<T>(op, input); };
  if (input.dtype() == INGOT_BOOL)
    return visitor.template operator()<bool>();
  return visitNumbers(input.dtype(), visitor);
}
