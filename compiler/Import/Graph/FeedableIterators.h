//===- FeedableIterators.h - Iterators whose handles are fed ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// tf.data.Iterator.from_string_handle creates an iterator that stands for the
// iterator whose string handle is fed. In a compiled program, no handle is fed:
// the iterator is chosen at compile time.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_FEEDABLEITERATORS_H
#define INGOT_COMPILER_IMPORT_GRAPH_FEEDABLEITERATORS_H

#include "compiler/Import/ImportErrors.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The name of an attribute that connectFeedableIterators() adds to an
/// IteratorFromStringHandle node if it cannot connect the node to an iterator.
/// The attribute's value is the reason, which an error message states if an
/// entry needs the node.
inline constexpr llvm::StringLiteral feedableIteratorAttrName =
    "_ingot_feedable";

/// Returns whether the graph has an IteratorFromStringHandle node.
bool hasFeedableIterators(const proto::MetaGraphDef &graph);

/// Replaces each IteratorFromStringHandle node by an Identity of the iterator
/// from which it draws. This is the first of the following that exists:
///
/// - the iterator that `choices` names for the node to which the handle is fed,
///   as "handle=iterator"
/// - the iterator whose handle the graph computes as the node's input, or as
///   the default of that input
/// - the only iterator whose elements have the node's types and whose handle
///   the graph computes somewhere
/// - the only iterator with these types, if the graph computes none of their
///   handles
///
/// Otherwise the node stays, and gets attribute `feedableIteratorAttrName`.
void connectFeedableIterators(proto::MetaGraphDef &graph,
                              llvm::ArrayRef<std::string> choices,
                              ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_FEEDABLEITERATORS_H
