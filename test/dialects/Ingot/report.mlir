// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @report
func.func @report(%ok: tensor<i1>, %x: tensor<4xf32>, %s: tensor<!ingot.string>, %step: tensor<i64>, %p: tensor<8x?x28x3xf32>, %c: tensor<4xui8>) {
  // CHECK: ingot.assert %{{.*}}, %{{.*}}, %{{.*}} {summarize = 5 : i64} : (tensor<i1>, tensor<4xf32>, tensor<!ingot.string>) -> ()
  ingot.assert %ok, %x, %s {summarize = 5 : i64} : (tensor<i1>, tensor<4xf32>, tensor<!ingot.string>) -> ()
  // CHECK: ingot.assert %{{.*}} : (tensor<i1>) -> ()
  ingot.assert %ok : (tensor<i1>) -> ()
  // CHECK: ingot.check_numerics %{{.*}} {message = "m"} : (tensor<4xf32>) -> tensor<4xf32>
  %y = ingot.check_numerics %x {message = "m"} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.print %{{.*}} {output_stream = "stdout"}
  ingot.print %s {output_stream = "stdout"} : (tensor<!ingot.string>) -> ()
  // CHECK: ingot.print_data %{{.*}}, %{{.*}} {first_n = 2 : i64} : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %z = ingot.print_data %x, %ok {first_n = 2 : i64} : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  // CHECK: ingot.record_tensor %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<!ingot.string>, tensor<4xf32>, tensor<!ingot.string>, tensor<i64>) -> ()
  ingot.record_tensor %s, %x, %s, %step : (tensor<!ingot.string>, tensor<4xf32>, tensor<!ingot.string>, tensor<i64>) -> ()
  // CHECK: ingot.record_scalar %{{.*}}, %{{.*}} : (tensor<!ingot.string>, tensor<i64>) -> ()
  ingot.record_scalar %s, %step : (tensor<!ingot.string>, tensor<i64>) -> ()
  // CHECK: ingot.record_histogram %{{.*}}, %{{.*}}, %{{.*}} : (tensor<!ingot.string>, tensor<4xf32>, tensor<i64>) -> ()
  ingot.record_histogram %s, %x, %step : (tensor<!ingot.string>, tensor<4xf32>, tensor<i64>) -> ()
  // CHECK: ingot.record_image %{{.*}}, %{{.*}}, %{{.*}} {max_images = 1 : i64} : (tensor<!ingot.string>, tensor<8x?x28x3xf32>, tensor<4xui8>) -> ()
  ingot.record_image %s, %p, %c {max_images = 1 : i64} : (tensor<!ingot.string>, tensor<8x?x28x3xf32>, tensor<4xui8>) -> ()
  // CHECK: ingot.timestamp
  %t = ingot.timestamp : () -> tensor<f64>
  return
}
