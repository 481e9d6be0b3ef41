//===- IngotSpectral.td - Eigenvalues and singular values -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decompositions of the innermost matrices of tensors (their last two
// dimensions) by eigenvalues and singular values.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SPECTRAL_TD
#define INGOT_DIALECTS_INGOT_SPECTRAL_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SelfAdjointEigOp : Ingot_PureOp<"self_adjoint_eig", [Ingot_RunsInRuntime]> {
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

def Ingot_SVDOp : Ingot_PureOp<"svd", [Ingot_RunsInRuntime]> {
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

#endif // INGOT_DIALECTS_INGOT_SPECTRAL_TD
