//===- CountUlps.cpp - How far functions are from the C library's ---------===//
// SPDX-License-Identifier: Apache-2.0
//
//   ingot-count-ulps f32|f64 FUNCTION FOUND.npy X.npy [Y.npy]
//
// Prints the largest error of the numbers in FOUND, in units in the last place,
// and the number that has it. The expected values are computed in long double,
// which has 11 binary digits more than double. Denormal numbers count as zeros,
// as in TensorFlow. Cases in which an input or the result is about as small are
// left out.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace {

using Long = long double;
static_assert(std::numeric_limits<Long>::digits >= 64);

Long sigmoid(Long x) { return 1 / (1 + std::exp(-x)); }
Long softplus(Long x) {
  return std::max(x, Long(0)) + std::log1p(std::exp(-std::abs(x)));
}
Long rsqrt(Long x) { return 1 / std::sqrt(x); }
/// Increases x in steps of 1 until the asymptotic series is exact; negative x
/// are reflected.
Long digamma(Long x) {
  constexpr Long series[] = {1 / 12.0L,   -1 / 120.0L,    1 / 252.0L,
                             -1 / 240.0L, 1 / 132.0L,     -691 / 32760.0L,
                             1 / 12.0L,   -3617 / 8160.0L};
  if (x <= 0) {
    Long distance = x - std::nearbyint(x);
    return distance == 0
               ? std::numeric_limits<Long>::quiet_NaN()
               : digamma(1 - x) -
                     std::numbers::pi_v<Long> /
                         std::tan(std::numbers::pi_v<Long> * distance);
  }
  Long sum = 0;
  for (; x < 30; ++x)
    sum -= 1 / x;
  Long power = 1;
  for (Long factor : series)
    sum -= factor * (power /= x * x);
  return sum + std::log(x) - 1 / (2 * x);
}

const std::map<std::string, Long (*)(Long)> functions = {
    {"Acos", std::acos},   {"Acosh", std::acosh},   {"Asin", std::asin},
    {"Asinh", std::asinh}, {"Atan", std::atan},     {"Atanh", std::atanh},
    {"Cos", std::cos},     {"Cosh", std::cosh},     {"Digamma", digamma},
    {"Erf", std::erf},     {"Erfc", std::erfc},     {"Exp", std::exp},
    {"Expm1", std::expm1}, {"Lgamma", std::lgamma}, {"Log", std::log},
    {"Log1p", std::log1p}, {"Rsqrt", rsqrt},        {"Sigmoid", sigmoid},
    {"Sin", std::sin},     {"Sinh", std::sinh},     {"Softplus", softplus},
    {"Sqrt", std::sqrt},   {"Tan", std::tan},       {"Tanh", std::tanh}};
const std::map<std::string, Long (*)(Long, Long)> functionsOfTwo = {
    {"Atan2", std::atan2}, {"Pow", std::pow}};

/// Reads the numbers of a .npy file.
template <typename Float> std::vector<Float> read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  uint16_t header = 0;
  if (bytes.size() < 10 || bytes.compare(0, 7, "\x93NUMPY\x01") != 0) {
    std::fprintf(stderr, "%s: no .npy file\n", path);
    std::exit(2);
  }
  std::memcpy(&header, &bytes[8], sizeof(header));
  std::vector<Float> numbers((bytes.size() - 10 - header) / sizeof(Float));
  std::memcpy(numbers.data(), &bytes[10 + header],
              numbers.size() * sizeof(Float));
  return numbers;
}

/// Returns by how many units in the last place `found` differs from `expected`.
template <typename Float> Long units(Float found, Long expected) {
  using Limits = std::numeric_limits<Float>;
  constexpr Long infinity = std::numeric_limits<Long>::infinity();
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) == std::isnan(found) ? 0 : infinity;
  const Long end = std::ldexp(Long(1), Limits::max_exponent);
  if (std::abs(expected) >=
      end * (1 - std::ldexp(Long(1), -Limits::digits - 1)))
    expected = std::copysign(infinity, expected);
  if (found == expected)
    return 0;
  // Infinity counts as the number after the largest finite number.
  Long largest = std::isinf(expected) ? Long(found) : expected;
  if (std::isinf(expected) || std::isinf(found))
    return (1 - std::abs(largest) / end) * std::ldexp(Long(1), Limits::digits);
  int exponent = 0;
  std::frexp(expected, &exponent);
  return std::abs(found - expected) /
         std::ldexp(Long(1), exponent - Limits::digits);
}

template <typename Float>
int compare(const std::string &name, int numInputs, char **paths) {
  // Numbers below this are left out: it is some digits above the smallest
  // normal number, as results have smaller parts.
  const Long smallest =
      std::ldexp(Long(1), std::numeric_limits<Float>::min_exponent + 30);
  std::vector<Float> found = read<Float>(paths[0]), x = read<Float>(paths[1]),
                     y = read<Float>(paths[numInputs]);
  if (found.size() != x.size() || found.size() != y.size() || found.empty())
    return 2;
  auto isTiny = [&](Long value) {
    return value != 0 && std::abs(value) < smallest;
  };
  Long most = 0, expectedAtMost = 0;
  size_t at = 0, counted = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    Long expected = numInputs == 1 ? functions.at(name)(x[i])
                                   : functionsOfTwo.at(name)(x[i], y[i]);
    if (isTiny(x[i]) || isTiny(y[i]) || isTiny(expected))
      continue;
    ++counted;
    Long off = units(found[i], expected);
    if (off > most || std::isnan(off)) {
      most = off;
      at = i;
      expectedAtMost = expected;
    }
  }
  std::printf("%.3Lf %zu %.17g %.17g %.17g %.21Lg\n", most, counted,
              double(x[at]), double(y[at]), double(found[at]), expectedAtMost);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 5)
    return 2;
  std::string name = argv[2];
  int numInputs = argc - 4;
  if (numInputs != (functions.contains(name) ? 1 : 2) ||
      (numInputs == 2 && !functionsOfTwo.contains(name)))
    return 2;
  return std::strcmp(argv[1], "f32") == 0
             ? compare<float>(name, numInputs, argv + 3)
             : compare<double>(name, numInputs, argv + 3);
}
