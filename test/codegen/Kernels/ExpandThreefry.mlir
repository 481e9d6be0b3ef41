// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-expand-threefry | FileCheck %s

// Twenty rounds of an addition, a rotation and an XOR; the key's words are added
// before, and after each fourth round.

// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[K0:[a-z0-9]+]]: i32, %[[K1:[a-z0-9]+]]: i32, %[[HIGH:[a-z0-9]+]]: i32, %[[LOW:[a-z0-9]+]]: i32
// CHECK: %[[BOTH:.*]] = arith.xori %[[K0]], %[[K1]] : i32
// CHECK: %[[PARITY:.*]] = arith.constant 466688986 : i32
// CHECK: %[[MIXED:.*]] = arith.xori %[[BOTH]], %[[PARITY]]
// CHECK: %[[X0:.*]] = arith.addi %[[HIGH]], %[[K0]]
// CHECK: %[[X1:.*]] = arith.addi %[[LOW]], %[[K1]]
// CHECK: %[[SUM:.*]] = arith.addi %[[X0]], %[[X1]]
// CHECK: %[[LEFT:.*]] = arith.shli %[[X1]], %c13_i32
// CHECK: %[[RIGHT:.*]] = arith.shrui %[[X1]], %c19_i32
// CHECK: %[[ROTATED:.*]] = arith.ori %[[LEFT]], %[[RIGHT]]
// CHECK: arith.xori %[[ROTATED]], %[[SUM]]
// CHECK: arith.addi %{{.*}}, %[[K1]]
// CHECK: arith.addi %[[MIXED]], %c1_i32
// CHECK-COUNT-16: arith.ori
// CHECK-NOT: arith.ori
func.func @one(%k0: i32, %k1: i32, %high: i32, %low: i32) -> (i32, i32) {
  %x:2 = host.threefry %k0, %k1, %high, %low : i32
  return %x#0, %x#1 : i32, i32
}

// Lanes are computed beside each other.

// CHECK-LABEL: func.func @lanes(
// CHECK-COUNT-20: arith.ori %{{.*}} : vector<16xi32>
// CHECK-NOT: arith.ori
func.func @lanes(%k0: vector<16xi32>, %k1: vector<16xi32>, %high: vector<16xi32>, %low: vector<16xi32>) -> vector<16xi32> {
  %x:2 = host.threefry %k0, %k1, %high, %low : vector<16xi32>
  return %x#1 : vector<16xi32>
}
