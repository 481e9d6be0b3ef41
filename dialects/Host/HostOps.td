//===- HostOps.td - Calls of the runtime and launches of kernels -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Every side effect of an entry and every launch of a kernel. The ops work on
// tensors first and, once bufferized, on memrefs. Strings are 128-bit integers
// here: address and size (ingot_string of the ABI). Tables of the program (iterators, savers, variables) are referred to by index.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_OPS_TD
#define INGOT_DIALECTS_HOST_OPS_TD

include "dialects/Host/HostBase.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An address, always of the default address space.
def Host_Pointer : Type<LLVM_AnyPointer.predicate, "pointer">,
    BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

class Host_Op<string mnemonic, list<Trait> traits = []>
    : Op<Host_Dialect, mnemonic, traits>;

def Host_Buffer : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

// A call with bufferizable operands and effects of its own.
class Host_CallOp_<string mnemonic, list<Trait> traits = []>
    : Host_Op<mnemonic, !listconcat(traits, [
        MemoryEffects<[MemRead, MemWrite]>,
        DeclareOpInterfaceMethods<BufferizableOpInterface, [
          "bufferizesToMemoryRead", "bufferizesToMemoryWrite",
          "getAliasingValues", "bufferize", "isWritable"]>])>;

def Host_IteratorNextOp : Host_CallOp_<"iterator_next"> {
  let summary = "The next element of an iterator, in the runtime's buffers";
  let description = [{
    The buffers belong to the runtime until the iterator is asked again, and
    are only read.

    ```mlir
    %x, %y = host.iterator_next 0 : tensor<64x64xf32>, tensor<64xi64>
    ```
  }];
  let arguments = (ins I32Attr:$iterator);
  let results = (outs Variadic<Host_Buffer>:$components);
  let assemblyFormat = "$iterator attr-dict (`:` type($components)^)?";
}

def Host_IteratorMakeOp : Host_Op<"iterator_make", [MemoryEffects<[MemWrite]>]> {
  let summary = "(Re)starts an iterator";
  let description = [{
    ```mlir
    host.iterator_make 0
    ```
  }];
  let arguments = (ins I32Attr:$iterator);
  let assemblyFormat = "$iterator attr-dict";
}

def Host_SaveOp : Host_CallOp_<"save"> {
  let summary = "Runs a saver's save";
  let description = [{
    ```mlir
    host.save 0, %prefix : tensor<i128>
    ```
  }];
  let arguments = (ins I32Attr:$saver, Host_Buffer:$prefix);
  let assemblyFormat = "$saver `,` $prefix attr-dict `:` type($prefix)";
}

def Host_RestoreOp : Host_CallOp_<"restore"> {
  let summary = "Runs a saver's restore";
  let description = [{
    ```mlir
    host.restore 0, %prefix : tensor<i128>
    ```
  }];
  let arguments = (ins I32Attr:$saver, Host_Buffer:$prefix);
  let assemblyFormat = "$saver `,` $prefix attr-dict `:` type($prefix)";
}

def Host_ScalarSummaryOp : Host_CallOp_<"scalar_summary"> {
  let summary = "Records a scalar for TensorBoard";
  let description = [{
    `dtype` is the element type in the ABI's numbering.

    ```mlir
    host.scalar_summary "loss", 1, %loss : tensor<f32>
    ```
  }];
  let arguments = (ins StrAttr:$tag, I32Attr:$dtype, Host_Buffer:$value);
  let assemblyFormat = "$tag `,` $dtype `,` $value attr-dict `:` type($value)";
}

def Host_ReportUninitializedOp : Host_Op<"report_uninitialized", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Reports which variables have no value yet";
  let description = [{
    ```mlir
    host.report_uninitialized array<i32: 0, 1>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$variables);
  let assemblyFormat = "$variables attr-dict";
}

def Host_ParseExampleOp : Host_CallOp_<"parse_example", [DestinationStyleOpInterface]> {
  let summary = "Parses serialized Examples into dense tensors";
  let description = [{
    `serialized` holds `count` strings. `dtypes` are the features' in the ABI's
    numbering, `shapes` their shapes, `defaults` dense values, or unit where
    the feature must be present.

    ```mlir
    %x = host.parse_example 1, %s outs(%e : tensor<64xf32>) keys ["x"] dtypes [1]
        shapes [array<i64: 64>] defaults [unit] : tensor<i128> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins I64Attr:$count, Host_Buffer:$serialized, Variadic<Host_Buffer>:$outputs,
                       StrArrayAttr:$keys, DenseI32ArrayAttr:$dtypes,
                       ArrayAttr:$shapes, ArrayAttr:$defaults);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $count `,` $serialized (`outs` `(` $outputs^ `:` type($outputs) `)`)? `keys` $keys `dtypes` $dtypes
    `shapes` $shapes `defaults` $defaults attr-dict `:` type($serialized) (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

def Host_LaunchOp : Host_CallOp_<"launch", [AttrSizedOperandSegments, DestinationStyleOpInterface,
                                           DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launches a kernel";
  let description = [{
    The kernel's arguments are `inputs`, then `outputs`, which it may also
    read. Where the kernel has a grid, its iterations may run on several
    threads.

    Constraints:
    - (launch_c1) the symbol is a function whose arguments have the operands' types.

    ```mlir
    %y = host.launch @fused_Relu ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Host_Buffer>:$inputs, Variadic<Host_Buffer>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

def Host_SetArgumentOp : Host_Op<"set_argument", [MemoryEffects<[MemWrite]>]> {
  let summary = "Puts a buffer into an argument table";
  let description = [{
    Stores the buffer's address `offset` bytes after the start of the arena,
    followed by its dynamic sizes, 8 bytes each.

    ```mlir
    host.set_argument %arena[64], %x : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$arena, I64Attr:$offset, AnyStridedMemRef:$buffer);
  let assemblyFormat = "$arena `[` $offset `]` `,` $buffer attr-dict `:` type($buffer)";
}

def Host_RunOp : Host_Op<"run", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Runs the rows of a launch table in order";
  let description = [{
    A straight run of launches, rows of a table that the runtime walks:
    `kernels` in their order, the places of their argument tables in bytes
    after the start of the arena, and the nodes that each computes, for messages.
    The contents of an argument table are those of the function's attribute
    `host.arguments` and of `host.set_argument`. Consecutive rows may be one
    batched launch, whose grid has them as its outermost dimension: `members`
    has the number of rows of each launch; without it all have one.

    Constraints:
    - (run_c1) there are as many places and names as kernels.
    - (run_c2) the members of all launches are as many as the kernels, and those
      of one launch have the same.

    ```mlir
    host.run %arena [@fused_MatMul, @fused_MatMul, @fused_Relu] arguments [64, 88, 112]
        nodes ["a/MatMul", "b/MatMul", "Relu"] members [2, 1]
    ```
  }];
  let arguments = (ins Host_Pointer:$arena, FlatSymbolRefArrayAttr:$kernels, DenseI64ArrayAttr:$arguments,
                       StrArrayAttr:$nodes, OptionalAttr<DenseI64ArrayAttr>:$members);
  let assemblyFormat = "$arena $kernels `arguments` $arguments `nodes` $nodes (`members` $members^)? attr-dict";
  let hasVerifier = 1;
}

def Host_CallOp : Host_CallOp_<"call", [AttrSizedOperandSegments]> {
  let summary = "Runs an op of the runtime";
  let description = [{
    Calls the function `callee` (ingot_runtime_op of the ABI) for the node
    `node` with `options`. Results of static shape are written to
    `outputs`, one for each in their order; the runtime allocates the others.
    Where the options have `lent`, the last result is memory of the runtime, an
    element of a list, and only read: it has no output either. Where they have
    `kept`, the element for a list is in memory that lives as long as the run, and
    is not written any more.
    `input_dtypes` and `output_dtypes` are in the ABI's numbering.

    Constraints:
    - (host_call_c1) there is one output for each result of static shape that is
      not lent.

    ```mlir
    %p = host.call "ingot_op_where" node "Where" options {} ins(%x : tensor<4xi1>) dtypes [10]
        to [9] -> tensor<?x1xi64>
    ```
  }];
  let arguments = (ins StrAttr:$callee, StrAttr:$node, DictionaryAttr:$options,
                       Variadic<Host_Buffer>:$inputs, Variadic<Host_Buffer>:$outputs,
                       DenseI32ArrayAttr:$input_dtypes, DenseI32ArrayAttr:$output_dtypes);
  let results = (outs Variadic<Host_Buffer>:$results);
  let assemblyFormat = [{
    $callee `node` $node `options` $options (`ins` `(` $inputs^ `:` type($inputs) `)`)? `dtypes` $input_dtypes
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? `to` $output_dtypes attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    /// Whether this result, of the op on tensors, is written to an output.
    bool hasOutput(unsigned result);
  }];
  let hasVerifier = 1;
}

def Host_StringsOp : Host_Op<"strings", [Pure, DeclareOpInterfaceMethods<BufferizableOpInterface, [
    "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize", "isWritable"]>]> {
  let summary = "A constant tensor of strings";
  let description = [{
    In the artifact's data; only read.

    ```mlir
    %s = host.strings ["a", "bc"] : tensor<2xi128>
    ```
  }];
  let arguments = (ins StrArrayAttr:$values);
  let results = (outs Host_Buffer:$output);
  let assemblyFormat = "$values attr-dict `:` type($output)";
}

def Host_AllocateOp : Host_Op<"allocate", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocates a buffer of a dynamic size from the runtime";
  let description = [{
    Lives until it is released, or until the next entry runs. Without memory
    the entry fails.

    ```mlir
    %b = host.allocate(%n) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "`(` $sizes `)` attr-dict `:` type($buffer)";
}

def Host_ReleaseOp : Host_Op<"release", [MemoryEffects<[MemFree]>]> {
  let summary = "Frees a buffer before the entry ends";
  let description = [{
    ```mlir
    host.release %b : memref<?x4xf32>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Host_RandomBitsOp : Host_Op<"random_bits", [Pure]> {
  let summary = "One or several consecutive numbers of a stream of random bits";
  let description = [{
    The stream that a key and a 128-bit counter, given as its two halves, begin:
    blocks of four words of 32 bits, each from its own counter (Philox 4x32-10,
    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), cut
    into numbers of the result's width. A number is that at `index`; the
    elements of a vector are those from `index` on.

    `index` may be marked `aligned`, where it begins a block.

    Constraints:
    - (random_bits_c1) a vector has one dimension, and covers whole blocks.

    ```mlir
    %r = host.random_bits %key, %low, %high, %index : i32
    %v = host.random_bits %key, %low, %high, %index aligned : vector<16xi32>
    ```
  }];
  let arguments = (ins I64:$key, I64:$low, I64:$high, I64:$index, UnitAttr:$aligned);
  let results = (outs AnyTypeOf<[I32, I64, VectorOfRankAndType<[1], [I32, I64]>]>:$bits);
  let assemblyFormat = "$key `,` $low `,` $high `,` $index (`aligned` $aligned^)? attr-dict `:` type($bits)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many numbers a block gives.
    int64_t numbersOfBlock() {
      return 128 / ::mlir::getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
    }
  }];
}

def Host_BindOp : Host_Op<"bind", [Pure]> {
  let summary = "The buffer whose address is an element of a table";
  let description = [{
    Tables of addresses are how variables and kernel arguments reach compiled
    code (ingot_code and ingot_kernel of the ABI). Sizes that are not known
    before follow the address in the table.

    ```mlir
    %w = host.bind %variables[3] : memref<64x64xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$table, I32Attr:$index);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "$table `[` $index `]` attr-dict `:` type($buffer)";
}

def Host_BindTensorOp : Host_Op<"bind_tensor", [Pure]> {
  let summary = "The buffer that an element of a table of tensors describes";
  let description = [{
    Feeds and fetches are tables of ingot_tensor; sizes that are not known
    before are read from it.

    ```mlir
    %x = host.bind_tensor %feeds[0] : memref<?x64xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$table, I32Attr:$index);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "$table `[` $index `]` attr-dict `:` type($buffer)";
}

def Host_FetchOp : Host_CallOp_<"fetch"> {
  let summary = "Returns a result of a dynamic shape";
  let description = [{
    Stores address and sizes in element `index` of the entry's fetches. The
    memory is the runtime's.

    ```mlir
    host.fetch %y, 1 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$value, I32Attr:$index);
  let assemblyFormat = "$value `,` $index attr-dict `:` type($value)";
}

def Host_SliceOp : Host_Op<"slice", [Pure]> {
  let summary = "The buffer at an offset of the arena";
  let description = [{
    Offsets are in bytes and planned at compile time (plan-arena).

    ```mlir
    %t = host.slice %arena[4096] : memref<64x64xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$arena, I64Attr:$offset);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "$arena `[` $offset `]` attr-dict `:` type($buffer)";
}

#endif // INGOT_DIALECTS_HOST_OPS_TD
