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
