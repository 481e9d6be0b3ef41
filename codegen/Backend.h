//===- Backend.h - The interface of targets' code generators ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A backend receives a module of kernels, which are linalg on tensors and refer
// to no symbol outside of the module. It returns their code and, for each
// kernel, its properties (KernelMetadata). It knows nothing of variables,
// memory plans or files: codegen/Host compiles the host code that launches
// kernels, and codegen/ABI and the driver write artifacts.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_BACKEND_H
#define INGOT_CODEGEN_BACKEND_H

#include "codegen/LLVM/TargetMachineSpec.h"
#include "codegen/TargetPolicy.h"
#include "runtime/ABI/ExchangeKinds.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>

namespace ingot::codegen {

/// The number of independent iterations of a kernel, ceil((base + sum of
/// coefficient * argument[slot]) / step), where each `slot` is a slot of the
/// kernel's argument table that holds a dynamic size.
struct Grid {
  /// One term of a sum that is linear in dynamic sizes: coefficient *
  /// argument[slot].
  struct DynamicSizeTerm {
    int64_t slot, coefficient;
    bool operator==(const DynamicSizeTerm &) const = default;
  };
  int64_t base = 1, step = 1;
  llvm::SmallVector<DynamicSizeTerm, 1> terms;
  bool operator==(const Grid &) const = default;
};

/// A tensor that a GPU kernel reads or writes with bulk tensor copies (TMA): an
/// argument that is dense, with a contiguous last dimension. The kernel
/// receives the driver's tensor map after its other parameters.
struct TensorMapSpec {
  /// A dimension of the tensor.
  struct TensorMapDim {
    /// The number of elements along this dimension. If it is -1, the number is
    /// dynamic, and slot `slot` of the argument table has it.
    int64_t size;
    int64_t slot;
    /// The number of elements along this dimension that one copy moves.
    int64_t box;
    bool operator==(const TensorMapDim &) const = default;
  };
  /// The slot of the argument table that has the tensor's address, and the size
  /// of one element in bytes.
  int64_t slot, elementBytes;
  llvm::SmallVector<TensorMapDim, 3> dims;
  bool operator==(const TensorMapSpec &) const = default;
};

/// The scratch memory of a device's kernel if its size is dynamic. The size is
/// at most base + sum of coefficient * argument[slot] bytes, where each `slot`
/// is a slot of the kernel's argument table that holds a dynamic size.
struct DynamicScratchSize {
  int64_t base = 0;
  /// The terms of the size. Empty if the kernel needs no scratch memory of
  /// dynamic size.
  llvm::SmallVector<Grid::DynamicSizeTerm, 1> terms;
  bool operator==(const DynamicScratchSize &) const = default;
};

/// The properties of a kernel besides its code. `flops` and `bytes` (read and
/// written) are estimates for one iteration of the grid.
struct KernelMetadata {
  Grid grid;
  int64_t scratchBytes = 0;
  /// The scratch memory of a device's kernel if its size is dynamic;
  /// `scratchBytes` is not used then.
  DynamicScratchSize dynamicScratch;
  int64_t flops = 0, bytes = 0;
  /// On a device, a block of `threadsPerBlock` threads runs an iteration of the
  /// grid. The threads share `sharedBytes` bytes of shared memory. Both numbers
  /// are 0 on CPUs.
  int64_t threadsPerBlock = 0, sharedBytes = 0;
  /// The size, in bytes, of the dynamic shared memory that a launch must
  /// provide to each block.
  int64_t dynamicSharedBytes = 0;
  /// Whether the kernel is persistent: a launch has as many blocks as the
  /// device runs at a time, and each block loops over iterations of the grid.
  bool isPersistent = false;
  llvm::SmallVector<TensorMapSpec, 1> maps;
  /// For each argument, the distance in bytes between the ranges that two
  /// successive iterations of the grid access. It is 0 if iterations may access
  /// the same elements.
  llvm::SmallVector<int64_t> strides;
  bool operator==(const KernelMetadata &) const = default;
};

/// A kernel's code: an image in the format of its target (an ELF object for
/// CPUs, PTX for GPUs) that defines `kernelSymbol`.
struct CompiledKernelImage {
  KernelMetadata facts;
  std::string image;
  /// The reason why the target has no code for the kernel, so that the kernel
  /// runs on the host. `image` is empty then. "" if the target has code.
  std::string reason;
  /// A second version of the kernel, as a device function in the image's
  /// format. A GPU's step kernel, one kernel that executes all launches of a
  /// launch table, calls these functions (runtime/ABI/StepKernelTable.h). If
  /// the kernel cannot be such a function, `function` is "" and `apart` is the
  /// reason. The kernel then always has a launch of its own.
  std::string function, apart;
};

/// The format of joined images (`Backend::join`), which a device's driver
/// loads. The devices that can run them are given by the range of their compute
/// capabilities (10 * major + minor).
struct DeviceImageFormat {
  /// Whether the image is machine code. Otherwise it is text that the driver
  /// compiles.
  bool isBinary = false;
  unsigned firstCapability = 0, lastCapability = ~0u;
};

/// A kernel's name and image, and its code as a device function for the step
/// kernel, the one kernel that executes all launches of a step. `function` is
/// "" if there is no such code.
struct KernelImage {
  llvm::StringRef name, image, function = "";
};

/// A way in which the values of a batch's slices are combined: their element
/// type, an ingot_dtype, and the kind of exchange, such as a sum.
struct SliceReduction {
  int32_t dtype;
  ingot_exchange_kind kind;
  bool operator==(const SliceReduction &) const = default;
};

/// The symbol that the image of every kernel defines, until kernels are linked
/// or joined. As the symbol is the same for all, cached code does not depend on
/// the kernel's name.
inline constexpr llvm::StringLiteral kernelSymbol = "ingot_kernel";

/// The symbol of the step kernel, which executes all launches of a launch
/// table. It cannot be the symbol of another kernel: kernels are named after
/// nodes, and no node's name has a $.
inline constexpr llvm::StringLiteral stepSymbol = "ingot$step";

class Backend {
public:
  virtual ~Backend();

  /// The name of the target in flags and messages, such as "x86-64-v4".
  virtual llvm::StringRef name() const = 0;

  virtual TargetPolicy policy() const = 0;

  /// Returns what kernels' code depends on besides the target's name, the
  /// policy's rewrites and the plan, for the keys of caches; "" if nothing.
  virtual std::string variant() const { return ""; }

  /// Returns the CPU for which the program's host code is compiled if this
  /// backend compiles its kernels. Returns null for a device, which runs
  /// kernels only.
  virtual const llvmgen::TargetMachineSpec *hostMachine() const {
    return nullptr;
  }

  /// Registers the dialects and bufferization models that the backend's passes
  /// need.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// buildBufferPipeline() adds the passes that turn kernels on tensors into
  /// kernels on buffers; buildCodePipeline() adds those that then lower the
  /// kernels to the LLVM dialect.
  virtual void buildBufferPipeline(mlir::OpPassManager &manager) const = 0;
  virtual void buildCodePipeline(mlir::OpPassManager &manager) const = 0;

  /// Returns the code of the only kernel of a module on which
  /// buildBufferPipeline()'s and buildCodePipeline()'s passes have run. LLVM
  /// optimizes the code at `level`, 0 to 3.
  virtual llvm::Expected<CompiledKernelImage> emit(mlir::ModuleOp kernel,
                                                   unsigned level) const = 0;

  /// Returns the number of plans (ways to tile a kernel) that autotuning may
  /// try. Plans differ in time, but not in any bit of the results. Plan 0 is
  /// used without autotuning.
  virtual unsigned numPlans() const { return 1; }

  /// Returns a backend like this one that tiles kernels by plan `number`, or
  /// null if there is only one plan.
  virtual std::unique_ptr<Backend> withPlan(unsigned number) const;

  /// Whether the machine on which the compiler runs can run this target's code,
  /// as autotuning requires.
  virtual bool runsHere() const { return false; }

  /// Returns the backend that compiles `kernel` (linalg on tensors) for this
  /// target. This is the backend itself or, if the kernel gains nothing from
  /// this target's features, the backend of a less demanding target, such as a
  /// lower x86-64 level.
  virtual const Backend &compilerOf(mlir::Operation *kernel) const {
    return *this;
  }

  /// Whether `kernel` (linalg on tensors) gains from features that less
  /// demanding targets lack. If no kernel of a program does, the program has no
  /// code for this target.
  virtual bool isOfUseTo(mlir::Operation *kernel) const { return true; }

  /// Whether this target's code for `kernel` (linalg on tensors) may round
  /// differently from the code of less demanding targets, because it uses FMA.
  /// If this function returns false, the kernel's results have the same bits on
  /// this target and on all less demanding ones.
  virtual bool roundsOtherwise(mlir::Operation *kernel) const { return true; }

  /// Joins the images of kernels into one image, in which each kernel has its
  /// own name, for targets that load all kernels together. Adds a step kernel,
  /// one kernel that runs all launches of a training step. It calls the
  /// kernels' functions by index: function i is the i-th one in `images`,
  /// counted from 0. Also adds a kernel for each of `reductions`
  /// (runtime/ABI/SliceReductions.h). Fails for targets whose kernels are
  /// linked instead.
  virtual llvm::Expected<std::string>
  join(llvm::ArrayRef<KernelImage> images,
       llvm::ArrayRef<SliceReduction> reductions) const;

  /// Returns the format of the image that a program stores: the text that
  /// `join` returns, or machine code that `assemble` makes from it.
  virtual DeviceImageFormat imageFormat() const { return {}; }
  /// `assembler` returns the version text of the target's assembler, or "" if
  /// it has none. `assemble` returns the machine code of an image that `join`
  /// has made, or the image itself if the target has no assembler.
  virtual llvm::Expected<std::string> assembler() const { return ""; }
  virtual llvm::Expected<std::string> assemble(llvm::StringRef joined) const {
    return joined.str();
  }

  /// Returns the symbol of kernel `name` in the image that `join` makes of all
  /// kernels.
  virtual std::string entryOf(llvm::StringRef name) const { return name.str(); }
};

/// Attributes of a device's kernel (i64): the number of threads of a block, and
/// the block's bytes of static shared memory.
inline constexpr llvm::StringLiteral threadsAttrName = "host.threads";
inline constexpr llvm::StringLiteral sharedAttrName = "host.shared";
/// More attributes of a device's kernel: the bytes of dynamic shared memory
/// (i64), a unit attribute of persistent kernels, and the kernel's tensor maps
/// (TensorMapSpec), each an i64 array. The array begins with the slot of the
/// tensor's address in the argument table and the size of an element in bytes.
/// For each dimension, it continues with the size, the slot of a dynamic size,
/// and the number of elements that one copy moves.
inline constexpr llvm::StringLiteral dynamicSharedAttrName =
    "host.dynamic_shared";
inline constexpr llvm::StringLiteral persistentAttrName = "host.persistent";
inline constexpr llvm::StringLiteral mapsAttrName = "host.maps";
/// An attribute of a device's kernel whose scratch memory has a dynamic size.
/// It takes the place of host.scratch. It is an array<i64> with the fields of
/// DynamicScratchSize: the constant part of the size, then for each dynamic
/// size that contributes, its slot in the argument table and its coefficient.
inline constexpr llvm::StringLiteral dynamicScratchAttrName =
    "host.dynamic_scratch";
/// A string attribute of a kernel that runs on the host although the program
/// has a device: the reason why the device does not run it.
inline constexpr llvm::StringLiteral reasonAttrName = "host.stays";

/// Returns the number of iterations of a grid, or std::nullopt if it is
/// dynamic.
std::optional<int64_t> countBlocks(const Grid &grid);

/// Reads the properties of a lowered kernel from its attributes: host.grid,
/// host.scratch, host.dynamic_scratch, host.flops, host.bytes, host.strides
/// and, for a device's kernel, host.threads, host.shared and the others that
/// are declared here.
KernelMetadata factsOf(mlir::Operation *kernel);

/// Store the grid, or the size of dynamic scratch memory, as an attribute of a
/// kernel.
void setGrid(mlir::Operation *kernel, const Grid &grid);
void setDynamicScratch(mlir::Operation *kernel,
                       const DynamicScratchSize &scratch);

/// Stores the tensor maps (descriptors for TMA copies) that a kernel needs as
/// an attribute.
void setMaps(mlir::Operation *kernel, llvm::ArrayRef<TensorMapSpec> maps);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_BACKEND_H
