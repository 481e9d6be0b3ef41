//===- ExchangeBuckets.cpp - Values that are exchanged together -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Each message between processes has a fixed cost, so the biases and other
// small gradients of a network are exchanged as one message, a bucket. But a
// bucket that waited for all gradients could not be exchanged while the
// backward pass computes later ones. So a bucket is closed when it is large
// enough. (These are the buckets of PyTorch's DistributedDataParallel: Li et
// al., VLDB 2020.)
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/ExchangeBuckets.h"

#include "runtime/ABI/ExchangeKinds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::ExchangeKind;
using ::ingot::findExchangeKind;
using ::ingot::lower::ExchangeBucket;

/// The size at which a bucket is closed. A value of this size has a bucket of
/// its own, as the runtime exchanges such values in place.
static constexpr int64_t bucketBytes = 1 << 20;
/// A smaller bucket is exchanged after the loop: waking the exchange thread
/// during the loop would take about as long as the exchange.
static constexpr int64_t leastBytesInLoop = 64 << 10;

namespace {

/// A result of a slice region, and where the body computes it.
struct BatchSliceRegionResult {
  unsigned index;
  Operation *definition; // null if the body does not compute it
  int64_t bytes;         // 0 if its size is known only at run time
};

class ExchangeBucketBuilder {
public:
  explicit ExchangeBucketBuilder(SliceRegionOp op) : op(op) {}

  std::vector<ExchangeBucket> run() {
    for (const BatchSliceRegionResult &result : inOrderOfDefinition())
      add(result);
    for (auto &[key, bucket] : open)
      close(bucket);
    // `last` is the op after which all buckets are complete. An exchange that
    // starts there overlaps with no kernel, so it starts after the loop
    // instead.
    Operation *last = nullptr;
    for (const SizedExchangeBucket &bucket : closed)
      if (!last || isBefore(last, bucket.lastDefinition))
        last = bucket.lastDefinition;
    for (SizedExchangeBucket &bucket : closed)
      bucket.startsInLoop = bucket.lastDefinition &&
                            bucket.bytes >= leastBytesInLoop &&
                            isBefore(bucket.lastDefinition, last);
    llvm::stable_sort(closed, [&](const SizedExchangeBucket &a,
                                  const SizedExchangeBucket &b) {
      if (a.startsInLoop != b.startsInLoop)
        return a.startsInLoop;
      return isBefore(a.lastDefinition, b.lastDefinition);
    });
    return {closed.begin(), closed.end()};
  }

private:
  struct SizedExchangeBucket : ExchangeBucket {
    int64_t bytes = 0;
  };
  /// Values share a bucket only if they have the same kind of exchange (such as
  /// a sum) and the same element type.
  using Key = std::pair<int, const void *>;

  static bool isBefore(Operation *a, Operation *b) {
    return a != b && b && (!a || a->isBeforeInBlock(b));
  }

  const ExchangeKind &kindOf(unsigned index) {
    return *findExchangeKind(
        cast<StringAttr>(op.getExchanges()[index]).getValue());
  }

  std::vector<BatchSliceRegionResult> inOrderOfDefinition() {
    std::vector<BatchSliceRegionResult> results;
    Block &body = op.getBody().front();
    for (auto [index, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      if (kindOf(index).value == INGOT_EXCHANGE_KEEP ||
          kindOf(index).isInPlace())
        continue;
      auto type = cast<RankedTensorType>(op->getResult(index).getType());
      int64_t bytes = 0;
      if (type.hasStaticShape())
        bytes = type.getNumElements() *
                llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      results.push_back(
          {static_cast<unsigned>(index), value.getDefiningOp(), bytes});
    }
    llvm::stable_sort(results, [](const auto &a, const auto &b) {
      return isBefore(a.definition, b.definition);
    });
    return results;
  }

  void add(const BatchSliceRegionResult &result) {
    const ExchangeKind &kind = kindOf(result.index);
    if (kind.isJoined || kind.isPartial() || result.bytes >= bucketBytes) {
      SizedExchangeBucket alone;
      put(result, alone);
      close(alone);
      return;
    }
    Type type = getElementTypeOrSelf(op->getResult(result.index).getType());
    SizedExchangeBucket &bucket = open[{kind.value, type.getAsOpaquePointer()}];
    put(result, bucket);
    if (bucket.bytes >= bucketBytes) {
      close(bucket);
      bucket = SizedExchangeBucket();
    }
  }

  static void put(const BatchSliceRegionResult &result,
                  SizedExchangeBucket &bucket) {
    bucket.results.push_back(result.index);
    bucket.lastDefinition = result.definition; // results are sorted by it
    bucket.bytes += result.bytes;
  }

  void close(const SizedExchangeBucket &bucket) {
    if (!bucket.results.empty())
      closed.push_back(bucket);
  }

  SliceRegionOp op;
  llvm::MapVector<Key, SizedExchangeBucket> open;
  std::vector<SizedExchangeBucket> closed;
};

} // namespace

namespace ingot::lower {

std::vector<ExchangeBucket> formExchangeBuckets(SliceRegionOp op) {
  return ExchangeBucketBuilder(op).run();
}

} // namespace ingot::lower
