//===- IngotState.td - Variables, checkpoints and summaries in entries -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops of entries that have side effects, or depend on side effects: they use
// variables, checkpoints and summaries.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_STATE_TD
#define INGOT_DIALECTS_INGOT_STATE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_ReadOp : Ingot_Op<"read", [MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "Reads a variable";
  let description = [{
    Constraints:
    - (read_c1) the symbol names a variable, whose type the result has.

    ```mlir
    %w = ingot.read @w : tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs AnyTensor:$output);
  let assemblyFormat = "$variable attr-dict `:` type($output)";
}

def Ingot_AssignOp : Ingot_Op<"assign", [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "Assigns a variable";
  let description = [{
    Constraints:
    - (assign_c1) the symbol names a variable, whose type the value's type does
      not contradict.

    ```mlir
    ingot.assign @w, %v : tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyTensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Ingot_IsInitializedOp : Ingot_Op<"is_initialized", [Ingot_ComputedByRuntime, MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "Whether a variable has a value";
  let description = [{
    TensorFlow's `VarIsInitializedOp` and `IsVariableInitialized`. After an
    assignment in the same entry the answer is known when the program is
    compiled (`ingot-promote-variables-to-ssa`).

    Constraints:
    - (is_initialized_c1) the symbol names a variable.

    ```mlir
    %known = ingot.is_initialized @w : tensor<i1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$variable attr-dict `:` type($output)";
}

def Ingot_ReportUninitializedOp : Ingot_Op<"report_uninitialized", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "Reports which of some variables have no value yet";
  let description = [{
    The dozen nodes that TensorFlow's `report_uninitialized_variables` creates, which
    the importer recognizes and replaces by this op.

    Constraints:
    - (report_c1) every symbol names a variable.

    ```mlir
    ingot.report_uninitialized [@w, @b]
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$variables);
  let assemblyFormat = "$variables attr-dict";
}

def Ingot_SaveOp : Ingot_Op<"save", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "Saves a checkpoint with a saver";
  let description = [{
    Constraints:
    - (save_c1) the symbol names a saver.
    - (save_c2) the prefix is a scalar.

    ```mlir
    ingot.save @save, %prefix : tensor<!ingot.string>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$saver, Ingot_StringTensor:$prefix);
  let assemblyFormat = "$saver `,` $prefix attr-dict `:` type($prefix)";
}

def Ingot_RestoreOp : Ingot_Op<"restore", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "Restores all of a saver's variables and iterators";
  let description = [{
    Constraints:
    - (restore_c1) the symbol names a saver.
    - (restore_c2) the prefix is a scalar.

    ```mlir
    ingot.restore @save, %prefix : tensor<!ingot.string>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$saver, Ingot_StringTensor:$prefix);
  let assemblyFormat = "$saver `,` $prefix attr-dict `:` type($prefix)";
}

def Ingot_ScalarSummaryOp : Ingot_Op<"scalar_summary", [MemoryEffects<[MemWrite]>]> {
  let hasBuilders = 1;
  let summary = "Records a scalar for TensorBoard, in steps whose summaries "
                "are written";
  let description = [{
    TensorFlow's `ScalarSummary` with a scalar tag.

    Constraints:
    - (scalar_summary_c1) the value is a scalar.

    ```mlir
    ingot.scalar_summary "loss", %loss : tensor<f32>
    ```
  }];
  let arguments = (ins StrAttr:$tag, Ingot_NumericTensor:$value);
  let assemblyFormat = "$tag `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_STATE_TD
