// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (serialize_ragged_c1)
func.func @serialize_ragged_c1(%s: tensor<2x2xi64>, %v: tensor<?xf32>) {
  // expected-error @+1 {{row splits must be vectors, but have shape [2, 2]}}
  %0 = ingot.serialize_ragged %s, %v : (tensor<2x2xi64>, tensor<?xf32>) -> tensor<3x!ingot.string>
  return
}

// -----

// (serialize_ragged_c2)
func.func @serialize_ragged_c2(%v: tensor<*xf32>) {
  // expected-error @+1 {{the rank of the values must be known, but the shape is}}
  %0 = ingot.serialize_ragged %v : (tensor<*xf32>) -> tensor<3x!ingot.string>
  return
}

// -----

// (serialize_ragged_c2)
func.func @serialize_ragged_c2_scalar(%s: tensor<2xi64>, %v: tensor<f32>) {
  // expected-error @+1 {{the rank of the values must be known and at least 1, but the shape is []}}
  %0 = ingot.serialize_ragged %s, %v : (tensor<2xi64>, tensor<f32>) -> tensor<2x!ingot.string>
  return
}

// -----

// (serialize_ragged_c3)
func.func @serialize_ragged_c3(%v: tensor<4xf32>) {
  // expected-error @+1 {{rt_nested_splits must be a list of one or more, but received rt_nested_splits of length 0.}}
  %0 = ingot.serialize_ragged %v {batched = true} : (tensor<4xf32>) -> tensor<4x1x!ingot.string>
  return
}

// -----

// (deserialize_ragged_c1)
func.func @deserialize_ragged_c1(%s: tensor<!ingot.string>) {
  // expected-error @+1 {{the input is not a ragged tensor as RaggedTensorToVariant returns it: its shape is []}}
  %v = ingot.deserialize_ragged %s {output_ragged_rank = 0, element_type = f32, splits_type = i64} : (tensor<!ingot.string>) -> tensor<?xf32>
  return
}

// -----

// (deserialize_ragged_c2)
func.func @deserialize_ragged_c2(%s: tensor<4x3x!ingot.string>) {
  // expected-error @+1 {{output_ragged_rank: 1, encoded_ragged.dims(): 1, input_ragged_rank: 1}}
  %e, %v = ingot.deserialize_ragged %s {input_ragged_rank = 1, output_ragged_rank = 1, element_type = f32, splits_type = i64} : (tensor<4x3x!ingot.string>) -> (tensor<5xi64>, tensor<?xf32>)
  return
}

// -----

// (deserialize_ragged_c2)
func.func @deserialize_ragged_c2_batch(%s: tensor<4x3x!ingot.string>) {
  // expected-error @+1 {{output_ragged_rank: 0, encoded_ragged.dims(): 1, input_ragged_rank: -1}}
  %v = ingot.deserialize_ragged %s {output_ragged_rank = 0, element_type = f32, splits_type = i64} : (tensor<4x3x!ingot.string>) -> tensor<?xf32>
  return
}

// -----

// (deserialize_ragged_c3)
func.func @deserialize_ragged_c3(%s: tensor<4x2x!ingot.string>) {
  // expected-error @+1 {{a ragged tensor of ragged rank 1 consists of at least 3 strings, but the shape is [4, 2]}}
  %e:2, %v = ingot.deserialize_ragged %s {output_ragged_rank = 2, element_type = f32, splits_type = i64} : (tensor<4x2x!ingot.string>) -> (tensor<5xi64>, tensor<?xi64>, tensor<?xf32>)
  return
}

// -----

// (deserialize_ragged_gradient_c1)
func.func @deserialize_ragged_gradient_c1(%s: tensor<4x3x!ingot.string>, %e: tensor<2x2xi64>, %n: tensor<2xi32>) {
  // expected-error @+1 {{row splits must be a scalar or a vector, but have shape [2, 2]}}
  %d = ingot.deserialize_ragged_gradient %s, %e, %n {element_type = f32} : (tensor<4x3x!ingot.string>, tensor<2x2xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (deserialize_ragged_gradient_c2)
func.func @deserialize_ragged_gradient_c2(%s: tensor<4x3x!ingot.string>, %e: tensor<5xi64>, %n: tensor<?xi32>) {
  // expected-error @+1 {{the shape of the values must be a vector of known length, but has shape [?]}}
  %d = ingot.deserialize_ragged_gradient %s, %e, %n {element_type = f32} : (tensor<4x3x!ingot.string>, tensor<5xi64>, tensor<?xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (deserialize_ragged_gradient_c3)
func.func @deserialize_ragged_gradient_c3(%s: tensor<4x2x!ingot.string>, %e: tensor<5xi64>, %n: tensor<2xi32>) {
  // expected-error @+1 {{the input is not a ragged tensor with values of 2 dimensions: its shape is [4, 2]}}
  %d = ingot.deserialize_ragged_gradient %s, %e, %n {element_type = f32} : (tensor<4x2x!ingot.string>, tensor<5xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

// (ragged_gather_c1)
func.func @ragged_gather_c1(%v: tensor<6xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected row splits, but there are none}}
  %y = ingot.ragged_gather %v, %i {output_ragged_rank = 0} : (tensor<6xf32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

// (ragged_gather_c2)
func.func @ragged_gather_c2(%s: tensor<5xi64>, %v: tensor<f32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{the values must have at least one dimension, but are a scalar}}
  %e, %y = ingot.ragged_gather %s, %v, %i {output_ragged_rank = 1} : (tensor<5xi64>, tensor<f32>, tensor<2xi32>) -> (tensor<3xi64>, tensor<?xf32>)
  return
}

// -----

// (ragged_gather_c3)
func.func @ragged_gather_c3(%s: tensor<5xi64>, %v: tensor<6xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{output_ragged_rank must be indices.rank + params.ragged_rank - 1, but it is 2, the indices have shape [2], and the ragged rank is 1}}
  %e:2, %y = ingot.ragged_gather %s, %v, %i {output_ragged_rank = 2} : (tensor<5xi64>, tensor<6xf32>, tensor<2xi32>) -> (tensor<3xi64>, tensor<?xi64>, tensor<?xf32>)
  return
}

// -----

// (ragged_to_sparse_c1)
func.func @ragged_to_sparse_c1(%s: tensor<i64>, %v: tensor<6xf32>) {
  // expected-error @+1 {{row splits must be vectors, but have shape []}}
  %i, %y, %n = ingot.ragged_to_sparse %s, %v : (tensor<i64>, tensor<6xf32>) -> (tensor<6x2xi64>, tensor<6xf32>, tensor<2xi64>)
  return
}

// -----

// (ragged_to_sparse_c2)
func.func @ragged_to_sparse_c2(%s: tensor<5xi64>, %v: tensor<*xf32>) {
  // expected-error @+1 {{the rank of the values must be known and at least 1}}
  %i, %y, %n = ingot.ragged_to_sparse %s, %v : (tensor<5xi64>, tensor<*xf32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}
