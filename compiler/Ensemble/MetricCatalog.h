//===- MetricCatalog.h - Metrics of search files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The metrics that an AdaNet search file can request by name. They have the
// same values as the classes of tf.keras.metrics. Only MEAN_PER_CLASS_ACCURACY
// and PERCENTAGE_BELOW equal functions of tf.metrics instead.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_ENSEMBLE_METRICCATALOG_H
#define INGOT_COMPILER_ENSEMBLE_METRICCATALOG_H

#include "compiler/Ensemble/ProtoMessageWithSourceLocations.h"
#include "ingot/adanet.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Reports the errors in `metrics`, the field `metric` of the search file's
/// message `search`. `head` is the search's head.
void checkMetrics(
    const ProtoMessageWithSourceLocations &search,
    const google::protobuf::RepeatedPtrField<proto::SearchMetric> &metrics,
    const proto::SearchHead &head);

/// Returns a function that computes `metrics`, which must have passed
/// checkMetrics(). Returns null if the list is empty.
adanet::MetricFunction makeMetrics(
    const google::protobuf::RepeatedPtrField<proto::SearchMetric> &metrics);

/// Returns the name of `metric` in evaluations, without the suffixes for its
/// head and its threshold.
std::string nameOf(const proto::SearchMetric &metric);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_METRICCATALOG_H
