//===- FeatureColumns.h - What networks see of files' columns ---*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H
#define INGOT_COMPILER_ENSEMBLE_FEATURECOLUMNS_H

#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// A column as files have it.
struct RawColumn {
  std::string name;
  graph::DType dtype;
  graph::Shape shape;               // of an example's
  std::optional<double> whereEmpty; // of numbers
};

/// The columns that names and patterns ("pixel_*") ask for, in the order of
/// `known`; a name that `known` lacks, or a pattern that nothing fits, is an
/// error. Without `known` names stand for themselves.
std::optional<std::vector<std::string>>
expandColumns(const std::vector<std::string> &patterns,
              const std::vector<std::string> &known, std::string &error);

class FeatureColumns {
public:
  /// `known`: the names of all columns, where files say them. An error where a
  /// feature asks for what is not there, or two for one column as different
  /// types.
  static std::optional<FeatureColumns>
  create(const proto::AdaNetSearch &search,
         const std::vector<std::string> &known, std::string &error);

  /// What has to be read.
  const std::vector<RawColumn> &columns() const { return raw; }
  /// Of batches of columns: the numbers of a feature of several columns side by
  /// side, under its name, in place of them; numbers that are not finite are
  /// refused. So whoever reads ahead does it.
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
