//===- ingot-translate.cpp - Graphs to and from the graph dialect ---------===//

#include "compiler/Export/Export.h"
#include "compiler/Export/SavedModel.h"
#include "compiler/Import/Import.h"
#include "dialects/Ingot/IngotDialect.h"
#include "tools/GraphFlags/GraphFlags.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <google/protobuf/text_format.h>

using namespace llvm;

static cl::OptionCategory category("ingot-translate options");

enum class Translation {
  None,
  MetaGraph,
  GraphDef,
  SavedModel,
  Export,
  ExportSavedModel
};

static cl::opt<Translation> translation(
    cl::desc("what to do:"), cl::init(Translation::None), cl::cat(category),
    cl::values(
        clEnumValN(Translation::MetaGraph, "import-metagraph",
                   "print the program that a MetaGraphDef describes"),
        clEnumValN(Translation::GraphDef, "import-graphdef",
                   "the same for a GraphDef, by the entries that are given"),
        clEnumValN(Translation::SavedModel, "import-saved-model",
                   "the same for the folder of a SavedModel"),
        clEnumValN(Translation::Export, "export-graphdef",
                   "write the GraphDef that a program stands for, as it was "
                   "imported; INPUT may also be a graph"),
        clEnumValN(Translation::ExportSavedModel, "export-saved-model",
                   "write the folder of a SavedModel that predicts as the "
                   "program does, with the values that its variables start "
                   "with")));
static cl::opt<std::string> input(cl::Positional, cl::desc("INPUT"),
                                  cl::init(""), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("where to write it"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<bool> check("check",
                           cl::desc("print what the graph holds and all that "
                                    "is not supported, and no program"),
                           cl::cat(category));
static cl::opt<bool> json("json", cl::desc("with --check: as JSON"),
                          cl::cat(category));
static cl::opt<bool> listOps("list-ops",
                             cl::desc("print the table of TensorFlow's ops: "
                                      "docs/ops.md"),
                             cl::cat(category));
static cl::opt<bool> locations("locations",
                               cl::desc("print the node each op comes from"),
                               cl::cat(category));

static raw_ostream &error() {
  return WithColor(errs(), HighlightColor::Error) << "error: ";
}

// Prints what the importer says as a compiler does, with the file in front.
static LogicalResult printDiagnostic(mlir::Diagnostic &diagnostic) {
  // Those are for who asks ingotc for them.
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
    return success();
  auto print = [](const mlir::Diagnostic &said) {
    if (auto name = dyn_cast<mlir::NameLoc>(said.getLocation()))
      errs() << name.getName().getValue() << ": ";
    errs() << (said.getSeverity() == mlir::DiagnosticSeverity::Error ? "error: "
               : said.getSeverity() == mlir::DiagnosticSeverity::Note
                   ? "note: "
                   : "warning: ")
           << said.str() << '\n';
  };
  print(diagnostic);
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
  return success();
}

// Writes the result; false, and a message, where that fails.
static bool write(function_ref<void(raw_ostream &)> print) {
  std::error_code code;
  ToolOutputFile file(output, code, sys::fs::OF_Text);
  if (!code) {
    print(file.os());
    file.os().flush();
    code = file.os().error();
  }
  if (code) {
    file.os().clear_error();
    error() << output << ": " << code.message() << '\n';
    return false;
  }
  file.keep();
  return true;
}

// The program that a graph describes; null, and everything said, where it
// cannot be compiled.
static mlir::OwningOpRef<mlir::ModuleOp>
importGraph(ingot::importer::GraphFile &file, mlir::MLIRContext &context,
            ingot::importer::ImportOptions &options,
            ingot::importer::Report &report) {
  options.checkpoint = file.checkpoint;
  // A GraphDef is a graph and nothing else.
  if (translation == Translation::GraphDef) {
    file.graph.clear_collection_def();
    file.graph.clear_saver_def();
    file.graph.clear_signature_def();
    ingot::importer::addConventions(file.graph);
  }
  return ingot::importer::importMetaGraph(file.graph, context, options,
                                          &report);
}

// The program in a file of MLIR; null, and an error printed, where there is
// none.
static mlir::OwningOpRef<mlir::ModuleOp>
parseProgram(StringRef text, mlir::MLIRContext &context) {
  context.loadDialect<mlir::ingot::IngotDialect, mlir::func::FuncDialect>();
  return mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context), input);
}

// Writes the graph that the program stands for, as text where the file's name
// ends in .pbtxt.
static int writeGraph(mlir::ModuleOp module) {
  mlir::FailureOr<ingot::proto::GraphDef> graph =
      ingot::exporter::exportGraphDef(module);
  if (failed(graph))
    return 3;
  std::string bytes;
  bool isText = StringRef(output).ends_with(".pbtxt");
  if (isText ? !google::protobuf::TextFormat::PrintToString(*graph, &bytes)
             : !graph->SerializeToString(&bytes)) {
    error() << "the graph is larger than a GraphDef may be\n";
    return 1;
  }
  return write([&](raw_ostream &os) { os << bytes; }) ? 0 : 1;
}

// Writes what the program predicts, into a folder that is made.
static int writeSavedModel(mlir::ModuleOp module) {
  if (output == "-") {
    error() << "no folder is given: a SavedModel takes one, with -o\n";
    return 2;
  }
  auto model = ingot::exporter::exportSavedModel(module);
  if (failed(model))
    return 3;
  std::string bytes;
  if (!model->SerializeToString(&bytes)) {
    error() << "the graph is larger than a SavedModel may be\n";
    return 1;
  }
  if (std::error_code code = sys::fs::create_directories(output)) {
    error() << output << ": " << code.message() << '\n';
    return 1;
  }
  output = output + "/saved_model.pb";
  return write([&](raw_ostream &os) { os << bytes; }) ? 0 : 1;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&category, &ingot::tools::graphFlags});
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Translates TensorFlow's graphs into Ingot's graph dialect, and "
          "back\n\n"
          "  ingot-translate --import-metagraph train.meta -o train.mlir\n"
          "  ingot-translate --export-graphdef train.mlir -o train.pb\n",
          &errs()))
    return 2;
  if (listOps)
    return write(ingot::importer::printOps) ? 0 : 1;
  if (translation == Translation::None || input.empty()) {
    error() << (input.empty() ? "no input file\n" : "nothing to do is given\n");
    return 2;
  }
  ingot::importer::ImportOptions options;
  options.inputName = input;
  if (!ingot::tools::readGraphFlags(options))
    return 2;

  mlir::FailureOr<ingot::importer::GraphFile> file = ingot::importer::readGraph(
      input, [](const Twine &message) { error() << message << '\n'; },
      ingot::tools::tagSet);
  if (failed(file))
    return 1;
  bool exports = translation == Translation::Export ||
                 translation == Translation::ExportSavedModel;
  bool isProgram = file->kind == ingot::importer::GraphFile::MLIR;
  if (isProgram && !exports) {
    error() << input << ": is MLIR, not a graph to import\n";
    return 1;
  }

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  ingot::importer::Report report;
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        return check ? success() : printDiagnostic(diagnostic);
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      isProgram ? parseProgram(file->text, context)
                : importGraph(*file, context, options, report);
  if (check && !isProgram) {
    if (!write([&](raw_ostream &os) {
          json ? report.printJson(os) : report.print(os);
        }))
      return 1;
    return report.exitCode();
  }
  if (!module)
    return report.ok() ? 1 : report.exitCode();
  if (exports)
    return translation == Translation::Export ? writeGraph(*module)
                                              : writeSavedModel(*module);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(locations);
  return write([&](raw_ostream &os) {
    module->print(os, flags);
    os << '\n';
  })
             ? 0
             : 1;
}
