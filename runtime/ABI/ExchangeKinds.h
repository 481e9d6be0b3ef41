/*===- ExchangeKinds.h - How slices' values are combined ----------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The enumeration of kinds and, for C++, their table: dialects, codegen and  */
/* runtime share the list of ExchangeKinds.def.                               */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_EXCHANGEKINDS_H
#define INGOT_RUNTIME_ABI_EXCHANGEKINDS_H

typedef enum ingot_exchange_kind {
#define INGOT_EXCHANGE_KIND(enumerator, text, value, joined, description)      \
  INGOT_EXCHANGE_##enumerator = value,
#include "runtime/ABI/ExchangeKinds.def"
} ingot_exchange_kind;

/* The most slices that a batch may have. */
#define INGOT_MOST_SLICES 65536

#ifdef __cplusplus

#include <bit>
#include <cstdint>
#include <string_view>

namespace ingot {

/// How processes that compute different slices of a batch combine their values:
/// as a sum, a maximum, a gather and so on. ExchangeKinds.def has a row for
/// each kind.
struct ExchangeKind {
  std::string_view text;
  ingot_exchange_kind value;
  bool isJoined;

  /// Whether the result is stored in an input of the slice_region.
  constexpr bool isInPlace() const {
    return value == INGOT_EXCHANGE_GATHER_IN_PLACE ||
           value == INGOT_EXCHANGE_KEEP_IN_PLACE;
  }
  /// Whether a process has only its own part of the result.
  constexpr bool isPartial() const {
    return value == INGOT_EXCHANGE_KEEP ||
           value == INGOT_EXCHANGE_REDUCE_SCATTER ||
           value == INGOT_EXCHANGE_KEEP_IN_PLACE;
  }
};

inline constexpr ExchangeKind exchangeKinds[] = {
#define INGOT_EXCHANGE_KIND(enumerator, text, value, joined, description)      \
  {#text, INGOT_EXCHANGE_##enumerator, joined != 0},
#include "runtime/ABI/ExchangeKinds.def"
};

/// Returns the kind of exchange (such as "sum") with the name `text`; null for
/// any other text.
constexpr const ExchangeKind *findExchangeKind(std::string_view text) {
  for (const ExchangeKind &kind : exchangeKinds)
    if (kind.text == text)
      return &kind;
  return nullptr;
}

/// Returns the name of a kind of exchange; "" for another number.
constexpr std::string_view exchangeKindText(ingot_exchange_kind value) {
  for (const ExchangeKind &kind : exchangeKinds)
    if (kind.value == value)
      return kind.text;
  return "";
}

/// The name of an attribute of ingot.require_indices. An op that checks only
/// one slice of a batch has this attribute. Its value is the dimension of the
/// tensor of indices along which the batch was split into slices.
inline constexpr std::string_view rowDimOption = "row_dim";

/// Returns the index at which the value of slice `slice` has to be stored in
/// the array in which BatchSliceSubtreeSums::addInPlace() sums the values of
/// all slices of a batch. The sum is a binary tree: slices 0 to `slice` - 1
/// form one complete subtree for each bit set in `slice`, and the elements
/// before the returned index hold the sums of these subtrees.
constexpr uint32_t placeOfSlice(uint64_t slice) {
  return static_cast<uint32_t>(std::popcount(slice));
}
/// Returns how many elements the array of BatchSliceSubtreeSums::addInPlace()
/// must have, if a batch has `slices` slices.
constexpr uint32_t numPlacesOfSlices(uint64_t slices) {
  return static_cast<uint32_t>(std::bit_width(slices));
}

} // namespace ingot

#endif /* __cplusplus */

#endif /* INGOT_RUNTIME_ABI_EXCHANGEKINDS_H */
