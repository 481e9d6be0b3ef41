// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (table_c1)
// expected-error @+1 {{a table's values must be scalars or vectors of static size, but have type 'tensor<?xf32>'}}
ingot.table @t : i64 to tensor<?xf32>

// -----

// (table_c1)
// expected-error @+1 {{a table's values must be scalars or vectors of static size, but have type 'tensor<2x2xf32>'}}
ingot.table @t : i64 to tensor<2x2xf32>

// -----

// (table_c2)
// expected-error @+1 {{must not have both 'initialized_once' and 'persistent'}}
ingot.table @t : i64 to tensor<f32> {initialized_once, persistent}

// -----

// (table_find_c1)
ingot.table @t : i64 to tensor<f32>
func.func @table_find_c1(%k: tensor<4xi64>, %d: tensor<2xf32>) {
  // expected-error @+1 {{the default value has shape [2], but a value of the table has shape []}}
  %v = ingot.table_find %k, %d {table = @t} : (tensor<4xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// (table_find_c1)
ingot.table @t : i64 to tensor<f32> {initialized_once}
func.func @table_find_c1(%k: tensor<4xi64>, %d: tensor<4xf32>) {
  // expected-error @+1 {{the default value has shape [4], but a value of the table has shape []}}
  %v = ingot.table_find %k, %d {table = @t, initialized_once = true} : (tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (table_find_c2)
ingot.table @t : i64 to tensor<f32>
func.func @table_find_c2(%k: tensor<4xi64>, %d: tensor<f32>) {
  // expected-error @+1 {{@u is not a table of the program}}
  %v = ingot.table_find %k, %d {table = @u} : (tensor<4xi64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// (table_find_c2)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32>
func.func @table_find_c2(%k: tensor<4xi32>, %d: tensor<f32>) {
  // expected-error @+1 {{has keys of type 'i32', but the table's keys are of type 'i64'}}
  %v = ingot.table_find %k, %d {table = @t} : (tensor<4xi32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// (table_insert_c1)
ingot.table @t : i64 to tensor<f32>
func.func @table_insert_c1(%k: tensor<4xi64>, %v: tensor<2xf32>) {
  // expected-error @+1 {{expected one value for each key, but keys have shape [4] and values have shape [2]}}
  ingot.table_insert %k, %v {table = @t, mode = "insert"} : (tensor<4xi64>, tensor<2xf32>) -> ()
  return
}

// -----

// (table_insert_c2)
ingot.table @t : i64 to tensor<f32>
func.func @table_insert_c2(%k: tensor<4xi64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'mode' must be 'insert', 'assign' or 'initialize', but is 'pour'}}
  ingot.table_insert %k, %v {table = @t, mode = "pour"} : (tensor<4xi64>, tensor<4xf32>) -> ()
  return
}

// -----

// (table_insert_c3)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32>
func.func @table_insert_c3(%k: tensor<4xi64>, %v: tensor<4x2xf32>) {
  // expected-error @+1 {{has values of type 'tensor<2xf32>', but the table's values are of type 'tensor<f32>'}}
  ingot.table_insert %k, %v {table = @t, mode = "insert", value_shape = array<i64: 2>} : (tensor<4xi64>, tensor<4x2xf32>) -> ()
  return
}

// -----

// (table_insert_c4)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32> {initialized_once}
func.func @table_insert_c4(%k: tensor<4xi64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{requires a mutable table, but the table has 'initialized_once'}}
  ingot.table_insert %k, %v {table = @t, mode = "insert"} : (tensor<4xi64>, tensor<4xf32>) -> ()
  return
}

// -----

// (table_insert_c4)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32>
func.func @table_insert_c4(%k: tensor<4xi64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{requires a table with 'initialized_once', but the table is mutable}}
  ingot.table_insert %k, %v {table = @t, mode = "initialize"} : (tensor<4xi64>, tensor<4xf32>) -> ()
  return
}

// -----

// (table_remove_c1)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32> {initialized_once}
func.func @table_remove_c1(%k: tensor<4xi64>) {
  // expected-error @+1 {{requires a mutable table, but the table has 'initialized_once'}}
  ingot.table_remove %k {table = @t} : (tensor<4xi64>) -> ()
  return
}

// -----

// (table_insert_file_c1)
ingot.table @t : i64 to tensor<f32> {initialized_once}
func.func @table_insert_file_c1(%f: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the file's name must be a scalar, but has shape [2]}}
  ingot.table_insert_file %f {table = @t, key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<2x!ingot.string>) -> ()
  return
}

// -----

// (table_insert_file_c2)
ingot.table @t : i64 to tensor<f32> {initialized_once}
func.func @table_insert_file_c2(%f: tensor<!ingot.string>) {
  // expected-error @+1 {{a key or value index must be the index of a column, -2 for the whole line, or -1 for the line number (of type i64), but is -1 with type 'f32'}}
  ingot.table_insert_file %f {table = @t, key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = f32} : (tensor<!ingot.string>) -> ()
  return
}

// -----

// (table_insert_file_c3)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32> {initialized_once}
func.func @table_insert_file_c3(%f: tensor<!ingot.string>) {
  // expected-error @+1 {{has keys of type '!ingot.string', but the table's keys are of type 'i64'}}
  ingot.table_insert_file %f {table = @t, key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<!ingot.string>) -> ()
  return
}

// -----

// (table_size_c1)
ingot.table @t : i64 to tensor<f32>
func.func @table_size_c1() {
  // expected-error @+1 {{@u is not a table of the program}}
  %n = ingot.table_size {table = @u} : () -> tensor<i64>
  return
}

// -----

// (table_export_c1)
// expected-note @+1 {{the table is defined here}}
ingot.table @t : i64 to tensor<f32>
func.func @table_export_c1() {
  // expected-error @+1 {{has values of type 'tensor<i64>', but the table's values are of type 'tensor<f32>'}}
  %k, %v = ingot.table_export {table = @t, key_type = i64, value_type = i64} : () -> (tensor<?xi64>, tensor<?xi64>)
  return
}
