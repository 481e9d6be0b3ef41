//===- InlinePTX.h - PTX instructions as inline assembly --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Emits PTX instructions for which no dialect has a suitable op. The emulator
// recognizes these exact texts (codegen/Emulate/Intrinsics.def). Barriers and
// matrix operands are given by their addresses in shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_INLINEPTX_H
#define INGOT_CODEGEN_PTX_INLINEPTX_H

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
/// Arrives at an mbarrier, and adds `bytes` to the bytes of bulk copies that
/// the barrier's current phase waits for.
void arriveAndExpect(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                     int64_t bytes);
/// Waits until the mbarrier's phase of the given parity (i32, 0 or 1) is
/// complete.
void waitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
             mlir::Value parity);

/// Starts a bulk tensor copy (TMA) of a box of a tensor to shared memory at
/// `to`. The box begins at the indices `place` (i32, innermost dimension
/// first). `map` is the address of the tensor map. The mbarrier `barrier`
/// counts the bytes when they arrive.
void copyBox(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value map,
             mlir::Value barrier, mlir::ValueRange place);

/// Makes a thread's writes to shared memory visible to tensor cores (the async
/// proxy).
void fenceForTensorCores(mlir::ImplicitLocOpBuilder &b);
/// Emits elect.sync. Returns an i1 that is true in exactly one lane of the
/// warp, whose lanes must be converged.
mlir::Value electLane(mlir::ImplicitLocOpBuilder &b);
/// Emit setmaxnreg, which all threads of a warpgroup must run. giveRegisters()
/// reduces the registers of each thread to `left`; takeRegisters() waits until
/// registers are free, and raises them to `all`.
void giveRegisters(mlir::ImplicitLocOpBuilder &b, int64_t left);
void takeRegisters(mlir::ImplicitLocOpBuilder &b, int64_t all);

//===----------------------------------------------------------------------===//
// Warpgroups (wgmma)
//===----------------------------------------------------------------------===//

/// The instructions that a matrix descriptor is for: wgmma, or tcgen05.
enum class MatrixDescriptorKind { Warpgroup, TensorMemory };
/// Returns the matrix descriptor (i64) of an operand in shared memory.
/// `address` is the address of its first element. `blocks` is the stride in
/// bytes between blocks of contiguous rows, and `eights` the stride in bytes
/// between groups of eight rows. The swizzle repeats after 128 bytes, or, for
/// wgmma only, after 64 bytes.
mlir::Value describeShared(mlir::ImplicitLocOpBuilder &b,
                           MatrixDescriptorKind format, mlir::Value address,
                           int64_t blocks, int64_t eights,
                           int64_t swizzle = 128);

/// beginGroup() orders the warp's earlier accesses to registers and shared
/// memory before wgmma instructions (wgmma.fence); endGroup() commits the
/// instructions since then as one group.
void beginGroup(mlir::ImplicitLocOpBuilder &b);
void endGroup(mlir::ImplicitLocOpBuilder &b);
/// Emits wgmma.mma_async, which adds a product to the accumulators `sums`. The
/// product has 64 rows and, as each lane has `sums.size()` accumulators, twice
/// that number of columns. `isMNMajor` says for each operand, if its elements
/// have 16 bits, whether it is MN-major (contiguous along M or N) instead of
/// K-major.
void multiplyGroup(mlir::ImplicitLocOpBuilder &b, Precision type,
                   mlir::MutableArrayRef<mlir::Value> sums, mlir::Value first,
                   mlir::Value second, const bool isMNMajor[2]);
/// Waits until at most `left` groups of wgmma are in flight. The accumulators
/// `sums` are operands and results of this instruction, so that no use of them
/// is scheduled before the wait.
void waitForGroups(mlir::ImplicitLocOpBuilder &b, int64_t left,
                   mlir::MutableArrayRef<mlir::Value> sums = {});

//===----------------------------------------------------------------------===//
// Tensor memory (tcgen05)
//===----------------------------------------------------------------------===//

/// Allocates `columns` columns of tensor memory, a power of two, and stores
/// their address to shared memory at `to`. All lanes of one warp must execute
/// this.
void allocateColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                     int64_t columns);
void freeColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                 int64_t columns);
/// Returns the instruction descriptor of a product of 128 rows and `columns`
/// columns.
uint32_t describeProduct(Precision type, int64_t columns,
                         const bool isMNMajor[2]);
/// Emits tcgen05.mma, which one thread executes: multiplies two operands in
/// shared memory into tensor memory at `target`. Adds to the values there if
/// `adds` (i32) is not 0, else overwrites them.
void multiplyInto(mlir::ImplicitLocOpBuilder &b, Precision type,
                  mlir::Value target, mlir::Value first, mlir::Value second,
                  uint32_t descriptor, mlir::Value adds);
/// Makes the tensor core arrive at the mbarrier `barrier` as soon as all
/// tcgen05 operations that the thread has issued so far are complete.
void commitTo(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
/// fenceBeforeSync() orders the thread's tcgen05 operations before a following
/// synchronization of threads, and fenceAfterSync() orders them after a
/// preceding one.
void fenceBeforeSync(mlir::ImplicitLocOpBuilder &b);
void fenceAfterSync(mlir::ImplicitLocOpBuilder &b);
/// Loads 32 columns of tensor memory as f32 values. Each lane loads them from a
/// row of its own.
inline constexpr int64_t columnsOfLoad = 32;
mlir::SmallVector<mlir::Value> loadColumns(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value address);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_INLINEPTX_H
