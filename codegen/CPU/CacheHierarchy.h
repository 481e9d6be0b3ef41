//===- CacheHierarchy.h - The caches that plans are made for ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a core's caches, and what follows from them for the blocks of
// GEMMs and other kernels. Plans made for other caches than those of the
// machine that runs are slower, but change no bit of the results.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_CACHEHIERARCHY_H
#define INGOT_CODEGEN_CPU_CACHEHIERARCHY_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace ingot::cpu {

/// A set-associative cache. Addresses whose distance is a multiple of
/// `bytesOfWay()` are in the same set, which has `ways` cache lines.
struct Cache {
  int64_t bytes = 0, ways = 0;

  int64_t bytesOfWay() const { return bytes / ways; }

  /// Whether `lines` cache lines, `stride` bytes apart, evict each other
  /// because too many of them are in the same set.
  bool evicts(int64_t lines, int64_t stride) const;

  bool operator==(const Cache &) const = default;
};

/// The data caches of a core: `l1` and `l2`, which are its own, and the size of
/// the last-level cache, which it shares with other cores. The default is Zen
/// 4.
struct CacheHierarchy {
  Cache l1 = {32 * 1024, 8}, l2 = {1024 * 1024, 8};
  int64_t lastLevelBytes = 32 * 1024 * 1024;

  /// The maximum size of a GEMM's operand that stays in L1 and L2 while all
  /// register tiles read it, beside what else they read, so that it need not be
  /// packed.
  int64_t inPlaceBytes() const { return l2.bytes / 16; }
  /// The maximum size of a transposed second operand that is packed as a whole,
  /// instead of panel by panel: it stays in L1, and fits on a thread's stack.
  int64_t wholeBytes() const;
  /// The maximum size of an operand that fits into a core's share of the
  /// last-level cache, beside the other operands. Eight cores share the cache
  /// of a Zen; on larger chips no core has more than a few MiB.
  int64_t sharedBytes() const;
  /// The size of both operands in a block of K: this block and the next one,
  /// which is being prefetched, leave room for C.
  int64_t blockBytes() const { return l2.bytes / 8; }
  /// The K from which a panel of B that is 128 bytes wide, two vectors of
  /// AVX-512, exceeds L2.
  int64_t maxPanelDepth() const { return l2.bytes / 128; }
  /// The rows of A in a block of the grid (BLIS's mc), which stay in L2 while
  /// the block's panels of B are packed one by one.
  int64_t rowsOfBlock() const;
  /// The maximum number of f32 elements of a block of im2col, which stays in L2
  /// while all columns of the result are computed.
  int64_t patchElements() const;
  /// The minimum size of a buffer that GEMMs prefetch, and of one that their
  /// epilogues access. A smaller buffer stays in L2.
  int64_t minPrefetchedBytes() const { return l2.bytes / 4; }
  int64_t minPrefetchedEpilogueBytes() const { return l2.bytes / 2; }
  /// The approximate size of the rows that a kernel processes at a time if it
  /// has both a row-sparse update and ops on all rows: they stay in L2 from one
  /// op to the next.
  int64_t partBytes() const { return l2.bytes / 2; }

  bool operator==(const CacheHierarchy &) const = default;
};

/// Parses the sizes of L1, L2 and the last-level cache, such as
/// "32K,512K,16M". A size may be followed by the number of ways, "48K/12";
/// without it, L1 has a way for each 4 KiB, as in all CPUs that index it by the
/// offset in a page, and L2 has eight ways.
llvm::Expected<CacheHierarchy> parseCaches(llvm::StringRef text);

/// Prints what parseCaches() parses.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const CacheHierarchy &caches);

/// Returns the caches of the machine that runs this code. Sizes that the
/// machine does not report are those of `fallback`.
CacheHierarchy nativeCaches(const CacheHierarchy &fallback);

} // namespace ingot::cpu

namespace llvm::cl {

/// The option `caches` of passes.
template <>
class parser<::ingot::cpu::CacheHierarchy> final
    : public basic_parser<::ingot::cpu::CacheHierarchy> {
public:
  using basic_parser::basic_parser;

  /// Returns true on an error, after printing it, as LLVM requires of every
  /// parser of an option.
  bool parse(Option &option, StringRef name, StringRef text,
             ::ingot::cpu::CacheHierarchy &caches);
  StringRef getValueName() const override { return "L1,L2,L3"; }
  void printOptionDiff(const Option &option,
                       const ::ingot::cpu::CacheHierarchy &,
                       const OptionValue<::ingot::cpu::CacheHierarchy> &,
                       size_t width) const {
    printOptionNoValue(option, width);
  }
  void anchor() override;
};

} // namespace llvm::cl

#endif // INGOT_CODEGEN_CPU_CACHEHIERARCHY_H
