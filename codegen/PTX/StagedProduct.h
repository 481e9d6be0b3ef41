//===- StagedProduct.h - Factors in shared memory, for tensor cores -*- C++
//
//-*-//
//
// A stage is what shared memory has of both factors for some steps of the sum.
// A factor lies there as in global memory, with rows of the sum or across it,
// in groups of 16 bytes. In which order the groups of a row come (the swizzle)
// differs from row to row, so that the eight groups which are read at a time
// are in all banks. Threads bring numbers from memory through registers, where
// they are rounded to what is multiplied.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_STAGEDPRODUCT_H
#define INGOT_CODEGEN_PTX_STAGEDPRODUCT_H

#include "codegen/PTX/Precision.h"
#include "codegen/PTX/ProductTile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::ptx {

class StagedProduct : public ProductTile {
public:
  /// What is read from or written to shared memory at a time.
  static constexpr int64_t groupBytes = 16;

  /// What tensor cores multiply where products of f32 are of `precision`; none
  /// where they don't multiply numbers of the factors' type.
  static std::optional<Precision> typeFor(const Product &product,
                                          Precision precision);

protected:
  /// Rows of the sum have `rowBytes` in a stage, which `loaders` threads bring;
  /// with `turns` 32-bit numbers always lie along the sum.
  StagedProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
                Precision type, int64_t rows, int64_t columns, int64_t rowBytes,
                int64_t loaders, bool turns);

  /// A factor's part of a tile, as it lies in memory: rows of `inner` numbers.
  struct Layout {
    bool sumIsInner;
    bool isTransposed;    // in shared memory, where the sum is inner
    int64_t width;        // of the tile: rows or columns
    int64_t inner, outer; // numbers in a row, and rows
    int64_t perLoad;      // numbers of memory in 16 bytes
    int64_t loads;        // of 16 bytes, by each thread
    int64_t offset;       // in a stage, in bytes

    bool liesAlongSum() const { return sumIsInner || isTransposed; }
  };

  /// So many bytes of shared memory; `shared` is where they begin.
  mlir::memref::AllocOp makeShared(int64_t size, int64_t alignment);
  mlir::Value i32(int64_t value);
  mlir::Value number(mlir::Value index); // as i32
  mlir::Value word(mlir::Value offset);  // an address in shared memory
  /// Where 16 bytes lie in a stage: `group` of row `outer`.
  mlir::Value swizzled(const Layout &layout, mlir::Value outer,
                       mlir::Value group);
  /// A group of 16 bytes that the thread brings: where it lies in the tile, in
  /// the factor, and along the sum.
  struct Place {
    mlir::Value outer, inner, own, sum;
  };
  Place groupAt(unsigned factor, int64_t i, mlir::Value first);
  mlir::Value isInside(unsigned factor, mlir::Value own, mlir::Value sum);
  bool readsWhole(unsigned factor) const;
  /// As it is in memory, behind step `first` of the sum.
  mlir::Value loadGroup(unsigned factor, int64_t i, mlir::Value first);
  /// What has been loaded, as what is multiplied, to a stage.
  void storeGroup(unsigned factor, int64_t i, mlir::Value group,
                  mlir::Value stage);

  Precision type;
  int64_t bytes;    // of a number that is multiplied
  int64_t rowBytes; // of the sum, what lies side by side in a stage
  int64_t depth;    // steps of the sum in a stage
  int64_t loaders;
  Layout layouts[2];
  int64_t stageBytes;
  mlir::Value thread; // of the loaders: an index
  mlir::Value shared;

private:
  Layout layoutOf(unsigned factor, bool turns) const;
  bool isAllInside(unsigned factor) const;
  mlir::Value readGroup(unsigned factor, mlir::Value place, mlir::Value sum);
  std::pair<mlir::Value, mlir::Value> divide(const Layout &layout, int64_t i);
  /// 16 bytes of memory as what is multiplied: words of 32 bits.
  mlir::SmallVector<mlir::Value> pack(mlir::Value group);
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STAGEDPRODUCT_H
