//===- Compile.cpp - Compiles one graph to one artifact -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Compile.h"

#include "codegen/ABI/Descriptor.h"
#include "codegen/Statistics/PhaseTime.h"
#include "compiler/Driver/ArtifactCache.h"
#include "compiler/Driver/ChooseBatchSlices.h"
#include "compiler/Driver/GenerateCode.h"
#include "compiler/Driver/LibraryCHeader.h"
#include "compiler/Driver/Link.h"
#include "compiler/Driver/LinkLibrary.h"
#include "compiler/Driver/OpDefaults.h"
#include "compiler/Driver/ScopedDiagnosticPrinter.h"
#include "compiler/Driver/Stages.h"
#include "compiler/Driver/StepMemory.h"
#include "compiler/Graph/AddTrainingStep.h"
#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Graph/ImportScope.h"
#include "compiler/Import/RejectedNodeCollector.h"
#include "compiler/StableHLO/StableHLO.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/SymbolNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <future>

using namespace mlir;

namespace ingot::driver {

namespace {

enum ExitCode { Done = 0, Failed = 1, Usage = 2, Uncompilable = 3 };

/// One run of the compiler: holds the program between the stages, and maps
/// failures to exit codes.
class CompilerRun {
public:
  explicit CompilerRun(CompileOptions &options)
      : options(options), context(MLIRContext::Threading::DISABLED),
        diagnostics(context, options.input),
        log(options.dumpStages, options.progress), artifacts(options) {
    diagnostics.setRemarks(options.remarks);
    context.printOpOnDiagnostic(false);
    // Dialects are loaded beside the reading of the graph, which needs none.
    dialects =
        std::async(std::launch::async, [this] { registerStages(context); });
  }

  int run() {
    if (options.timing)
      Phase::enable();
    int code = compile();
    // Write the dumps of the stages that were reached even if compilation has
    // failed: they show what led to the failure.
    if (!log.finishDumps() && code == Done)
      code = Failed;
    if (options.timing)
      log.printTimes();
    return code;
  }

private:
  static int fail(llvm::Error error) {
    llvm::WithColor::error() << llvm::toString(std::move(error)) << '\n';
    return Failed;
  }

  int compile() {
    log.progress.begin("importing the graph");
    if (int code = read())
      return code;
    log.note("reading the graph");
    if (std::optional<std::string> messages = artifacts.reuse()) {
      diagnostics.printAgain(*messages);
      log.note("trainer taken from the cache");
      return Done;
    }
    if (int code = load())
      return code;
    if (int code = divideBatches())
      return code;
    if (options.check)
      return check();
    startEmbedding();
    log.note("import", *program);
    if (stopsAt(Stage::Import))
      return print(*program);
    log.progress.begin("optimizing the graph");
    if (int code = runGraph())
      return code;
    log.note("graph", *program);
    if (stopsAt(Stage::Graph))
      return print(*program);
    log.progress.begin("lowering the graph");
    if (int code = runLinalg())
      return code;
    log.note("linalg", *program);
    if (stopsAt(Stage::Linalg))
      return print(*program);
    return finish();
  }

  bool stopsAt(Stage stage) const {
    return options.emit == OutputKind::MLIR && options.stage == stage;
  }

  /// Reports the failure of a stage after CheckCompilable has accepted the
  /// program. Such a failure is always a bug of the compiler.
  int internalError(StringRef stage) {
    llvm::WithColor::error()
        << "the " << stage
        << " stage failed: this is a bug in Ingot, not in the graph\n";
    return Failed;
  }

  int parseProgram(StringRef text) {
    program = parseSourceString<ModuleOp>(text, &context, options.input);
    return program ? Done : Uncompilable;
  }

  /// Reads the input file into `file`, unless the program is given as text.
  /// Returns the exit code.
  int read() {
    auto loadDialects = llvm::make_scope_exit([&] { dialects.get(); });
    if (!options.program.empty())
      return Done;
    FailureOr<importer::GraphFile> found = importer::readGraph(
        options.input,
        [](const llvm::Twine &message) {
          llvm::WithColor::error() << message << '\n';
        },
        options.tagSet);
    if (failed(found))
      return Failed;
    file = std::move(*found);
    loadDialects.release();
    dialects.get();
    if (int code = readStableHLO())
      return code;
    info.sourceHash = file->hash;
    artifacts.setGraph(*file);
    return Done;
  }

  /// Turns a training step in StableHLO into a graph. Returns the exit code.
  int readStableHLO() {
    bool isStep = file->kind == importer::GraphFile::MLIR &&
                  stablehlo::isModule(file->text);
    if (!isStep && options.roles.empty())
      return Done;
    if (!isStep) {
      llvm::WithColor::error()
          << options.input << ": --roles needs a step in StableHLO\n";
      return Usage;
    }
    importer::ImportErrors problems;
    if (succeeded(stablehlo::readStep(*file, options.input, options.roles,
                                      options.import, problems)))
      return Done;
    if (!options.check)
      problems.emit(NameLoc::get(StringAttr::get(&context, options.input)));
    problems.moveTo(report);
    int code = options.check ? printReport() : report.exitCode();
    return std::max(code, int(Failed));
  }

  /// Imports the graph, or parses the program text, into `program`. Returns the
  /// exit code.
  int load() {
    if (!file)
      return parseProgram(options.program);
    if (file->kind == importer::GraphFile::MLIR) {
      if (int code = parseProgram(file->text))
        return code;
    } else {
      if (file->kind == importer::GraphFile::GraphDef)
        importer::addConventions(file->graph);
      if (int code = importGraph())
        return code;
    }
    return options.loss.empty() ? int(Done) : addTraining();
  }

  int importGraph() {
    options.import.inputName = options.input;
    options.import.checkpoint = file->checkpoint;
    diagnostics.setQuiet(options.check);
    program = importer::importMetaGraph(file->graph, context, options.import,
                                        &report);
    diagnostics.setQuiet(false);
    if (!program) {
      int code = options.check ? printReport() : report.exitCode();
      return std::max(code, int(Failed));
    }
    refusals.emplace(file->graph, *program);
    diagnostics.setCollector([this](StringRef node, StringRef message) {
      if (isRefusing)
        refusals->add(node, message);
      return isRefusing;
    });
    return Done;
  }

  /// Adds a training step to an inference graph. The loss is the tensor given
  /// by --loss. If no entry fetches it yet, first imports such an entry, whose
  /// feeds are the placeholders that the loss depends on.
  int addTraining() {
    if (!graph::fetchesLoss(*program, options.loss)) {
      std::optional<std::vector<std::string>> feeds =
          importer::placeholdersOf(file->graph, options.loss);
      if (!feeds) {
        llvm::WithColor::error()
            << options.input << ": --loss: '" << options.loss
            << "' is neither a fetch of an entry nor a tensor of the graph: "
               "give the name of a tensor, such as 'loss:0'\n";
        return Usage;
      }
      options.import.entries.push_back({"loss", *feeds, {options.loss}});
      report = {};
      if (int code = importGraph())
        return code;
    }
    isRefusing = refusals.has_value();
    LogicalResult result =
        runTrainingStage(*program, options.loss, options.optimizer);
    isRefusing = false;
    if (succeeded(result))
      return Done;
    if (refusals && !refusals->empty())
      refusals->moveTo(report, program->getLoc(), !options.check);
    return Uncompilable;
  }

  /// Sets the program's attribute for the number of slices into which several
  /// processes divide each batch.
  int divideBatches() {
    if (!options.isParallel)
      return Done;
    std::optional<int64_t> rows = batchRowsOf(*program);
    unsigned slices = options.slices ? options.slices : defaultSlices(rows);
    if (rows && slices > *rows) {
      llvm::WithColor::error()
          << options.input << ": a batch of " << *rows
          << " rows cannot be divided into " << slices
          << " slices: set --slices to at most " << *rows << "\n";
      return Usage;
    }
    ::mlir::ingot::ProgramAttrFields facts =
        ::mlir::ingot::getProgramFacts(*program);
    facts.slices = slices;
    facts.leastShardedBytes = options.leastShardedBytes;
    ::mlir::ingot::setProgramFacts(*program, facts);
    return Done;
  }

  /// Runs the stages that may still reject a node that the importer has
  /// accepted. Later stages accept every program that passes these, so --check
  /// ends here.
  int check() {
    int code = runGraph();
    if (code == Done)
      code = runLinalg();
    return code == Failed ? code : std::max(code, printReport());
  }

  /// Runs a stage that may reject the graph. Returns `Done`, or the exit code
  /// if the stage rejects the graph or fails.
  int runStage(llvm::function_ref<LogicalResult(ModuleOp)> stage,
               StringRef name) {
    isRefusing = refusals.has_value();
    LogicalResult result = stage(*program);
    isRefusing = false;
    if (failed(result))
      return refused(name);
    // If the stage has already reported inconsistent shapes at the user's
    // nodes, do not print errors of the verifier, which would only repeat these
    // reports.
    bool isRefused = refusals ? !refusals->empty() : diagnostics.sawErrors();
    diagnostics.setQuiet(isRefused);
    LogicalResult isValid = verifyStage(*program);
    diagnostics.setQuiet(false);
    if (succeeded(isValid))
      return Done;
    return isRefused ? refused(name) : internalError(name);
  }

  static TargetPolicy policyOf(const CompileOptions &options) {
    // The graph is optimized only once, not for each CPU level. Use the policy
    // of the highest level, because most machines support it.
    return options.devices.empty() ? options.backends.back()->policy()
                                   : options.devices.back()->policy();
  }

  int runGraph() {
    TargetPolicy policy = policyOf(options);
    return runStage(
        [&](ModuleOp module) { return runGraphStage(module, policy); },
        "graph");
  }

  int runLinalg() {
    TargetPolicy policy = policyOf(options);
    return runStage(
        [&](ModuleOp module) { return runLinalgStage(module, policy); },
        "linalg");
  }

  int printReport() {
    options.json ? report.printJson(llvm::outs()) : report.print(llvm::outs());
    return report.exitCode();
  }

  /// Returns the exit code after a stage has failed: `Uncompilable` if the
  /// stage has rejected the user's graph, or else the exit code of an internal
  /// error. Moves the rejections into the report.
  int refused(StringRef stage) {
    if (refusals && !refusals->empty()) {
      refusals->moveTo(report, program->getLoc(), !options.check);
      return Uncompilable;
    }
    return diagnostics.sawErrors() && !refusals ? int(Uncompilable)
                                                : internalError(stage);
  }

  template <typename Print> int write(Print print) {
    return write(options.output.empty() ? "-" : options.output, print);
  }

  template <typename Print> int write(const std::string &output, Print print) {
    std::error_code error;
    llvm::ToolOutputFile file(output, error, llvm::sys::fs::OF_None);
    if (!error) {
      print(file.os());
      file.os().flush();
      error = file.os().error();
    }
    if (error) {
      file.os().clear_error();
      llvm::WithColor::error()
          << "cannot write '" << output << "': " << error.message() << '\n';
      return Failed;
    }
    file.keep();
    return Done;
  }

  int print(ModuleOp module) {
    return write([&](llvm::raw_ostream &os) {
      module.print(os);
      os << '\n';
    });
  }

  /// Writes the output that is requested with --emit from the program after the
  /// linalg stage.
  int finish() {
    if (options.emit == OutputKind::Kernels)
      return writeKernels();
    if (options.emit == OutputKind::LLVM) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      if (llvm::Error error = printLLVM(*program, options, stream))
        return fail(std::move(error));
      return write([&](llvm::raw_ostream &os) { os << text; });
    }
    if (int code = showStages())
      return code;
    if (options.emit == OutputKind::MLIR)
      return Done;
    ObjectFiles objects;
    std::vector<HostFallbackKernel> left;
    if (llvm::Error error =
            generate(*program, options, info, objects, left, log))
      return fail(std::move(error));
    remark(left);
    if (int code = checkStepMemory())
      return code;
    return link(objects);
  }

  /// Reports a training step that cannot keep the limit of --max-step-memory.
  /// Returns the exit code.
  int checkStepMemory() {
    if (!options.maxStepMemory)
      return Done;
    if (auto message =
            findExcessiveStep(*program, info, *options.maxStepMemory)) {
      llvm::WithColor::error() << options.input << ": " << *message << '\n';
      return Usage;
    }
    // The cache of trainers keeps warnings, and prints them again.
    if (auto message = findDynamicStep(*program))
      emitWarning(program->getLoc()) << *message;
    return Done;
  }

  /// Prints remarks, if requested: about batched launches, kernels that stay on
  /// the host, copies to and from the device, and step kernels (GPU kernels
  /// that execute several launches).
  void remark(const std::vector<HostFallbackKernel> &left) {
    if (!options.remarks)
      return;
    for (const HostFallbackKernel &kernel : left)
      llvm::WithColor::remark()
          << "kernel '" << kernel.name
          << "' stays on the host: " << kernel.reason << '\n';
    for (auto function : program->getOps<func::FuncOp>()) {
      for (const std::string &text : info.batches.lookup(function.getName()))
        llvm::WithColor::remark()
            << "entry '" << function.getName() << "': " << text << '\n';
      for (const auto *words : {&info.copies, &info.deviceRemarks})
        for (const std::string &text : words->lookup(function.getName()))
          llvm::WithColor::remark() << "entry '" << function.getName()
                                    << "' on a device: " << text << '\n';
    }
  }

  /// Writes an image of device code with all kernels that the target runs
  /// (--emit=ptx, cubin or nvvm).
  int writeKernels() {
    std::vector<HostFallbackKernel> left;
    llvm::Expected<std::string> image =
        generateKernels(*program, options, left, log);
    if (!image)
      return fail(image.takeError());
    remark(left);
    return write([&](llvm::raw_ostream &os) { os << *image; });
  }

  /// Writes the IR of the stages after linalg, if --emit=mlir or --dump-stages
  /// asks for it.
  int showStages() {
    if (options.emit != OutputKind::MLIR && options.dumpStages.empty())
      return Done;
    llvm::Expected<std::vector<CompilationStageIR>> stages =
        generateStages(*program, options);
    if (!stages)
      return fail(stages.takeError());
    StringRef wanted = options.stage == Stage::MemRef ? ".memref" : ".llvm";
    OwningOpRef<ModuleOp> shown = ModuleOp::create(program->getLoc());
    for (CompilationStageIR &stage : *stages) {
      log.note(stage.name, *stage.module);
      bool isFirst =
          StringRef(stage.name).starts_with(options.backends.front()->name()) ||
          StringRef(stage.name).starts_with("entries");
      if (isFirst && StringRef(stage.name).ends_with(wanted)) {
        stage.module->setName(stage.name);
        shown->push_back(stage.module.release());
      }
    }
    return options.emit == OutputKind::MLIR ? print(*shown) : int(Done);
  }

  /// A graph in the form in which a trainer has it, to write it out as a
  /// MetaGraphDef: compressed, and its size before. Empty if there is none.
  struct EmbeddedGraph {
    std::string packed;
    size_t fullSize = 0;
  };

  /// Compresses the imported graph for `addGraph`. Returns nothing for a graph
  /// that is too large for a protocol buffer.
  EmbeddedGraph packGraph() {
    if (!options.import.importScope.empty())
      importer::addImportScope(file->graph, options.import.importScope);
    // The field saver_def of a MetaGraphDef holds a single saver, the one with
    // which TensorFlow writes checkpoints. If --saver chooses another saver of
    // the graph, store that saver in the field.
    std::vector<proto::SaverDef> savers = importer::getSavers(file->graph);
    if (const std::string &asked = options.import.saver; !asked.empty())
      importer::moveToFront(savers, asked);
    if (!savers.empty())
      *file->graph.mutable_saver_def() = std::move(savers.front());
    std::string bytes;
    {
      google::protobuf::io::StringOutputStream stream(&bytes);
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.SetSerializationDeterministic(true);
      if (!file->graph.SerializeToCodedStream(&coded))
        return {};
    }
    bytes += opsOfFunctions(file->graph);
    llvm::SmallVector<uint8_t> packed;
    // Use zlib's default level: its best level would take eight times as long
    // for output that is 6 % smaller.
    llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(bytes),
                                      packed);
    return {llvm::toStringRef(packed).str(), bytes.size()};
  }

  /// Starts to compress the graph beside the next stages, which use one thread.
  /// These read names and ops of the graph's nodes, which `packGraph` changes
  /// only to add an import scope: then it runs in `addGraph`.
  void startEmbedding() {
    bool isArtifact = options.emit == OutputKind::Executable || isLibrary() ||
                      options.emit == OutputKind::Object;
    if (!isArtifact || !options.embedGraph || !file ||
        file->kind == importer::GraphFile::MLIR ||
        !llvm::compression::zlib::isAvailable())
      return;
    packing =
        std::async(options.import.importScope.empty() ? std::launch::async
                                                      : std::launch::deferred,
                   [this] { return packGraph(); });
  }

  /// Embeds the graph in the trainer's descriptor (its constant tables).
  void addGraph() {
    if (!packing.valid())
      return;
    EmbeddedGraph graph = packing.get();
    info.metaGraph = std::move(graph.packed);
    info.metaGraphFullSize = graph.fullSize;
  }

  int link(ObjectFiles &objects) {
    log.progress.begin("linking");
    info.compiler = "ingotc 0.1.0, LLVM " LLVM_VERSION_STRING;
    info.source = llvm::sys::path::filename(options.input).str();
    info.defaultThreads = options.defaultThreads;
    addGraph();
    LibraryCHeader header;
    if (isLibrary()) {
      header = makeLibraryHeader(*program, options.library.name, info.source,
                                 info.compiler);
      info.libraryInterface = header.interfaceHash;
    }
    log.note("graph for the trainer");
    if (llvm::Error error = addDescriptor(*program, options, info, objects))
      return fail(std::move(error));
    log.note("descriptor");
    if (llvm::Error error = objects.finish())
      return fail(std::move(error));
    if (llvm::Error error = linkOutput(objects))
      return fail(std::move(error));
    log.note("link");
    if (isLibrary())
      if (int code = write(options.library.header,
                           [&](llvm::raw_ostream &os) { os << header.text; })) {
        // A library without its header is useless: delete it.
        (void)llvm::sys::fs::remove(options.output);
        return code;
      }
    artifacts.keep(diagnostics.messages());
    log.note("storing the trainer in the cache");
    return Done;
  }

  bool isLibrary() const {
    return options.emit == OutputKind::StaticLibrary ||
           options.emit == OutputKind::SharedLibrary;
  }

  llvm::Error linkOutput(const ObjectFiles &objects) {
    switch (options.emit) {
    case OutputKind::Object:
      return linkObject(objects.paths(), options.output);
    case OutputKind::StaticLibrary:
      return linkStaticLibrary(objects.paths(), options.sdk, options.output,
                               options.library.name);
    case OutputKind::SharedLibrary:
      return linkSharedLibrary(objects.paths(), options.sdk, options.output,
                               options.library.name, options.strip);
    default:
      return linkExecutable(
          objects.paths(), options.sdk, options.output, options.strip,
          /*loadsLibraries=*/!options.devices.empty() || options.isParallel,
          /*quick=*/options.isForOneRun());
    }
  }

  CompileOptions &options;
  MLIRContext context;
  /// The thread that loads dialects into `context`. `read` waits for it.
  std::future<void> dialects;
  ScopedDiagnosticPrinter diagnostics;
  StageInstrumentation log;
  ArtifactCache artifacts;
  OwningOpRef<ModuleOp> program;
  abi::ProgramDescriptorContents info;
  std::optional<importer::GraphFile> file;
  importer::ImportReport report;
  /// Nodes of the user's graph that the importer has accepted but a later stage
  /// rejects. Unset if the input is MLIR text, which has no TensorFlow nodes.
  std::optional<importer::RejectedNodeCollector> refusals;
  /// The graph for the trainer, which another thread compresses. Unset if none
  /// is embedded. It is declared after the members that the thread uses.
  std::future<EmbeddedGraph> packing;
  /// Whether the running stage may reject the user's graph: errors at nodes are
  /// then collected in `refusals` instead of being printed.
  bool isRefusing = false;
};

} // namespace

int compile(CompileOptions &options) {
  auto run = std::make_unique<CompilerRun>(options);
  int code = run->run();
  // The system frees all memory at once, the destructors each op by itself.
  static CompilerRun *unfreed = nullptr;
  if (options.endsProcess)
    unfreed = run.release();
  (void)unfreed;
  return code;
}

} // namespace ingot::driver
