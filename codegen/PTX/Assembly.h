//===- Assembly.h - Instructions that no dialect has a fitting op for -----===//
//
// As inline assembly, of which the emulator knows the very texts
// (codegen/Emulate/Intrinsics.def). Addresses are of shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_ASSEMBLY_H
#define INGOT_CODEGEN_PTX_ASSEMBLY_H

#include "codegen/PTX/Precision.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Assembly with a side effect and without a result.
void emitText(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text,
              llvm::StringRef constraints = "", mlir::ValueRange operands = {});

//===----------------------------------------------------------------------===//
// Barriers that count (mbarrier)
//===----------------------------------------------------------------------===//

void initBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                 int64_t arrivals);
/// Behind all initBarriers of a thread: copies and others know them.
void publishBarriers(mlir::ImplicitLocOpBuilder &b);
void arrive(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
/// Arrives, and has the barrier wait for so many bytes besides.
void arriveAndExpect(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                     int64_t bytes);
/// Waits until a phase of this parity (i32, 0 or 1) is over.
void waitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
             mlir::Value parity);

/// A box of a tensor, from `place` on (the fastest dimension first, i32), to
/// shared memory; its bytes arrive at `barrier`.
void copyBox(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value map,
             mlir::Value barrier, mlir::ValueRange place);

/// What a thread has written to shared memory is seen by tensor cores.
void fenceForTensorCores(mlir::ImplicitLocOpBuilder &b);
/// One lane of a warp, all of whose lanes are here: an i1.
mlir::Value electLane(mlir::ImplicitLocOpBuilder &b);
/// Threads of a group of four warps give registers back, or take them.
void giveRegisters(mlir::ImplicitLocOpBuilder &b, int64_t left);
void takeRegisters(mlir::ImplicitLocOpBuilder &b, int64_t all);

//===----------------------------------------------------------------------===//
// Groups of four warps (wgmma)
//===----------------------------------------------------------------------===//

/// A factor in shared memory, swizzled by 128 bytes (for wgmma, by 64 as well),
/// as instructions are told of it: where it begins, how far it is from one
/// block of rows that lie side by side to the next, and from eight rows to the
/// next eight, in bytes.
enum class SharedFormat { Warpgroup, TensorMemory };
mlir::Value describeShared(mlir::ImplicitLocOpBuilder &b, SharedFormat format,
                           mlir::Value address, int64_t blocks, int64_t eights,
                           int64_t swizzle = 128);

void beginGroup(mlir::ImplicitLocOpBuilder &b);
void endGroup(mlir::ImplicitLocOpBuilder &b);
/// `sums` and 64 rows times twice as many columns; of 16-bit numbers, whether
/// they lie across the sum.
void multiplyGroup(mlir::ImplicitLocOpBuilder &b, Precision type,
                   mlir::MutableArrayRef<mlir::Value> sums, mlir::Value first,
                   mlir::Value second, const bool isAcross[2]);
/// Until no more than `left` groups are under way; nobody touches `sums`, which
/// belong to those that are over, before.
void waitForGroups(mlir::ImplicitLocOpBuilder &b, int64_t left,
                   mlir::MutableArrayRef<mlir::Value> sums = {});

//===----------------------------------------------------------------------===//
// Tensor memory (tcgen05)
//===----------------------------------------------------------------------===//

/// By a warp: the address of so many columns, a power of two, is written to
/// shared memory.
void allocateColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                     int64_t columns);
void freeColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                 int64_t columns);
/// What is multiplied: 128 rows and `columns`.
uint32_t describeProduct(Precision type, int64_t columns,
                         const bool isAcross[2]);
/// By one thread; with `adds` (i32, not 0) to what is there.
void multiplyInto(mlir::ImplicitLocOpBuilder &b, Precision type,
                  mlir::Value target, mlir::Value first, mlir::Value second,
                  uint32_t descriptor, mlir::Value adds);
/// What the thread has asked for arrives at `barrier` when it is done.
void commitTo(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
void fenceBeforeSync(mlir::ImplicitLocOpBuilder &b);
void fenceAfterSync(mlir::ImplicitLocOpBuilder &b);
/// 32 columns of each lane's row, as f32.
inline constexpr int64_t columnsOfLoad = 32;
mlir::SmallVector<mlir::Value> loadColumns(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value address);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ASSEMBLY_H
