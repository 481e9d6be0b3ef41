// SPDX-License-Identifier: Apache-2.0
// Entries for the header of test/compiler/Driver/library.test.
ingot.variable @w : tensor<f32>

ingot.entry @init role(init) feeds [] fetches [] variables [] updates [] {
  %one = ingot.constant dense<1.0> : tensor<f32>
  ingot.assign @w, %one : tensor<f32>
  ingot.return
}

ingot.entry @"scale.by" role(other) feeds ["x:0", "int:0", "trainer:0"] fetches ["y:0", "x", "trainer:0"] variables [] updates [] {
^bb0(%x: tensor<?x3xf32>, %by: tensor<f32>, %texts: tensor<2x!ingot.string>):
  %w = ingot.read @w : tensor<f32>
  %all = ingot.mul %by, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = ingot.mul %x, %all : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  ingot.return %y, %all, %texts : tensor<?x3xf32>, tensor<f32>, tensor<2x!ingot.string>
}

ingot.entry @open role(other) feeds [] fetches [] variables [] updates [] {
  %two = ingot.constant dense<2.0> : tensor<f32>
  ingot.assign @w, %two : tensor<f32>
  ingot.return
}

ingot.entry @"scale/by" role(other) feeds [] fetches [] variables [] updates [] {
  %three = ingot.constant dense<3.0> : tensor<f32>
  ingot.assign @w, %three : tensor<f32>
  ingot.return
}

ingot.entry @"9*/ \22q\22" role(predict) feeds ["a\22\0A*/??/:1"] fetches ["unix:0"] variables [] updates [] {
^bb0(%x: tensor<2xi1>):
  ingot.return %x : tensor<2xi1>
}
