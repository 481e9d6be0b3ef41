// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-expand-random-bits-to-philox | FileCheck %s

// Four blocks beside each other: each of the ten rounds multiplies, turns
// round, shifts and combines once. No word leaves its block.

// CHECK-LABEL: func.func @aligned(
// CHECK-SAME: %[[KEY:[a-z0-9]+]]: i64, %[[LOW:[a-z0-9]+]]: i64, %[[HIGH:[a-z0-9]+]]: i64, %[[INDEX:[a-z0-9]+]]: i64
// CHECK: %[[BLOCK:.*]] = arith.shrui %[[INDEX]], %c2_i64
// CHECK: %[[SUM:.*]] = arith.addi %[[LOW]], %[[BLOCK]] : i64
// CHECK: arith.cmpi ult, %[[SUM]], %[[LOW]]
// CHECK: %[[COUNTERS:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 9, 2, 11, 4, 13, 6, 15] : vector<8xi64>
// CHECK-COUNT-10: arith.muli %{{.*}} : vector<8xi64>
// CHECK-NOT: arith.muli
// CHECK: %[[WORDS:.*]] = vector.shuffle %{{.*}} [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12] : vector<16xi32>
// CHECK: %[[LAST:.*]] = arith.xori %{{.*}} : vector<8xi64>
// CHECK: %[[BITS:.*]] = vector.bitcast %{{.*}} : vector<8xi64> to vector<16xi32>
// CHECK-NEXT: return %[[BITS]]
func.func @aligned(%key: i64, %low: i64, %high: i64, %index: i64) -> vector<16xi32> {
  %r = host.random_bits %key, %low, %high, %index aligned : vector<16xi32>
  return %r : vector<16xi32>
}

// Where the first number may be any of its block, one block more is drawn, and
// the place of the number says which are meant.

// CHECK-LABEL: func.func @anywhere(
// CHECK-SAME: %[[INDEX:[a-z0-9]+]]: i64)
// CHECK-DAG: %[[PLACE:.*]] = arith.andi %[[INDEX]], %c1_i64
// CHECK-COUNT-10: arith.muli %{{.*}} : vector<8xi64>
// CHECK-COUNT-10: arith.muli %{{.*}} : vector<2xi64>
// CHECK: %[[NEXT:.*]] = vector.shuffle %{{.*}}, %{{.*}} [1, 2, 3, 4, 5, 6, 7, 8] : vector<8xi64>, vector<2xi64>
// CHECK: arith.cmpi eq, %{{.*}} : i64
// CHECK: arith.select %{{.*}}, %[[NEXT]], %{{.*}} : vector<8xi64>
func.func @anywhere(%key: i64, %low: i64, %high: i64, %index: i64) -> vector<8xi64> {
  %r = host.random_bits %key, %low, %high, %index : vector<8xi64>
  return %r : vector<8xi64>
}

// One number: its block by itself.

// CHECK-LABEL: func.func @one(
// CHECK-COUNT-20: arith.mului_extended
// CHECK-NOT: arith.mului_extended
// CHECK: arith.select %{{.*}} : i32
func.func @one(%key: i64, %low: i64, %high: i64, %index: i64) -> i32 {
  %r = host.random_bits %key, %low, %high, %index : i32
  return %r : i32
}
