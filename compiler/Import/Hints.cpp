//===- Hints.cpp - Why an op is not supported, and what works instead -----===//

#include "compiler/Import/OpTable.h"
#include "compiler/Import/Problems.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

namespace {
struct Hint {
  StringRef text;
  std::initializer_list<StringRef> ops;
};
} // namespace

// What is known of ops that users have and the importer does not take.
static const Hint hints[] = {
    {"runs Python on the host, which a compiled program does not have",
     {"PyFunc", "PyFuncStateless", "EagerPyFunc", "NumpyFunction"}},
    {"variables by reference are not supported yet; variables made with "
     "use_resource=True are",
     {"Variable", "VariableV2", "TemporaryVariable", "Assign", "AssignAdd",
      "AssignSub", "IsVariableInitialized", "ApplyAdam", "ApplyAdagrad",
      "ApplyGradientDescent", "ApplyMomentum", "ApplyRMSProp", "ScatterAdd",
      "ScatterSub", "ScatterUpdate"}},
    {"TF1's control flow is not supported yet",
     {"Enter", "Exit", "Merge", "Switch", "NextIteration", "LoopCond",
      "RefEnter", "RefExit", "RefMerge", "RefSwitch", "RefNextIteration"}},
    {"control flow is not supported yet",
     {"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase",
      "For"}},
    {"the gradient of a function is not taken while the program runs; graphs "
     "that TensorFlow exported after taking it are supported",
     {"SymbolicGradient"}},
    {"only initializable iterators (IteratorV2) are supported yet",
     {"OneShotIterator", "AnonymousIterator", "AnonymousIteratorV2",
      "IteratorFromStringHandle", "IteratorFromStringHandleV2"}},
    {"asked by anything but report_uninitialized_variables: not supported yet",
     {"VarIsInitializedOp"}},
    {"queue runners are not supported; a tf.data pipeline is",
     {"FIFOQueueV2", "RandomShuffleQueueV2", "PaddingFIFOQueueV2",
      "QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2",
      "QueueEnqueueV2", "QueueEnqueueManyV2", "ReaderReadV2",
      "TFRecordReaderV2"}},
    {"lookup tables are not supported yet",
     {"HashTableV2", "MutableHashTableV2", "LookupTableFindV2",
      "LookupTableImportV2", "InitializeTableV2",
      "InitializeTableFromTextFileV2"}},
    {"only the V2 format of checkpoints is written",
     {"SaveSlices", "Save", "RestoreSlice", "Restore"}},
    {"of random distributions the uniform, normal, truncated normal and "
     "multinomial ones are supported",
     {"ParameterizedTruncatedNormal", "StatelessParameterizedTruncatedNormal",
      "RandomGamma", "RandomPoisson", "RandomPoissonV2",
      "StatelessRandomGammaV2", "StatelessRandomGammaV3",
      "StatelessRandomPoisson", "StatelessRandomBinomial",
      "StatefulRandomBinomial"}},
    {"only scalar summaries are supported yet",
     {"HistogramSummary", "ImageSummary", "AudioSummaryV2", "TensorSummaryV2",
      "WriteSummary", "WriteScalarSummary", "SummaryWriter",
      "CreateSummaryFileWriter", "FlushSummaryWriter"}},
    {"not supported yet",
     {"All",
      "Any",
      "ArgMin",
      "AsString",
      "Assert",
      "AvgPool",
      "AvgPoolGrad",
      "BatchMatMulV2",
      "BroadcastArgs",
      "BroadcastGradientArgs",
      "BroadcastTo",
      "Ceil",
      "CheckNumerics",
      "ClipByValue",
      "ConcatV2",
      "Conv2D",
      "Conv2DBackpropFilter",
      "Conv2DBackpropInput",
      "DecodeCSV",
      "DecodeRaw",
      "DepthwiseConv2dNative",
      "DynamicPartition",
      "DynamicStitch",
      "Einsum",
      "Elu",
      "EluGrad",
      "EnsureShape",
      "Erf",
      "FilterDataset",
      "Floor",
      "FloorDiv",
      "FloorMod",
      "FusedBatchNormGradV3",
      "FusedBatchNormV3",
      "GatherNd",
      "GatherV2",
      "IsFinite",
      "IsInf",
      "IsNan",
      "L2Loss",
      "LeakyRelu",
      "LeakyReluGrad",
      "Log1p",
      "LogSoftmax",
      "MatrixDiagPartV3",
      "MatrixDiagV3",
      "MaxPool",
      "MaxPoolGrad",
      "OneHot",
      "OnesLike",
      "Pack",
      "PaddedBatchDatasetV2",
      "Pad",
      "PadV2",
      "ParallelDynamicStitch",
      "ParallelInterleaveDatasetV4",
      "ParseExample",
      "ParseSingleExample",
      "Placeholder",
      "Pow",
      "Print",
      "PrintV2",
      "Rank",
      "Relu6",
      "Relu6Grad",
      "ResourceApplyAdagrad",
      "ResourceApplyAdagradV2",
      "ResourceApplyFtrlV2",
      "ResourceApplyRMSProp",
      "ResourceGather",
      "ResourceScatterAdd",
      "ResourceSparseApplyAdagrad",
      "Reciprocal",
      "Rsqrt",
      "RsqrtGrad",
      "Selu",
      "ShapeN",
      "ShuffleAndRepeatDatasetV2",
      "ShuffleDatasetV3",
      "Sigmoid",
      "SigmoidGrad",
      "Size",
      "Slice",
      "Softmax",
      "SoftmaxCrossEntropyWithLogits",
      "Softplus",
      "SparseTensorDenseMatMul",
      "Split",
      "SplitV",
      "SqrtGrad",
      "StaticRegexFullMatch",
      "StridedSlice",
      "StridedSliceGrad",
      "StringJoin",
      "TanhGrad",
      "TextLineDataset",
      "TopKV2",
      "TruncateDiv",
      "Unique",
      "Unpack",
      "UnsortedSegmentSum",
      "Where",
      "ZipDataset",
      "ConcatenateDataset",
      "WindowDataset",
      "InterleaveDataset",
      "CacheDataset",
      "CacheDatasetV2",
      "ShardDataset"}},
};

std::string hintFor(StringRef op) {
  for (const Hint &hint : hints)
    if (is_contained(hint.ops, op))
      return hint.text.str();

  // Names that differ only a little may be another version of an op that
  // works. Of equally close ones the first by name, so that runs agree.
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
    return "not an op that Ingot knows";
  return "not an op that Ingot knows; " + closest.str() + " is supported";
}

} // namespace ingot::importer
