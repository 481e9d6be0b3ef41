// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (table_find_c1)
func.func @table_find_c1(%k: tensor<4xi64>, %d: tensor<2xf32>) {
  // expected-error @+1 {{its default value has shape [2]; tables of tensors are not supported}}
  %v = ingot.table_find %k, %d {table = "t"} : (tensor<4xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// (table_insert_c1)
func.func @table_insert_c1(%k: tensor<4xi64>, %v: tensor<2xf32>) {
  // expected-error @+1 {{keys of shape [4] and values of shape [2] do not fit each other}}
  ingot.table_insert %k, %v {table = "t", mode = "insert"} : (tensor<4xi64>, tensor<2xf32>) -> ()
  return
}

// -----

// (table_insert_c2)
func.func @table_insert_c2(%k: tensor<4xi64>) {
  // expected-error @+1 {{mode must be insert, assign or initialize, but is pour}}
  ingot.table_insert %k, %k {table = "t", mode = "pour"} : (tensor<4xi64>, tensor<4xi64>) -> ()
  return
}

// -----

// (table_insert_file_c1)
func.func @table_insert_file_c1(%f: tensor<2x!ingot.string>) {
  // expected-error @+1 {{its file's name must be a scalar}}
  ingot.table_insert_file %f {table = "t", key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<2x!ingot.string>) -> ()
  return
}

// -----

// (table_insert_file_c2)
func.func @table_insert_file_c2(%f: tensor<!ingot.string>) {
  // expected-error @+1 {{values of type 'f32' cannot be read from index -1 of a line}}
  ingot.table_insert_file %f {table = "t", key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = f32} : (tensor<!ingot.string>) -> ()
  return
}
