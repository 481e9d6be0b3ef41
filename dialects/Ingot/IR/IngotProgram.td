//===- IngotProgram.td - Entries and fusions -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The entries of a program, and the fusion groups in them that become kernels.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_PROGRAM_TD
#define INGOT_DIALECTS_INGOT_PROGRAM_TD

include "dialects/Ingot/IR/IngotAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Ingot_EntryOp : Ingot_Op<"entry", [Symbol, IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "An entry of the program that callers can run";
  let description = [{
    The block's arguments are the values of `variables`, in that order, then
    those of `feeds`. The operands of the terminator, `ingot.return`, are the
    values of `fetches`, then the new values of `updates`. The names of feeds and
    fetches are those of the tensors in the user's graph. The importer leaves
    `variables` and `updates` empty: imported entries access variables by
    `ingot.read` and `ingot.assign`, and promote-variables-to-ssa fills both lists.

    Constraints:
    - (entry_c1) there are as many block arguments as variables and feeds.
    - (entry_c2) there are as many returned values as fetches and updates.
    - (entry_c3) variables and updates are variables of the program, with
      agreeing types.
    - (entry_c4) if the role is one whose entries belong to another entry
      (`metrics of`), `of` names that entry, which has the role that
      runtime/ABI/EntryRoles.def requires; otherwise there is no `of`.
    - (entry_c5) if the role is one for a member or ensemble, `member` is its
      name; if it is one for a process, `place` is the index of the process and
      the number of processes. Otherwise there is no `member` or `place`.

    ```mlir
    ingot.entry @double role(other) feeds ["x:0"] fetches ["y:0"]
        variables [] updates [] {
    ^bb0(%x: tensor<2xf32>):
      %y = ingot.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.return %y : tensor<2xf32>
    }
    ingot.entry @results role(metrics of @evaluate) ...
    ingot.entry @frozen role(member_state of @step for "t1_linear") ...
    ingot.entry @second role(placed_step of @step place 1 of 3) ...
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Ingot_RoleAttr:$role,
                       StrArrayAttr:$feeds, StrArrayAttr:$fetches,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$variables,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$updates,
                       OptionalAttr<FlatSymbolRefAttr>:$of, OptionalAttr<StrAttr>:$member,
                       OptionalAttr<DenseI32ArrayAttr>:$place);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name custom<Role>($role, $of, $member, $place) `feeds` $feeds `fetches` $fetches
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
    A group of ops that form-fusion-groups has chosen to compute together, in one loop
    nest if possible. `name` becomes the kernel's symbol. The ops use values of the
    surrounding entry directly. A `delayed` fusion runs after all ops that may end
    the run, so that its kernel may overwrite variables.

    Constraints:
    - (fusion_c1) the terminator's types are the results' types.

    ```mlir
    %y = ingot.fusion "fused_Relu" -> tensor<2xf32> {
      %0 = ingot.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      ingot.return %0 : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$delayed);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name (`delayed` $delayed^)? (`->` type($outputs)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_PROGRAM_TD
