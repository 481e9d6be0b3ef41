//===- Backend.h - The interface of targets' code generators ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A backend receives a module of kernels, linalg on tensors that refers to
// nothing outside, and returns code and, for each kernel, its facts. It never
// sees a variable, an arena or a file: codegen/Host compiles entries, and
// codegen/ABI and the driver write artifacts.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_BACKEND_H
#define INGOT_CODEGEN_BACKEND_H

#include "codegen/LLVM/Machine.h"
#include "codegen/TargetPolicy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>

namespace ingot::codegen {

/// The number of independent iterations of a kernel:
/// ceil((base + sum of coefficient * argument[slot]) / step).
/// Each term's slot is one of the kernel's argument table that holds a dynamic
/// size.
struct Grid {
  struct Term {
    int64_t slot, coefficient;
    bool operator==(const Term &) const = default;
  };
  int64_t base = 1, step = 1;
  llvm::SmallVector<Term, 1> terms;
  bool operator==(const Grid &) const = default;
};

/// A tensor that a GPU kernel reads or writes with bulk tensor copies (TMA): an
/// argument that is dense, with a contiguous last dimension. The kernel
/// receives the driver's tensor map after its other parameters.
struct MemoryMap {
  struct Dim {
    /// The number of elements; -1 if it is dynamic, and then in slot `slot` of
    /// the argument table.
    int64_t size;
    int64_t slot;
    /// The number of elements along this dimension that one copy moves.
    int64_t box;
    bool operator==(const Dim &) const = default;
  };
  /// The slot of the argument table that holds the tensor's address, and the
  /// bytes of an element.
  int64_t slot, elementBytes;
  llvm::SmallVector<Dim, 3> dims;
  bool operator==(const MemoryMap &) const = default;
};

/// Scratch memory of a device's kernel whose size is dynamic: at most base +
/// sum of coefficient * argument[slot] bytes.
struct DynamicScratch {
  int64_t base = 0;
  /// The dynamic part of the size; empty if the kernel needs no such memory.
  llvm::SmallVector<Grid::Term, 1> terms;
  bool operator==(const DynamicScratch &) const = default;
};

/// The properties of a kernel besides its code. `flops` and `bytes` (read and
/// written) are estimates for one iteration of the grid.
struct KernelFacts {
  Grid grid;
  int64_t scratchBytes = 0;
  /// The scratch memory of a device kernel with dynamic sizes, in the place of
  /// `scratchBytes`.
  DynamicScratch dynamicScratch;
  int64_t flops = 0, bytes = 0;
  /// On a device an iteration of the grid is a block of `threadsPerBlock`
  /// threads with `sharedBytes` of shared memory; 0 on CPUs.
  int64_t threadsPerBlock = 0, sharedBytes = 0;
  /// Dynamic shared memory, which a launch provides to each block.
  int64_t dynamicSharedBytes = 0;
  /// A persistent kernel: blocks loop over iterations, and a launch has as many
  /// as the device runs at a time.
  bool isPersistent = false;
  llvm::SmallVector<MemoryMap, 1> maps;
  /// For each argument, the distance in bytes between the ranges that
  /// successive iterations access, if each iteration accesses a range of its
  /// own; otherwise 0.
  llvm::SmallVector<int64_t> strides;
  bool operator==(const KernelFacts &) const = default;
};

/// A kernel's code: an image in the format of its target (an ELF object for
/// CPUs, PTX for GPUs) that defines `kernelSymbol`.
struct KernelCode {
  KernelFacts facts;
  std::string image;
  /// The reason why the target leaves the kernel to the host, in which case
  /// `image` is empty; otherwise "".
  std::string reason;
  /// The kernel as a function that the step kernel calls (runtime/ABI/Step.h),
  /// in the image's format. If the kernel cannot be such a function, `function`
  /// is "" and `apart` the reason.
  std::string function, apart;
};

/// The format of joined images (`Backend::join`) that a device's driver loads,
/// and the range of devices that run them, as compute capabilities (10 * major
/// + minor).
struct ImageFormat {
  /// Whether the image is machine code. Otherwise it is text that the driver
  /// compiles.
  bool isBinary = false;
  unsigned firstCapability = 0, lastCapability = ~0u;
};

/// A kernel's name, its image, and its function for the step kernel, which is
/// "" if it has none.
struct NamedImage {
  llvm::StringRef name, image, function = "";
};

/// The symbol that each kernel's image defines until it is linked. All kernels
/// use the same one, so that cached code does not depend on a kernel's name.
inline constexpr llvm::StringLiteral kernelSymbol = "ingot_kernel";

/// The symbol of the step kernel, which runs all launches of a step. It cannot
/// clash with a kernel, as no node's name has a $.
inline constexpr llvm::StringLiteral stepSymbol = "ingot$step";

class Backend {
public:
  virtual ~Backend();

  /// The target's name for users: "x86-64-v4".
  virtual llvm::StringRef name() const = 0;

  virtual TargetPolicy policy() const = 0;

  /// The CPU that entries can be compiled for along with this backend's
  /// kernels; null for devices that run kernels only, such as GPUs.
  virtual const llvmgen::Machine *hostMachine() const { return nullptr; }

  /// Registers the dialects and bufferization models that the backend's passes
  /// need.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// Adds the passes that turn kernels on tensors into kernels on buffers, and
  /// those from there to the LLVM dialect.
  virtual void buildBufferPipeline(mlir::OpPassManager &manager) const = 0;
  virtual void buildCodePipeline(mlir::OpPassManager &manager) const = 0;

  /// Returns the code of the only kernel of a module on which both pipelines
  /// have run, optimized at `level`, 0 to 3.
  virtual llvm::Expected<KernelCode> emit(mlir::ModuleOp kernel,
                                          unsigned level) const = 0;

  /// Returns how many plans (ways to tile a kernel) autotuning may try. Plans
  /// differ in time and in no bit of the results; plan 0 is used without
  /// autotuning.
  virtual unsigned numPlans() const { return 1; }

  /// Returns the same backend with plan `number`, or null if there is only one
  /// plan.
  virtual std::unique_ptr<Backend> withPlan(unsigned number) const;

  /// Whether this machine, which compiles, can run the code, as autotuning
  /// needs.
  virtual bool runsHere() const { return false; }

  /// Returns the backend that compiles `kernel` (linalg on tensors) for this
  /// target: a backend for less demanding targets if the kernel gains nothing
  /// from this target's features, otherwise this one.
  virtual const Backend &compilerOf(mlir::Operation *kernel) const {
    return *this;
  }

  /// Whether a kernel (linalg on tensors) gains from features that less
  /// demanding targets lack. If no kernel does, a program has no code for the
  /// target.
  virtual bool isOfUseTo(mlir::Operation *kernel) const { return true; }

  /// Whether this target's code for a kernel (linalg on tensors) may round
  /// differently from less demanding targets' code, because it uses FMA. If
  /// false, all bits are equal.
  virtual bool roundsOtherwise(mlir::Operation *kernel) const { return true; }

  /// Joins kernels' images into one image in which each kernel has its own
  /// name, for targets that load all kernels together. Adds a step kernel that
  /// calls the images' functions, numbered in order. Fails for targets whose
  /// kernels are linked.
  virtual llvm::Expected<std::string>
  join(llvm::ArrayRef<NamedImage> images) const;

  /// Returns the format of the image that a program stores: joined text, or
  /// machine code that `assemble` makes from it.
  virtual ImageFormat imageFormat() const { return {}; }
  /// `assembler` returns the version text of the assembler, "" if the target
  /// has none. `assemble` returns its output for a joined image; without an
  /// assembler, the image itself.
  virtual llvm::Expected<std::string> assembler() const { return ""; }
  virtual llvm::Expected<std::string> assemble(llvm::StringRef joined) const {
    return joined.str();
  }

  /// Returns the symbol of kernel `name` in the joined image.
  virtual std::string entryOf(llvm::StringRef name) const { return name.str(); }
};

/// Attributes of a kernel for devices (i64): the number of threads of a block,
/// and its bytes of static shared memory.
inline constexpr llvm::StringLiteral threadsAttrName = "host.threads";
inline constexpr llvm::StringLiteral sharedAttrName = "host.shared";
/// More attributes of a kernel for devices: bytes of dynamic shared memory
/// (i64); a unit attribute that marks persistent kernels; and the kernel's
/// MemoryMaps, an array of i64 arrays: slot, bytes of an element; then size,
/// slot and box of each dimension.
inline constexpr llvm::StringLiteral dynamicSharedAttrName =
    "host.dynamic_shared";
inline constexpr llvm::StringLiteral persistentAttrName = "host.persistent";
inline constexpr llvm::StringLiteral mapsAttrName = "host.maps";
/// The attribute of a kernel for devices that needs scratch memory of a dynamic
/// size, in the place of host.scratch: an array<i64> with the fields of
/// DynamicScratch: base, then slot and coefficient of each term.
inline constexpr llvm::StringLiteral dynamicScratchAttrName =
    "host.dynamic_scratch";
/// The attribute of a kernel that a device leaves to the host: the reason
/// (string).
inline constexpr llvm::StringLiteral reasonAttrName = "host.stays";

/// Returns the number of iterations of a grid, or std::nullopt if it is
/// dynamic.
std::optional<int64_t> countBlocks(const Grid &grid);

/// Reads the facts of a lowered kernel from its attributes: host.grid,
/// host.scratch, host.dynamic_scratch, host.flops, host.bytes, host.strides,
/// and the attributes of device kernels above.
KernelFacts factsOf(mlir::Operation *kernel);

/// Stores the grid, or the size of dynamic scratch memory, as an attribute of a
/// kernel.
void setGrid(mlir::Operation *kernel, const Grid &grid);
void setDynamicScratch(mlir::Operation *kernel, const DynamicScratch &scratch);

/// Stores the tensor maps that a kernel needs as an attribute.
void setMaps(mlir::Operation *kernel, llvm::ArrayRef<MemoryMap> maps);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_BACKEND_H
