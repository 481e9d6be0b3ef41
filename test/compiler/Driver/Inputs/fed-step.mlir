// SPDX-License-Identifier: Apache-2.0
// A step on a batch of ROWS rows and a rate, which is no batch.
ingot.entry @step role(step) feeds ["x:0", "rate:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<ROWSx4xf32>, %rate: tensor<f32>):
  %y = ingot.mul %x, %rate : (tensor<ROWSx4xf32>, tensor<f32>) -> tensor<ROWSx4xf32>
  ingot.return %y : tensor<ROWSx4xf32>
}
