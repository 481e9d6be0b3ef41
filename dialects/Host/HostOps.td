//===- HostOps.td - Runtime calls and kernel launches ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The ops for every side effect of an entry, and for every launch of a kernel.
// They work on tensors at first, and on memrefs after bufferization. A string
// is a 128-bit integer here: address and size (ingot_string of the ABI).
// Iterators, savers and variables of the program are referred to by index.
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
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An address in the default address space.
def Host_Pointer : Type<LLVM_AnyPointer.predicate, "pointer">,
    BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

class Host_Op<string mnemonic, list<Trait> traits = []>
    : Op<Host_Dialect, mnemonic, traits>;

def Host_Buffer : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

// Base class of the ops that call the runtime and have side effects. They
// implement BufferizableOpInterface for their tensor operands.
class Host_CallOp_<string mnemonic, list<Trait> traits = []>
    : Host_Op<mnemonic, !listconcat(traits, [
        MemoryEffects<[MemRead, MemWrite]>,
        DeclareOpInterfaceMethods<BufferizableOpInterface, [
          "bufferizesToMemoryRead", "bufferizesToMemoryWrite",
          "getAliasingValues", "bufferize", "isWritable"]>])>;

def Host_IteratorNextOp : Host_CallOp_<"iterator_next"> {
  let summary = "Returns the next element of an iterator";
  let description = [{
    The results are buffers of the runtime. They stay valid until the next
    `host.iterator_next` of the same iterator, and must not be written.

    ```mlir
    %x, %y = host.iterator_next 0 : tensor<64x64xf32>, tensor<64xi64>
    ```
  }];
  let arguments = (ins I32Attr:$iterator);
  let results = (outs Variadic<Host_Buffer>:$components);
  let assemblyFormat = "$iterator attr-dict (`:` type($components)^)?";
}

def Host_IteratorMakeOp : Host_Op<"iterator_make", [MemoryEffects<[MemWrite]>]> {
  let summary = "Starts an iterator, or restarts it";
  let description = [{
    The next element is then the first one of the iterator's dataset.

    ```mlir
    host.iterator_make 0
    ```
  }];
  let arguments = (ins I32Attr:$iterator);
  let assemblyFormat = "$iterator attr-dict";
}

def Host_SaveOp : Host_CallOp_<"save"> {
  let summary = "Saves a saver's variables and iterators to a checkpoint";
  let description = [{
    `prefix` is the path prefix of the checkpoint's files.
    ```mlir
    host.save 0, %prefix : tensor<i128>
    ```
  }];
  let arguments = (ins I32Attr:$saver, Host_Buffer:$prefix);
  let assemblyFormat = "$saver `,` $prefix attr-dict `:` type($prefix)";
}

def Host_RestoreOp : Host_CallOp_<"restore"> {
  let summary = "Restores a saver's variables and iterators from a checkpoint";
  let description = [{
    `prefix` is the path prefix of the checkpoint's files.
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
    `dtype` is the element type of `value` as the ABI's ingot_dtype.

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
    Records which of the variables with the indices `variables` are not
    initialized yet. Entries that test whether a model is ready use this op,
    which calls ingot_rt_report_uninitialized of the ABI.

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
    `serialized` is a buffer of `count` strings. For each feature in `keys`,
    `dtypes` has its element type as the ABI's ingot_dtype, `shapes` its shape,
    and `defaults` its value in an Example that lacks the feature, or unit if an
    Example without the feature is an error.

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
    read. If the kernel has a grid, its iterations may run on several threads.

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
    Stores the address of `buffer` at `offset` bytes from the start of the
    arena, followed by the buffer's dynamic sizes, 8 bytes each.

    ```mlir
    host.set_argument %arena[64], %x : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$arena, I64Attr:$offset, AnyStridedMemRef:$buffer);
  let assemblyFormat = "$arena `[` $offset `]` `,` $buffer attr-dict `:` type($buffer)";
}

def Host_RunOp : Host_Op<"run", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Runs the launches of a launch table in order";
  let description = [{
    A sequence of launches without control flow. It becomes a table, the launch
    table, whose rows the runtime executes in order. The columns of the table
    are:

    - `kernels`: the kernels, in order.
    - `arguments`: the offsets of their argument tables in the arena, in bytes.
      The attribute `host.arguments` of the function initializes the tables, and
      `host.set_argument` changes them.
    - `nodes`: the node that each kernel computes, for messages.

    Consecutive rows with the same kernel may form one batched launch, whose
    grid has the row as its outermost dimension. `members` has the number of
    rows of each launch; without it, each launch has one row.

    Constraints:
    - (run_c1) there are as many offsets and nodes as kernels.
    - (run_c2) the numbers in `members` add up to the number of kernels, and
      the rows of a launch have the same kernel.

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
    Calls the function `callee` (ingot_runtime_op of the ABI) with `options`.
    `node` names the node in messages. Results with a static shape are written
    to `outputs`, which has one buffer for each of them, in order. The runtime
    allocates the other results.

    - Option `lent`: the last result is an element of a list, in memory of the
      runtime. It has no output, and must not be written.
    - Option `kept`: the operand that the op stores in a list is in memory that
      lives until the end of the run and that is not written any more, so the
      list need not copy the operand.

    `input_dtypes` and `output_dtypes` are element types as the ABI's
    ingot_dtype.

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
    /// Whether `outputs` has a buffer for the result with index `result`, while
    /// the op works on tensors. It has one if the result's shape is static, and
    /// its memory does not belong to the runtime.
    bool hasOutput(unsigned result);
  }];
  let hasVerifier = 1;
}

def Host_StringsOp : Host_Op<"strings", [Pure, DeclareOpInterfaceMethods<BufferizableOpInterface, [
    "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize", "isWritable"]>]> {
  let summary = "A constant tensor of strings";
  let description = [{
    The strings are in the artifact's read-only data.

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
    The buffer lives until `host.release`, or else until the next entry runs.
    If there is not enough memory, the entry fails.

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
    The buffer must come from `host.allocate`.
    ```mlir
    host.release %b : memref<?x4xf32>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Host_RandomBitsOp : Host_Op<"random_bits", [Pure]> {
  let summary = "Returns consecutive random numbers of a counter-based stream";
  let description = [{
    The generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as
    easy as 1, 2, 3", SC 2011). From `key` and a 128-bit counter it computes a
    block of four 32-bit words. The stream consists of the blocks of successive
    counters, cut into numbers of the result's width. The first counter has the
    halves `low` and `high`. A scalar result is the number at `index`; a vector
    has the numbers from `index` on.

    `aligned` states that `index` is the first number of a block.

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
    /// Returns the number of random numbers, of the op's width of 32 or 64
    /// bits, in one 128-bit block of the generator.
    int64_t numbersOfBlock() {
      return 128 / ::mlir::getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
    }
  }];
}

def Host_ThreefryOp : Host_Op<"threefry", !listconcat([Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "Computes two random words of a counter-based generator";
  let description = [{
    The generator is Threefry 2x32 with 20 rounds (Salmon et al., "Parallel random
    numbers: as easy as 1, 2, 3", SC 2011). It turns a counter of two words,
    `high` and `low`, into two words under a key of two words. Of vectors, each
    lane is a generator of its own. Operands and results have one type.

    ```mlir
    %x:2 = host.threefry %key0, %key1, %high, %low : i32
    %v:2 = host.threefry %keys0, %keys1, %highs, %lows : vector<16xi32>
    ```
  }];
  defvar words = AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>;
  let arguments = (ins words:$key0, words:$key1, words:$high, words:$low);
  let results = (outs words:$first, words:$second);
  let assemblyFormat = "$key0 `,` $key1 `,` $high `,` $low attr-dict `:` type($first)";
}

def Host_BindOp : Host_Op<"bind", [Pure]> {
  let summary = "Returns the buffer whose address is an element of a table";
  let description = [{
    Compiled code receives variables and kernel arguments as tables of
    addresses (ingot_code and ingot_kernel of the ABI). The dynamic sizes of a
    buffer follow its address in the table.

    ```mlir
    %w = host.bind %variables[3] : memref<64x64xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$table, I32Attr:$index);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "$table `[` $index `]` attr-dict `:` type($buffer)";
}

def Host_BindTensorOp : Host_Op<"bind_tensor", [Pure]> {
  let summary = "Returns the buffer of a tensor in a table of feeds or fetches";
  let description = [{
    Compiled code receives feeds and fetches as tables of ingot_tensor. The
    dynamic sizes of the buffer are read from its ingot_tensor.

    ```mlir
    %x = host.bind_tensor %feeds[0] : memref<?x64xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$table, I32Attr:$index);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "$table `[` $index `]` attr-dict `:` type($buffer)";
}

def Host_FetchOp : Host_CallOp_<"fetch"> {
  let summary = "Returns a fetch with a dynamic shape from an entry";
  let description = [{
    Stores the address and the sizes of `value` in element `index` of the
    entry's table of fetches. The runtime owns the memory.

    ```mlir
    host.fetch %y, 1 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Host_Buffer:$value, I32Attr:$index);
  let assemblyFormat = "$value `,` $index attr-dict `:` type($value)";
}

def Host_SliceOp : Host_Op<"slice", [Pure]> {
  let summary = "Returns the buffer at an offset in the arena";
  let description = [{
    `offset` is in bytes. The plan-arena pass chooses it at compile time.

    ```mlir
    %t = host.slice %arena[4096] : memref<64x64xf32>
    ```
  }];
  let arguments = (ins Host_Pointer:$arena, I64Attr:$offset);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = "$arena `[` $offset `]` attr-dict `:` type($buffer)";
}

#endif // INGOT_DIALECTS_HOST_OPS_TD
