//===- IngotCheckpoint.td - Tensors to and from checkpoints -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that save and restore single tensors, for graphs that do so without a
// Saver. They run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_CHECKPOINT_TD
#define INGOT_DIALECTS_INGOT_CHECKPOINT_TD

include "dialects/Ingot/IR/IngotBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ingot_SaveTensorsOp : Ingot_Op<"save_tensors", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasBuilders = 1;
  let summary = "Writes tensors to a checkpoint";
  let description = [{
    TensorFlow's `SaveV2` with constant names: a whole checkpoint in the V2
    format, with as many files as TensorFlow's. With `writes_v1`, TensorFlow's
    `SaveSlices` or `Save`, which write the V1 format.

    Constraints:
    - (save_tensors_c1) there are as many names as tensors.
    - (save_tensors_c2) there are as many slices as tensors.

    ```mlir
    ingot.save_tensors %prefix, %w {names = ["w"], slices = [""]}
        : tensor<!ingot.string>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$prefix, Variadic<Ingot_Tensor>:$tensors,
                       StrArrayAttr:$names, StrArrayAttr:$slices, UnitAttr:$writes_v1);
  let assemblyFormat = "operands attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

def Ingot_RestoreTensorsOp : Ingot_Op<"restore_tensors", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasBuilders = 1;
  let summary = "Reads tensors from a checkpoint";
  let description = [{
    TensorFlow's `RestoreV2` with constant names. At run time, a result's shape is
    checked against the stored shape.

    Constraints:
    - (restore_tensors_c1) there are as many names as results.
    - (restore_tensors_c2) there are as many slices as results.

    ```mlir
    %w = ingot.restore_tensors %prefix {names = ["w"], slices = [""]}
        : (tensor<!ingot.string>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$prefix, StrArrayAttr:$names, StrArrayAttr:$slices);
  let results = (outs Variadic<Ingot_Tensor>:$tensors);
  let assemblyFormat = "$prefix attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_CHECKPOINT_TD
