// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (segment_c1)
func.func @ids_of_the_data(%x: tensor<16x8xf32>, %ids: tensor<5xi64>, %n: tensor<i32>) {
  // expected-error @+1 {{the shape of segment ids, [5], is not a prefix of the shape [16, 8] of the data}}
  %0 = ingot.segment_reduce %x, %ids, %n {reduction = "sum"} : (tensor<16x8xf32>, tensor<5xi64>, tensor<i32>) -> tensor<?x8xf32>
  return
}

// -----

// (segment_c2)
func.func @segments_are_counted(%x: tensor<16x8xf32>, %ids: tensor<16xi64>) {
  %n = ingot.constant dense<-3> : tensor<i32>
  // expected-error @+1 {{the number of segments must be a non-negative scalar, but is -3}}
  %0 = ingot.segment_reduce %x, %ids, %n {reduction = "sum"} : (tensor<16x8xf32>, tensor<16xi64>, tensor<i32>) -> tensor<?x8xf32>
  return
}

// -----

// (segment_c3)
func.func @reductions_have_names(%x: tensor<16x8xf32>, %ids: tensor<16xi64>, %n: tensor<i32>) {
  // expected-error @+1 {{'reduction' must be sum, prod, min, max, mean or sqrtn, but is 'median'}}
  %0 = ingot.segment_reduce %x, %ids, %n {reduction = "median"} : (tensor<16x8xf32>, tensor<16xi64>, tensor<i32>) -> tensor<?x8xf32>
  return
}

// -----

// (segment_c4)
func.func @an_index_for_each_id(%x: tensor<16x8xf32>, %ids: tensor<5xi64>, %n: tensor<i32>, %i: tensor<6xi64>) {
  // expected-error @+1 {{expected indices and segment ids that are vectors of the same length, and data of at least one dimension, but got shapes [6], [5] and [16, 8]}}
  %0 = ingot.segment_reduce %x, %ids, %n at %i {reduction = "sum"} : (tensor<16x8xf32>, tensor<5xi64>, tensor<i32>, tensor<6xi64>) -> tensor<?x8xf32>
  return
}

// -----

// (cumulative_c1)
func.func @axis_in_range(%x: tensor<4x8xf32>) {
  %axis = ingot.constant dense<2> : tensor<i32>
  // expected-error @+1 {{axis 2 lies outside a tensor of rank 2}}
  %0 = ingot.cumulative %x, %axis {kind = "sum"} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// (cumulative_c2)
func.func @kinds_of_scans(%x: tensor<4x8xf32>) {
  %axis = ingot.constant dense<1> : tensor<i32>
  // expected-error @+1 {{'kind' must be sum, prod or logsumexp, but is 'max'}}
  %0 = ingot.cumulative %x, %axis {kind = "max"} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// (in_top_k_c1)
func.func @targets_for_each_row(%x: tensor<4x8xf32>, %t: tensor<5xi32>, %k: tensor<i32>) {
  // expected-error @+1 {{expected predictions [batch, classes], targets [batch] and a scalar k, but got shapes [4, 8], [5] and []}}
  %0 = ingot.in_top_k %x, %t, %k : (tensor<4x8xf32>, tensor<5xi32>, tensor<i32>) -> tensor<4xi1>
  return
}

// -----

// (top_k_c1)
func.func @along_a_dimension(%x: tensor<f32>, %k: tensor<i32>) {
  // expected-error @+1 {{the input must have at least one dimension and k must be a scalar, but the input has shape [] and k has shape []}}
  %0:2 = ingot.top_k %x, %k {index_type = i32} : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// (top_k_c2)
func.func @no_more_than_there_are(%x: tensor<4x8xf32>) {
  %k = ingot.constant dense<9> : tensor<i32>
  // expected-error @+1 {{k must be from 0 to 8, the size of the last dimension, but is 9}}
  %0:2 = ingot.top_k %x, %k {index_type = i32} : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)
  return
}

// -----

// (top_k_c3)
func.func @indices_are_integers(%x: tensor<4x8xf32>, %k: tensor<i32>) {
  // expected-error @+1 {{indices must be int32 or int64, not 'i8'}}
  %0:2 = ingot.top_k %x, %k {index_type = i8} : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  return
}
