//===- ParseExample.h - tf.train.Example to dense tensors -------*- C++ -*-===//
//
// Reads the wire form of Example directly into the outputs of a parse op.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H
#define INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Status.h"

namespace ingot {

/// Parses `count` serialized Examples into `spec.num_dense` outputs, output i
/// dense [count, spec.dense[i].dims...] of dtype float, int64 or string.
/// String outputs point into `serialized` or into a default, and live as long
/// as those do. A feature that is missing and has no default, or has another
/// type or number of values than `spec` asks for, is InvalidArgument, as are
/// bytes that are no Example; the message names node, example, key, what was
/// expected and what was found.
Status parseExamples(const ingot_parse_spec &spec,
                     const ingot_string *serialized, int64_t count,
                     void *const *outputs);

} // namespace ingot

#endif // INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H
