//===- Compile.cpp - One graph to one artifact ----------------------------===//

#include "compiler/Driver/Compile.h"

#include "codegen/ABI/Descriptor.h"
#include "codegen/CPU/EmitObject.h"
#include "compiler/Driver/Diagnostics.h"
#include "compiler/Driver/Link.h"
#include "compiler/Driver/OpDefaults.h"
#include "compiler/Driver/Stages.h"
#include "compiler/Import/Refusals.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IngotDialect.h"

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

using namespace mlir;

namespace ingot::driver {

namespace {

enum ExitCode { Done = 0, Failed = 1, Usage = 2, Uncompilable = 3 };

class Compilation {
public:
  explicit Compilation(CompileOptions &options)
      : options(options), context(MLIRContext::Threading::DISABLED),
        diagnostics(context, options.input), log(options.dumpStages) {
    registerStages(context);
    context.printOpOnDiagnostic(false);
  }

  int run() {
    int code = compile();
    // What was reached is worth seeing, most of all after a failure.
    if (!log.writeDumps() && code == Done)
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
    if (int code = load())
      return code;
    if (options.check)
      return check();
    log.note("import", *program);
    if (stopsAt(Stage::Import))
      return print(*program);
    if (int code = runStage(runGraphStage, "graph"))
      return code;
    log.note("graph", *program);
    if (stopsAt(Stage::Graph))
      return print(*program);
    if (int code = runStage(runLinalgStage, "linalg"))
      return code;
    log.note("linalg", *program);
    if (stopsAt(Stage::Linalg))
      return print(*program);
    if (int code = generate())
      return code;
    return options.emit == Emit::MLIR || options.emit == Emit::LLVM ? int(Done)
                                                                    : link();
  }

  bool stopsAt(Stage stage) const {
    return options.emit == Emit::MLIR && options.stage == stage;
  }

  /// Nothing that passes the front door may fail later.
  int internalError(StringRef stage) {
    llvm::WithColor::error()
        << "the " << stage
        << " stage failed; this is a bug in Ingot, not in the graph\n";
    return Failed;
  }

  /// Reads the input into `program`.
  int load() {
    FailureOr<importer::GraphFile> found = importer::readGraph(
        options.input,
        [](const llvm::Twine &message) {
          llvm::WithColor::error() << message << '\n';
        },
        options.tagSet);
    if (failed(found))
      return Failed;
    file = std::move(*found);
    info.sourceHash = file->hash;
    if (file->kind == importer::GraphFile::MLIR) {
      program =
          parseSourceString<ModuleOp>(file->text, &context, options.input);
      return program ? Done : Uncompilable;
    }
    if (file->kind == importer::GraphFile::GraphDef)
      importer::addConventions(file->graph);
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

  /// What the importer takes, the next stages may still refuse. Behind them
  /// nothing depends on the graph any more.
  int check() {
    int code = runStage(runGraphStage, "graph");
    if (code == Done)
      code = runStage(runLinalgStage, "linalg");
    return code == Failed ? code : std::max(code, printReport());
  }

  /// Runs a stage that may refuse the graph; the exit code where it does.
  int runStage(LogicalResult (*stage)(ModuleOp), StringRef name) {
    isRefusing = refusals.has_value();
    LogicalResult result = stage(*program);
    isRefusing = false;
    if (failed(result))
      return refused(name);
    return failed(verifyStage(*program)) ? internalError(name) : int(Done);
  }

  int printReport() {
    options.json ? report.printJson(llvm::outs()) : report.print(llvm::outs());
    return report.exitCode();
  }

  /// The exit code after a stage has failed.
  int refused(StringRef stage) {
    if (refusals && !refusals->empty()) {
      refusals->moveTo(report, program->getLoc(), !options.check);
      return Uncompilable;
    }
    return diagnostics.sawErrors() && !refusals ? int(Uncompilable)
                                                : internalError(stage);
  }

  template <typename Print> int write(Print print) {
    std::error_code error;
    std::string output = options.output.empty() ? "-" : options.output;
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

  /// Code for each target, in temporary object files.
  int generate() {
    for (const cpu::Target &target : options.targets) {
      OwningOpRef<ModuleOp> module = program->clone();
      // Variables, iterators and savers are the descriptor's.
      for (Operation &op : llvm::make_early_inc_range(*module->getBody()))
        if (isa<::mlir::ingot::IngotDialect>(op.getDialect()))
          op.erase();
      if (failed(runBufferStage(*module, target)) ||
          failed(verifyStage(*module)))
        return internalError("memref");
      log.note((target.name + ".memref").str(), *module);
      if (stopsAt(Stage::MemRef))
        return print(*module);
      for (auto function : module->getOps<func::FuncOp>())
        if (function->hasAttr(host::kernelAttrName) &&
            &target == &options.targets.front())
          info.kernels.push_back(function.getName().str());
      if (failed(runLLVMStage(*module, target)) || failed(verifyStage(*module)))
        return internalError("llvm");
      noteArenas(*module);
      cpu::finalizeModule(*module, target);
      log.note((target.name + ".llvm").str(), *module);
      if (stopsAt(Stage::LLVM))
        return print(*module);
      if (int code = emit(*module, target, options.optimization))
        return code;
      if (options.emit == Emit::LLVM)
        return Done;
      info.targets.push_back(target.name.str());
    }
    return Done;
  }

  void noteArenas(ModuleOp module) {
    for (Operation &op : *module.getBody())
      if (auto size = op.getAttrOfType<IntegerAttr>(host::arenaAttrName)) {
        int64_t &largest =
            info.arenaSizes[SymbolTable::getSymbolName(&op).getValue()];
        largest = std::max(largest, size.getInt());
      }
  }

  int emit(ModuleOp module, const cpu::Target &target, unsigned level) {
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> translated =
        cpu::translate(module, llvmContext, target);
    if (!translated)
      return internalError("llvm");
    if (llvm::Error error = cpu::optimize(*translated, target, level))
      return fail(std::move(error));
    log.note((target.name + " optimized").str());
    if (options.emit == Emit::LLVM)
      return write(
          [&](llvm::raw_ostream &os) { translated->print(os, nullptr); });
    llvm::Expected<std::string> object =
        cpu::emitObject(*translated, target, level);
    if (!object)
      return fail(object.takeError());
    log.note((target.name + " emitted").str());
    return keepObject(*object);
  }

  int keepObject(const std::string &bytes) {
    llvm::SmallString<128> path;
    int descriptor;
    std::error_code error =
        llvm::sys::fs::createTemporaryFile("ingotc", "o", descriptor, path);
    if (!error) {
      objects.push_back(path.str().str());
      llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
      stream << bytes;
      stream.flush();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      return fail(llvm::createStringError(
          error, "cannot write a temporary file: %s", error.message().c_str()));
    return Done;
  }

  /// Puts the graph itself, compressed, into the descriptor. One that is too
  /// large for a protocol buffer is left out.
  void embedGraph() {
    std::string bytes;
    {
      google::protobuf::io::StringOutputStream stream(&bytes);
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.SetSerializationDeterministic(true);
      if (!file->graph.SerializeToCodedStream(&coded))
        return;
    }
    bytes += opsOfFunctions(file->graph);
    llvm::SmallVector<uint8_t> packed;
    llvm::compression::zlib::compress(
        llvm::arrayRefFromStringRef(bytes), packed,
        llvm::compression::zlib::BestSizeCompression);
    info.metaGraph = llvm::toStringRef(packed).str();
    info.metaGraphFullSize = bytes.size();
  }

  int link() {
    llvm::scope_exit cleanUp([&] {
      for (const std::string &object : objects)
        (void)llvm::sys::fs::remove(object);
    });
    info.compiler = "ingotc 0.1.0, LLVM " LLVM_VERSION_STRING;
    info.source = llvm::sys::path::filename(options.input).str();
    info.defaultThreads = options.defaultThreads;
    if (options.embedGraph && file->kind != importer::GraphFile::MLIR &&
        llvm::compression::zlib::isAvailable())
      embedGraph();
    OwningOpRef<ModuleOp> descriptor = abi::buildDescriptor(*program, info);
    // Tables only: the least demanding target, nothing to optimize.
    if (int code = emit(*descriptor, cpu::allTargets().front(), 0))
      return code;
    llvm::Error error = options.emit == Emit::Object
                            ? linkObject(objects, options.output)
                            : linkExecutable(objects, options.sdk,
                                             options.output, options.strip);
    if (error)
      return fail(std::move(error));
    log.note("link");
    return Done;
  }

  CompileOptions &options;
  MLIRContext context;
  Diagnostics diagnostics;
  StageLog log;
  OwningOpRef<ModuleOp> program;
  abi::DescriptorInfo info;
  std::vector<std::string> objects;
  std::optional<importer::GraphFile> file;
  importer::Report report;
  /// Of graphs; MLIR's text has no nodes of others to speak of.
  std::optional<importer::Refusals> refusals;
  /// A stage is running whose errors are about the user's graph.
  bool isRefusing = false;
};

} // namespace

int compile(CompileOptions &options) { return Compilation(options).run(); }

} // namespace ingot::driver
