// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

ingot.entry @save role(other) feeds ["path"] fetches [] variables [] updates [] {
^bb0(%path: tensor<!ingot.string>):
  %w = ingot.constant dense<1.0> : tensor<2xf32>
  // CHECK: ingot.save_tensors %{{.*}}, %{{.*}} {names = ["w"], slices = [""]} : tensor<!ingot.string>, tensor<2xf32>
  ingot.save_tensors %path, %w {names = ["w"], slices = [""]} : tensor<!ingot.string>, tensor<2xf32>
  // CHECK: ingot.save_tensors %{{.*}}, %{{.*}} {names = ["w"], slices = [""], writes_v1} : tensor<!ingot.string>, tensor<2xf32>
  ingot.save_tensors %path, %w {names = ["w"], slices = [""], writes_v1} : tensor<!ingot.string>, tensor<2xf32>
  ingot.return
}

ingot.entry @restore role(other) feeds ["path"] fetches ["w", "label"] variables [] updates [] {
^bb0(%path: tensor<!ingot.string>):
  // CHECK: %{{.*}}:2 = ingot.restore_tensors %{{.*}} {names = ["w", "label"], slices = ["", ""]} : (tensor<!ingot.string>) -> (tensor<2xf32>, tensor<!ingot.string>)
  %0:2 = ingot.restore_tensors %path {names = ["w", "label"], slices = ["", ""]}
      : (tensor<!ingot.string>) -> (tensor<2xf32>, tensor<!ingot.string>)
  ingot.return %0#0, %0#1 : tensor<2xf32>, tensor<!ingot.string>
}
