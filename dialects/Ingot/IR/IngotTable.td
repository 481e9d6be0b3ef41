//===- IngotTable.td - Lookup tables -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A program's lookup tables, and the ops on them, which run in the runtime. A
// table lives as long as a session and maps keys of one type to values of
// another.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_TABLE_TD
#define INGOT_DIALECTS_INGOT_TABLE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_TableOp : Ingot_Op<"table", [Symbol]> {
  let hasBuilders = 1;
  let summary = "A lookup table of the program";
  let description = [{
    State that lives as long as a session: TensorFlow's `MutableHashTableV2` and
    `MutableHashTableOfTensorsV2` or, with `initialized_once`, `HashTableV2`,
    which never changes after it was filled. `persistent` marks tables that
    outlive a session: checkpoints of the session's saver have their contents
    even if the saver's list lacks the table.

    Constraints:
    - (table_c1) a value's type has a static shape of rank 0 or 1.
    - (table_c2) a table that is initialized once is not persistent.

    ```mlir
    ingot.table @counts : i64 to tensor<4xf32> {persistent}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$key_type, TypeAttrOf<AnyTensor>:$value_type,
                       UnitAttr:$initialized_once, UnitAttr:$persistent);
  let assemblyFormat = "$sym_name `:` $key_type `to` $value_type attr-dict";
  let hasVerifier = 1;
}

// An op on the table whose symbol is its attribute `table`.
class Ingot_TableUse<string mnemonic>
    : Ingot_InferredOp<mnemonic, [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>,
                                  DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Ingot_TableFindOp : Ingot_TableUse<"table_find"> {
  let summary = "Looks up keys in a table";
  let description = [{
    TensorFlow's `LookupTableFindV2`: the default value for keys that the table
    does not have. With `initialized_once` the table must have been filled.
    `value_shape` is the shape of one value. The default value has this shape and
    applies to all keys; of a table that may change, it may also have a value for
    each key.

    Constraints:
    - (table_find_c1) the shape of the default value is `value_shape` or, unless
      the table is initialized once, the keys' shape followed by `value_shape`.
    - (table_find_c2) the symbol is a table of the program, of the types of the
      keys and of the default value.

    ```mlir
    %v = ingot.table_find %keys, %default {table = @vocabulary} : (tensor<4x!ingot.string>, tensor<i64>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$keys, Ingot_Tensor:$default_value, FlatSymbolRefAttr:$table,
                       DefaultValuedAttr<BoolAttr, "false">:$initialized_once,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$value_shape);
  let results = (outs Ingot_Tensor:$values);
  let assemblyFormat = "$keys `,` $default_value attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableInsertOp : Ingot_TableUse<"table_insert"> {
  let hasBuilders = 1;
  let summary = "Puts keys and values into a table";
  let description = [{
    TensorFlow's `LookupTableInsertV2` (`mode` is `insert`), `LookupTableImportV2`
    (`assign`) and `InitializeTableV2` (`initialize`, which happens once).

    Constraints:
    - (table_insert_c1) the values' shape is the keys', followed by `value_shape`,
      the shape of one value.
    - (table_insert_c2) `mode` is one of the three.
    - (table_insert_c3) the symbol is a table of the program, of the types of the
      keys and values.
    - (table_insert_c4) `mode` is `initialize` for tables that are initialized
      once, and only for these.

    ```mlir
    ingot.table_insert %keys, %values {table = @vocabulary, mode = "initialize"} : (tensor<4x!ingot.string>, tensor<4xi64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_Tensor:$keys, Ingot_Tensor:$values, FlatSymbolRefAttr:$table, StrAttr:$mode,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$value_shape);
  let assemblyFormat = "$keys `,` $values attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableRemoveOp : Ingot_TableUse<"table_remove"> {
  let summary = "Removes keys from a table";
  let description = [{
    TensorFlow's `LookupTableRemoveV2`. Keys that the table does not have are
    ignored.

    Constraints:
    - (table_remove_c1) the symbol is a table of the program, of the type of the
      keys, that is not initialized once.

    ```mlir
    ingot.table_remove %keys {table = @counts} : (tensor<4xi64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_Tensor:$keys, FlatSymbolRefAttr:$table);
  let assemblyFormat = "$keys attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableInsertFileOp : Ingot_TableUse<"table_insert_file"> {
  let summary = "Fills a table from the lines of a text file";
  let description = [{
    TensorFlow's `InitializeTableFromTextFileV2`: keys and values are whole lines
    (index -2), line numbers (-1) or columns. Line numbers start at `offset`. If
    `vocab_size` is not negative, only this many lines are read.

    Constraints:
    - (table_insert_file_c1) the file's name is a scalar.
    - (table_insert_file_c2) indices are at least -2; line numbers are of type
      i64.
    - (table_insert_file_c3) the symbol is a table of the program, of the types
      `key_type` and `value_type`, that is initialized once.

    ```mlir
    ingot.table_insert_file %name {table = @vocabulary, key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<!ingot.string>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filename, FlatSymbolRefAttr:$table, I64Attr:$key_index, I64Attr:$value_index, TypeAttr:$key_type, TypeAttr:$value_type,
                   DefaultValuedAttr<I64Attr, "-1">:$vocab_size, DefaultValuedAttr<I64Attr, "0">:$offset, DefaultValuedAttr<StrAttr, "\"\\t\"">:$delimiter);
  let assemblyFormat = "$filename attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableSizeOp : Ingot_TableUse<"table_size"> {
  let summary = "Number of a table's keys";
  let description = [{
    TensorFlow's `LookupTableSizeV2`.

    Constraints:
    - (table_size_c1) the symbol is a table of the program.

    ```mlir
    %n = ingot.table_size {table = @vocabulary} : () -> tensor<i64>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table);
  let results = (outs TensorOf<[I64]>:$size);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableExportOp : Ingot_TableUse<"table_export"> {
  let summary = "All keys and values of a table";
  let description = [{
    TensorFlow's `LookupTableExportV2`, in the order in which the keys were
    inserted. `value_shape` is the shape of one value.

    Constraints:
    - (table_export_c1) the symbol is a table of the program, of the types
      `key_type` and `value_type`.

    ```mlir
    %k, %v = ingot.table_export {table = @counts, key_type = i64, value_type = f32} : () -> (tensor<?xi64>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, TypeAttr:$key_type, TypeAttr:$value_type,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$value_shape);
  let results = (outs Ingot_Tensor:$keys, Ingot_Tensor:$values);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_TABLE_TD
