// SPDX-License-Identifier: Apache-2.0
// Constraints of random numbers.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (random_skip_c1)
func.func @a_counter_has_two_words(%s: tensor<1xi64>, %n: tensor<i64>) {
  // expected-error @+1 {{the state of a generator must be a vector of at least 2 elements, but has shape [1]}}
  %0 = ingot.random_skip %s, %n : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  return
}

// -----

// (random_skip_c2)
func.func @counts_are_a_vector(%s: tensor<2xi64>, %n: tensor<1x1xi64>) {
  // expected-error @+1 {{the number of random numbers to skip must be a scalar or a vector, but has shape [1, 1]}}
  %0 = ingot.random_skip %s, %n : (tensor<2xi64>, tensor<1x1xi64>) -> tensor<2xi64>
  return
}

// -----

// (random_c1)
func.func @key_and_counter(%s: tensor<1xi32>, %k: tensor<2xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [2] and [2]}}
  %0 = ingot.stateless_random_normal %s, %k, %c, %a {dtype = f32} : (tensor<1xi32>, tensor<2xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (random_c2)
func.func @known_algorithm(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  %a = ingot.constant dense<2> : tensor<i32>
  // expected-error @+1 {{random algorithm 2 is not supported, only 1 (Philox) and 3 (auto)}}
  %0 = ingot.stateless_truncated_normal %s, %k, %c, %a {dtype = f32} : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (random_c3)
func.func @normal_floats(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  // expected-error @+1 {{normal random numbers must have a floating-point type, not 'i32'}}
  %0 = ingot.stateless_random_normal %s, %k, %c, %a {dtype = i32} : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

// (random_c3)
func.func @wide_bits(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  // expected-error @+1 {{random bits must be integers of 32 or 64 bits, not 'i16'}}
  %0 = ingot.stateless_random_uniform_full_int %s, %k, %c, %a {dtype = i16} : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// (random_c4)
func.func @random_shape(%k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  %s = ingot.constant dense<[2, -1]> : tensor<2xi32>
  // expected-error @+1 {{'shape' has the negative dimension -1}}
  %0 = ingot.stateless_random_normal %s, %k, %c, %a {dtype = f32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<2x?xf32>
  return
}

// -----

// (random_range_c1)
func.func @bounds_of_one_type(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>, %l: tensor<i32>, %h: tensor<i64>) {
  // expected-error @+1 {{minval and maxval must be scalars of the same type, but are 'tensor<i32>' and 'tensor<i64>'}}
  %0 = ingot.stateless_random_uniform_int %s, %k, %c, %a, %l, %h : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>, tensor<i32>, tensor<i64>) -> tensor<?xi32>
  return
}

// -----

// (random_range_c2)
func.func @empty_range(%s: tensor<1xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>, %a: tensor<i32>) {
  %l = ingot.constant dense<3> : tensor<i32>
  // expected-error @+1 {{minval must be less than maxval, but they are 3 and 3}}
  %0 = ingot.stateless_random_uniform_int %s, %k, %c, %a, %l, %l : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

// (random_shuffle_c1)
func.func @shuffle_counter(%v: tensor<4xf32>, %k: tensor<1xi64>, %c: tensor<3xi64>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [1] and [3]}}
  %0 = ingot.random_shuffle %v, %k, %c : (tensor<4xf32>, tensor<1xi64>, tensor<3xi64>) -> tensor<4xf32>
  return
}

// -----

// (multinomial_c1)
func.func @logits_are_a_matrix(%l: tensor<4xf32>, %n: tensor<i32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{logits must be a matrix, but have shape [4]}}
  %0 = ingot.multinomial %l, %n, %k, %c {dtype = i64} : (tensor<4xf32>, tensor<i32>, tensor<1xi64>, tensor<2xi64>) -> tensor<4x?xi64>
  return
}

// -----

// (multinomial_c2)
func.func @count_is_a_scalar(%l: tensor<4x2xf32>, %n: tensor<2xi32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{the number of samples must be a non-negative scalar, but has shape [2]}}
  %0 = ingot.multinomial %l, %n, %k, %c {dtype = i64} : (tensor<4x2xf32>, tensor<2xi32>, tensor<1xi64>, tensor<2xi64>) -> tensor<4x?xi64>
  return
}

// -----

// (multinomial_c3)
func.func @class_key(%l: tensor<4x2xf32>, %n: tensor<i32>, %k: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [] and [2]}}
  %0 = ingot.multinomial %l, %n, %k, %c {dtype = i64} : (tensor<4x2xf32>, tensor<i32>, tensor<i64>, tensor<2xi64>) -> tensor<4x?xi64>
  return
}

// -----

// (candidate_sample_c1)
func.func @true_classes_are_a_matrix(%t: tensor<4xi64>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{true_classes must be a matrix, but have shape [4]}}
  %s, %e, %f = ingot.candidate_sample %t, %k, %c {num_sampled = 5 : i64, range_max = 9 : i64, unique = true, distribution = "uniform"} : (tensor<4xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
  return
}

// -----

// (candidate_sample_c2)
func.func @no_classes_to_draw(%t: tensor<4x1xi64>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{num_sampled and range_max must be positive, but are 5 and 0}}
  %s, %e, %f = ingot.candidate_sample %t, %k, %c {num_sampled = 5 : i64, range_max = 0 : i64, unique = false, distribution = "uniform"} : (tensor<4x1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
  return
}

// -----

// (candidate_sample_c2)
func.func @too_few_classes(%t: tensor<4x1xi64>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{Sampler's range is too small: 5 different classes cannot be drawn from 4}}
  %s, %e, %f = ingot.candidate_sample %t, %k, %c {num_sampled = 5 : i64, range_max = 4 : i64, unique = true, distribution = "uniform"} : (tensor<4x1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
  return
}

// -----

// (candidate_sample_c3)
func.func @another_distribution(%t: tensor<4x1xi64>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{'normal' is not a distribution of classes: expected uniform, log_uniform or all}}
  %s, %e, %f = ingot.candidate_sample %t, %k, %c {num_sampled = 5 : i64, range_max = 9 : i64, unique = true, distribution = "normal"} : (tensor<4x1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
  return
}

// -----

// (candidate_sample_c4)
func.func @candidate_key(%t: tensor<4x1xi64>, %k: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [] and [2]}}
  %s, %e, %f = ingot.candidate_sample %t, %k, %c {num_sampled = 5 : i64, range_max = 9 : i64, unique = true, distribution = "uniform"} : (tensor<4x1xi64>, tensor<i64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
  return
}

// -----

// (accidental_hits_c1)
func.func @hits_of_a_vector(%t: tensor<4xi64>, %s: tensor<5xi64>) {
  // expected-error @+1 {{true_classes must be a matrix, but have shape [4]}}
  %r, %p, %w = ingot.accidental_hits %t, %s : (tensor<4xi64>, tensor<5xi64>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xf32>)
  return
}

// -----

// (accidental_hits_c1)
func.func @hits_among_a_matrix(%t: tensor<4x1xi64>, %s: tensor<5x1xi64>) {
  // expected-error @+1 {{sampled_candidates must be a vector, but have shape [5, 1]}}
  %r, %p, %w = ingot.accidental_hits %t, %s : (tensor<4x1xi64>, tensor<5x1xi64>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xf32>)
  return
}

// -----

// (candidate_sample_c3)
func.func @all_are_as_many(%t: tensor<4x1xi64>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{distribution 'all' requires num_sampled to be range_max, 9, but num_sampled is 5}}
  %s, %e, %f = ingot.candidate_sample %t, %k, %c {num_sampled = 5 : i64, range_max = 9 : i64, unique = true, distribution = "all"} : (tensor<4x1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
  return
}

// -----

// (random_gamma_c1)
func.func @gamma_key(%s: tensor<2xi32>, %a: tensor<3xf32>, %k: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [] and [2]}}
  %r = ingot.random_gamma %s, %a, %k, %c {dtype = f32} : (tensor<2xi32>, tensor<3xf32>, tensor<i64>, tensor<2xi64>) -> tensor<?x?x3xf32>
  return
}

// -----

// (random_gamma_c2)
func.func @gamma_shape(%s: tensor<2x2xi32>, %a: tensor<3xf32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{'shape'}}
  %r = ingot.random_gamma %s, %a, %k, %c {dtype = f32} : (tensor<2x2xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xf32>
  return
}

// -----

// (random_poisson_c1)
func.func @poisson_key(%s: tensor<2xi32>, %a: tensor<3xf32>, %k: tensor<i64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{key and counter must have the shapes [1] and [2], but have [] and [2]}}
  %r = ingot.random_poisson %s, %a, %k, %c {dtype = f32} : (tensor<2xi32>, tensor<3xf32>, tensor<i64>, tensor<2xi64>) -> tensor<?x?x3xf32>
  return
}

// -----

// (random_poisson_c2)
func.func @poisson_shape(%s: tensor<2x2xi32>, %a: tensor<3xf32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{'shape'}}
  %r = ingot.random_poisson %s, %a, %k, %c {dtype = f32} : (tensor<2x2xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xf32>
  return
}

// -----

// (random_gamma_c3)
func.func @gamma_type(%s: tensor<2xi32>, %a: tensor<3xf32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{dtype and alpha must have the same type, float16, float32 or float64, but have types 'f64' and 'f32'}}
  %r = ingot.random_gamma %s, %a, %k, %c {dtype = f64} : (tensor<2xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xf64>
  return
}

// -----

// (random_gamma_c3)
func.func @gamma_of_bfloat16(%s: tensor<2xi32>, %a: tensor<3xbf16>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{dtype and alpha must have the same type, float16, float32 or float64, but have types 'bf16' and 'bf16'}}
  %r = ingot.random_gamma %s, %a, %k, %c {dtype = bf16} : (tensor<2xi32>, tensor<3xbf16>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xbf16>
  return
}

// -----

// (random_poisson_c3)
func.func @poisson_type(%s: tensor<2xi32>, %a: tensor<3xf32>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{the rates and the results of Poisson distributions must be float16, float32, float64, int32 or int64, not 'i8'}}
  %r = ingot.random_poisson %s, %a, %k, %c {dtype = i8} : (tensor<2xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xi8>
  return
}

// -----

// (random_poisson_c3)
func.func @poisson_rate(%s: tensor<2xi32>, %a: tensor<3xbf16>, %k: tensor<1xi64>, %c: tensor<2xi64>) {
  // expected-error @+1 {{the rates and the results of Poisson distributions must be float16, float32, float64, int32 or int64, not 'bf16'}}
  %r = ingot.random_poisson %s, %a, %k, %c {dtype = f32} : (tensor<2xi32>, tensor<3xbf16>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?x3xf32>
  return
}

// -----

// (random_gamma_grad_c1)
func.func @types_of_gamma_gradient(%a: tensor<3xf32>, %x: tensor<3xf64>) {
  // expected-error @+1 {{element types differ: 'f32' of the first operand and 'f64' of the second}}
  %r = ingot.random_gamma_grad %a, %x : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// (random_gamma_grad_c1)
func.func @shapes_of_gamma_gradient(%a: tensor<3xf32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{}}
  %r = ingot.random_gamma_grad %a, %x : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// (threefry_bits_c1)
func.func @keys_of_three_words(%k: tensor<3xui32>, %f: tensor<ui64>, %s: tensor<1xi32>) {
  // expected-error @+1 {{the last dimension of keys must be 2, but their shape is [3]}}
  %r = ingot.threefry_bits %k, %f, %s {dtype = ui32} : (tensor<3xui32>, tensor<ui64>, tensor<1xi32>) -> tensor<?xui32>
  return
}

// -----

// (threefry_bits_c1)
func.func @a_key_of_one_word(%k: tensor<ui32>, %f: tensor<ui64>, %s: tensor<1xi32>) {
  // expected-error @+1 {{the last dimension of keys must be 2, but their shape is []}}
  %r = ingot.threefry_bits %k, %f, %s {dtype = ui32} : (tensor<ui32>, tensor<ui64>, tensor<1xi32>) -> tensor<?xui32>
  return
}

// -----

// (threefry_bits_c2)
func.func @a_counter_for_each_key(%k: tensor<5x2xui32>, %f: tensor<4xui64>, %s: tensor<1xi32>) {
  // expected-error @+1 {{counters must have the shape of keys, [5], but have [4]}}
  %r = ingot.threefry_bits %k, %f, %s {dtype = ui32} : (tensor<5x2xui32>, tensor<4xui64>, tensor<1xi32>) -> tensor<5x?xui32>
  return
}

// -----

// (threefry_bits_c3)
func.func @bits_are_unsigned(%k: tensor<2xui32>, %f: tensor<ui64>, %s: tensor<1xi32>) {
  // expected-error @+1 {{random bits must be unsigned integers of 32 or 64 bits, not 'ui16'}}
  %r = ingot.threefry_bits %k, %f, %s {dtype = ui16} : (tensor<2xui32>, tensor<ui64>, tensor<1xi32>) -> tensor<?xui32>
  return
}

// -----

// (threefry_bits_c4)
func.func @sizes_of_bits(%k: tensor<2xui32>, %f: tensor<ui64>) {
  %s = ingot.constant dense<[-1]> : tensor<1xi32>
  // expected-error @+1 {{'shape' has the negative dimension -1}}
  %r = ingot.threefry_bits %k, %f, %s {dtype = ui32} : (tensor<2xui32>, tensor<ui64>, tensor<1xi32>) -> tensor<?xui32>
  return
}
