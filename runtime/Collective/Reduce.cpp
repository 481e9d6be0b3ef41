//===- Reduce.cpp - Reduces two values, element by element ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/Reduce.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Numeric.h"

#include <limits>
#include <type_traits>

using namespace ingot;

namespace {

// Each of the following structs states the type in which an element is stored
// (`Stored`) and the type in which it is reduced (`Number`).
template <typename T> struct NativeElementTraits {
  using Stored = T;
  using Number = T;
  static T load(T stored) { return stored; }
  static T store(T number) { return number; }
};
struct Bfloat16ElementTraits {
  using Stored = uint16_t;
  using Number = float;
  static float load(uint16_t bits) { return bfloat16ToFloat(bits); }
  static uint16_t store(float number) { return floatToBfloat16(number); }
};
struct HalfElementTraits {
  using Stored = uint16_t;
  using Number = float;
  static float load(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t store(float number) { return floatToHalf(number); }
};

struct Add {
  template <typename T> static T apply(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
      // Add as unsigned integers, which wrap around: overflow of signed
      // integers is undefined behavior.
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(left) +
                            static_cast<Unsigned>(right));
    } else {
      return left + right;
    }
  }
  template <typename T> static T neutral() { return 0; }
};
struct MaxReduction {
  template <typename T> static T apply(T left, T right) {
    // A NaN in `left` (left != left) is kept.
    return left > right || left != left ? left : right;
  }
  template <typename T> static T neutral() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};
struct MinReduction {
  template <typename T> static T apply(T left, T right) {
    return left < right || left != left ? left : right;
  }
  template <typename T> static T neutral() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};

} // namespace

template <typename Type, typename Function>
static typename Type::Stored apply(typename Type::Stored left,
                                   typename Type::Stored right) {
  return Type::store(Function::template apply<typename Type::Number>(
      Type::load(left), Type::load(right)));
}

template <typename Type, typename Function>
static void reduce(void *to, const void *left, const void *right,
                   size_t count) {
  using Stored = typename Type::Stored;
  auto *__restrict out = static_cast<Stored *>(to);
  auto *__restrict b = static_cast<const Stored *>(right);
  // Use two loops, because the compiler does not vectorize a single loop whose
  // result may alias an operand.
  if (to == left) {
    for (size_t i = 0; i < count; ++i)
      out[i] = apply<Type, Function>(out[i], b[i]);
    return;
  }
  auto *__restrict a = static_cast<const Stored *>(left);
  for (size_t i = 0; i < count; ++i)
    out[i] = apply<Type, Function>(a[i], b[i]);
}

template <typename Type, typename Function>
static void fill(void *to, size_t count) {
  auto *out = static_cast<typename Type::Stored *>(to);
  for (size_t i = 0; i < count; ++i)
    out[i] = Type::store(Function::template neutral<typename Type::Number>());
}

namespace {

struct ReductionFunctions {
  ReduceFunction reduce = nullptr;
  void (*fill)(void *, size_t) = nullptr;
};

} // namespace

template <typename Type>
static ReductionFunctions functionsOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return {reduce<Type, Add>, fill<Type, Add>};
  case Reduction::Max:
    return {reduce<Type, MaxReduction>, fill<Type, MaxReduction>};
  case Reduction::Min:
    return {reduce<Type, MinReduction>, fill<Type, MinReduction>};
  }
  return {};
}

static ReductionFunctions functionsOf(int32_t dtype, Reduction reduction) {
  switch (dtype) {
  case INGOT_FLOAT:
    return functionsOf<NativeElementTraits<float>>(reduction);
  case INGOT_DOUBLE:
    return functionsOf<NativeElementTraits<double>>(reduction);
  case INGOT_INT32:
    return functionsOf<NativeElementTraits<int32_t>>(reduction);
  case INGOT_INT64:
    return functionsOf<NativeElementTraits<int64_t>>(reduction);
  case INGOT_BFLOAT16:
    return functionsOf<Bfloat16ElementTraits>(reduction);
  case INGOT_HALF:
    return functionsOf<HalfElementTraits>(reduction);
  default:
    return {};
  }
}

ReduceFunction ingot::reduceFunction(int32_t dtype, Reduction reduction) {
  return functionsOf(dtype, reduction).reduce;
}

void ingot::fillNeutral(void *to, int32_t dtype, Reduction reduction,
                        size_t count) {
  functionsOf(dtype, reduction).fill(to, count);
}
