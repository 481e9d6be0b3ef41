//===- ElementTypeDispatch.h - Dispatch on element types --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that support several element types are templates; these functions choose
// the instantiation for a call.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_ELEMENTTYPEDISPATCH_H
#define INGOT_RUNTIME_OPS_ELEMENTTYPEDISPATCH_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"
#include "runtime/Support/Status.h"

#include <string>

namespace ingot::ops {

/// An IEEE half as stored in memory. It converts to float for arithmetic.
struct Half {
  uint16_t bits;
  operator float() const { return halfToFloat(bits); }
};

/// A bfloat16 as stored in memory. It converts to float for arithmetic.
struct Bfloat16 {
  uint16_t bits;
  operator float() const { return bfloat16ToFloat(bits); }
};

inline Status unsupportedType(int32_t dtype) {
  return Status(StatusCode::Unimplemented,
                "element type " + dtypeName(dtype) + " is not supported");
}

/// Returns visitor.operator()<T>(), where T is the C++ type for numbers of
/// `dtype`.
template <typename VisitorT>
Status visitNumbers(int32_t dtype, VisitorT &&visitor) {
  switch (dtype) {
  case INGOT_FLOAT:
    return visitor.template operator()<float>();
  case INGOT_DOUBLE:
    return visitor.template operator()<double>();
  case INGOT_INT32:
    return visitor.template operator()<int32_t>();
  case INGOT_UINT8:
    return visitor.template operator()<uint8_t>();
  case INGOT_INT16:
    return visitor.template operator()<int16_t>();
  case INGOT_INT8:
    return visitor.template operator()<int8_t>();
  case INGOT_INT64:
    return visitor.template operator()<int64_t>();
  case INGOT_BFLOAT16:
    return visitor.template operator()<Bfloat16>();
  case INGOT_UINT16:
    return visitor.template operator()<uint16_t>();
  case INGOT_HALF:
    return visitor.template operator()<Half>();
  case INGOT_UINT32:
    return visitor.template operator()<uint32_t>();
  case INGOT_UINT64:
    return visitor.template operator()<uint64_t>();
  default:
    return unsupportedType(dtype);
  }
}

/// Like visitNumbers(), but also accepts booleans and strings (ingot_string).
template <typename VisitorT>
Status visitElements(int32_t dtype, VisitorT &&visitor) {
  if (dtype == INGOT_BOOL)
    return visitor.template operator()<bool>();
  if (dtype == INGOT_STRING)
    return visitor.template operator()<ingot_string>();
  return visitNumbers(dtype, visitor);
}

/// Returns true if two elements are equal in TensorFlow's sense: a NaN equals
/// nothing.
template <typename T> bool sameElement(const T &a, const T &b) {
  return a == b;
}
inline bool sameElement(const ingot_string &a, const ingot_string &b) {
  return std::string_view(a.data, a.size) == std::string_view(b.data, b.size);
}

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_ELEMENTTYPEDISPATCH_H
