//===- CacheHierarchy.cpp - The caches that plans are made for ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/CacheHierarchy.h"

#include "codegen/CPU/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <numeric>
#include <unistd.h>

using namespace llvm;

namespace ingot::cpu {

static constexpr int64_t kibi = 1024, mebi = kibi * kibi;

/// What parseCaches() accepts: no core has caches of other sizes, and blocks
/// that are derived from such sizes stay within what kernels put on stacks.
static constexpr int64_t minBytes = 4 * kibi, maxBytes = 4096 * mebi,
                         maxWays = 64;

bool Cache::evicts(int64_t lines, int64_t stride) const {
  constexpr int64_t bytesOfLine = 64;
  int64_t distance = std::max(std::gcd(stride, bytesOfWay()), bytesOfLine);
  return lines > ways * (bytesOfWay() / distance);
}

int64_t CacheHierarchy::wholeBytes() const {
  return std::min(l1.bytes, CPUTargetLimits::maxOperandBytes);
}

int64_t CacheHierarchy::sharedBytes() const {
  return std::clamp(lastLevelBytes / 8, l2.bytes, std::max(l2.bytes, 4 * mebi));
}

int64_t CacheHierarchy::rowsOfBlock() const {
  // With 1 MiB of L2, blocks of 192 rows were the fastest ones for K up to
  // 1,024, where they take three quarters of it. 24 rows are two register
  // tiles.
  constexpr int64_t rowsOfMebi = 192, minRows = 24, maxRows = 384;
  return std::clamp(rowsOfMebi * l2.bytes / mebi, minRows, maxRows);
}

int64_t CacheHierarchy::patchElements() const {
  constexpr int64_t minElements = 16 * kibi, maxElements = 128 * kibi;
  int64_t quarter = l2.bytes / 4 / static_cast<int64_t>(sizeof(float));
  return std::clamp(quarter, minElements, maxElements);
}

/// Parses a size such as "32K". Returns std::nullopt if it is not within
/// `minBytes` and `maxBytes`.
static std::optional<int64_t> parseBytes(StringRef text) {
  int64_t unit = text.consume_back("K")   ? kibi
                 : text.consume_back("M") ? mebi
                                          : 1;
  int64_t count;
  if (text.getAsInteger(10, count) || count < 1 || count > maxBytes / unit ||
      count * unit < minBytes)
    return std::nullopt;
  return count * unit;
}

/// Parses "SIZE" or "SIZE/WAYS". The number of ways is `defaultWays` if it is
/// not given, or one for each 4 KiB if that is 0.
static std::optional<Cache> parseCache(StringRef text, int64_t defaultWays) {
  auto [size, ways] = text.split('/');
  std::optional<int64_t> bytes = parseBytes(size);
  if (!bytes || text.ends_with("/"))
    return std::nullopt;
  Cache cache = {*bytes, defaultWays != 0 ? defaultWays : *bytes / minBytes};
  if (!ways.empty() && ways.getAsInteger(10, cache.ways))
    return std::nullopt;
  if (cache.ways < 1 || cache.ways > maxWays || cache.bytes % cache.ways != 0)
    return std::nullopt;
  return cache;
}

Expected<CacheHierarchy> parseCaches(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.size() == 3) {
    std::optional<Cache> l1 = parseCache(parts[0], 0),
                         l2 = parseCache(parts[1], 8);
    std::optional<int64_t> last = parseBytes(parts[2]);
    if (l1 && l2 && last && l1->bytes <= l2->bytes && l2->bytes <= *last)
      return CacheHierarchy{*l1, *l2, *last};
  }
  return createStringError(
      "'" + text +
      "' is not three sizes of caches in ascending order, such as "
      "32K,512K,16M or, with numbers of ways, 48K/12,2M/16,60M");
}

/// Prints a size in the largest unit that divides it.
static void printBytes(raw_ostream &os, int64_t bytes) {
  if (bytes % mebi == 0)
    os << bytes / mebi << 'M';
  else if (bytes % kibi == 0)
    os << bytes / kibi << 'K';
  else
    os << bytes;
}

raw_ostream &operator<<(raw_ostream &os, const CacheHierarchy &caches) {
  for (const Cache &cache : {caches.l1, caches.l2}) {
    printBytes(os, cache.bytes);
    os << '/' << cache.ways << ',';
  }
  printBytes(os, caches.lastLevelBytes);
  return os;
}

/// Returns a cache as the C library reports it, or `fallback` if it does not.
static Cache reported(int size, int ways, Cache fallback) {
  Cache cache = {sysconf(size), sysconf(ways)};
  bool isKnown = cache.bytes >= minBytes && cache.bytes <= maxBytes &&
                 cache.ways >= 1 && cache.ways <= maxWays &&
                 cache.bytes % cache.ways == 0;
  return isKnown ? cache : fallback;
}

CacheHierarchy nativeCaches(const CacheHierarchy &fallback) {
  CacheHierarchy caches = fallback;
  caches.l1 =
      reported(_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, fallback.l1);
  caches.l2 =
      reported(_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, fallback.l2);
  if (int64_t last = sysconf(_SC_LEVEL3_CACHE_SIZE);
      last >= minBytes && last <= maxBytes)
    caches.lastLevelBytes = last;
  // Some virtual machines report sizes that no CPU has.
  if (caches.l1.bytes > caches.l2.bytes ||
      caches.l2.bytes > caches.lastLevelBytes)
    return fallback;
  return caches;
}

} // namespace ingot::cpu

bool llvm::cl::parser<ingot::cpu::CacheHierarchy>::parse(
    Option &option, StringRef, StringRef text,
    ingot::cpu::CacheHierarchy &caches) {
  Expected<ingot::cpu::CacheHierarchy> parsed = ingot::cpu::parseCaches(text);
  if (!parsed)
    return option.error(toString(parsed.takeError()));
  caches = *parsed;
  return false;
}

void llvm::cl::parser<ingot::cpu::CacheHierarchy>::anchor() {}
