//===- HostAttributes.td - Attributes of entries -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes that describe entries and functions of datasets.
// ingot-lower-entries adds them; the artifact's tables are made from them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_ATTRIBUTES_TD
#define INGOT_DIALECTS_HOST_ATTRIBUTES_TD

include "dialects/Host/HostBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Host_EntryAttr : AttrDef<Host_Dialect, "Entry"> {
  let mnemonic = "entry";
  let summary = "An entry in the artifact's descriptor";
  let description = [{
    The attribute `host.entry` of the entry's function. `feeds` and `fetches`
    are the names in the user's graph, `feed_types` and `fetch_types` the types
    there. `assigned` has the indices of the variables that have a value once
    the entry has run.

    Constraints:
    - (host_entry_c1) feeds and fetches are strings, with a type for each.
    - (host_entry_c2) the types of feeds and fetches are ranked tensors.
    - (host_entry_c3) `assigned` has indices of variables, each once.
    - (host_entry_c4) an argument of the function is one variable, feed or
      fetch, which no other argument is.
    - (host_entry_c5) feeds and fetches of arguments are among those described.
    - (host_entry_c6) `of`, the function of the entry that this one belongs to,
      `member` and `place` are there if the role asks for them
      (runtime/ABI/EntryRoles.def), and only then; a function `of` of the
      program is an entry of the role that it asks for.

    ```mlir
    #host.entry<name = "step", role = step, feeds = ["x:0"], feed_types = [tensor<4xf32>],
        fetches = [], fetch_types = [], assigned = [0]>
    ```
  }];
  let parameters = (ins StringRefParameter<"as the user's graph has it">:$name,
      "::mlir::host::Role":$role, "ArrayAttr":$feeds,
      "ArrayAttr":$feed_types, "ArrayAttr":$fetches, "ArrayAttr":$fetch_types,
      "DenseI32ArrayAttr":$assigned,
      OptionalParameter<"::mlir::FlatSymbolRefAttr">:$of,
      OptionalParameter<"::mlir::StringAttr">:$member,
      OptionalParameter<"::mlir::DenseI32ArrayAttr">:$place);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Host_FunctionAttr : AttrDef<Host_Dialect, "Function"> {
  let mnemonic = "function";
  let summary = "A dataset's function in the artifact's descriptor";
  let description = [{
    The attribute `host.function` of a function that a dataset maps over its
    elements. Feeds that are not components of an element come last:

    - the positions of the function's random ops in their sequences
      (`positions` is their number); the next positions are the last fetches;
    - the seeds of random ops (`seeds` is their number);
    - the values of variables (`variables` has their indices).

    `parsed` is set if only the parsing of an Example can fail in the function.
    It has the index of the parsed feature that each fetch is, or -1.

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

// The values of the argument kinds in runtime/ABI/Launch.h.
def Host_ArgumentKind : I32EnumAttr<"ArgumentKind", "Where an argument's value comes from", [
    I32EnumAttrCase<"arena", 0>, I32EnumAttrCase<"variable", 1>,
    I32EnumAttrCase<"constant", 3>]> {
  let cppNamespace = "::mlir::host";
  let genSpecializedAttr = 0;
}

def Host_ArgumentAttr : AttrDef<Host_Dialect, "Argument"> {
  let mnemonic = "argument";
  let summary = "Initial contents of a slot in an argument table";
  let description = [{
    `slot` is the slot's distance from the start of the arena in units of 8
    bytes. `number` is an offset in the arena in bytes (`arena`) or the index of
    a variable (`variable`). `symbol` is the name of a constant (`constant`).

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
