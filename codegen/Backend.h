//===- Backend.h - What every target's code generator is --------*- C++ -*-===//
//
// A backend gets a module of closed kernels, linalg on tensors, and gives back
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

/// How many independent iterations a kernel has:
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

/// The memory of one of a kernel's arguments as bulk copies take boxes out of
/// it: a dense tensor, whose last dimension lies without gaps. A kernel finds
/// what its device makes of that behind its other parameters.
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

/// Scratch memory of a device's kernel that is as large as its input says:
/// at the most base + sum of coefficient * argument[slot] bytes.
struct DynamicScratch {
  int64_t base = 0;
  llvm::SmallVector<Grid::Term, 1> terms; // none: there is none
  bool operator==(const DynamicScratch &) const = default;
};

/// What is known of a kernel besides its code. `flops` and `bytes` (read and
/// written) are estimates for one iteration of the grid.
struct KernelFacts {
  Grid grid;
  int64_t scratchBytes = 0;
  DynamicScratch dynamicScratch; // in its place
  int64_t flops = 0, bytes = 0;
  /// On a device an iteration of the grid is a block of so many threads, which
  /// share so much memory; 0 on CPUs.
  int64_t threadsPerBlock = 0, sharedBytes = 0;
  /// What a launch gives each block besides: more than every device has.
  int64_t dynamicSharedBytes = 0;
  /// Blocks go on to further iterations themselves: a launch has no more of
  /// them than the device runs at a time.
  bool isPersistent = false;
  llvm::SmallVector<MemoryMap, 1> maps;
  /// By argument, where an iteration touches a stretch of it that is its own:
  /// how many bytes one is behind the other; else 0.
  llvm::SmallVector<int64_t> strides;
  bool operator==(const KernelFacts &) const = default;
};

/// A kernel's code: an image in the format of its target (an ELF object for
/// CPUs, PTX for GPUs) that defines `kernelSymbol`.
struct KernelCode {
  KernelFacts facts;
  std::string image;
  /// Where the target cannot run the kernel, and leaves it to the host: why.
  /// `image` is empty then.
  std::string reason;
  /// The same kernel as a function of a kernel that does whole runs of launches
  /// (runtime/ABI/Step.h), in the image's format; where it cannot be one, ""
  /// and why.
  std::string function, apart;
};

/// What joined images are to a device's driver, and which devices run them, by
/// their compute capabilities (10 * major + minor).
struct ImageFormat {
  bool isBinary = false; // machine code; else a text that the driver compiles
  unsigned firstCapability = 0, lastCapability = ~0u;
};

/// The image of a kernel that is called `name`, and its function where runs of
/// launches that it belongs to are one kernel.
struct NamedImage {
  llvm::StringRef name, image, function = "";
};

/// The symbol of every kernel's code until it is linked: what a kernel is
/// called is no part of what is cached.
inline constexpr llvm::StringLiteral kernelSymbol = "ingot_kernel";

/// The kernel that does whole runs of launches. No node's name has a $.
inline constexpr llvm::StringLiteral stepSymbol = "ingot$step";

class Backend {
public:
  virtual ~Backend();

  /// What users call the target: "x86-64-v4".
  virtual llvm::StringRef name() const = 0;

  virtual TargetPolicy policy() const = 0;

  /// The machine that entries are compiled for where kernels are this
  /// backend's; null where its processor runs no entries.
  virtual const llvmgen::Machine *hostMachine() const { return nullptr; }

  /// What its passes' dialects and bufferization need.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// Kernels on tensors to kernels on buffers, those to the LLVM dialect.
  virtual void buildBufferPipeline(mlir::OpPassManager &manager) const = 0;
  virtual void buildCodePipeline(mlir::OpPassManager &manager) const = 0;

  /// The code of the one kernel of a module that both pipelines have run on,
  /// optimized at `level`, 0 to 3.
  virtual llvm::Expected<KernelCode> emit(mlir::ModuleOp kernel,
                                          unsigned level) const = 0;

  /// In how many ways the target knows to plan a kernel: they differ in time,
  /// and in no bit of the results. The first is for where nobody has measured.
  virtual unsigned numPlans() const { return 1; }

  /// The same backend, by another plan; null where there is one only.
  virtual std::unique_ptr<Backend> withPlan(unsigned number) const;

  /// Whether the machine that compiles can run the code.
  virtual bool runsHere() const { return false; }

  /// Whose code of a kernel, linalg on tensors, this target takes: that of a
  /// backend for more targets where what only this one has is of no use in it.
  virtual const Backend &compilerOf(mlir::Operation *kernel) const {
    return *this;
  }

  /// Whether the target has for a kernel, linalg on tensors, what those that
  /// ask for less have not. Where it has not for any, a program has no code for
  /// it.
  virtual bool isOfUseTo(mlir::Operation *kernel) const { return true; }

  /// Whether the target's code of a kernel, linalg on tensors, rounds otherwise
  /// than that of targets that ask for less: where it multiplies and adds at
  /// once. Else each bit is theirs.
  virtual bool roundsOtherwise(mlir::Operation *kernel) const { return true; }

  /// Many kernels' images as one, in which each has its name, where the target
  /// loads them together; with a kernel `stepSymbol` of those that have
  /// functions, numbered in their order. An error where they are linked
  /// instead.
  virtual llvm::Expected<std::string>
  join(llvm::ArrayRef<NamedImage> images) const;

  /// What that one is; machine code is assembled of what join() gives.
  virtual ImageFormat imageFormat() const { return {}; }
  /// The assembler, in words of its own that say its version, and its work.
  virtual llvm::Expected<std::string> assembler() const { return ""; }
  virtual llvm::Expected<std::string> assemble(llvm::StringRef joined) const {
    return joined.str();
  }

  /// What kernel `name` is called there.
  virtual std::string entryOf(llvm::StringRef name) const { return name.str(); }
};

/// On a kernel for devices: the threads of a block, and the bytes that they
/// share (i64).
inline constexpr llvm::StringLiteral threadsAttrName = "host.threads";
inline constexpr llvm::StringLiteral sharedAttrName = "host.shared";
/// Likewise: the bytes that a launch has to ask for (i64), that blocks take
/// further iterations themselves (unit), and the kernel's MemoryMaps (an array
/// of i64 arrays: slot, bytes of an element; size, slot and box of each
/// dimension).
inline constexpr llvm::StringLiteral dynamicSharedAttrName =
    "host.dynamic_shared";
inline constexpr llvm::StringLiteral persistentAttrName = "host.persistent";
inline constexpr llvm::StringLiteral mapsAttrName = "host.maps";
/// On a kernel for devices, in the place of host.scratch: scratch memory that
/// is as large as its input says (array<i64>, as DynamicScratch: base, then a
/// slot and a coefficient for each dynamic size).
inline constexpr llvm::StringLiteral dynamicScratchAttrName =
    "host.dynamic_scratch";
/// On a kernel that a device leaves to the host: why (string).
inline constexpr llvm::StringLiteral reasonAttrName = "host.stays";

/// How many iterations a grid has, where no size is dynamic.
std::optional<int64_t> countBlocks(const Grid &grid);

/// What the passes have left on a lowered kernel: the attributes host.grid,
/// host.scratch, host.dynamic_scratch, host.flops, host.bytes, host.strides,
/// and those of devices above.
KernelFacts factsOf(mlir::Operation *kernel);

/// Adds the grid, or dynamic scratch memory, to a kernel.
void setGrid(mlir::Operation *kernel, const Grid &grid);
void setDynamicScratch(mlir::Operation *kernel, const DynamicScratch &scratch);

/// Adds its maps.
void setMaps(mlir::Operation *kernel, llvm::ArrayRef<MemoryMap> maps);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_BACKEND_H
