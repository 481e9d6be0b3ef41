//===- IngotSpectral.td - Eigenvalues and singular values -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decompositions and functions of the innermost matrices of tensors (their last
// two dimensions): eigenvalue, singular value and LU decompositions; square
// root, exponential and logarithm.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SPECTRAL_TD
#define INGOT_DIALECTS_INGOT_SPECTRAL_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SelfAdjointEigOp : Ingot_PureOp<"self_adjoint_eig", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"SelfAdjointEigV2", [TF_Bool<"compute_v">], ["e", "v"]>,
                       TF_Op<"BatchSelfAdjointEigV2", [TF_Bool<"compute_v">], ["e", "v"]>];
  let summary = "Eigenvalues and eigenvectors of symmetric matrices";
  let description = [{
    TensorFlow's `SelfAdjointEigV2`: the eigenvalues of each matrix in ascending
    order, and an orthonormal eigenvector for each of them, as columns of `v`. Only
    the lower triangle of a matrix is read. Without `compute_v`, `v` is an empty
    vector.

    Constraints:
    - (self_adjoint_eig_c1) the last two dimensions of the input are those of
      square matrices.

    ```mlir
    %e, %v = ingot.self_adjoint_eig %x : (tensor<5x3x3xf32>) -> (tensor<5x3xf32>, tensor<5x3x3xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input, DefaultValuedAttr<BoolAttr, "true">:$compute_v);
  let results = (outs TensorOf<[F32, F64]>:$e, TensorOf<[F32, F64]>:$v);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_SVDOp : Ingot_PureOp<"svd", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Svd", [TF_Bool<"compute_uv">, TF_Bool<"full_matrices">], ["s", "u", "v"]>,
                       TF_Op<"BatchSvd", [TF_Bool<"compute_uv">, TF_Bool<"full_matrices">], ["s", "u", "v"]>];
  let summary = "Singular value decompositions of matrices";
  let description = [{
    TensorFlow's `Svd`: each matrix is u diag(s) v^T, where the columns of u and of
    v are orthonormal, and the singular values s descend. u and v have min(rows,
    columns) columns, or with `full_matrices` one for each row of theirs. Without
    `compute_uv`, they are empty vectors.

    Constraints:
    - (svd_c1) the input is at least a matrix.

    ```mlir
    %s, %u, %v = ingot.svd %x : (tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$input, DefaultValuedAttr<BoolAttr, "true">:$compute_uv,
                       DefaultValuedAttr<BoolAttr, "false">:$full_matrices);
  let results = (outs TensorOf<[F32, F64]>:$s, TensorOf<[F32, F64]>:$u, TensorOf<[F32, F64]>:$v);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_EigOp : Ingot_PureOp<"eig", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Eig", [TF_Bool<"compute_v">, TF_Implied<"Tout">], ["e", "v"]>];
  let summary = "Eigenvalues and eigenvectors of square matrices";
  let description = [{
    TensorFlow's `Eig`: the complex eigenvalues of each matrix, which ascend by
    magnitude if the matrix is complex, and an eigenvector of length 1 for each of them, as columns of `v`.
    Without `compute_v`, `v` is an empty vector.

    Constraints:
    - (square_c1) the last two dimensions of the input are those of square
      matrices.

    ```mlir
    %e, %v = ingot.eig %x : (tensor<5x3x3xf32>) -> (tensor<5x3xcomplex<f32>>, tensor<5x3x3xcomplex<f32>>)
    ```
  }];
  let arguments = (ins Ingot_MatrixTensor:$input, DefaultValuedAttr<BoolAttr, "true">:$compute_v);
  let results = (outs Ingot_ComplexTensor:$e, Ingot_ComplexTensor:$v);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_LuOp : Ingot_PureOp<"lu", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Lu", [TF_Type<"output_idx_type", "index_type", "DT_INT32">], ["lu", "p"]>];
  let summary = "LU decompositions of square matrices";
  let description = [{
    TensorFlow's `Lu`: the rows `p` of each matrix, in this order, are the product
    of a lower triangle with ones on its diagonal and an upper triangle. `lu` holds
    both but for the ones. A matrix without an inverse stops the run.

    Constraints:
    - (square_c1) the last two dimensions of the input are those of square
      matrices.

    ```mlir
    %lu, %p = ingot.lu %x {index_type = i32} : (tensor<5x3x3xf32>) -> (tensor<5x3x3xf32>, tensor<5x3xi32>)
    ```
  }];
  let arguments = (ins Ingot_MatrixTensor:$input, TypeAttr:$index_type);
  let results = (outs Ingot_MatrixTensor:$lu, Ingot_IntTensor:$p);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

class Ingot_MatrixFunctionOp<string mnemonic, string tensorFlow, TensorOf tensor, string element, string what>
    : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<tensorFlow>];
  let summary = what # " of square matrices";
  let description = "TensorFlow's `" # tensorFlow # [{`, of each of the innermost matrices.

Constraints:
- (square_c1) the last two dimensions of the input are those of square matrices.

```mlir
%y = ingot.}] # mnemonic # " %x : (tensor<5x3x3x" # element # ">) -> tensor<5x3x3x" # element # ">\n```\n";
  let arguments = (ins tensor:$input);
  let results = (outs tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_MatrixSquareRootOp
    : Ingot_MatrixFunctionOp<"matrix_square_root", "MatrixSquareRoot", Ingot_MatrixTensor, "f32", "Square roots">;
def Ingot_MatrixExponentialOp
    : Ingot_MatrixFunctionOp<"matrix_exponential", "MatrixExponential", Ingot_MatrixTensor, "f32", "Exponentials">;
def Ingot_MatrixLogarithmOp
    : Ingot_MatrixFunctionOp<"matrix_logarithm", "MatrixLogarithm", Ingot_ComplexTensor, "complex<f32>", "Logarithms">;

#endif // INGOT_DIALECTS_INGOT_SPECTRAL_TD
