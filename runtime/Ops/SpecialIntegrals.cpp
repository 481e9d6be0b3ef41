//===- SpecialIntegrals.cpp - Dawson, Fresnel and other integrals ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Dawson's integral, the exponential integral, the Fresnel integrals and
// Spence's dilogarithm, each as TensorFlow computes it: by the rational
// approximations of Moshier's Cephes library (dawsn.c, ei.c, fresnl.c and
// spence.c), in the type of the operand.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace ingot;
using namespace ingot::ops;

// The coefficients of the approximations, from the highest power to the lowest:
// `Upper` of the numerator, `Lower` of the denominator.
constexpr double dawsonNearUpper[] = {
    1.1368149897175597e-11, 8.492622676674738e-10,
    1.9443420417555306e-8,  9.531517412544844e-7,
    3.078283098749132e-6,   3.5251336852028877e-4,
    -8.501498467244109e-4,  0.04226182230055466,
    -0.09174803717734524,   1,
};
constexpr double dawsonNearLower[] = {
    2.403720730667626e-11,
    1.488646813684934e-9,
    5.212652810105416e-8,
    1.2725847827318697e-6,
    2.324902498207895e-5,
    3.2552474182605793e-4,
    0.003488058146571626,
    0.027944853119882897,
    0.15887424196012057,
    0.5749186294893204,
    1,
};
constexpr double dawsonMiddleUpper[] = {
    0.5089551564179009,     -0.24475441814269785,   0.09415123353035344,
    -0.021871125514203903,  0.003662076123295692,   -4.232091144603888e-4,
    3.5964130479389666e-5,  -2.1464035171996896e-6, 9.100107800763914e-8,
    -2.4027452082825098e-9, 3.592333854409284e-11,
};
constexpr double dawsonMiddleLower[] = {
    1,
    -0.6318398698733682,
    0.2367067882282487,
    -0.053180636700322324,
    0.008480417185862954,
    -9.479967684866654e-4,
    7.810255929445524e-5,
    -4.558751532524426e-6,
    1.8910035811142186e-7,
    -4.913246913319206e-9,
    7.184664032357345e-11,
};
constexpr double dawsonFarUpper[] = {
    -0.5905928605347732,  0.6292352427243688,    -0.17285897538038814,
    0.016483704782518965, -4.868276130204627e-4,
};
constexpr double dawsonFarLower[] = {
    1,
    -2.698200571975449,
    1.7327079904594784,
    -0.3937085822819395,
    0.03442789240412334,
    -9.736552260409412e-4,
};
constexpr double expintTo2Upper[] = {
    -5.350447357812543, 218.50491688166133,  -4176.572384826693,
    55411.76756393557,  -331338.13311781443, 1592627.1633849454,
};
constexpr double expintTo2Lower[] = {
    1,
    -52.505479591128626,
    1259.6161867867906,
    -17565.495819735348,
    149306.2117002726,
    -729494.9239640528,
    1592627.1633849454,
};
constexpr double expintTo4Upper[] = {
    0.019818085032596897,   -1.2716456259849176,  -2.0881603356812284,
    2.7555445091879367,     -0.44095070487016,    0.046656238059358916,
    -0.0015450426796734852, 7.059980605299618e-5,
};
constexpr double expintTo4Lower[] = {
    1,
    1.4764986709149215,
    0.5629177174822436,
    0.16990178978793072,
    0.02291647179034212,
    0.0044501504397287525,
    1.7274396122065214e-4,
    3.953167195549672e-5,
};
constexpr double expintTo8Upper[] = {
    -1.3732153758712087,  -0.7084559133740839,  1.580806855547941,
    -0.2601500427425623,  0.029946746941137137, -0.001038086040188744,
    4.371064420753005e-5, 2.141783679522603e-6,
};
constexpr double expintTo8Lower[] = {
    1,
    0.8585231423622028,
    0.4483285822873995,
    0.07687932158124476,
    0.024498682410218877,
    8.832165941927797e-4,
    4.5909522995113536e-4,
    -4.729848351866523e-6,
    2.66519553739071e-6,
};
constexpr double expintTo16Upper[] = {
    -2.1069346016919166,   1.7327338696646881,    -0.2423619178935842,
    0.02322724180937566,   2.3728804404931798e-4, -8.343219561192553e-5,
    1.3634087956052505e-5, -3.655412321999254e-7, 1.4649417339759612e-8,
    6.17640786371036e-10,
};
constexpr double expintTo16Lower[] = {
    1,
    -0.2298062239901678,
    0.11050770414740378,
    -0.015665429666307924,
    0.002761106850817353,
    -2.0891480122840484e-4,
    1.7085289388076754e-5,
    -4.4593117963566865e-7,
    1.3946349303538475e-8,
    6.150865933977338e-10,
};
constexpr double expintTo32Upper[] = {
    -0.24581193676740204,  -0.14833822533220778,  0.07248291795735552,
    -0.013483156873809405, 0.001342775069788637,  -7.942465637159712e-5,
    2.644179518984236e-6,  -4.239473659313765e-8,
};
constexpr double expintTo32Lower[] = {
    1,
    -0.10442259084438711,
    -0.26764531281014026,
    0.09695000254621984,
    -0.01601745692712991,
    0.001496414899205908,
    -8.462452563778485e-5,
    2.7289384034767266e-6,
    -4.239462431819542e-8,
};
constexpr double expintTo64Upper[] = {
    0.12125611181054567,   -0.5823133179043894,   0.2348887314557017,
    -0.030400343181132484, 0.0015100821468651906, -2.5231370954995714e-5,
};
constexpr double expintTo64Lower[] = {
    1,
    -1.002252150365854,
    0.2928709694872224,
    -0.03337004338674008,
    0.0015605448811273888,
    -2.5231370936032347e-5,
};
constexpr double expintBeyondUpper[] = {
    -0.7657847078286127,    0.6886192415566705,    -0.2132598113545206,
    0.033461075523841935,   -0.003076541477344756, 1.7471193164549074e-4,
    -6.1037116822741705e-6, 1.218032765428652e-7,  -1.0860761027932903e-9,
};
constexpr double expintBeyondLower[] = {
    1,
    -1.8888028686623086,
    1.066691687211409,
    -0.27519159823063805,
    0.039308526882338234,
    -0.003414684558602365,
    1.8668443707035555e-4,
    -6.345146083130515e-6,
    1.239754287483207e-7,
    -1.0860761027931265e-9,
};
constexpr double fresnelCosNearUpper[] = {
    -4.9884311457357354e-8, 9.504280628298596e-6, -6.451914356839651e-4,
    0.018884331939670384,   -0.20552590095501388, 1,
};
constexpr double fresnelCosNearLower[] = {
    3.99982968972496e-12,
    9.154392157746574e-10,
    1.2500186247959882e-7,
    1.2226278902417902e-5,
    8.680295429417843e-4,
    0.04121420907221998,
    1,
};
constexpr double fresnelSinNearUpper[] = {
    -2991.8191940101983, 708840.0452577386,  -62974148.62058625,
    2548908805.7337637,  -44297951805.96978, 318016297876.5678,
};
constexpr double fresnelSinNearLower[] = {
    1,
    281.3762688899943,
    45584.78108065326,
    5173438.887700964,
    419320245.8981112,
    22441179564.534092,
    607366389490.0846,
};
constexpr double fresnelFUpper[] = {
    0.4215435550436775,     0.1434079197807589,     0.011522095507358577,
    3.45017939782574e-4,    4.6361374928786735e-6,  3.055689837902576e-8,
    1.0230451416490724e-10, 1.7201074326816183e-13, 1.3428327623306275e-16,
    3.763297112699879e-20,
};
constexpr double fresnelFLower[] = {
    1,
    0.7515863983533789,
    0.11688892585919138,
    0.0064405152650885865,
    1.5593440916415301e-4,
    1.8462756734893055e-6,
    1.1269922476399903e-8,
    3.6014002958937136e-11,
    5.887545336215784e-14,
    4.5200143407412973e-17,
    1.2544323709001127e-20,
};
constexpr double fresnelGUpper[] = {
    0.5044420736433832,     0.1971028335255234,     0.018764858409257526,
    6.840793809153931e-4,   1.1513882611188428e-5,  9.828524436884223e-8,
    4.4534441586175015e-10, 1.0826804113902088e-12, 1.375554606332618e-15,
    8.363544356306774e-19,  1.8695871016278324e-22,
};
constexpr double fresnelGLower[] = {
    1,
    1.4749575992512833,
    0.33774898912002,
    0.02536037414203388,
    8.146791071843061e-4,
    1.2754507566772912e-5,
    1.0431458965757199e-7,
    4.6068072814652043e-10,
    1.1027321506624028e-12,
    1.3879653125957886e-15,
    8.391588162831187e-19,
    1.8695871016278324e-22,
};
constexpr double dilogarithmUpper[] = {
    4.6512858607399003e-5, 0.007315890452380947,
    0.13384763957830903,   0.8796913117545303,
    2.7114985119655346,    4.256971560081218,
    3.297713409852251,     1,
};
constexpr double dilogarithmLower[] = {
    6.909904889125533e-4, 0.02540437639325444,
    0.2829748606025681,   1.4117259775183106,
    3.6380053334513707,   5.03278880143317,
    3.547713409852251,    1,
};

/// Evaluates a polynomial by Horner's rule.
template <typename T>
static T polynomial(T x, std::span<const double> coefficients) {
  T sum = 0;
  for (double coefficient : coefficients)
    sum = sum * x + static_cast<T>(coefficient);
  return sum;
}

template <typename T>
static T quotient(T x, std::span<const double> upper,
                  std::span<const double> lower) {
  return polynomial(x, upper) / polynomial(x, lower);
}

//===----------------------------------------------------------------------===//
// Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x
//===----------------------------------------------------------------------===//

template <typename T> static T dawsn(T x) {
  T size = std::abs(x);
  // For a magnitude of 1e9 or more, the next term of the asymptotic series is
  // below the precision of a double. As in TensorFlow's kernel, the result is
  // positive even for a negative argument.
  if (!(size < T(1e9)))
    return T(0.5) / size;
  if (size < T(3.25))
    return x * quotient(size * size, dawsonNearUpper, dawsonNearLower);
  T inverse = 1 / size, square = inverse * inverse;
  T ratio = size < T(6.25)
                ? quotient(square, dawsonMiddleUpper, dawsonMiddleLower)
                : quotient(square, dawsonFarUpper, dawsonFarLower);
  return std::copysign(T(0.5) * (square * (ratio / size) + inverse), x);
}

//===----------------------------------------------------------------------===//
// The exponential integral Ei(x)
//===----------------------------------------------------------------------===//

/// Returns x (x exp(-x) Ei(x) - 1) for x >= 2, where `w` is 1 / x.
template <typename T> static T expintRatio(T x, T w) {
  if (x < 4)
    return quotient(w, expintTo4Upper, expintTo4Lower);
  if (x < 8)
    return quotient(w, expintTo8Upper, expintTo8Lower);
  if (x < 16)
    return quotient(w, expintTo16Upper, expintTo16Lower);
  if (x < 32)
    return quotient(w, expintTo32Upper, expintTo32Lower);
  if (x < 64)
    return quotient(w, expintTo64Upper, expintTo64Lower);
  return quotient(w, expintBeyondUpper, expintBeyondLower);
}

template <typename T> static T expint(T x) {
  if (x < 0)
    return std::numeric_limits<T>::quiet_NaN();
  if (x < 2)
    return x * quotient(x, expintTo2Upper, expintTo2Lower) +
           std::numbers::egamma_v<T> + std::log(x);
  T w = 1 / x;
  return std::exp(x) * w * (w * expintRatio(x, w) + 1);
}

//===----------------------------------------------------------------------===//
// The Fresnel integrals of cos(pi t^2 / 2) and sin(pi t^2 / 2) from 0 to x
//===----------------------------------------------------------------------===//

/// Computes an integral: by `near`, its series near 0, or by `far`, its
/// asymptotic form. Both take positive arguments only, as both integrals are
/// odd functions.
template <typename T, typename NearT, typename FarT>
static T fresnel(T x, NearT near, FarT far) {
  T size = std::abs(x);
  // For larger magnitudes, the integrals differ from 1/2 by less than 1e-5, and
  // no argument of type float is exact enough for the oscillating term.
  if (size > T(36974))
    return std::copysign(T(0.5), x);
  if (size * size < T(2.5625))
    return std::copysign(near(size), x);
  T square = size * size, t = 1 / (std::numbers::pi_v<T> * square), u = t * t;
  T f = 1 - u * quotient(u, fresnelFUpper, fresnelFLower);
  T g = t * quotient(u, fresnelGUpper, fresnelGLower);
  T angle = std::numbers::pi_v<T> / 2 * square;
  T term = far(f, g, std::cos(angle), std::sin(angle)) /
           (std::numbers::pi_v<T> * size);
  return std::copysign(T(0.5) + term, x);
}

template <typename T> static T fresnelCos(T x) {
  return fresnel(
      x,
      [](T x) {
        return x * quotient(x * x * x * x, fresnelCosNearUpper,
                            fresnelCosNearLower);
      },
      [](T f, T g, T cosine, T sine) { return f * sine - g * cosine; });
}

template <typename T> static T fresnelSin(T x) {
  return fresnel(
      x,
      [](T x) {
        return x * x * x *
               quotient(x * x * x * x, fresnelSinNearUpper,
                        fresnelSinNearLower);
      },
      [](T f, T g, T cosine, T sine) { return -(f * cosine + g * sine); });
}

//===----------------------------------------------------------------------===//
// Spence's integral of log(t) / (1 - t) from 1 to x, the dilogarithm of 1 - x
//===----------------------------------------------------------------------===//

template <typename T> static T spence(T x) {
  constexpr T sixthOfSquare =
      std::numbers::pi_v<T> * std::numbers::pi_v<T> / T(6);
  if (x < 0)
    return std::numeric_limits<T>::quiet_NaN();
  if (x == 0)
    return sixthOfSquare;
  if (x == 1)
    return 0;
  // Identities of the dilogarithm reduce the argument to 1 + w, between 0.5 and
  // 1.5.
  T y = x < 2 ? x : 1 / x;
  T w = y > T(1.5) ? 1 / y - 1 : y < T(0.5) ? -y : y - 1;
  T result = -w * quotient(w, dilogarithmUpper, dilogarithmLower);
  T logarithm = std::log(y);
  if (y < T(0.5))
    result = -logarithm * std::log1p(-y) + sixthOfSquare - result;
  if (x > T(1.5))
    result = T(-0.5) * logarithm * logarithm - result;
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

template <typename T>
static Status mapElements(OpKernelContext &op, T (*function)(T)) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, input.dims()));
  std::ranges::transform(input.as<T>(), output.begin(), function);
  return Status::ok();
}

#define INGOT_SPECIAL_INTEGRAL(mnemonic, function)                             \
  INGOT_RUNTIME_OP(mnemonic) {                                                 \
    return op.outputType(0) == INGOT_DOUBLE                                    \
               ? mapElements<double>(op, function)                             \
               : mapElements<float>(op, function);                             \
  }
INGOT_SPECIAL_INTEGRAL(dawsn, dawsn)
INGOT_SPECIAL_INTEGRAL(expint, expint)
INGOT_SPECIAL_INTEGRAL(fresnel_cos, fresnelCos)
INGOT_SPECIAL_INTEGRAL(fresnel_sin, fresnelSin)
INGOT_SPECIAL_INTEGRAL(spence, spence)
#undef INGOT_SPECIAL_INTEGRAL
