//===- Assembly.h - PTX instructions as inline assembly ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Instructions that no dialect has a suitable op for. The emulator recognizes
// these exact texts (codegen/Emulate/Intrinsics.def). Addresses are of shared
// memory.
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
// mbarriers
//===----------------------------------------------------------------------===//

void initBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                 int64_t arrivals);
/// After all initBarriers of a thread: makes them visible to bulk copies and
/// other threads.
void publishBarriers(mlir::ImplicitLocOpBuilder &b);
void arrive(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
/// Arrives, and makes the barrier's phase expect `bytes` more bytes of copies.
void arriveAndExpect(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                     int64_t bytes);
/// Waits until the phase of this parity (i32, 0 or 1) is complete.
void waitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
             mlir::Value parity);

/// Starts a bulk copy of a box of a tensor, from `place` on (i32, innermost
/// dimension first), to shared memory; its bytes complete at `barrier`.
void copyBox(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value map,
             mlir::Value barrier, mlir::ValueRange place);

/// Makes a thread's writes to shared memory visible to tensor cores (the async
/// proxy).
void fenceForTensorCores(mlir::ImplicitLocOpBuilder &b);
/// elect.sync: an i1, true in one lane of a converged warp.
mlir::Value electLane(mlir::ImplicitLocOpBuilder &b);
/// setmaxnreg: threads of a warpgroup release or claim registers.
void giveRegisters(mlir::ImplicitLocOpBuilder &b, int64_t left);
void takeRegisters(mlir::ImplicitLocOpBuilder &b, int64_t all);

//===----------------------------------------------------------------------===//
// Warpgroups (wgmma)
//===----------------------------------------------------------------------===//

/// The matrix descriptor of an operand in shared memory, swizzled by 128 bytes
/// (for wgmma by 64 as well): its address, and the strides in bytes between
/// blocks of contiguous rows and between groups of eight rows.
enum class SharedFormat { Warpgroup, TensorMemory };
mlir::Value describeShared(mlir::ImplicitLocOpBuilder &b, SharedFormat format,
                           mlir::Value address, int64_t blocks, int64_t eights,
                           int64_t swizzle = 128);

void beginGroup(mlir::ImplicitLocOpBuilder &b);
void endGroup(mlir::ImplicitLocOpBuilder &b);
/// Adds to `sums` the product of 64 rows and twice as many columns as a lane
/// has sums; `isAcross`: 16-bit operands are stored across K.
void multiplyGroup(mlir::ImplicitLocOpBuilder &b, Precision type,
                   mlir::MutableArrayRef<mlir::Value> sums, mlir::Value first,
                   mlir::Value second, const bool isAcross[2]);
/// Waits until at most `left` groups are in flight. `sums` of the completed
/// ones pass through, so that no use is scheduled before.
void waitForGroups(mlir::ImplicitLocOpBuilder &b, int64_t left,
                   mlir::MutableArrayRef<mlir::Value> sums = {});

//===----------------------------------------------------------------------===//
// Tensor memory (tcgen05)
//===----------------------------------------------------------------------===//

/// By a whole warp: allocates columns (a power of two), and writes their
/// address to shared memory.
void allocateColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                     int64_t columns);
void freeColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                 int64_t columns);
/// The instruction descriptor of 128 rows and `columns` columns.
uint32_t describeProduct(Precision type, int64_t columns,
                         const bool isAcross[2]);
/// By one thread: multiplies into tensor memory, and accumulates if `adds`
/// (i32) is not 0.
void multiplyInto(mlir::ImplicitLocOpBuilder &b, Precision type,
                  mlir::Value target, mlir::Value first, mlir::Value second,
                  uint32_t descriptor, mlir::Value adds);
/// Arrives at `barrier` when the thread's tcgen05 operations so far complete.
void commitTo(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier);
void fenceBeforeSync(mlir::ImplicitLocOpBuilder &b);
void fenceAfterSync(mlir::ImplicitLocOpBuilder &b);
/// 32 columns of each lane's row, as f32.
inline constexpr int64_t columnsOfLoad = 32;
mlir::SmallVector<mlir::Value> loadColumns(mlir::ImplicitLocOpBuilder &b,
                                           mlir::Value address);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ASSEMBLY_H
