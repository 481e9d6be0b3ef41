//===- FeedableIterators.h - Iterators whose handles are fed ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// tf.data.Iterator.from_string_handle makes an iterator that stands for another
// one: the one whose string handle is fed. A program has a fixed iterator
// instead.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_FEEDABLEITERATORS_H
#define INGOT_COMPILER_IMPORT_GRAPH_FEEDABLEITERATORS_H

#include "compiler/Import/ImportProblems.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// An attribute that connectFeedableIterators() adds to an
/// IteratorFromStringHandle node that it cannot connect: a string that says
/// why.
inline constexpr llvm::StringLiteral feedableIteratorAttrName =
    "_ingot_feedable";

/// Returns whether the graph has an IteratorFromStringHandle node.
bool hasFeedableIterators(const proto::MetaGraphDef &graph);

/// Replaces each IteratorFromStringHandle node by an Identity of an iterator:
/// the one whose handle the node reads, or, if the handle is fed, the one that
/// `choices` names for the fed node ("handle=iterator"). Without a choice it is
/// the only iterator whose elements have the node's types and whose handle the
/// graph computes, or the only one with these types if the graph computes none
/// of their handles. If there are several, the node stays, with
/// `feedableIteratorAttrName`.
void connectFeedableIterators(proto::MetaGraphDef &graph,
                              llvm::ArrayRef<std::string> choices,
                              ImportProblems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_FEEDABLEITERATORS_H
