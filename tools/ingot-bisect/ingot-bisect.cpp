//===- ingot-bisect.cpp - Which pass changes a result ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the rewrite (codegen/Rewrites.def) that changes a graph's result.
// Compiles the graph with the first N rewrites enabled, and searches for an N
// such that the first N - 1 rewrites give the same result as no rewrites, but
// the first N do not. Then looks for the first tensor that differs.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/CPUBackend.h"
#include "compiler/Driver/Compile.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "tools/GraphFlags/GraphFlags.h"
#include "tools/Trials/Runs.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <map>

using namespace llvm;
using ingot::OptionalPassSet;
using ingot::trials::TrainingOutcome;

static cl::OptionCategory category("ingot-bisect options");
static cl::opt<std::string> input(cl::Positional, cl::desc("GRAPH"),
                                  cl::cat(category));
static cl::opt<int64_t> steps("steps", cl::desc("train N steps"), cl::init(3),
                              cl::cat(category));
static cl::opt<double> tolerance(
    "tolerance",
    cl::desc(
        "accept relative differences from --reference up to X as rounding"),
    cl::init(1e-5), cl::cat(category));
static cl::opt<bool> exact("exact", cl::desc("accept no difference"),
                           cl::cat(category));
static cl::opt<std::string> cpu("cpu", cl::desc("compile for this CPU level"),
                                cl::init("native"), cl::cat(category));
static cl::list<std::string>
    trainFlags("train",
               cl::desc("pass this flag to `trainer train`, such as "
                        "--train=--init-from=model.ckpt-0"),
               cl::value_desc("FLAG"), cl::cat(category));
static cl::opt<bool>
    listTensors("list-tensors",
                cl::desc("compile nothing: print a step's float32 tensors in "
                         "the order of computation"),
                cl::cat(category));
static cl::opt<std::string>
    runtimeFolder("runtime",
                  cl::desc("link trainers with the runtime in this folder"),
                  cl::Hidden, cl::cat(category));

namespace {

/// The first tensor that differs, and its element that differs most.
struct FirstDifferingTensor {
  std::string tensor;
  size_t element = 0;
  double found = 0, expected = 0;
};

/// Compiles the graph with the first n rewrites enabled, for different n, and
/// trains each program. Keeps the training outcomes, because the search may
/// need the same n again.
class Bisection {
public:
  explicit Bisection(std::string folder) : folder(std::move(folder)) {}

  int run();
  std::vector<std::string> tensorsOfStep() const;

private:
  int compile(const std::string &name, const OptionalPassSet &rewrites,
              const std::vector<std::string> &observed);
  /// Returns the results of the program with the first `number` rewrites.
  /// Prints an error and returns null if the program cannot be compiled.
  const TrainingOutcome *outcomeOf(unsigned number);
  std::optional<FirstDifferingTensor>
  compare(const TrainingOutcome &found, const TrainingOutcome &expected) const;
  void findTensor(unsigned number);

  std::string folder;
  std::map<unsigned, TrainingOutcome> outcomes;
};

} // namespace

int Bisection::compile(const std::string &name, const OptionalPassSet &rewrites,
                       const std::vector<std::string> &observed) {
  std::string path = folder + "/" + name;
  return ingot::trials::isolate(path + ".log", 600, [&] {
    ingot::driver::CompileOptions options;
    options.input = input;
    options.output = path;
    options.sdk = runtimeFolder;
    options.optimization = 1;
    options.backends.push_back(
        ingot::cpu::createBackend(cpu, /*sanitizesAddresses=*/false, rewrites));
    if (!options.backends.front())
      return 2;
    if (!ingot::tools::readGraphFlags(options.import))
      return 2;
    append_range(options.import.observe, observed);
    return ingot::driver::compile(options);
  });
}

const TrainingOutcome *Bisection::outcomeOf(unsigned number) {
  auto found = outcomes.find(number);
  if (found != outcomes.end())
    return &found->second;
  std::string name = "first" + std::to_string(number);
  int code = compile(name, OptionalPassSet::first(number), {});
  if (code != 0) {
    errs() << ingot::trials::readFile(folder + "/" + name + ".log");
    WithColor::error() << "the compiler failed with the first " << number
                       << " rewrites: exit code " << code << '\n';
    return nullptr;
  }
  std::string trainer = folder + "/" + name;
  TrainingOutcome outcome = ingot::trials::train(
      trainer, trainer + ".run", steps, {trainFlags.begin(), trainFlags.end()});
  return &outcomes.emplace(number, std::move(outcome)).first->second;
}

std::optional<FirstDifferingTensor>
Bisection::compare(const TrainingOutcome &found,
                   const TrainingOutcome &expected) const {
  if (found.code != expected.code)
    return FirstDifferingTensor{"the run's exit code", 0, double(found.code),
                                double(expected.code)};
  for (const auto &[name, values] : expected.tensors) {
    auto other = found.tensors.find(name);
    if (other == found.tensors.end())
      return FirstDifferingTensor{name, 0, 0, 0};
    size_t where = 0;
    double apart = ingot::trials::distance(other->second, values, &where);
    double bound = exact ? 0 : tolerance * ingot::trials::largest(values);
    if (apart > bound)
      return FirstDifferingTensor{
          name, where, where < other->second.size() ? other->second[where] : 0,
          where < values.size() ? values[where] : 0};
  }
  return std::nullopt;
}

/// Returns the names of the tensors that a step computes, in the order of the
/// program.
std::vector<std::string> Bisection::tensorsOfStep() const {
  auto ignore = [](const Twine &) {};
  FailureOr<ingot::importer::GraphFile> file =
      ingot::importer::readGraph(input, ignore, ingot::tools::tagSet);
  if (failed(file) || file->kind == ingot::importer::GraphFile::MLIR)
    return {};
  if (file->kind == ingot::importer::GraphFile::GraphDef)
    ingot::importer::addConventions(file->graph);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::ingot::IngotDialect>();
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  ingot::importer::ImportOptions options;
  if (!ingot::tools::readGraphFlags(options))
    return {};
  options.inputName = input;
  ingot::importer::ImportReport report;
  auto program =
      ingot::importer::importMetaGraph(file->graph, context, options, &report);
  std::vector<std::string> names;
  if (!program)
    return names;
  for (auto entry : program->getOps<mlir::ingot::EntryOp>()) {
    if (entry.getRole() != mlir::ingot::Role::step)
      continue;
    for (mlir::Operation &op : entry.getBody().front())
      if (auto node = dyn_cast<mlir::NameLoc>(op.getLoc()))
        for (mlir::OpResult result : op.getResults())
          if (mlir::getElementTypeOrSelf(result.getType()).isF32())
            names.push_back(node.getName().str() + ":" +
                            std::to_string(result.getResultNumber()));
  }
  return names;
}

/// Compiles the program with and without the rewrite again, with all tensors of
/// a step as fetches, and reports the first tensor that differs. Fetching
/// tensors changes which ops share a kernel, so the difference may disappear.
void Bisection::findTensor(unsigned number) {
  std::vector<std::string> names = tensorsOfStep();
  if (names.empty())
    return;
  std::vector<std::string> flags(trainFlags.begin(), trainFlags.end());
  for (const std::string &name : names)
    flags.insert(flags.end(), {"--fetch", name});
  TrainingOutcome sides[2];
  for (unsigned side : {0u, 1u}) {
    std::string name = "observed" + std::to_string(side);
    if (compile(name, OptionalPassSet::first(number - side), names) != 0)
      return;
    sides[side] = ingot::trials::train(folder + "/" + name,
                                       folder + "/" + name + ".run", 1, flags);
  }
  for (const std::string &name : names) {
    std::string key = "fetch " + name;
    TrainingOutcome one, other;
    one.tensors[key] = sides[0].tensors[key];
    other.tensors[key] = sides[1].tensors[key];
    if (auto difference = compare(one, other)) {
      outs() << "first tensor of a step that differs: " << name << ", element "
             << difference->element << " is " << difference->found << ", was "
             << difference->expected << '\n';
      return;
    }
  }
  outs() << "no tensor of the first step differs when all are observed\n";
}

int Bisection::run() {
  const TrainingOutcome *plain = outcomeOf(0),
                        *all = outcomeOf(OptionalPassSet::count);
  if (!plain || !all)
    return 1;
  if (plain->code != 0 && plain->code == all->code) {
    errs() << plain->message;
    WithColor::error() << "the trainer failed with exit code " << plain->code
                       << " with and without rewrites, so no rewrite causes "
                          "the failure\n";
    return 1;
  }
  if (!compare(*all, *plain)) {
    outs() << (all->data == plain->data ? "equal bytes: "
                                        : "within tolerance: ")
           << "no rewrite changes the result\n";
    return 0;
  }
  // Invariant of the binary search: the result with the first `low` rewrites
  // agrees with the result without rewrites; that with the first `high` does
  // not.
  unsigned low = 0, high = OptionalPassSet::count;
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    const TrainingOutcome *outcome = outcomeOf(middle);
    if (!outcome)
      return 1;
    (compare(*outcome, *plain) ? high : low) = middle;
  }
  auto rewrite = static_cast<ingot::Rewrite>(high - 1);
  std::optional<FirstDifferingTensor> difference =
      compare(outcomes.at(high), outcomes.at(0));
  outs() << "first rewrite that changes the result: "
         << OptionalPassSet::nameOf(rewrite) << '\n'
         << "first result that differs: " << difference->tensor << ", element "
         << difference->element << " is " << difference->found << ", was "
         << difference->expected << '\n';
  findTensor(high);
  return 4;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&category, &ingot::tools::graphFlags});
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Finds the pass that changes a graph's results\n\n  ingot-bisect "
          "train.meta --steps 5 --train=--init-from=model.ckpt-0\n\nexit code "
          "0: no pass does; 4: one does\n",
          &errs()))
    return 2;
  if (input.empty()) {
    WithColor::error() << "no input file\n";
    return 2;
  }
  if (runtimeFolder.empty()) {
    SmallString<128> path(
        sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(main)));
    sys::path::remove_filename(path);
    sys::path::append(path, "..", "lib", "ingot");
    runtimeFolder = path.str().str();
  }
  if (listTensors) {
    for (const std::string &name : Bisection("").tensorsOfStep())
      outs() << name << '\n';
    return 0;
  }
  SmallString<128> folder;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("ingot-bisect", folder)) {
    WithColor::error()
        << "cannot create a temporary folder (TMPDIR sets its parent): "
        << error.message() << '\n';
    return 1;
  }
  int code = Bisection(folder.str().str()).run();
  sys::fs::remove_directories(folder);
  return code;
}
