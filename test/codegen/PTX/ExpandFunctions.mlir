// RUN: ingot-opt %s --ingot-ptx-expand-functions | FileCheck %s

// CHECK-LABEL: func.func @power(
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK-NOT: math.powf
// CHECK-NOT: math.log
// CHECK-NOT: math.exp
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @power(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @double(
// CHECK-NOT: math.log
// CHECK: arith.bitcast %{{.*}} : f64 to i64
func.func @double(%x: f64) -> f64 {
  %0 = math.log %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @error(
// CHECK-NOT: math.erf
// CHECK: math.fma
func.func @error(%x: f32) -> f32 {
  %0 = math.erf %x : f32
  return %0 : f32
}

// A large number is reduced by the digits of 2 / pi that its exponent asks for,
// where there is one.

// CHECK-LABEL: func.func @sine(
// CHECK: arith.extf
// CHECK: scf.if
// CHECK: arith.mului_extended
// CHECK: else
// CHECK: math.roundeven
// CHECK-NOT: math.sin
// CHECK: arith.truncf
func.func @sine(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// Nothing is left to a library.

// CHECK-LABEL: func.func @all(
// CHECK-NOT: math.{{(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|asinh|acosh|atanh|erf|erfc|powf|exp|log) }}
// CHECK: return
func.func @all(%x: f64, %y: f64) -> f64 {
  %0 = math.sin %x : f64
  %1 = math.cos %0 : f64
  %2 = math.tan %1 : f64
  %3 = math.asin %2 : f64
  %4 = math.acos %3 : f64
  %5 = math.atan %4 : f64
  %6 = math.atan2 %5, %y : f64
  %7 = math.sinh %6 : f64
  %8 = math.cosh %7 : f64
  %9 = math.asinh %8 : f64
  %10 = math.acosh %9 : f64
  %11 = math.atanh %10 : f64
  %12 = math.erf %11 : f64
  %13 = math.erfc %12 : f64
  %14 = math.powf %13, %y : f64
  return %14 : f64
}
