//===- HostAttributes.td - Entries and functions described -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The descriptions that entries and functions of datasets carry from
// ingot-lower-entries to the artifact's tables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_ATTRIBUTES_TD
#define INGOT_DIALECTS_HOST_ATTRIBUTES_TD

include "dialects/Host/HostBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

// ingot_role of the ABI.
def Host_Role
    : I32EnumAttr<"Role", "The role of an entry",
                  [I32EnumAttrCase<"init", 1>, I32EnumAttrCase<"local_init", 2>,
                   I32EnumAttrCase<"ready", 3>,
                   I32EnumAttrCase<"ready_for_local_init", 4>,
                   I32EnumAttrCase<"step", 5>, I32EnumAttrCase<"save", 6>,
                   I32EnumAttrCase<"restore", 7>, I32EnumAttrCase<"summary", 8>,
                   I32EnumAttrCase<"evaluate", 9>,
                   I32EnumAttrCase<"predict", 10>, I32EnumAttrCase<"other", 11>,
                   I32EnumAttrCase<"after_step", 12>]> {
  let cppNamespace = "::mlir::host";
  let genSpecializedAttr = 0;
}

def Host_EntryAttr : AttrDef<Host_Dialect, "Entry"> {
  let mnemonic = "entry";
  let summary = "An entry in the artifact's descriptor";
  let description = [{
    Stands as `host.entry` on the entry's function. Feeds and fetches have the
    names and types of the user's graph; `assigned` are the numbers of the
    variables that the entry leaves initialized.

    Constraints:
    - (host_entry_c1) feeds and fetches are strings, with a type for each.
    - (host_entry_c2) their types are ranked tensors.
    - (host_entry_c3) assigned variables are numbers of variables, each once.
    - (host_entry_c4) an argument of the function is one variable, feed or
      fetch, which no other argument is.
    - (host_entry_c5) feeds and fetches of arguments are among those described.

    ```mlir
    #host.entry<name = "step", role = step, feeds = ["x:0"], feed_types = [tensor<4xf32>],
        fetches = [], fetch_types = [], assigned = [0]>
    ```
  }];
  let parameters = (ins StringRefParameter<"as the user's graph has it">:$name,
      EnumParameter<Host_Role>:$role, "ArrayAttr":$feeds,
      "ArrayAttr":$feed_types, "ArrayAttr":$fetches, "ArrayAttr":$fetch_types,
      "DenseI32ArrayAttr":$assigned);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Host_FunctionAttr : AttrDef<Host_Dialect, "Function"> {
  let mnemonic = "function";
  let summary = "A dataset's function in the artifact's descriptor";
  let description = [{
    Stands as `host.function` on the function. One that draws random numbers
    has its random ops' positions in their sequences (`positions` of them), then
    their seeds (`seeds` of them), as its last feeds, and the next positions as
    its last fetches. One that reads variables has their values as feeds after
    those; `variables` are their numbers. Where nothing in it can fail but a
    parse, `parsed` says for each fetch which of the parsed features it is;
    -1: none.

    Constraints:
    - (host_function_c1) feeds and fetches are ranked tensors.
    - (host_function_c2) positions, seeds and variables are among the feeds,
      positions among the fetches.
    - (host_function_c3) `parsed` has a feature or -1 for each fetch.

    ```mlir
    #host.function<feed_types = [tensor<!ingot.string>], fetch_types = [tensor<4xf32>],
        positions = 0, seeds = 0, parsed = [0]>
    ```
  }];
  let parameters = (ins "ArrayAttr":$feed_types, "ArrayAttr":$fetch_types,
      "unsigned":$positions, "unsigned":$seeds,
      OptionalParameter<"DenseI32ArrayAttr">:$variables,
      OptionalParameter<"DenseI32ArrayAttr">:$parsed);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

// As runtime/ABI/Launch.h numbers them.
def Host_ArgumentKind : I32EnumAttr<"ArgumentKind", "Where an argument's value comes from", [
    I32EnumAttrCase<"arena", 0>, I32EnumAttrCase<"variable", 1>,
    I32EnumAttrCase<"constant", 3>]> {
  let cppNamespace = "::mlir::host";
  let genSpecializedAttr = 0;
}

def Host_ArgumentAttr : AttrDef<Host_Dialect, "Argument"> {
  let mnemonic = "argument";
  let summary = "Initial contents of a slot of an argument table";
  let description = [{
    `slot` counts 8 bytes from the start of the arena. `number` is an offset in
    the arena or the number of a variable; of a constant, `symbol` is its name.

    ```mlir
    #host.argument<8, arena, 4096>
    #host.argument<9, constant, 0, @weights>
    ```
  }];
  let parameters = (ins "int64_t":$slot, EnumParameter<Host_ArgumentKind>:$kind, "int64_t":$number,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$symbol);
  let assemblyFormat = "`<` $slot `,` $kind `,` $number (`,` $symbol^)? `>`";
}

#endif // INGOT_DIALECTS_HOST_ATTRIBUTES_TD
