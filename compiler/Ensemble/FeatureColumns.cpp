//===- FeatureColumns.cpp - Computes features from input columns ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes the features of an AdaNet search, as its search file defines them,
// from columns of the input. The results are those of tf.feature_column.
//
//===----------------------------------------------------------------------===//

#include "compiler/Ensemble/FeatureColumns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::optional<std::vector<std::string>>
expandColumns(const std::vector<std::string> &patterns,
              const std::vector<std::string> &known, std::string &error) {
  std::vector<std::string> found;
  for (const std::string &pattern : patterns) {
    if (known.empty() || is_contained(known, pattern)) {
      found.push_back(pattern);
      continue;
    }
    Expected<GlobPattern> glob = GlobPattern::create(pattern);
    if (!glob) {
      error = "'" + pattern + "': " + toString(glob.takeError());
      return std::nullopt;
    }
    size_t before = found.size();
    copy_if(known, std::back_inserter(found),
            [&](const std::string &name) { return glob->match(name); });
    if (found.size() == before) {
      error = "the data has no column '" + pattern + "'; it has " +
              join(ArrayRef(known).take_front(20), ", ") +
              (known.size() > 20 ? ", ..." : "");
      return std::nullopt;
    }
  }
  return found;
}

static bool isText(const proto::SearchFeature &feature) {
  return feature.has_categorical() && !feature.categorical().has_identity();
}

std::optional<FeatureColumns>
FeatureColumns::create(const proto::AdaNetSearch &search,
                       const std::vector<std::string> &known,
                       std::string &error) {
  FeatureColumns columns;
  for (const proto::SearchFeature &feature : search.feature()) {
    std::vector<std::string> patterns(feature.column().begin(),
                                      feature.column().end());
    if (patterns.empty() && !feature.has_crossed())
      patterns.push_back(feature.name());
    auto names = expandColumns(patterns, known, error);
    if (!names)
      return std::nullopt;
    if (names->size() > 1 && !feature.has_numeric()) {
      error = "feature '" + feature.name() +
              "' is not numeric: expected one column, got " +
              std::to_string(names->size());
      return std::nullopt;
    }
    columns.entries.push_back({feature, std::move(*names)});
    if (!columns.addColumns(columns.entries.back(), error))
      return std::nullopt;
  }
  for (const FeatureWithColumns &entry : columns.entries)
    for (const std::string &name : entry.feature.crossed().feature()) {
      const FeatureWithColumns *crossed = columns.find(name);
      if (crossed && !crossed->feature.has_numeric() &&
          !crossed->feature.has_crossed())
        continue;
      error = "feature '" + entry.feature.name() + "' crosses '" + name +
              "', which is not a categorical or bucketized feature";
      return std::nullopt;
    }
  return columns;
}

bool FeatureColumns::addColumns(const FeatureWithColumns &entry,
                                std::string &error) {
  DataFileColumn column;
  column.dtype = isText(entry.feature)             ? DType::String
                 : entry.feature.has_categorical() ? DType::Int64
                                                   : DType::Float32;
  const proto::NumericFeature &numeric = entry.feature.numeric();
  column.shape.assign(numeric.shape().begin(), numeric.shape().end());
  if (numeric.has_default_value())
    column.whereEmpty = numeric.default_value();
  for (const std::string &name : entry.columns) {
    column.name = name;
    auto found =
        find_if(raw, [&](const DataFileColumn &it) { return it.name == name; });
    if (found == raw.end()) {
      raw.push_back(column);
    } else if (found->dtype != column.dtype || found->shape != column.shape) {
      auto text = [](const DataFileColumn &it) {
        std::string all = it.dtype == DType::String  ? "string ["
                          : it.dtype == DType::Int64 ? "int64 ["
                                                     : "float32 [";
        for (size_t i = 0; i < it.shape.size(); ++i)
          all += (i ? ", " : "") + std::to_string(it.shape[i]);
        return all + "]";
      };
      error = "column '" + name + "' is " + text(column) + " in feature '" +
              entry.feature.name() + "', but " + text(*found) +
              " in an earlier feature";
      return false;
    }
  }
  return true;
}

const FeatureColumns::FeatureWithColumns *
FeatureColumns::find(const std::string &name) const {
  auto found = find_if(entries, [&](const FeatureWithColumns &it) {
    return it.feature.name() == name;
  });
  return found == entries.end() ? nullptr : &*found;
}

/// Returns, for each value, the index of its bucket, which is the number of the
/// feature's boundaries that are less than or equal to the value.
static Tensor bucketize(Graph &graph, Tensor values,
                        const proto::BucketizedFeature &feature) {
  std::vector<float> boundaries(feature.boundary().begin(),
                                feature.boundary().end());
  Tensor limits = graph.constant(Array(boundaries));
  Tensor reached = greaterEqual(expandDims(values, 1), limits);
  return sum(cast(reached, DType::Int64), {1});
}

/// Returns, for each string in `texts`, its index in `vocabulary`. A string
/// that is not in the vocabulary becomes -1 or, if the vocabulary has hash
/// buckets for such strings, the index of a bucket after the vocabulary's
/// indices.
static Tensor lookUp(Graph &graph, Tensor texts,
                     const proto::VocabularyList &vocabulary) {
  std::vector<std::string> words(vocabulary.word().begin(),
                                 vocabulary.word().end());
  auto count = static_cast<int64_t>(words.size());
  Tensor list = graph.constant(Array(words, {count}));
  Tensor isWord = equal(expandDims(texts, 1), list);
  Tensor index = argMax(cast(isWord, DType::Int32), 1);
  Tensor other = scalarLike(index, -1);
  if (int64_t buckets = vocabulary.oov_buckets())
    other = graph.create("string_to_hash_bucket", {texts},
                         {{"method", "fast"}, {"num_buckets", buckets}}) +
            static_cast<double>(count);
  return select(any(isWord, {1}), index, other);
}

Tensor FeatureColumns::keyOf(Graph &graph, const FeatureWithColumns &entry,
                             const Columns &columns) const {
  // tf.feature_column crosses the original string of a hashed categorical
  // column, not the index of its hash bucket.
  bool isHashed =
      isText(entry.feature) && entry.feature.categorical().has_hash_buckets();
  return isHashed ? columns.at(entry.columns[0])
                  : categories(graph, entry, columns);
}

Tensor FeatureColumns::categories(Graph &graph, const FeatureWithColumns &entry,
                                  const Columns &columns) const {
  const proto::SearchFeature &feature = entry.feature;
  if (feature.has_crossed()) {
    std::vector<Tensor> keys;
    for (const std::string &name : feature.crossed().feature())
      keys.push_back(expandDims(keyOf(graph, *find(name), columns), 1));
    // Hash with key 0xDECAFCAFFE, the default of tf.feature_column, so that the
    // ids of crossed features are equal to TensorFlow's.
    std::vector<Tensor> crossed =
        graph.createAll("sparse_cross", keys,
                        {{"count", 0},
                         {"hashed", true},
                         {"num_buckets", feature.crossed().hash_buckets()},
                         {"hash_key", static_cast<int64_t>(0xDECAFCAFFE)}});
    return crossed.size() == 3 ? crossed[1] : Tensor();
  }
  Tensor values = columns.at(entry.columns[0]);
  if (feature.has_bucketized())
    return bucketize(graph, values, feature.bucketized());
  const proto::CategoricalFeature &kind = feature.categorical();
  if (kind.has_vocabulary())
    return lookUp(graph, values, kind.vocabulary());
  if (kind.has_identity())
    require(
        all(logicalAnd(greaterEqual(values, scalarLike(values, 0)),
                       less(values, scalarLike(values, static_cast<double>(
                                                           kind.identity()))))),
        "Numbers in column '" + entry.columns[0] + "' must be in [0, " +
            std::to_string(kind.identity()) + "):",
        {values});
  if (kind.has_hash_buckets())
    return graph.create(
        "string_to_hash_bucket", {values},
        {{"method", "fast"}, {"num_buckets", kind.hash_buckets()}});
  return values;
}

/// Returns the number of categories of a categorical, bucketized or crossed
/// feature, which is the depth of its one-hot encoding.
static int64_t depthOf(const proto::SearchFeature &feature) {
  if (feature.has_crossed())
    return feature.crossed().hash_buckets();
  if (feature.has_bucketized())
    return feature.bucketized().boundary_size() + 1;
  const proto::CategoricalFeature &kind = feature.categorical();
  if (kind.has_vocabulary())
    return kind.vocabulary().word_size() + kind.vocabulary().oov_buckets();
  return kind.has_hash_buckets() ? kind.hash_buckets() : kind.identity();
}

/// Concatenates the columns `names` of a numeric feature along the last
/// dimension. Returns a tensor of shape [batch, n].
static Tensor sideBySide(const std::vector<std::string> &names,
                         const proto::NumericFeature &feature,
                         const Columns &columns) {
  std::vector<Tensor> scalars, parts;
  for (const std::string &name : names) {
    Tensor values = columns.at(name);
    int64_t size = 1;
    for (int64_t dim : feature.shape())
      size *= dim;
    if (feature.shape_size())
      parts.push_back(reshape(values, {unknown, size}));
    else
      scalars.push_back(values);
  }
  if (!scalars.empty())
    parts.push_back(stack(scalars, 1));
  return parts.size() == 1 ? parts[0] : concat(parts, 1);
}

static Tensor normalize(Tensor values, const proto::NumericFeature &feature) {
  if (feature.has_offset())
    values = values - feature.offset();
  return feature.has_scale() ? values * feature.scale() : values;
}

bool FeatureColumns::isPacked(const FeatureWithColumns &entry) const {
  return entry.columns.size() > 1 && entry.feature.has_numeric() &&
         none_of(raw, [&](const DataFileColumn &column) {
           return column.name == entry.feature.name();
         });
}

Element FeatureColumns::packed(const Element &batch) const {
  Columns columns;
  for (size_t i = 0; i < batch.names().size(); ++i)
    columns[batch.names()[i]] = batch.tensors()[i];
  Element packed;
  std::vector<std::string> gone;
  for (const FeatureWithColumns &entry : entries) {
    if (!entry.feature.has_numeric())
      continue;
    Tensor values = sideBySide(entry.columns, entry.feature.numeric(), columns);
    // Rejects NaN and infinity in numeric features at run time (AN-189,
    // AN-191).
    require(all(isFinite(values)),
            "Numbers of feature '" + entry.feature.name() + "' must be finite:",
            {values});
    if (!isPacked(entry))
      continue;
    packed.set(entry.feature.name(), values);
    gone.insert(gone.end(), entry.columns.begin(), entry.columns.end());
  }
  for (const FeatureWithColumns &entry : entries)
    if (!isPacked(entry))
      llvm::erase_if(gone, [&](const std::string &name) {
        return is_contained(entry.columns, name);
      });
  for (size_t i = 0; i < batch.names().size(); ++i)
    if (!is_contained(gone, batch.names()[i]))
      packed.set(batch.names()[i], batch.tensors()[i]);
  return packed;
}

Dataset FeatureColumns::pack(const Dataset &batches) const {
  if (none_of(entries, [](const FeatureWithColumns &it) {
        return it.feature.has_numeric();
      }))
    return batches;
  return batches.map(
      [self = *this](const Element &batch) { return self.packed(batch); });
}

Features FeatureColumns::build(Graph &graph, const Columns &columns) const {
  Features features;
  for (const FeatureWithColumns &entry : entries) {
    Feature feature;
    if (entry.feature.has_numeric()) {
      const proto::NumericFeature &numeric = entry.feature.numeric();
      auto packed = columns.find(entry.feature.name());
      feature.values =
          normalize(isPacked(entry) && packed != columns.end()
                        ? packed->second
                        : sideBySide(entry.columns, numeric, columns),
                    numeric);
    } else {
      feature.values = categories(graph, entry, columns);
      feature.depth = depthOf(entry.feature);
      feature.embedding = entry.feature.embedding();
    }
    features[entry.feature.name()] = feature;
  }
  return features;
}

} // namespace ingot::ensemble
