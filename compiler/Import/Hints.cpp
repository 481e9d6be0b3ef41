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

// What is known of ops that users have and the importer does not take. An op
// that the table has is supported, whatever stands here.
static const Hint hints[] = {
    {"runs Python on the host, which a compiled program does not have; TF ops "
     "in its place, or a value that is fed, are compiled",
     {"PyFunc", "PyFuncStateless", "EagerPyFunc", "NumpyFunction"}},
    {"the gradient of a function is not taken while the program runs; graphs "
     "that TensorFlow exported after taking it are supported",
     {"SymbolicGradient"}},
    {"belongs to TensorFlow's compiler for TPUs; export the graph before it is "
     "rewritten for TPUs",
     {"TPUReplicate", "TPUReplicateMetadata", "TPUReplicatedInput",
      "TPUReplicatedOutput", "TPUCompilationResult", "TPUPartitionedCall",
      "TPUCompile", "TPUExecute", "ConfigureDistributedTPU"}},
    {"belongs to XLA; export the graph without jit_compile",
     {"XlaLaunch", "XlaHostCompute", "_XlaCompile", "_XlaRun"}},
    {"runs on another machine or on all of several devices; a program runs on "
     "one",
     {"CollectiveReduce", "CollectiveReduceV2", "CollectiveGather",
      "CollectiveBcastSend", "CollectiveBcastRecv", "NcclAllReduce",
      "NcclReduce", "RemoteCall", "_Send", "_Recv", "_HostSend", "_HostRecv"}},
    {"of random distributions the uniform, normal, truncated normal and "
     "multinomial ones are supported",
     {"ParameterizedTruncatedNormal", "StatelessParameterizedTruncatedNormal",
      "RandomGamma", "RandomPoisson", "RandomPoissonV2",
      "StatelessRandomGammaV2", "StatelessRandomGammaV3",
      "StatelessRandomPoisson", "StatelessRandomBinomial",
      "StatefulRandomBinomial"}},
    {"only initializable (make_initializable_iterator) and one-shot iterators "
     "are supported",
     {"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3",
      "IteratorFromStringHandle", "IteratorFromStringHandleV2"}},
    {"sparse tensors are no elements of a dataset; dense ones are, and a map "
     "may "
     "make sparse ones of them",
     {"SparseTensorSliceDataset", "DenseToSparseBatchDataset"}},
    {"runs Python on the host, which a compiled program does not have; records "
     "in files are read instead",
     {"GeneratorDataset"}},
    {"is served by other processes; a program reads its data itself",
     {"DataServiceDataset", "DataServiceDatasetV2", "DataServiceDatasetV3",
      "DataServiceDatasetV4"}},
    {"queue runners are not supported; a tf.data pipeline is",
     {"FIFOQueueV2",
      "RandomShuffleQueueV2",
      "PaddingFIFOQueueV2",
      "FIFOQueue",
      "RandomShuffleQueue",
      "QueueDequeueV2",
      "QueueDequeueManyV2",
      "QueueDequeueUpToV2",
      "QueueEnqueueV2",
      "QueueEnqueueManyV2",
      "QueueCloseV2",
      "QueueSizeV2",
      "ReaderReadV2",
      "ReaderReadUpToV2",
      "TFRecordReaderV2",
      "TextLineReaderV2",
      "WholeFileReaderV2",
      "Barrier",
      "Stage",
      "Unstage"}},
    {"a saver that writes V1 is compiled with ingotc --upgrade-savers; its "
     "trainer writes V2, or V1 with --write-version v1",
     {"SaveSlices", "Save"}},
    {"a checkpoint in parts is written by the program's own saver, not by an "
     "entry",
     {"ShardedFilename", "MergeV2Checkpoints"}},
    {"complex numbers are not supported",
     {"Complex", "ComplexAbs", "Real", "Imag", "Conj", "Angle", "FFT", "FFT2D",
      "FFT3D", "IFFT", "IFFT2D", "IFFT3D", "RFFT", "RFFT2D", "RFFT3D", "IRFFT",
      "IRFFT2D", "IRFFT3D"}},
    {"quantized numbers are not supported",
     {"QuantizeV2", "Dequantize", "QuantizedMatMul", "QuantizedConv2D"}},
    {"of decompositions of matrices Cholesky's and Qr's are supported, and "
     "triangular solves, solutions, inverses and determinants",
     {"CholeskyGrad", "SelfAdjointEigV2", "Svd", "Lu"}},
    {"of image files JPEG, PNG and BMP are decoded, and none is written",
     {"DecodeGif", "EncodeJpeg", "EncodePng"}},
    {"images are resized by ResizeBicubic, ResizeBilinear and "
     "ResizeNearestNeighbor only",
     {"ResizeArea", "ScaleAndTranslate", "ScaleAndTranslateGrad",
      "CropAndResize", "QuantizedResizeBilinear"}},
    {"kernels of cuDNN have no meaning elsewhere; the same layer built of "
     "TensorFlow's ops compiles",
     {"CudnnRNN", "CudnnRNNV2", "CudnnRNNV3", "CudnnRNNBackprop",
      "CudnnRNNBackpropV2", "CudnnRNNBackpropV3", "CudnnRNNParamsSize",
      "CudnnRNNCanonicalToParams"}},
    {"sound is not encoded; record it as a tensor",
     {"AudioSummary", "AudioSummaryV2", "WriteAudioSummary", "EncodeWav",
      "DecodeWav"}},
};

// Ops that are to be supported.
static const std::initializer_list<StringRef> later = {"CTCBeamSearchDecoder"};

void forEachRefused(function_ref<void(StringRef op, StringRef why)> visit) {
  for (const Hint &hint : hints)
    for (StringRef op : hint.ops)
      if (!findOp(op))
        visit(op, hint.text);
}

std::string hintFor(StringRef op) {
  for (const Hint &hint : hints)
    if (is_contained(hint.ops, op))
      return hint.text.str();

  if (is_contained(later, op))
    return "not supported yet";
  if (op.starts_with("Xla"))
    return "belongs to XLA; export the graph without jit_compile";
  if (op.contains("TPU"))
    return "belongs to TensorFlow's compiler for TPUs; export the graph before "
           "it is rewritten for TPUs";

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
