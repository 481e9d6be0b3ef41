//===- Backend.h - The interface of targets' code generators ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A backend gets a module of closed kernels, linalg on tensors, and returns
// code and, for each kernel, its facts. It never sees a variable, an arena or
// a file: entries are codegen/Host's, artifacts codegen/ABI's.
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
/// ceil((base + sum of coefficient * argument[slot]) / step), where a slot is
/// one of the kernel's argument table that holds a dynamic size.
struct Grid {
  struct Term {
    int64_t slot, coefficient;
    bool operator==(const Term &) const = default;
  };
  int64_t base = 1, step = 1;
  llvm::SmallVector<Term, 1> terms;
  bool operator==(const Grid &) const = default;
};

/// The memory of one of a kernel's arguments for bulk tensor copies (TMA): a
/// dense tensor, whose last dimension is contiguous. The kernel gets the
/// device's tensor map after its other parameters.
struct MemoryMap {
  struct Dim {
    int64_t size; // or -1: `slot` of the argument table holds it
    int64_t slot;
    int64_t box; // elements of a copy
    bool operator==(const Dim &) const = default;
  };
  int64_t slot, elementBytes; // of the argument's address
  llvm::SmallVector<Dim, 3> dims;
  bool operator==(const MemoryMap &) const = default;
};

/// Scratch memory of a dynamic size of a device's kernel:
/// at most base + sum of coefficient * argument[slot] bytes.
struct DynamicScratch {
  int64_t base = 0;
  llvm::SmallVector<Grid::Term, 1> terms; // empty: the kernel needs none
  bool operator==(const DynamicScratch &) const = default;
};

/// The properties of a kernel besides its code. `flops` and `bytes` (read and
/// written) are estimates for one iteration of the grid.
struct KernelFacts {
  Grid grid;
  int64_t scratchBytes = 0;
  DynamicScratch dynamicScratch; // instead of scratchBytes
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
  /// By argument, the distance in bytes of the stretches that iterations
  /// access, if each has its own; else 0.
  llvm::SmallVector<int64_t> strides;
  bool operator==(const KernelFacts &) const = default;
};

/// A kernel's code: an image in the format of its target (an ELF object for
/// CPUs, PTX for GPUs) that defines `kernelSymbol`.
struct KernelCode {
  KernelFacts facts;
  std::string image;
  /// Why the target leaves the kernel to the host; `image` is empty then.
  std::string reason;
  /// The kernel as a function of the step kernel (runtime/ABI/Step.h), in the
  /// image's format; if it cannot be one, "", with the reason in `apart`.
  std::string function, apart;
};

/// The format of joined images for a device's driver, and the devices that run
/// them, by compute capability (10 * major + minor).
struct ImageFormat {
  bool isBinary = false; // machine code; else text that the driver compiles
  unsigned firstCapability = 0, lastCapability = ~0u;
};

/// The image of kernel `name`, and its function for the step kernel, if any.
struct NamedImage {
  llvm::StringRef name, image, function = "";
};

/// The symbol of every kernel's code until it is linked: a kernel's name is not
/// part of cached code.
inline constexpr llvm::StringLiteral kernelSymbol = "ingot_kernel";

/// The step kernel, which runs all launches of a run. No node's name has a $.
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

  /// Registers the dialects and bufferization models of its passes.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// The passes from kernels on tensors to kernels on buffers, and from these
  /// to the LLVM dialect.
  virtual void buildBufferPipeline(mlir::OpPassManager &manager) const = 0;
  virtual void buildCodePipeline(mlir::OpPassManager &manager) const = 0;

  /// The code of the one kernel of a module that both pipelines have run on,
  /// optimized at `level`, 0 to 3.
  virtual llvm::Expected<KernelCode> emit(mlir::ModuleOp kernel,
                                          unsigned level) const = 0;

  /// The number of plans for a kernel, which differ in time and in no bit of
  /// the results. The first is the default without autotuning.
  virtual unsigned numPlans() const { return 1; }

  /// The same backend with another plan; null if there is only one.
  virtual std::unique_ptr<Backend> withPlan(unsigned number) const;

  /// Whether the machine that compiles can run the code.
  virtual bool runsHere() const { return false; }

  /// The backend whose code of a kernel (linalg on tensors) this target uses: a
  /// more general one, if the kernel gains nothing from this target's features.
  virtual const Backend &compilerOf(mlir::Operation *kernel) const {
    return *this;
  }

  /// Whether a kernel (linalg on tensors) gains from features that less
  /// demanding targets lack. If no kernel does, a program has no code for the
  /// target.
  virtual bool isOfUseTo(mlir::Operation *kernel) const { return true; }

  /// Whether the target's code of a kernel (linalg on tensors) may round
  /// differently from less demanding targets, as it has FMA. If not, each bit
  /// is equal.
  virtual bool roundsOtherwise(mlir::Operation *kernel) const { return true; }

  /// Joins kernels' images to one, in which each has its name, for targets that
  /// load them together; with a step kernel of those that have functions,
  /// numbered in order. An error for targets that link them.
  virtual llvm::Expected<std::string>
  join(llvm::ArrayRef<NamedImage> images) const;

  /// The format of the joined image; machine code is assembled from it.
  virtual ImageFormat imageFormat() const { return {}; }
  /// The assembler's version text, and its output.
  virtual llvm::Expected<std::string> assembler() const { return ""; }
  virtual llvm::Expected<std::string> assemble(llvm::StringRef joined) const {
    return joined.str();
  }

  /// The symbol of kernel `name` in the joined image.
  virtual std::string entryOf(llvm::StringRef name) const { return name.str(); }
};

/// On a kernel for devices: the threads of a block, and the bytes of its shared
/// memory (i64).
inline constexpr llvm::StringLiteral threadsAttrName = "host.threads";
inline constexpr llvm::StringLiteral sharedAttrName = "host.shared";
/// Likewise: the bytes of dynamic shared memory (i64), that the kernel is
/// persistent (unit), and its MemoryMaps (an array of i64 arrays: slot, bytes
/// of an element; size, slot and box of each dimension).
inline constexpr llvm::StringLiteral dynamicSharedAttrName =
    "host.dynamic_shared";
inline constexpr llvm::StringLiteral persistentAttrName = "host.persistent";
inline constexpr llvm::StringLiteral mapsAttrName = "host.maps";
/// On a kernel for devices, instead of host.scratch: scratch memory of a
/// dynamic size (array<i64>, as DynamicScratch: base, then a slot and a
/// coefficient for each dynamic size).
inline constexpr llvm::StringLiteral dynamicScratchAttrName =
    "host.dynamic_scratch";
/// On a kernel that a device leaves to the host: the reason (string).
inline constexpr llvm::StringLiteral reasonAttrName = "host.stays";

/// The number of iterations of a grid; none if it is dynamic.
std::optional<int64_t> countBlocks(const Grid &grid);

/// The facts from a lowered kernel's attributes: host.grid, host.scratch,
/// host.dynamic_scratch, host.flops, host.bytes, host.strides, and those of
/// devices above.
KernelFacts factsOf(mlir::Operation *kernel);

/// Adds the grid, or dynamic scratch memory, to a kernel.
void setGrid(mlir::Operation *kernel, const Grid &grid);
void setDynamicScratch(mlir::Operation *kernel, const DynamicScratch &scratch);

/// Adds its maps.
void setMaps(mlir::Operation *kernel, llvm::ArrayRef<MemoryMap> maps);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_BACKEND_H
