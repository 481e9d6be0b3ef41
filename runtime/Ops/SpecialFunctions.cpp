//===- SpecialFunctions.cpp - Bessel, gamma, beta and zeta functions ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise functions that Eigen computes, here as in TensorFlow. Elements of
// type half are computed in float.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Broadcast.h"
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <cmath>
#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

using namespace ingot;
using namespace ingot::ops;

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

/// Computes each element of the result by `function`, which takes and returns a
/// float or a double.
template <typename FunctionT>
static Status mapOperand(OpKernelContext &op, FunctionT function) {
  OpInput input = op.input(0);
  auto compute = [&]<typename T>(std::span<T> output) {
    std::span<const T> from = input.as<T>();
    for (size_t i = 0; i < output.size(); ++i)
      output[i] = function(from[i]);
    return Status::ok();
  };
  switch (op.outputType(0)) {
  case INGOT_DOUBLE: {
    INGOT_ASSIGN_OR_RETURN(auto output, op.output<double>(0, input.dims()));
    return compute(output);
  }
  case INGOT_FLOAT: {
    INGOT_ASSIGN_OR_RETURN(auto output, op.output<float>(0, input.dims()));
    return compute(output);
  }
  default: {
    INGOT_ASSIGN_OR_RETURN(auto output, op.output<Half>(0, input.dims()));
    std::span<const Half> from = input.as<Half>();
    for (size_t i = 0; i < output.size(); ++i)
      output[i].bits = floatToHalf(function(static_cast<float>(from[i])));
    return Status::ok();
  }
  }
}

#define INGOT_BESSEL_FUNCTION(name)                                            \
  INGOT_RUNTIME_OP(name) {                                                     \
    return mapOperand(op, [](auto x) { return Eigen::numext::name(x); });      \
  }
INGOT_BESSEL_FUNCTION(bessel_i0)
INGOT_BESSEL_FUNCTION(bessel_i1)
INGOT_BESSEL_FUNCTION(bessel_j0)
INGOT_BESSEL_FUNCTION(bessel_j1)
INGOT_BESSEL_FUNCTION(bessel_k0)
INGOT_BESSEL_FUNCTION(bessel_k0e)
INGOT_BESSEL_FUNCTION(bessel_k1)
INGOT_BESSEL_FUNCTION(bessel_k1e)
INGOT_BESSEL_FUNCTION(bessel_y0)
INGOT_BESSEL_FUNCTION(bessel_y1)
#undef INGOT_BESSEL_FUNCTION

//===----------------------------------------------------------------------===//
// Functions of two operands
//===----------------------------------------------------------------------===//

template <typename T, typename FunctionT>
static Status mapBroadcast(OpKernelContext &op, FunctionT function) {
  OpInput a = op.input(0), b = op.input(1);
  INGOT_ASSIGN_OR_RETURN(Broadcast shape,
                         Broadcast::create(a.dims(), b.dims()));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, shape.dims()));
  shape.forEach([&](size_t i, size_t j, size_t k) {
    output[i] = function(a.as<T>()[j], b.as<T>()[k]);
  });
  return Status::ok();
}

#define INGOT_BINARY_FUNCTION(mnemonic, name)                                  \
  INGOT_RUNTIME_OP(mnemonic) {                                                 \
    auto function = [](auto a, auto b) { return Eigen::numext::name(a, b); };  \
    return op.outputType(0) == INGOT_DOUBLE                                    \
               ? mapBroadcast<double>(op, function)                            \
               : mapBroadcast<float>(op, function);                            \
  }
INGOT_BINARY_FUNCTION(igamma, igamma)
INGOT_BINARY_FUNCTION(igammac, igammac)
INGOT_BINARY_FUNCTION(igamma_grad_a, igamma_der_a)
#undef INGOT_BINARY_FUNCTION

// For infinite operands, Eigen 3.4 computes a NaN where the limit of the
// function is 0.

template <typename T> static T zeta(T x, T q) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  bool isZero = (q == infinity && x > 1) || (x == infinity && q > 1);
  return isZero ? 0 : Eigen::numext::zeta(x, q);
}

template <typename T> static T polygamma(T order, T x) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  bool isZero = x == infinity && order > 0 && order < infinity &&
                std::floor(order) == order;
  // For x = infinity, polygamma is zero. Its sign alternates with the order.
  if (isZero)
    return std::fmod(order, T(2)) == 0 ? T(-0.0) : T(0);
  return Eigen::numext::polygamma(order, x);
}

INGOT_RUNTIME_OP(zeta) {
  return op.outputType(0) == INGOT_DOUBLE
             ? mapBroadcast<double>(op, zeta<double>)
             : mapBroadcast<float>(op, zeta<float>);
}

INGOT_RUNTIME_OP(polygamma) {
  return op.outputType(0) == INGOT_DOUBLE
             ? mapBroadcast<double>(op, polygamma<double>)
             : mapBroadcast<float>(op, polygamma<float>);
}

//===----------------------------------------------------------------------===//
// betainc
//===----------------------------------------------------------------------===//

template <typename T> static Status computeBetainc(OpKernelContext &op) {
  // An operand is a scalar or has the shape of the result. Find this shape.
  Dims dims = op.input(0).dims();
  for (size_t i = 1; i < 3; ++i) {
    Dims other = op.input(i).dims();
    if (dims.empty())
      dims = other;
    else if (!other.empty() && !std::ranges::equal(dims, other))
      return op.invalid("operands that are not scalars must have the same "
                        "shape, but have the shapes " +
                        dimsText(dims) + " and " + dimsText(other));
  }
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, dims));
  auto element = [&](size_t operand, size_t i) {
    OpInput input = op.input(operand);
    return input.as<T>()[input.dims().empty() ? 0 : i];
  };
  for (size_t i = 0; i < output.size(); ++i)
    output[i] =
        Eigen::numext::betainc(element(0, i), element(1, i), element(2, i));
  return Status::ok();
}

INGOT_RUNTIME_OP(betainc) {
  return op.outputType(0) == INGOT_DOUBLE ? computeBetainc<double>(op)
                                          : computeBetainc<float>(op);
}
