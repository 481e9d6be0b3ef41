//===- UnsupportedOps.cpp - Remedies for unsupported ops ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ImportErrors.h"
#include "compiler/Import/Ops/OpTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

namespace {
/// A reason why ops are not supported, which may say what to use instead, and
/// the ops for which it holds.
struct UnsupportedOpHint {
  StringRef text;
  std::initializer_list<StringRef> ops;
};
} // namespace

// Reasons why the importer does not support ops that occur in users' graphs. If
// a listed op is also in the op table, it is supported and its reason is not
// used.
static const UnsupportedOpHint hints[] = {
    {"runs Python on the host, which a compiled program cannot; use TensorFlow "
     "ops, or feed the value",
     {"PyFunc", "PyFuncStateless", "EagerPyFunc", "NumpyFunction"}},
    {"takes a gradient at run time; export the graph after tf.gradients",
     {"SymbolicGradient"}},
    {"belongs to the TPU compiler; export the graph before the TPU rewrite",
     {"TPUReplicate", "TPUReplicateMetadata", "TPUReplicatedInput",
      "TPUReplicatedOutput", "TPUCompilationResult", "TPUPartitionedCall",
      "TPUCompile", "TPUExecute", "ConfigureDistributedTPU"}},
    {"belongs to XLA; export the graph without jit_compile",
     {"XlaLaunch", "XlaHostCompute", "_XlaCompile", "_XlaRun"}},
    {"communicates between devices; a program runs on one device",
     {"CollectiveReduce", "CollectiveReduceV2", "CollectiveGather",
      "CollectiveBcastSend", "CollectiveBcastRecv", "NcclAllReduce",
      "NcclReduce", "RemoteCall", "_Send", "_Recv", "_HostSend", "_HostRecv"}},
    {"unsupported distribution; uniform, normal, truncated normal, "
     "multinomial, and with a state gamma and Poisson are supported",
     {"ParameterizedTruncatedNormal", "StatelessParameterizedTruncatedNormal",
      "StatelessRandomGammaV2", "StatelessRandomGammaV3",
      "StatelessRandomPoisson", "StatelessRandomBinomial",
      "StatefulRandomBinomial"}},
    {"only initializable (make_initializable_iterator) and one-shot iterators "
     "are supported",
     {"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3"}},
    {"datasets of sparse tensors are not supported; convert dense elements in "
     "a map",
     {"SparseTensorSliceDataset", "DenseToSparseBatchDataset"}},
    {"runs Python on the host, which a compiled program cannot; read records "
     "from files",
     {"GeneratorDataset"}},
    {"the tf.data service is not supported; a program reads its data itself",
     {"DataServiceDataset", "DataServiceDatasetV2", "DataServiceDatasetV3",
      "DataServiceDatasetV4"}},
    {"not run; feed the tensors taken from it, or use a tf.data pipeline",
     {"ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2", "LMDBReader",
      "Barrier", "MapStage", "OrderedMapStage"}},
    {"checkpoints are written by the program's saver, not by an entry",
     {"ShardedFilename", "MergeV2Checkpoints"}},
    {"not a supported kind of table; use "
     "tf.lookup.experimental.MutableHashTable "
     "or, where the contents never change, tf.lookup.StaticHashTable",
     {"MutableDenseHashTable", "MutableDenseHashTableV2",
      "AnonymousMutableDenseHashTable", "AnonymousHashTable",
      "AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors"}},
    {"quantized tensors are not supported",
     {"QuantizeV2", "Dequantize", "QuantizedMatMul", "QuantizedConv2D"}},
    {"unsupported decomposition; Cholesky, Qr, Lu, Eig, SelfAdjointEigV2, Svd, "
     "MatrixSolve, MatrixTriangularSolve, inverses and determinants are "
     "supported",
     {"CholeskyGrad"}},
    {"images are resized by ResizeBicubic, ResizeBilinear and "
     "ResizeNearestNeighbor only",
     {"ResizeArea", "ScaleAndTranslate", "ScaleAndTranslateGrad",
      "QuantizedResizeBilinear"}},
    {"cuDNN ops are not portable; build the layer from TensorFlow ops",
     {"CudnnRNN", "CudnnRNNV2", "CudnnRNNV3", "CudnnRNNBackprop",
      "CudnnRNNBackpropV2", "CudnnRNNBackpropV3", "CudnnRNNParamsSize",
      "CudnnRNNCanonicalToParams"}},
    {"audio is not supported; record it as a tensor",
     {"AudioSummary", "AudioSummaryV2", "WriteAudioSummary", "EncodeWav",
      "DecodeWav"}},
};

// Ops for which the message is only "not supported yet", because support is
// planned.
static const std::initializer_list<StringRef> later = {"CTCBeamSearchDecoder"};

void forEachRefused(function_ref<void(StringRef op, StringRef why)> visit) {
  for (const UnsupportedOpHint &hint : hints)
    for (StringRef op : hint.ops)
      if (!findOp(op))
        visit(op, hint.text);
}

std::string hintFor(StringRef op) {
  for (const UnsupportedOpHint &hint : hints)
    if (is_contained(hint.ops, op))
      return hint.text.str();

  if (is_contained(later, op))
    return "not supported yet";
  if (op.starts_with("Xla"))
    return "belongs to XLA; export the graph without jit_compile";
  if (op.contains("TPU"))
    return "belongs to the TPU compiler; export the graph before the TPU "
           "rewrite";

  // The unknown op may be another version of a supported op, so find the
  // supported op with the most similar name. Of several names at the same edit
  // distance, take the first in alphabetical order, so that messages are
  // deterministic.
  StringRef closest;
  unsigned best = 3;
  for (const auto &row : getOpTable()) {
    unsigned distance = op.edit_distance(row.getKey(), true, best);
    if (distance < best ||
        (distance == best && !closest.empty() && row.getKey() < closest)) {
      closest = row.getKey();
      best = distance;
    }
  }
  if (closest.empty() || op.size() < 4)
    return "unknown op";
  return "unknown op; " + closest.str() + " is supported";
}

} // namespace ingot::importer
