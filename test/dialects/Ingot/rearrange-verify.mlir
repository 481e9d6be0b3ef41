// SPDX-License-Identifier: Apache-2.0
// Constraints of padding, reversing, rolling and blocks.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (pad_c1)
func.func @pad_has_a_row_a_dimension(%x: tensor<3x3xf32>, %p: tensor<1x2xi32>, %v: tensor<f32>) {
  // expected-error @+1 {{the paddings must have shape [2, 2], two numbers for each dimension, but have shape [1, 2]}}
  %0 = ingot.pad %x, %p, %v : (tensor<3x3xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

// (pad_c2)
func.func @pad_must_not_be_negative(%x: tensor<3xf32>, %v: tensor<f32>) {
  %p = ingot.constant dense<[[1, -1]]> : tensor<1x2xi32>
  // expected-error @+1 {{dimension 0 has the negative padding -1}}
  %0 = ingot.pad %x, %p, %v : (tensor<3xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

// (pad_c3)
func.func @pad_with_its_type(%x: tensor<3xf32>, %p: tensor<1x2xi32>, %v: tensor<f64>) {
  // expected-error @+1 {{a padding value of 'f64' cannot pad a tensor of 'f32'}}
  %0 = ingot.pad %x, %p, %v : (tensor<3xf32>, tensor<1x2xi32>, tensor<f64>) -> tensor<?xf32>
  return
}

// -----

// (mirror_pad_c1)
func.func @mirror_pad_has_a_row_a_dimension(%x: tensor<3x3xf32>, %p: tensor<1x2xi32>) {
  // expected-error @+1 {{the paddings must have shape [2, 2], two numbers for each dimension, but have shape [1, 2]}}
  %0 = ingot.mirror_pad %x, %p {mode = "REFLECT"} : (tensor<3x3xf32>, tensor<1x2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (mirror_pad_c2)
func.func @mirror_pad_of_what_there_is(%x: tensor<3xf32>) {
  %p = ingot.constant dense<[[3, 0]]> : tensor<1x2xi32>
  // expected-error @+1 {{in mode REFLECT, the padding of a dimension of size 3 must be at most 2, but is 3}}
  %0 = ingot.mirror_pad %x, %p {mode = "REFLECT"} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// -----

// (mirror_pad_c3)
func.func @mirror_pad_in_a_mode(%x: tensor<3xf32>) {
  %p = ingot.constant dense<[[1, 0]]> : tensor<1x2xi32>
  // expected-error @+1 {{unknown mode 'EDGE': expected REFLECT or SYMMETRIC}}
  %0 = ingot.mirror_pad %x, %p {mode = "EDGE"} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// -----

// (mirror_pad_grad_c1)
func.func @mirror_pad_grad_has_a_row_a_dimension(%x: tensor<3x3xf32>, %p: tensor<1x2xi32>) {
  // expected-error @+1 {{the paddings must have shape [2, 2], two numbers for each dimension, but have shape [1, 2]}}
  %0 = ingot.mirror_pad_grad %x, %p {mode = "REFLECT"} : (tensor<3x3xf32>, tensor<1x2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (mirror_pad_grad_c2)
func.func @mirror_pad_grad_leaves_something(%x: tensor<3xf32>) {
  %p = ingot.constant dense<[[3, 1]]> : tensor<1x2xi32>
  // expected-error @+1 {{the paddings 3 and 1 add up to more than 3, the size of the padded dimension}}
  %0 = ingot.mirror_pad_grad %x, %p {mode = "REFLECT"} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// -----

// (mirror_pad_grad_c3)
func.func @mirror_pad_grad_in_a_mode(%x: tensor<3xf32>) {
  %p = ingot.constant dense<[[1, 0]]> : tensor<1x2xi32>
  // expected-error @+1 {{unknown mode 'EDGE': expected REFLECT or SYMMETRIC}}
  %0 = ingot.mirror_pad_grad %x, %p {mode = "EDGE"} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// -----

// (reverse_c1)
func.func @reverse_along_a_vector(%x: tensor<3xf32>, %a: tensor<i32>) {
  // expected-error @+1 {{'axis' must be a vector, but has shape []}}
  %0 = ingot.reverse %x, %a : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// (reverse_c2)
func.func @reverse_names_axes_once(%x: tensor<3x2xf32>) {
  %a = ingot.constant dense<[1, -1]> : tensor<2xi32>
  // expected-error @+1 {{axis 1 is listed twice}}
  %0 = ingot.reverse %x, %a : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}

// -----

// (reverse_sequence_c1)
func.func @reverse_sequence_has_two_dimensions(%x: tensor<2x5xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{seq_dim and batch_dim must be two different dimensions of the input of shape [2, 5], but are 0 and 0}}
  %0 = ingot.reverse_sequence %x, %n {seq_dim = 0 : i64} : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  return
}

// -----

// (reverse_sequence_c2)
func.func @reverse_sequence_has_a_length_each(%x: tensor<2x5xf32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{the lengths must have shape [2], one length for each element of the batch, but have shape [3]}}
  %0 = ingot.reverse_sequence %x, %n {seq_dim = 1 : i64} : (tensor<2x5xf32>, tensor<3xi32>) -> tensor<2x5xf32>
  return
}

// -----

// (roll_c1)
func.func @roll_has_an_axis_a_shift(%x: tensor<5xf32>, %s: tensor<2xi32>, %a: tensor<i32>) {
  // expected-error @+1 {{shifts and axes must be scalars, or vectors of the same length, but have shapes [2] and []}}
  %0 = ingot.roll %x, %s, %a : (tensor<5xf32>, tensor<2xi32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// (roll_c2)
func.func @roll_along_an_axis(%x: tensor<5xf32>, %s: tensor<i32>) {
  %a = ingot.constant dense<1> : tensor<i32>
  // expected-error @+1 {{axis 1 lies outside a tensor of rank 1}}
  %0 = ingot.roll %x, %s, %a : (tensor<5xf32>, tensor<i32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// (lin_space_c1)
func.func @lin_space_has_one_type(%a: tensor<f32>, %b: tensor<f64>, %n: tensor<i32>) {
  // expected-error @+1 {{start and stop have different element types: 'f32' and 'f64'}}
  %0 = ingot.lin_space %a, %b, %n : (tensor<f32>, tensor<f64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (lin_space_c2)
func.func @lin_space_makes_numbers(%a: tensor<f32>) {
  %n = ingot.constant dense<0> : tensor<i32>
  // expected-error @+1 {{num must be positive, but is 0}}
  %0 = ingot.lin_space %a, %a, %n : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (space_to_batch_c1)
func.func @space_to_batch_has_blocks(%x: tensor<1x4x4x1xf32>) {
  %b = ingot.constant dense<[2, 0]> : tensor<2xi32>
  %p = ingot.constant dense<0> : tensor<2x2xi32>
  // expected-error @+1 {{a block size must be positive, but is 0}}
  %0 = ingot.space_to_batch %x, %b, %p : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<*xf32>
  return
}

// -----

// (space_to_batch_c2)
func.func @space_to_batch_divides(%x: tensor<1x4x5x1xf32>) {
  %b = ingot.constant dense<2> : tensor<2xi32>
  %p = ingot.constant dense<0> : tensor<2x2xi32>
  // expected-error @+1 {{the block size 2 does not divide the padded dimension of size 5}}
  %0 = ingot.space_to_batch %x, %b, %p : (tensor<1x4x5x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<*xf32>
  return
}

// -----

// (batch_to_space_c1)
func.func @batch_to_space_needs_dimensions(%x: tensor<4x4xf32>) {
  %b = ingot.constant dense<2> : tensor<2xi32>
  %p = ingot.constant dense<0> : tensor<2x2xi32>
  // expected-error @+1 {{a block shape of 2 elements requires an input of at least 3 dimensions, but the input has shape [4, 4]}}
  %0 = ingot.batch_to_space %x, %b, %p : (tensor<4x4xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<*xf32>
  return
}

// -----

// (batch_to_space_c2)
func.func @batch_to_space_divides(%x: tensor<6x4x4x1xf32>) {
  %b = ingot.constant dense<2> : tensor<2xi32>
  %p = ingot.constant dense<0> : tensor<2x2xi32>
  // expected-error @+1 {{the product of the block sizes must divide the batch size, but 3 is not divisible by 2}}
  %0 = ingot.batch_to_space %x, %b, %p : (tensor<6x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<*xf32>
  return
}

// -----

// (space_to_depth_c1)
func.func @space_to_depth_of_images(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{the input must have 4 dimensions, but has shape [4, 4]}}
  %0 = ingot.space_to_depth %x {block = 2 : i64} : (tensor<4x4xf32>) -> tensor<*xf32>
  return
}

// -----

// (space_to_depth_c2)
func.func @space_to_depth_divides(%x: tensor<1x4x5x1xf32>) {
  // expected-error @+1 {{the block size must divide the height and the width of the input, but is 2 for an input of shape [1, 4, 5, 1]}}
  %0 = ingot.space_to_depth %x {block = 2 : i64} : (tensor<1x4x5x1xf32>) -> tensor<*xf32>
  return
}

// -----

// (depth_to_space_c1)
func.func @depth_to_space_has_a_format(%x: tensor<1x4x4x4xf32>) {
  // expected-error @+1 {{the data format 'NCHW_VECT_C' is neither NHWC nor NCHW}}
  %0 = ingot.depth_to_space %x {block = 2 : i64, data_format = "NCHW_VECT_C"} : (tensor<1x4x4x4xf32>) -> tensor<*xf32>
  return
}

// -----

// (depth_to_space_c2)
func.func @depth_to_space_divides(%x: tensor<1x4x4x6xf32>) {
  // expected-error @+1 {{the square of the block size must divide the number of channels of the input, but the block size is 2 for an input of shape [1, 4, 4, 6]}}
  %0 = ingot.depth_to_space %x {block = 2 : i64} : (tensor<1x4x4x6xf32>) -> tensor<*xf32>
  return
}

// -----

// (project_images_c1)
func.func @project_images_are_images(%x: tensor<8x8x3xf32>, %t: tensor<1x8xf32>, %s: tensor<2xi32>, %z: tensor<f32>) {
  // expected-error @+1 {{the images must have 4 dimensions, but have shape [8, 8, 3]}}
  %0 = ingot.project_images %x, %t, %s, %z {interpolation = "NEAREST"} : (tensor<8x8x3xf32>, tensor<1x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (project_images_c2)
func.func @project_images_has_rows_of_eight(%x: tensor<2x8x8x3xf32>, %t: tensor<1x6xf32>, %s: tensor<2xi32>, %z: tensor<f32>) {
  // expected-error @+1 {{transforms must have shape [1, 8] or [batch, 8], but have shape [1, 6] for images of shape [2, 8, 8, 3]}}
  %0 = ingot.project_images %x, %t, %s, %z {interpolation = "NEAREST"} : (tensor<2x8x8x3xf32>, tensor<1x6xf32>, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (project_images_c2)
func.func @project_images_has_one_or_all(%x: tensor<2x8x8x3xf32>, %t: tensor<3x8xf32>, %s: tensor<2xi32>, %z: tensor<f32>) {
  // expected-error @+1 {{transforms must have shape [1, 8] or [batch, 8], but have shape [3, 8] for images of shape [2, 8, 8, 3]}}
  %0 = ingot.project_images %x, %t, %s, %z {interpolation = "NEAREST"} : (tensor<2x8x8x3xf32>, tensor<3x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (project_images_c3)
func.func @project_images_has_a_size(%x: tensor<2x8x8x3xf32>, %t: tensor<1x8xf32>, %s: tensor<3xi32>, %z: tensor<f32>) {
  // expected-error @+1 {{the size must be a vector of two elements and the fill value a scalar, but their shapes are [3] and []}}
  %0 = ingot.project_images %x, %t, %s, %z {interpolation = "NEAREST"} : (tensor<2x8x8x3xf32>, tensor<1x8xf32>, tensor<3xi32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (project_images_c4)
func.func @project_images_interpolates(%x: tensor<2x8x8x3xf32>, %t: tensor<1x8xf32>, %s: tensor<2xi32>, %z: tensor<f32>) {
  // expected-error @+1 {{interpolation must be NEAREST or BILINEAR, but is 'CUBIC'}}
  %0 = ingot.project_images %x, %t, %s, %z {interpolation = "CUBIC"} : (tensor<2x8x8x3xf32>, tensor<1x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
  return
}
