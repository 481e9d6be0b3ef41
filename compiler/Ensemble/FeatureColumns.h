//===- FeatureColumns.h - Computes features from columns --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H
#define INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H

#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// A column of the data files that a feature or the head reads.
struct DataFileColumn {
  std::string name;
  graph::DType dtype;
  graph::Shape shape;               // the shape of one example's value
  std::optional<double> whereEmpty; // value of an empty CSV field
};

/// Returns the columns that match any of `patterns`, which are names or globs
/// ("pixel_*"), in the order of `known`. If `known` is empty, returns the
/// patterns as they are. If a name is not in `known` or a pattern matches no
/// column, sets `error` and returns std::nullopt.
std::optional<std::vector<std::string>>
expandColumns(const std::vector<std::string> &patterns,
              const std::vector<std::string> &known, std::string &error);

/// The features that an AdaNet search file defines, and the columns of the data
/// that each of them reads.
class FeatureColumns {
public:
  /// Collects the columns that the features of `search` read. `known` has the
  /// names of all columns, and is empty if the data files have none. If a
  /// feature selects an unknown column, or two features read a column with
  /// different types, sets `error` and returns std::nullopt.
  static std::optional<FeatureColumns>
  create(const proto::AdaNetSearch &search,
         const std::vector<std::string> &known, std::string &error);

  /// Returns the columns of the data that the features read, so that an input
  /// pipeline can read them.
  const std::vector<DataFileColumn> &columns() const { return raw; }
  /// Adds a map to `batches`, an input pipeline. The map concatenates the
  /// columns of each numeric feature into one column with the feature's name,
  /// and rejects numbers that are not finite. As batches are prefetched, this
  /// work overlaps with the training step.
  graph::Dataset pack(const graph::Dataset &batches) const;
  adanet::Features build(graph::Graph &graph,
                         const adanet::Columns &columns) const;

private:
  /// A feature, and the names of the columns that it reads.
  struct FeatureWithColumns {
    proto::SearchFeature feature;
    std::vector<std::string> columns;
  };
  graph::Element packed(const graph::Element &batch) const;
  bool isPacked(const FeatureWithColumns &entry) const;
  bool addColumns(const FeatureWithColumns &entry, std::string &error);
  graph::Tensor categories(graph::Graph &graph, const FeatureWithColumns &entry,
                           const adanet::Columns &columns) const;
  graph::Tensor keyOf(graph::Graph &graph, const FeatureWithColumns &entry,
                      const adanet::Columns &columns) const;
  const FeatureWithColumns *find(const std::string &name) const;

  std::vector<FeatureWithColumns> entries;
  std::vector<DataFileColumn> raw;
};

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H
