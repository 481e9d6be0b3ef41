// SPDX-License-Identifier: Apache-2.0
// Constraints of layers, losses, random numbers and optimizers.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (matmul_c1)
func.func @matmul_of_matrices(%a: tensor<4xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{'a' must be a matrix, but has shape [4]}}
  %0 = ingot.matmul %a, %b : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// (matmul_c1)
func.func @matmul_by_matrices(%a: tensor<4x2xf32>, %b: tensor<3x4x2xf32>) {
  // expected-error @+1 {{'b' must be a matrix, but has shape [3, 4, 2]}}
  %0 = ingot.matmul %a, %b : (tensor<4x2xf32>, tensor<3x4x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

// (matmul_c2)
func.func @matmul_inner_dimensions(%a: tensor<4x64xf32>, %b: tensor<32x3xf32>) {
  // expected-error @+1 {{inner dimensions differ: 64 of 'a' and 32 of 'b'}}
  %0 = ingot.matmul %a, %b : (tensor<4x64xf32>, tensor<32x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (matmul_c2)
func.func @matmul_inner_dimensions_transposed(%a: tensor<64x4xf32>, %b: tensor<64x3xf32>) {
  // expected-error @+1 {{inner dimensions differ: 64 of 'a' and 3 of 'b'}}
  %0 = ingot.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<64x4xf32>, tensor<64x3xf32>) -> tensor<4x64xf32>
  return
}

// -----

// (matmul_c3)
func.func @matmul_types_are_one(%a: tensor<4x2xf32>, %b: tensor<2x3xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of 'a' and 'f64' of 'b'}}
  %0 = ingot.matmul %a, %b : (tensor<4x2xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

// (bias_add_c1)
func.func @bias_is_a_vector(%x: tensor<4x2xf32>, %b: tensor<1x2xf32>) {
  // expected-error @+1 {{the bias must be a vector, but has shape [1, 2]}}
  %0 = ingot.bias_add %x, %b : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// (bias_add_c1)
func.func @biased_values_have_channels(%x: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{the value must have at least 2 dimensions, but has shape [2]}}
  %0 = ingot.bias_add %x, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (bias_add_c2)
func.func @bias_is_as_long_as_the_channels(%x: tensor<4x2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{the bias has 3 elements, but the value has 2 channels}}
  %0 = ingot.bias_add %x, %b : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return
}

// -----

// (bias_add_c2)
func.func @bias_of_channels_first(%x: tensor<4x5x2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{the bias has 3 elements, but the value has 5 channels}}
  %0 = ingot.bias_add %x, %b {data_format = "NCHW"} : (tensor<4x5x2x3xf32>, tensor<3xf32>) -> tensor<4x5x2x3xf32>
  return
}

// -----

// (bias_add_c3)
func.func @bias_format(%x: tensor<4x2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{the data format 'NWC' is neither NHWC nor NCHW}}
  %0 = ingot.bias_add %x, %b {data_format = "NWC"} : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// (bias_add_c4)
func.func @bias_type(%x: tensor<4x2xf32>, %b: tensor<2xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the value and 'f64' of the bias}}
  %0 = ingot.bias_add %x, %b : (tensor<4x2xf32>, tensor<2xf64>) -> tensor<4x2xf32>
  return
}

// -----

// (bias_add_grad_c1)
func.func @bias_gradient_has_channels(%x: tensor<2xf32>) {
  // expected-error @+1 {{the gradient must have at least 2 dimensions, but has shape [2]}}
  %0 = ingot.bias_add_grad %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (bias_add_grad_c2)
func.func @bias_gradient_format(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{the data format '' is neither NHWC nor NCHW}}
  %0 = ingot.bias_add_grad %x {data_format = ""} : (tensor<4x2xf32>) -> tensor<2xf32>
  return
}

// -----

// (xent_c1)
func.func @logits_are_a_matrix(%l: tensor<4x2x3xf32>, %y: tensor<4xi64>) {
  // expected-error @+1 {{logits must have shape [batch, classes], but have shape [4, 2, 3]}}
  %0, %1 = ingot.sparse_softmax_cross_entropy %l, %y : (tensor<4x2x3xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4x2xf32>)
  return
}

// -----

// (xent_c1)
func.func @labels_are_a_vector(%l: tensor<4x2xf32>, %y: tensor<4x2xi64>) {
  // expected-error @+1 {{labels must have shape [batch], but have shape [4, 2]}}
  %0, %1 = ingot.sparse_softmax_cross_entropy %l, %y : (tensor<4x2xf32>, tensor<4x2xi64>) -> (tensor<4xf32>, tensor<4x2xf32>)
  return
}

// -----

// (xent_c2)
func.func @one_label_an_example(%l: tensor<4x2xf32>, %y: tensor<3xi64>) {
  // expected-error @+1 {{batch sizes differ: 4 of the logits and 3 of the labels}}
  %0, %1 = ingot.sparse_softmax_cross_entropy %l, %y : (tensor<4x2xf32>, tensor<3xi64>) -> (tensor<4xf32>, tensor<4x2xf32>)
  return
}

// -----

// (key_counter_c1)
func.func @seeds_are_two_numbers(%s: tensor<3xi32>) {
  // expected-error @+1 {{the seed must have shape [2], but has [3]}}
  %0, %1 = ingot.stateless_random_get_key_counter %s : (tensor<3xi32>) -> (tensor<1xi64>, tensor<2xi64>)
  return
}

// -----

// (random_uniform_c1)
func.func @key_and_counter(%s: tensor<1xi32>, %k: tensor<2xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [2] and [2]}}
  %0 = ingot.stateless_random_uniform %s, %k, %c, %a {dtype = f32} : (tensor<1xi32>, tensor<2xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (random_uniform_c2)
func.func @known_algorithm(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  %a = ingot.constant dense<2> : tensor<i32>
  // expected-error @+1 {{random algorithm 2 is not supported, only 1 (Philox) and 3 (auto)}}
  %0 = ingot.stateless_random_uniform %s, %k, %c, %a {dtype = f32} : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (random_uniform_c3)
func.func @uniform_floats(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  // expected-error @+1 {{uniform random numbers must have a floating-point type, not 'i32'}}
  %0 = ingot.stateless_random_uniform %s, %k, %c, %a {dtype = i32} : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (random_uniform_c4)
func.func @random_shape(%k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  %s = ingot.constant dense<[2, -1]> : tensor<2xi32>
  // expected-error @+1 {{'shape' has the negative dimension -1}}
  %0 = ingot.stateless_random_uniform %s, %k, %c, %a {dtype = f32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<2x?xf32>
  return
}

// -----

// (matmul_c4)
func.func @matmul_blocks(%a: tensor<4x64xf32>, %b: tensor<64x3xf32>) {
  // expected-error @+1 {{blocks of 48 steps do not divide the inner dimension, 64}}
  %0 = ingot.matmul %a, %b {sum_block = 48 : i64} : (tensor<4x64xf32>, tensor<64x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (matmul_c4)
func.func @matmul_blocks_of_unknown_depth(%a: tensor<4x?xf32>, %b: tensor<?x3xf32>) {
  // expected-error @+1 {{blocks of 48 steps do not divide the inner dimension, ?}}
  %0 = ingot.matmul %a, %b {sum_block = 48 : i64} : (tensor<4x?xf32>, tensor<?x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (matmul_c4)
func.func @matmul_blocks_of_integers(%a: tensor<4x64xi32>, %b: tensor<64x3xi32>) {
  // expected-error @+1 {{sums of blocks are of f32 or f64, not of 'i32'}}
  %0 = ingot.matmul %a, %b {sum_block = 32 : i64} : (tensor<4x64xi32>, tensor<64x3xi32>) -> tensor<4x3xi32>
  return
}
