// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-widen-16-bit-floats | FileCheck %s

// Arithmetic on 16-bit floats is done in f32, and rounded.

// CHECK-LABEL: func.func @half
func.func @half(%x: vector<8xf16>, %y: vector<8xf16>) -> vector<8xf16> {
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
  // CHECK: arith.truncf %[[SUM]] {{.*}}: vector<8xf32> to vector<8xf16>
  %z = arith.addf %x, %y : vector<8xf16>
  return %z : vector<8xf16>
}

// CHECK-LABEL: func.func @function
func.func @function(%x: f16) -> f16 {
  // CHECK: math.absf %{{.*}} : f32
  %y = math.absf %x : f16
  return %y : f16
}

// Of conversions from and to bfloat16 only arithmetic on bits is left; those of
// doubles go by way of floats.

// CHECK-LABEL: func.func @bfloat
func.func @bfloat(%x: bf16, %w: f64) -> (f64, bf16) {
  // CHECK-NOT: arith.extf %{{.*}} : bf16
  // CHECK: arith.shli
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.bitcast %{{.*}} : i16 to bf16
  %y = arith.extf %x : bf16 to f64
  %z = arith.truncf %w : f64 to bf16
  return %y, %z : f64, bf16
}
