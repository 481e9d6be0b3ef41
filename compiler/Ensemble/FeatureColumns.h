//===- FeatureColumns.h - Features of networks from columns -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H
#define INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H

#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// A column of the data files.
struct RawColumn {
  std::string name;
  graph::DType dtype;
  graph::Shape shape;               // of an example's
  std::optional<double> whereEmpty; // of numbers
};

/// The columns that names and patterns ("pixel_*") select, in the order of
/// `known`; a name that `known` lacks, or a pattern without a match, is an
/// error. Without `known` names stand for themselves.
std::optional<std::vector<std::string>>
expandColumns(const std::vector<std::string> &patterns,
              const std::vector<std::string> &known, std::string &error);

class FeatureColumns {
public:
  /// `known`: the names of all columns, if the files have them. An error if a
  /// feature selects an unknown column, or two features use one column with
  /// different types.
  static std::optional<FeatureColumns>
  create(const proto::AdaNetSearch &search,
         const std::vector<std::string> &known, std::string &error);

  /// The columns to read.
  const std::vector<RawColumn> &columns() const { return raw; }
  /// For batches of columns: concatenates the columns of a numeric feature
  /// under its name; numbers that are not finite are rejected. As part of the
  /// pipeline, prefetching does this, too.
  graph::Dataset pack(const graph::Dataset &batches) const;
  adanet::Features build(graph::Graph &graph,
                         const adanet::Columns &columns) const;

private:
  struct Entry {
    proto::SearchFeature feature;
    std::vector<std::string> columns;
  };
  graph::Element packed(const graph::Element &batch) const;
  bool isPacked(const Entry &entry) const;
  bool addColumns(const Entry &entry, std::string &error);
  graph::Tensor categories(graph::Graph &graph, const Entry &entry,
                           const adanet::Columns &columns) const;
  graph::Tensor keyOf(graph::Graph &graph, const Entry &entry,
                      const adanet::Columns &columns) const;
  const Entry *find(const std::string &name) const;

  std::vector<Entry> entries;
  std::vector<RawColumn> raw;
};

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H
