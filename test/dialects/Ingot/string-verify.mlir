// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (as_string_c1)
func.func @as_string_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'scientific' and 'shortest' must not both be set}}
  %s = ingot.as_string %x {scientific = true, shortest = true} : (tensor<4xf32>) -> tensor<4x!ingot.string>
  return
}

// -----

// (as_string_c2)
func.func @as_string_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fill' must be ' ', '0', '+', '-' or empty, but is 'x'}}
  %s = ingot.as_string %x {fill = "x"} : (tensor<4xf32>) -> tensor<4x!ingot.string>
  return
}

// -----

// (string_join_c1)
func.func @string_join_c1(%s: tensor<4x!ingot.string>, %t: tensor<3x!ingot.string>) {
  // expected-error @+1 {{inputs that are not scalars must have the same shape, but have shapes [4] and [3]}}
  %j = ingot.string_join %s, %t : (tensor<4x!ingot.string>, tensor<3x!ingot.string>) -> tensor<4x!ingot.string>
  return
}

// -----

// (string_length_c1)
func.func @string_length_c1(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{the unit 'CHAR' is neither BYTE nor UTF8_CHAR}}
  %n = ingot.string_length %s {unit = "CHAR"} : (tensor<4x!ingot.string>) -> tensor<4xi32>
  return
}

// -----

// (substr_c1)
func.func @substr_c1(%s: tensor<4x!ingot.string>, %i: tensor<i32>) {
  // expected-error @+1 {{the unit 'CHAR' is neither BYTE nor UTF8_CHAR}}
  %n = ingot.substr %s, %i, %i {unit = "CHAR"} : (tensor<4x!ingot.string>, tensor<i32>, tensor<i32>) -> tensor<4x!ingot.string>
  return
}

// -----

// (substr_c2)
func.func @substr_c2(%s: tensor<4x!ingot.string>, %i: tensor<i32>, %n: tensor<4xi32>) {
  // expected-error @+1 {{positions and lengths must have the same shape, but have shapes [] and [4]}}
  %t = ingot.substr %s, %i, %n : (tensor<4x!ingot.string>, tensor<i32>, tensor<4xi32>) -> tensor<4x!ingot.string>
  return
}

// -----

// (string_equal_c1)
func.func @string_equal_c1(%s: tensor<4x!ingot.string>, %t: tensor<3x!ingot.string>) {
  // expected-error @+1 {{cannot be broadcast against each other}}
  %e = ingot.string_equal %s, %t : (tensor<4x!ingot.string>, tensor<3x!ingot.string>) -> tensor<4xi1>
  return
}

// -----

// (string_split_c1)
func.func @string_split_c1(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{the input must be a vector and the separator a scalar, but they have shapes [4] and [4]}}
  %i, %v, %n = ingot.string_split %s, %s : (tensor<4x!ingot.string>, tensor<4x!ingot.string>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
  return
}

// -----

// (string_split_any_c1)
func.func @string_split_any_c1(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{the input must be a vector and the separator a scalar, but they have shapes [4] and [4]}}
  %i, %v, %n = ingot.string_split_any %s, %s : (tensor<4x!ingot.string>, tensor<4x!ingot.string>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
  return
}

// -----

// (string_to_number_c1)
func.func @string_to_number_c1(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{numbers of type 'i8' cannot be parsed from strings}}
  %x = ingot.string_to_number %s {output_type = i8} : (tensor<4x!ingot.string>) -> tensor<4xi8>
  return
}

// -----

// (string_to_hash_bucket_c1)
func.func @string_to_hash_bucket_c1(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{num_buckets is 0, but must be at least 1}}
  %x = ingot.string_to_hash_bucket %s {method = "fast", num_buckets = 0 : i64} : (tensor<4x!ingot.string>) -> tensor<4xi64>
  return
}

// -----

// (string_to_hash_bucket_c2)
func.func @string_to_hash_bucket_c2(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{the hash method must be 'strong' with a key of 2 integers, or 'fast' or 'classic' without a key, but is 'strong' with a key of 0 integers}}
  %x = ingot.string_to_hash_bucket %s {method = "strong", num_buckets = 9 : i64} : (tensor<4x!ingot.string>) -> tensor<4xi64>
  return
}

// -----

// (decode_raw_c1)
func.func @decode_raw_c1(%s: tensor<*x!ingot.string>) {
  // expected-error @+1 {{the rank of the input must be known}}
  %x = ingot.decode_raw %s {output_type = i32} : (tensor<*x!ingot.string>) -> tensor<*xi32>
  return
}

// -----

// (reduce_join_c1)
func.func @reduce_join_c1(%s: tensor<4x!ingot.string>) {
  %a = ingot.constant dense<1> : tensor<1xi32>
  // expected-error @+1 {{axis 1 lies outside a tensor of rank 1}}
  %x = ingot.reduce_join %s, %a : (tensor<4x!ingot.string>, tensor<1xi32>) -> tensor<!ingot.string>
  return
}

// -----

// (decode_csv_c1)
func.func @decode_csv_c1(%s: tensor<4x!ingot.string>, %d: tensor<2xf32>) {
  // expected-error @+1 {{the default of a column must have at most one element, but has shape [2]}}
  %x = ingot.decode_csv %s, %d : (tensor<4x!ingot.string>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// (decode_csv_c2)
func.func @decode_csv_c2(%s: tensor<4x!ingot.string>, %d: tensor<1xf32>) {
  // expected-error @+1 {{'field_delim' must be one byte, but is '||'}}
  %x = ingot.decode_csv %s, %d {field_delim = "||"} : (tensor<4x!ingot.string>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// (decode_csv_c3)
func.func @decode_csv_c3(%s: tensor<4x!ingot.string>, %d: tensor<1xf32>) {
  // expected-error @+1 {{'select_cols' selects 2 columns, but the number of defaults is 1}}
  %x = ingot.decode_csv %s, %d {select_cols = array<i64: 0, 2>} : (tensor<4x!ingot.string>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// (regex_full_match_c1)
func.func @regex_full_match_c1(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{the pattern must be a scalar, but has shape [4]}}
  %m = ingot.regex_full_match %s, %s : (tensor<4x!ingot.string>, tensor<4x!ingot.string>) -> tensor<4xi1>
  return
}

// -----

// (regex_replace_c1)
func.func @regex_replace_c1(%s: tensor<4x!ingot.string>, %p: tensor<!ingot.string>) {
  // expected-error @+1 {{the pattern and rewrite must be scalars, but have shapes [] and [4]}}
  %m = ingot.regex_replace %s, %p, %s : (tensor<4x!ingot.string>, tensor<!ingot.string>, tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  return
}

// -----

// (parse_features_c1)
func.func @parse_features_c1(%s: tensor<4x2x!ingot.string>) {
  // expected-error @+1 {{the serialized examples must be a scalar or a vector, but have shape [4, 2]}}
  %x = ingot.parse_features %s, defaults() {ragged_keys = [], sparse_keys = []} : (tensor<4x2x!ingot.string>) -> tensor<4xf32>
  return
}

// -----

// (parse_features_c2)
func.func @parse_features_c2(%s: tensor<4x!ingot.string>, %d: tensor<1xf32>) {
  // expected-error @+1 {{expected as many types, shapes and defaults as keys}}
  %x = ingot.parse_features %s, defaults(%d) {dense_keys = ["a", "b"], dense_shapes = [array<i64: 1>]} : (tensor<4x!ingot.string>, tensor<1xf32>) -> tensor<4x1xf32>
  return
}

// -----

// (parse_features_c3)
func.func @parse_features_c3(%s: tensor<4x!ingot.string>, %d: tensor<1xi32>) {
  // expected-error @+1 {{features must be float, int64 or string}}
  %x = ingot.parse_features %s, defaults(%d) {dense_keys = ["a"], dense_shapes = [array<i64: 1>]} : (tensor<4x!ingot.string>, tensor<1xi32>) -> tensor<4x1xi32>
  return
}

// -----

// (parse_features_c3)
func.func @parse_features_c3_splits(%s: tensor<4x!ingot.string>) {
  // expected-error @+1 {{row splits are int32 or int64, not 'f32'}}
  %x:2 = ingot.parse_features %s, defaults() {ragged_keys = ["a"], ragged_types = [f32], split_types = [f32]} : (tensor<4x!ingot.string>) -> (tensor<?xf32>, tensor<5xf32>)
  return
}

// -----

// (parse_features_c4)
func.func @parse_features_c4(%s: tensor<4x!ingot.string>, %d: tensor<1xf32>) {
  // expected-error @+1 {{only the first dimension of a feature may be dynamic}}
  %x = ingot.parse_features %s, defaults(%d) {dense_keys = ["a"], dense_shapes = [array<i64: 2, -1>]} : (tensor<4x!ingot.string>, tensor<1xf32>) -> tensor<4x2x?xf32>
  return
}

// -----

// (parse_features_c5)
func.func @parse_features_c5(%s: tensor<4x!ingot.string>, %d: tensor<1xf32>) {
  // expected-error @+1 {{the default of a feature of shape array<i64: 3> must have the same shape or no elements, but has shape [1]}}
  %x = ingot.parse_features %s, defaults(%d) {dense_keys = ["a"], dense_shapes = [array<i64: 3>]} : (tensor<4x!ingot.string>, tensor<1xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (parse_feature_lists_c1)
func.func @parse_feature_lists_c1(%s: tensor<4x2x!ingot.string>, %m: tensor<0xi1>) {
  // expected-error @+1 {{the serialized examples must be a scalar or a vector, but have shape [4, 2]}}
  %x:3 = ingot.parse_feature_lists %s, %m {sparse_keys = ["a"], sparse_types = [f32]} : (tensor<4x2x!ingot.string>, tensor<0xi1>) -> (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>)
  return
}

// -----

// (parse_feature_lists_c1)
func.func @parse_feature_lists_c1_empty(%s: tensor<4x!ingot.string>, %m: tensor<2xi1>) {
  // expected-error @+1 {{'assumed_empty' must be a vector with one element for each of the 1 dense lists, but has shape [2]}}
  %x:2 = ingot.parse_feature_lists %s, %m {dense_keys = ["a"], dense_types = [f32], dense_shapes = [array<i64: 2>]} : (tensor<4x!ingot.string>, tensor<2xi1>) -> (tensor<4x?x2xf32>, tensor<4xi64>)
  return
}

// -----

// (parse_feature_lists_c2)
func.func @parse_feature_lists_c2(%s: tensor<4x!ingot.string>, %m: tensor<1xi1>) {
  // expected-error @+1 {{expected as many types and shapes as keys}}
  %x:2 = ingot.parse_feature_lists %s, %m {dense_keys = ["a"], dense_types = [f32]} : (tensor<4x!ingot.string>, tensor<1xi1>) -> (tensor<4x?x2xf32>, tensor<4xi64>)
  return
}

// -----

// (parse_feature_lists_c3)
func.func @parse_feature_lists_c3(%s: tensor<4x!ingot.string>, %m: tensor<0xi1>) {
  // expected-error @+1 {{features must be float, int64 or string}}
  %x:3 = ingot.parse_feature_lists %s, %m {sparse_keys = ["a"], sparse_types = [i32]} : (tensor<4x!ingot.string>, tensor<0xi1>) -> (tensor<?x3xi64>, tensor<?xi32>, tensor<3xi64>)
  return
}

// -----

// (parse_feature_lists_c3)
func.func @parse_feature_lists_c3_splits(%s: tensor<4x!ingot.string>, %m: tensor<0xi1>) {
  // expected-error @+1 {{row splits are int32 or int64, not 'f32'}}
  %x:3 = ingot.parse_feature_lists %s, %m {ragged_keys = ["a"], ragged_types = [f32], split_types = [f32]} : (tensor<4x!ingot.string>, tensor<0xi1>) -> (tensor<?xf32>, tensor<5xf32>, tensor<?xf32>)
  return
}

// -----

// (parse_feature_lists_c4)
func.func @parse_feature_lists_c4(%s: tensor<4x!ingot.string>, %m: tensor<1xi1>) {
  // expected-error @+1 {{of a dense list is not fully defined}}
  %x:2 = ingot.parse_feature_lists %s, %m {dense_keys = ["a"], dense_types = [f32], dense_shapes = [array<i64: -1>]} : (tensor<4x!ingot.string>, tensor<1xi1>) -> (tensor<4x?x?xf32>, tensor<4xi64>)
  return
}

// -----

// (parse_feature_lists_c5)
func.func @parse_feature_lists_c5(%s: tensor<4x!ingot.string>, %m: tensor<0xi1>) {
  // expected-error @+1 {{Sequence feature a cannot be both ragged and sparse}}
  %x:6 = ingot.parse_feature_lists %s, %m {sparse_keys = ["a"], sparse_types = [f32], ragged_keys = ["a"], ragged_types = [f32], split_types = [i64]} : (tensor<4x!ingot.string>, tensor<0xi1>) -> (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xf32>, tensor<5xi64>, tensor<?xi64>)
  return
}

// -----

// (decode_padded_raw_c1)
func.func @decode_padded_raw_c1(%s: tensor<*x!ingot.string>, %n: tensor<i32>) {
  // expected-error @+1 {{the rank of the input must be known}}
  %x = ingot.decode_padded_raw %s, %n {output_type = i16} : (tensor<*x!ingot.string>, tensor<i32>) -> tensor<4x?xi16>
  return
}

// -----

// (decode_padded_raw_c2)
func.func @decode_padded_raw_c2(%s: tensor<4x!ingot.string>, %n: tensor<2xi32>) {
  // expected-error @+1 {{the length must be a scalar, but has shape [2]}}
  %x = ingot.decode_padded_raw %s, %n {output_type = i16} : (tensor<4x!ingot.string>, tensor<2xi32>) -> tensor<4x?xi16>
  return
}

// -----

// (decode_padded_raw_c2)
func.func @decode_padded_raw_c2_size(%s: tensor<4x!ingot.string>) {
  %n = ingot.constant dense<3> : tensor<i32>
  // expected-error @+1 {{the length in bytes must be a positive multiple of the element size, 2, but is 3}}
  %x = ingot.decode_padded_raw %s, %n {output_type = i16} : (tensor<4x!ingot.string>, tensor<i32>) -> tensor<4x?xi16>
  return
}

// -----

// (unsorted_segment_join_c1)
func.func @unsorted_segment_join_c1(%s: tensor<3x2x!ingot.string>, %ids: tensor<2xi32>, %n: tensor<i32>) {
  // expected-error @+1 {{segment ids of shape [2] do not match the first dimensions of an input of shape [3, 2]}}
  %x = ingot.unsorted_segment_join %s, %ids, %n : (tensor<3x2x!ingot.string>, tensor<2xi32>, tensor<i32>) -> tensor<?x2x!ingot.string>
  return
}

// -----

// (unsorted_segment_join_c2)
func.func @unsorted_segment_join_c2(%s: tensor<3x!ingot.string>, %ids: tensor<3xi32>) {
  %n = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{the number of segments must be a non-negative scalar, but is -1}}
  %x = ingot.unsorted_segment_join %s, %ids, %n : (tensor<3x!ingot.string>, tensor<3xi32>, tensor<i32>) -> tensor<?x!ingot.string>
  return
}
