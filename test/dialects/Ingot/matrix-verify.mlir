// SPDX-License-Identifier: Apache-2.0
// Constraints of diagonals and bands.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (matrix_diag_c1)
func.func @matrix_diag_has_an_order(%d: tensor<2x3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %r = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{the lowest diagonal, 1, is above the highest, 0}}
  %0 = ingot.matrix_diag %d, %k, %r, %r, %p : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (matrix_diag_c1)
func.func @matrix_diag_has_few_numbers(%d: tensor<2x3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<[1, 0, 2]> : tensor<3xi32>
  %r = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{'k' must be a scalar or a vector of one or two elements, the lowest and the highest diagonal, but has shape [3]}}
  %0 = ingot.matrix_diag %d, %k, %r, %r, %p : (tensor<2x3xf32>, tensor<3xi32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (matrix_diag_c2)
func.func @matrix_diag_has_rows(%d: tensor<2x3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<[-1, 1]> : tensor<2xi32>
  %r = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{'k' selects 3 diagonals, but 'diagonal', of shape [2, 3], holds 2}}
  %0 = ingot.matrix_diag %d, %k, %r, %r, %p : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (matrix_diag_c3)
func.func @matrix_diag_must_fit_rows(%d: tensor<3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<1> : tensor<i32>
  %r = ingot.constant dense<2> : tensor<i32>
  %c = ingot.constant dense<4> : tensor<i32>
  // expected-error @+1 {{the matrix must have at least 3 rows to hold the diagonals, but has 2}}
  %0 = ingot.matrix_diag %d, %k, %r, %c, %p : (tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (matrix_diag_c3)
func.func @matrix_diag_must_fit_columns(%d: tensor<3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<1> : tensor<i32>
  %r = ingot.constant dense<3> : tensor<i32>
  // expected-error @+1 {{the matrix must have at least 4 columns to hold the diagonals, but has 3}}
  %0 = ingot.matrix_diag %d, %k, %r, %r, %p : (tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (matrix_diag_c4)
func.func @matrix_diag_aligns(%d: tensor<3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<1> : tensor<i32>
  %r = ingot.constant dense<-1> : tensor<i32>
  // expected-error @+1 {{'CENTER' is not a valid alignment}}
  %0 = ingot.matrix_diag %d, %k, %r, %r, %p {align = "CENTER"} : (tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

// (matrix_diag_part_c1)
func.func @matrix_diag_part_exists(%x: tensor<3x3xf32>, %p: tensor<f32>) {
  %k = ingot.constant dense<3> : tensor<i32>
  // expected-error @+1 {{diagonals 3 to 3 are out of range for a matrix of 3 rows and 3 columns}}
  %0 = ingot.matrix_diag_part %x, %k, %p : (tensor<3x3xf32>, tensor<i32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

// (matrix_diag_part_c2)
func.func @matrix_diag_part_of_a_matrix(%x: tensor<3xf32>, %k: tensor<i32>, %p: tensor<f32>) {
  // expected-error @+1 {{the input has shape [3], but must have at least 2 dimensions}}
  %0 = ingot.matrix_diag_part %x, %k, %p : (tensor<3xf32>, tensor<i32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

// (matrix_diag_part_c3)
func.func @matrix_diag_part_aligns(%x: tensor<3x3xf32>, %k: tensor<i32>, %p: tensor<f32>) {
  // expected-error @+1 {{'LEFT' is not a valid alignment}}
  %0 = ingot.matrix_diag_part %x, %k, %p {align = "LEFT"} : (tensor<3x3xf32>, tensor<i32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

// (matrix_set_diag_c1)
func.func @matrix_set_diag_exists(%x: tensor<3x3xf32>, %d: tensor<1xf32>) {
  %k = ingot.constant dense<-3> : tensor<i32>
  // expected-error @+1 {{diagonals -3 to -3 are out of range for a matrix of 3 rows and 3 columns}}
  %0 = ingot.matrix_set_diag %x, %d, %k : (tensor<3x3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3x3xf32>
  return
}

// -----

// (matrix_set_diag_c2)
func.func @matrix_set_diag_of_its_length(%x: tensor<3x3xf32>, %d: tensor<3xf32>) {
  %k = ingot.constant dense<1> : tensor<i32>
  // expected-error @+1 {{'diagonal' must have shape [2], that of the matrices' diagonals, but has shape [3]}}
  %0 = ingot.matrix_set_diag %x, %d, %k : (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>
  return
}

// -----

// (matrix_set_diag_c3)
func.func @matrix_set_diag_aligns(%x: tensor<3x3xf32>, %d: tensor<3xf32>, %k: tensor<i32>) {
  // expected-error @+1 {{'LEFT' is not a valid alignment}}
  %0 = ingot.matrix_set_diag %x, %d, %k {align = "LEFT"} : (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>
  return
}

// -----

// (matrix_band_part_c1)
func.func @matrix_band_part_of_a_matrix(%x: tensor<3xf32>, %l: tensor<i64>) {
  // expected-error @+1 {{the input has shape [3], but must have at least 2 dimensions}}
  %0 = ingot.matrix_band_part %x, %l, %l : (tensor<3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

// (matrix_band_part_c2)
func.func @matrix_band_part_has_scalars(%x: tensor<3x3xf32>, %l: tensor<1xi64>) {
  // expected-error @+1 {{num_lower must be a scalar, but has shape [1]}}
  %0 = ingot.matrix_band_part %x, %l, %l : (tensor<3x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x3xf32>
  return
}

// -----

// (cholesky_c1)
func.func @cholesky_of_squares(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [2, 3]}}
  %0 = ingot.cholesky %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (cholesky_c1)
func.func @cholesky_of_a_vector(%x: tensor<3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [3]}}
  %0 = ingot.cholesky %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// (triangular_solve_c1)
func.func @solve_of_squares(%m: tensor<3x2xf32>, %x: tensor<3x1xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [3, 2]}}
  %0 = ingot.triangular_solve %m, %x : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return
}

// -----

// (triangular_solve_c1)
func.func @solve_of_as_many_rows(%m: tensor<3x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{matrices and right-hand sides must have the same batch dimensions and number of rows, but have shapes [3, 3] and [2, 3]}}
  %0 = ingot.triangular_solve %m, %x : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (triangular_solve_c2)
func.func @solve_of_as_many_matrices(%m: tensor<2x3x3xf32>, %x: tensor<4x3x1xf32>) {
  // expected-error @+1 {{matrices and right-hand sides must have the same batch dimensions and number of rows, but have shapes [2, 3, 3] and [4, 3, 1]}}
  %0 = ingot.triangular_solve %m, %x : (tensor<2x3x3xf32>, tensor<4x3x1xf32>) -> tensor<4x3x1xf32>
  return
}

// -----

// (matrix_solve_c1)
func.func @system_of_squares(%m: tensor<3x2xf32>, %x: tensor<3x1xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [3, 2]}}
  %0 = ingot.matrix_solve %m, %x : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return
}

// -----

// (matrix_solve_c1)
func.func @system_of_as_many_rows(%m: tensor<3x3xf32>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{matrices and right-hand sides must have the same batch dimensions and number of rows, but have shapes [3, 3] and [2, 3]}}
  %0 = ingot.matrix_solve %m, %x : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (matrix_solve_c2)
func.func @system_of_as_many_matrices(%m: tensor<2x3x3xf32>, %x: tensor<4x3x1xf32>) {
  // expected-error @+1 {{matrices and right-hand sides must have the same batch dimensions and number of rows, but have shapes [2, 3, 3] and [4, 3, 1]}}
  %0 = ingot.matrix_solve %m, %x : (tensor<2x3x3xf32>, tensor<4x3x1xf32>) -> tensor<4x3x1xf32>
  return
}

// -----

// (matrix_inverse_c1)
func.func @inverse_of_squares(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [2, 3]}}
  %0 = ingot.matrix_inverse %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (matrix_determinant_c1)
func.func @determinant_of_squares(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [2, 3]}}
  %0 = ingot.matrix_determinant %x : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// (matrix_determinant_c1)
func.func @log_determinant_of_a_vector(%x: tensor<3xf32>) {
  // expected-error @+1 {{Input matrix must be square, but has shape [3]}}
  %0, %1 = ingot.log_matrix_determinant %x : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// (qr_c1)
func.func @qr_of_a_vector(%x: tensor<3xf32>) {
  // expected-error @+1 {{the input has shape [3], but must have at least 2 dimensions}}
  %0, %1 = ingot.qr %x : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
