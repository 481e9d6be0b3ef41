//===- IngotMatrix.td - Ops on matrices --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on the innermost matrices of tensors, that is, on their last two
// dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATRIX_TD
#define INGOT_DIALECTS_INGOT_MATRIX_TD

include "dialects/Ingot/IR/IngotBase.td"

// The attribute `align` of ops on a band of diagonals. The diagonals are stored
// as rows of a matrix, padded to the same length. The first word of `align`
// states at which end of their rows the superdiagonals are stored, and the
// second word states this for the subdiagonals.
defvar Ingot_Align = DefaultValuedAttr<StrAttr, "\"RIGHT_LEFT\"">;

def Ingot_MatrixDiagOp : Ingot_PureOp<"matrix_diag"> {
  let summary = "Matrices with given diagonals";
  let description = [{
    TensorFlow's `MatrixDiagV3`; `MatrixDiag`, `MatrixDiagV2` and `Diag` are
    imported as this op. `k` is the index of a diagonal, or the lowest and the
    highest index of a band; 0 is the main diagonal, 1 the one above it. `rows` and
    `columns` are the sizes of the matrices; -1 stands for as many as the diagonals
    need. All other elements are `padding`.

    Constraints:
    - (matrix_diag_c1) `k` is a scalar or a vector of one or two numbers, the
      first not above the second.
    - (matrix_diag_c2) `diagonal` has at least rank 1; for a band at least rank 2,
      with a row for each diagonal.
    - (matrix_diag_c3) constant sizes are large enough for the diagonals.
    - (matrix_diag_c4) `align` is LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or
      RIGHT_RIGHT.

    ```mlir
    %0 = ingot.matrix_diag %d, %k, %r, %c, %p : (tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$diagonal, Ingot_IntTensor:$k, Ingot_IntTensor:$rows, Ingot_IntTensor:$columns,
    Ingot_Tensor:$padding, Ingot_Align:$align);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$diagonal `,` $k `,` $rows `,` $columns `,` $padding attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixDiagPartOp : Ingot_PureOp<"matrix_diag_part"> {
  let summary = "Diagonals of matrices";
  let description = [{
    TensorFlow's `MatrixDiagPartV3`, its earlier versions and `DiagPart`.
    Shorter diagonals of a band are filled up with `padding` to the longest one.

    Constraints:
    - (matrix_diag_part_c1) `k` is a scalar or a vector of one or two numbers,
      the first not above the second, of diagonals that the matrices have.
    - (matrix_diag_part_c2) the input is at least a matrix.
    - (matrix_diag_part_c3) `align` is LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or
      RIGHT_RIGHT.

    ```mlir
    %0 = ingot.matrix_diag_part %x, %k, %p : (tensor<3x3xf32>, tensor<i32>, tensor<f32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$k, Ingot_Tensor:$padding, Ingot_Align:$align);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $k `,` $padding attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixSetDiagOp : Ingot_PureOp<"matrix_set_diag"> {
  let summary = "Matrices with their diagonals replaced";
  let description = [{
    TensorFlow's `MatrixSetDiagV3` and its earlier versions.

    Constraints:
    - (matrix_set_diag_c1) `k` is a scalar or a vector of one or two numbers,
      the first not above the second, of diagonals that the matrices have.
    - (matrix_set_diag_c2) the input is at least a matrix; `diagonal` has its
      element type and the shape that `matrix_diag_part` gives.
    - (matrix_set_diag_c3) `align` is LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or
      RIGHT_RIGHT.

    ```mlir
    %0 = ingot.matrix_set_diag %x, %d, %k : (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_Tensor:$diagonal, Ingot_IntTensor:$k, Ingot_Align:$align);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $diagonal `,` $k attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixBandPartOp : Ingot_PureOp<"matrix_band_part"> {
  let tensorFlowOps = [TF_Op<"MatrixBandPart", [TF_Implied<"Tindex">]>, TF_Op<"BatchMatrixBandPart">];
  let summary = "Matrices with zeros outside of a band";
  let description = [{
    TensorFlow's `MatrixBandPart`: `lower` diagonals below the main one are
    kept and `upper` above it; a negative number keeps all.

    Constraints:
    - (matrix_band_part_c1) the input is at least a matrix.
    - (matrix_band_part_c2) `lower` and `upper` are scalars.

    ```mlir
    %0 = ingot.matrix_band_part %x, %l, %u : (tensor<3x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$lower, Ingot_IntTensor:$upper);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $lower `,` $upper attr-dict `:` functional-type(operands, results)";
}

def Ingot_CholeskyOp : Ingot_PureOp<"cholesky", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Cholesky">, TF_Op<"BatchCholesky">];
  let summary = "Cholesky factors of positive definite matrices";
  let description = [{
    TensorFlow's `Cholesky`: the lower triangular factor L of each of the
    innermost matrices A = L L^T. The upper triangles of A are not read. A matrix
    that is not positive definite stops the run.

    Constraints:
    - (cholesky_c1) the input is at least a matrix, and its matrices are square.

    ```mlir
    %0 = ingot.cholesky %x : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input);
  let results = (outs TensorOf<[F32, F64]>:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_TriangularSolveOp : Ingot_PureOp<"triangular_solve", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"MatrixTriangularSolve", [TF_Bool<"lower">, TF_Bool<"adjoint">]>,
                       TF_Op<"BatchMatrixTriangularSolve", [TF_Bool<"lower">, TF_Bool<"adjoint">]>];
  let summary = "Solutions of triangular systems";
  let description = [{
    TensorFlow's `MatrixTriangularSolve`: x with matrix x = rhs, or with
    `adjoint` transpose(matrix) x = rhs, for each of the innermost matrices. Of
    `matrix` only the lower triangle is read, or without `lower` the upper one.
    A zero on the diagonal stops the run.

    Constraints:
    - (triangular_solve_c1) the matrices are square, and have as many rows as `rhs`.
    - (triangular_solve_c2) both operands have the same dimensions before their matrices.

    ```mlir
    %0 = ingot.triangular_solve %l, %x {adjoint = true} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$matrix, TensorOf<[F32, F64]>:$rhs,
                       DefaultValuedAttr<BoolAttr, "true">:$lower, DefaultValuedAttr<BoolAttr, "false">:$adjoint);
  let results = (outs TensorOf<[F32, F64]>:$output);
  let assemblyFormat = "$matrix `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Ingot_QROp : Ingot_PureOp<"qr", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Qr", [TF_Bool<"full_matrices">], ["q", "r"]>];
  let summary = "QR decompositions of matrices";
  let description = [{
    TensorFlow's `Qr`, which orthogonal initializers use: each of the innermost
    matrices is q r, where r is upper triangular and the columns of q are
    orthonormal. q has min(rows, columns) columns, or with `full_matrices` one
    for each row.

    Constraints:
    - (qr_c1) the input is at least a matrix.

    ```mlir
    %q, %r = ingot.qr %x : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input, DefaultValuedAttr<BoolAttr, "false">:$full_matrices);
  let results = (outs TensorOf<[F32, F64]>:$q, TensorOf<[F32, F64]>:$r);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixSolveOp : Ingot_PureOp<"matrix_solve", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"MatrixSolve", [TF_Bool<"adjoint">]>, TF_Op<"BatchMatrixSolve", [TF_Bool<"adjoint">]>];
  let summary = "Solutions of linear systems";
  let description = [{
    TensorFlow's `MatrixSolve`: x with matrix x = rhs, or with `adjoint`
    conj(transpose(matrix)) x = rhs, for each of the innermost matrices. A matrix that
    has no inverse stops the run.

    Constraints:
    - (matrix_solve_c1) the matrices are square, and have as many rows as `rhs`.
    - (matrix_solve_c2) both operands have the same dimensions before their matrices.

    ```mlir
    %0 = ingot.matrix_solve %m, %x : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Ingot_MatrixTensor:$matrix, Ingot_MatrixTensor:$rhs,
                       DefaultValuedAttr<BoolAttr, "false">:$adjoint);
  let results = (outs Ingot_MatrixTensor:$output);
  let assemblyFormat = "$matrix `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixInverseOp : Ingot_PureOp<"matrix_inverse", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"MatrixInverse", [TF_Bool<"adjoint">]>, TF_Op<"BatchMatrixInverse", [TF_Bool<"adjoint">]>];
  let summary = "Inverses of matrices";
  let description = [{
    TensorFlow's `MatrixInverse`: the inverse of each of the innermost matrices,
    or with `adjoint`, of its transpose. A matrix without an inverse stops the
    run.

    Constraints:
    - (matrix_inverse_c1) the input is at least a matrix, and its matrices are square.

    ```mlir
    %0 = ingot.matrix_inverse %x {adjoint = true} : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input, DefaultValuedAttr<BoolAttr, "false">:$adjoint);
  let results = (outs TensorOf<[F32, F64]>:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixDeterminantOp : Ingot_PureOp<"matrix_determinant", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"MatrixDeterminant">, TF_Op<"BatchMatrixDeterminant">];
  let summary = "Determinants of matrices";
  let description = [{
    TensorFlow's `MatrixDeterminant`, one number for each of the innermost
    matrices: sign * exp(log) of `log_matrix_determinant`.

    Constraints:
    - (matrix_determinant_c1) the input is at least a matrix, and its matrices are square.

    ```mlir
    %0 = ingot.matrix_determinant %x : (tensor<4x3x3xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input);
  let results = (outs TensorOf<[F32, F64]>:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_LogMatrixDeterminantOp : Ingot_PureOp<"log_matrix_determinant", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"LogMatrixDeterminant", [], ["sign", "log_abs_determinant"]>];
  let summary = "Signs and logarithms of absolute determinants";
  let description = [{
    TensorFlow's `LogMatrixDeterminant`, of each of the innermost matrices. A
    determinant of zero has the sign 0 and the logarithm -inf.

    Constraints:
    - (matrix_determinant_c1) the input is at least a matrix, and its matrices are square.

    ```mlir
    %sign, %log = ingot.log_matrix_determinant %x : (tensor<4x3x3xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input);
  let results = (outs TensorOf<[F32, F64]>:$sign, TensorOf<[F32, F64]>:$log);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_MATRIX_TD
