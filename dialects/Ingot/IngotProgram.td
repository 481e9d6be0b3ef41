//===- IngotProgram.td - Entries and fusions -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The entries of a program, and the kernels within.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_PROGRAM_TD
#define INGOT_DIALECTS_INGOT_PROGRAM_TD

include "dialects/Ingot/IngotAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Ingot_EntryOp : Ingot_Op<"entry", [Symbol, IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "An entry of the program that callers can run";
  let description = [{
    The block's arguments are the values of `variables`, in that order, then
    those of `feeds`. The terminating `ingot.return` gives the values of
    `fetches`, then the new values of `updates`. Feeds and fetches carry the
    tensors' names in the user's graph. As imported, an entry touches its
    variables by `ingot.read` and `ingot.assign` and both lists are empty;
    promote-variables fills them.

    Constraints:
    - (entry_c1) as many block arguments as variables and feeds.
    - (entry_c2) as many returned values as fetches and updates.
    - (entry_c3) variables and updates are variables of the program, with
      agreeing types.
    - (entry_c4) `ingot.after_step`, where it is there, is a unit on an entry
      of role `other`, which then runs after each step.

    ```mlir
    ingot.entry @double role(other) feeds ["x:0"] fetches ["y:0"]
        variables [] updates [] {
    ^bb0(%x: tensor<2xf32>):
      %y = ingot.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.return %y : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Ingot_RoleAttr:$role,
                       StrArrayAttr:$feeds, StrArrayAttr:$fetches,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$variables,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$updates);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `role` `(` $role `)` `feeds` $feeds `fetches` $fetches
    `variables` $variables `updates` $updates attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Ingot_ReturnOp : Ingot_Op<"return", [Terminator, ParentOneOf<["EntryOp", "FusionOp"]>, Pure, ReturnLike]> {
  let hasBuilders = 1;
  let summary = "Terminates an entry or a fusion with its values";
  let description = [{
    ```mlir
    ingot.return %loss : tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Ingot_FusionOp : Ingot_Op<"fusion", [SingleBlock, RecursiveMemoryEffects]> {
  let hasBuilders = 1;
  let summary = "A fusion: ops that become one kernel";
  let description = [{
    Formed by form-fusions: its ops are computed together, in one loop nest
    where that is possible. `name` becomes the kernel's symbol. Values of the
    surrounding entry are used directly.

    Constraints:
    - (fusion_c1) the terminator's types are the results' types.

    ```mlir
    %y = ingot.fusion "fused_Relu" -> tensor<2xf32> {
      %0 = ingot.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      ingot.return %0 : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name (`->` type($outputs)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_PROGRAM_TD
