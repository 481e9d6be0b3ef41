// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @against
func.func @against(%x: tensor<?xf32>, %a: tensor<?x4xf32>) {
  // CHECK: ingot.broadcast_against %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = ingot.broadcast_against %x, %a : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}
