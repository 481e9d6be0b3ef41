// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -verify-each=false -canonicalize -ingot-cast-launch-operands-to-argument-types | FileCheck %s

func.func private @relu(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> attributes {host.kernel}
func.func private @sum(tensor<4xf32>, tensor<f32>) -> tensor<f32> attributes {host.kernel}

// Canonicalization finds that both launches of the kernel have sizes that are known. The kernel keeps its types, which other launches may need.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>)
func.func @step(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<f32> {
  // CHECK-DAG:  %[[E:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK-DAG:  %[[IN:.*]] = tensor.cast %[[X]] : tensor<4xf32> to tensor<?xf32>
  // CHECK-DAG:  %[[OUT:.*]] = tensor.cast %[[E]] : tensor<4xf32> to tensor<?xf32>
  // CHECK:      %[[Y:.*]] = host.launch @relu ins(%[[IN]] : tensor<?xf32>) outs(%[[OUT]] : tensor<?xf32>) -> tensor<?xf32>
  // CHECK:      %[[KNOWN:.*]] = tensor.cast %[[Y]] : tensor<?xf32> to tensor<4xf32>
  // CHECK:      %[[R:.*]] = host.launch @sum ins(%[[KNOWN]] : tensor<4xf32>) outs(%[[S]] : tensor<f32>) -> tensor<f32>
  // CHECK:      return %[[R]]
  %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %n = arith.constant 4 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = host.launch @relu ins(%c : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %known = tensor.cast %y : tensor<?xf32> to tensor<4xf32>
  %r = host.launch @sum ins(%known : tensor<4xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
