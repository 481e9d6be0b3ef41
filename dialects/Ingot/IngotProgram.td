//===- IngotProgram.td - Programs: variables, iterators, savers, entries -*- tablegen -*-===//
//
// The symbols that a module is made of.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_PROGRAM_TD
#define INGOT_DIALECTS_INGOT_PROGRAM_TD

include "dialects/Ingot/IngotBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Ingot_VariableOp : Ingot_Op<"variable", [Symbol]> {
  let summary = "A variable of the program";
  let description = [{
    State that lives as long as a session and is saved in checkpoints under
    the symbol's name. Its shape is static.

    Constraints:
    - (variable_c1) `type` is a ranked tensor of static shape.

    ```mlir
    ingot.variable @"hidden1/kernel" : tensor<64x64xf32> {trainable}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyTensor>:$type,
                       UnitAttr:$trainable, UnitAttr:$local,
                       DefaultValuedStrAttr<StrAttr, "">:$device);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Ingot_IteratorOp : Ingot_Op<"iterator", [Symbol, SingleBlock, IsolatedFromAbove]> {
  let summary = "An input pipeline and the position in it";
  let description = [{
    The region holds the tree of datasets whose root the terminating
    `ingot.yield` names; `components` are the types of one element's tensors.

    Constraints:
    - (iterator_c1) the region ends in an `ingot.yield` of one dataset.
    - (iterator_c2) the components agree with that dataset's.

    ```mlir
    ingot.iterator @IteratorV2 : [tensor<2xf32>] {
      %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
      ingot.yield %0 : !ingot.dataset<tensor<2xf32>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$components);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $components attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Ingot_SavedItemAttr : AttrDef<Ingot_Dialect, "SavedItem"> {
  let mnemonic = "saved";
  let summary = "One tensor of a checkpoint: its key, whose value it is, slice and shard";
  let description = [{
    `target` is a variable or an iterator; `slice` is empty or TensorFlow's
    text for a part of a partitioned tensor ("10 4 0,4:-").

    ```mlir
    #ingot.saved<"hidden1/kernel", @"hidden1/kernel", "", 0>
    ```
  }];
  let parameters = (ins StringRefParameter<"key in the checkpoint">:$key,
                        "FlatSymbolRefAttr":$target,
                        StringRefParameter<"slice of a partitioned tensor">:$slice,
                        "unsigned":$shard);
  let assemblyFormat = "`<` $key `,` $target `,` $slice `,` $shard `>`";
}

def Ingot_SaverOp : Ingot_Op<"saver", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What is saved, under which names, and how many sets are kept";
  let description = [{
    The graph's Saver. `filename` is the default prefix.

    Constraints:
    - (saver_c1) every item's target is a variable or an iterator of the program.
    - (saver_c2) every item's shard is below `num_shards`.
    - (saver_c3) no key and slice stands twice.

    ```mlir
    ingot.saver @save [#ingot.saved<"w", @w, "", 0>]
        {filename = "model", num_shards = 1 : i32, sharded, max_to_keep = 5 : i32,
         keep_checkpoint_every_n_hours = 10000.0 : f32}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypedArrayAttrBase<Ingot_SavedItemAttr, "saved tensors">:$items,
                       StrAttr:$filename, I32Attr:$num_shards, UnitAttr:$sharded,
                       I32Attr:$max_to_keep, F32Attr:$keep_checkpoint_every_n_hours);
  let assemblyFormat = "$sym_name $items attr-dict";
  let hasVerifier = 1;
}

def Ingot_RoleAttr : I32EnumAttr<"Role", "What an entry is for", [
    I32EnumAttrCase<"init", 1>, I32EnumAttrCase<"local_init", 2>,
    I32EnumAttrCase<"ready", 3>, I32EnumAttrCase<"ready_for_local_init", 4>,
    I32EnumAttrCase<"step", 5>, I32EnumAttrCase<"save", 6>,
    I32EnumAttrCase<"restore", 7>, I32EnumAttrCase<"summary", 8>,
    I32EnumAttrCase<"evaluate", 9>, I32EnumAttrCase<"predict", 10>,
    I32EnumAttrCase<"other", 11>]> {
  let cppNamespace = "::mlir::ingot";
}

def Ingot_EntryOp : Ingot_Op<"entry", [Symbol, IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Something the program can be asked to run";
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
  let summary = "Ends an entry or a fusion with its values";
  let description = [{
    ```mlir
    ingot.return %loss : tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Ingot_YieldOp : Ingot_Op<"yield", [Terminator, Pure]> {
  let summary = "Names the root dataset of an iterator or of a function over datasets";
  let description = [{
    ```mlir
    ingot.yield %0 : !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$dataset);
  let assemblyFormat = "$dataset attr-dict `:` type($dataset)";
}

def Ingot_FusionOp : Ingot_Op<"fusion", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Ops that become one kernel";
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
