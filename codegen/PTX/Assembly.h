//===- Assembly.h - PTX instructions as inline assembly ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Emits PTX instructions for which no dialect has a suitable op. The emulator
// recognizes these exact texts (codegen/Emulate/Intrinsics.def). Addresses are
// those of shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_ASSEMBLY_H
#define INGOT_CODEGEN_PTX_ASSEMBLY_H

#include "codegen/PTX/Precision.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Emits inline assembly that has a side effect on memory and no result.
void emitText(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text,
              llvm::StringRef constraints = "", mlir::ValueRange operands = {});

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

/// Initializes an mbarrier whose phases complete after `arrivals` arrivals.
void initBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                 int64_t arrivals);
/// Makes mbarriers that the thread has initialized visible to bulk copies and
/// other threads.
void publishBarriers(mlir::ImplicitLocOpBuilder &b);
/// Arrives at an mbarrier.
void arrive(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
/// Arrives at an mbarrier, and makes its phase wait for `bytes` more bytes of
/// bulk copies.
void arriveAndExpect(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                     int64_t bytes);
/// Waits until the mbarrier's phase of the given parity (i32, 0 or 1) is
/// complete.
void waitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
             mlir::Value parity);

/// Starts a bulk copy of a box of a tensor to shared memory, from the indices
/// `place` on (i32, innermost dimension first). `map` is the address of the
/// tensor map. The bytes are counted at `barrier` as they arrive.
void copyBox(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value map,
             mlir::Value barrier, mlir::ValueRange place);

/// Makes a thread's writes to shared memory visible to tensor cores (the async
/// proxy).
void fenceForTensorCores(mlir::ImplicitLocOpBuilder &b);
/// Emits elect.sync. Returns an i1 that is true in one lane of a converged
/// warp.
mlir::Value electLane(mlir::ImplicitLocOpBuilder &b);
/// Emit setmaxnreg: the threads of a warpgroup release registers until `left`
/// are left for each, or claim registers until each has `all`.
void giveRegisters(mlir::ImplicitLocOpBuilder &b, int64_t left);
void takeRegisters(mlir::ImplicitLocOpBuilder &b, int64_t all);

//===----------------------------------------------------------------------===//
// Warpgroups (wgmma)
//===----------------------------------------------------------------------===//

/// The instruction family that a matrix descriptor is for.
enum class SharedFormat { Warpgroup, TensorMemory };
/// Returns the matrix descriptor (i64) of an operand in shared memory: its
/// address, and the strides in bytes between blocks of contiguous rows
/// (`blocks`) and between groups of eight rows (`eights`). The swizzle has a
/// period of 128 bytes, or, for wgmma only, of 64.
mlir::Value describeShared(mlir::ImplicitLocOpBuilder &b, SharedFormat format,
                           mlir::Value address, int64_t blocks, int64_t eights,
                           int64_t swizzle = 128);

/// Begin and end (commit) a group of wgmma instructions.
void beginGroup(mlir::ImplicitLocOpBuilder &b);
void endGroup(mlir::ImplicitLocOpBuilder &b);
/// Emits wgmma.mma_async, which adds a product to `sums`. It has 64 rows and
/// twice as many columns as a lane has sums. `isAcross` says which 16-bit
/// operands are stored across K.
void multiplyGroup(mlir::ImplicitLocOpBuilder &b, Precision type,
                   mlir::MutableArrayRef<mlir::Value> sums, mlir::Value first,
                   mlir::Value second, const bool isAcross[2]);
/// Waits until at most `left` groups of wgmma are in flight. `sums` pass
/// through the instruction, so that no use of them is scheduled before it.
void waitForGroups(mlir::ImplicitLocOpBuilder &b, int64_t left,
                   mlir::MutableArrayRef<mlir::Value> sums = {});

//===----------------------------------------------------------------------===//
// Tensor memory (tcgen05)
//===----------------------------------------------------------------------===//

/// Allocates columns (a power of two) of tensor memory, and writes their
/// address to shared memory at `to`. A whole warp must execute this.
void allocateColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                     int64_t columns);
void freeColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                 int64_t columns);
/// Returns the instruction descriptor of a product of 128 rows and `columns`
/// columns.
uint32_t describeProduct(Precision type, int64_t columns,
                         const bool isAcross[2]);
/// Emits tcgen05.mma, which one thread executes: it multiplies into tensor
/// memory at `target`, and accumulates if `adds` (i32) is not 0.
void multiplyInto(mlir::ImplicitLocOpBuilder &b, Precision type,
                  mlir::Value target, mlir::Value first, mlir::Value second,
                  uint32_t descriptor, mlir::Value adds);
/// Arrives at the mbarrier `barrier` when all tcgen05 operations that the
/// thread has issued so far complete.
void commitTo(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
/// Order tcgen05 operations before, or after, a synchronization of threads.
void fenceBeforeSync(mlir::ImplicitLocOpBuilder &b);
void fenceAfterSync(mlir::ImplicitLocOpBuilder &b);
/// Loads 32 columns of each lane's row of tensor memory, as f32.
inline constexpr int64_t columnsOfLoad = 32;
mlir::SmallVector<mlir::Value> loadColumns(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value address);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ASSEMBLY_H
