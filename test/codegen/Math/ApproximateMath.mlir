// RUN: ingot-opt %s --ingot-approximate-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ingot-opt %s --ingot-approximate-math=fma=false | FileCheck %s --check-prefixes=CHECK,SPLIT

// Functions of floats become polynomials; without an instruction for it no
// multiply-add stays, which would be a call of the C library for each number.

// CHECK-LABEL: func.func @exp
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.exp %
  // FMA: math.fma
  // SPLIT-NOT: math.fma
  // SPLIT: arith.mulf
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// What erf needs of exp is a polynomial, too: no call is left.

// CHECK-LABEL: func.func @erf
func.func @erf(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.erf %
  // CHECK-NOT: math.exp %
  // CHECK: math.copysign
  // CHECK: arith.select
  %y = math.erf %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Doubles are left to the C library.

// CHECK-LABEL: func.func @double
func.func @double(%x: f64) -> f64 {
  // CHECK: math.exp %{{.*}} : f64
  %y = math.exp %x : f64
  return %y : f64
}
