//===- InfoCommand.cpp - trainer info -------------------------------------===//

#include "runtime/CommandLine/Commands.h"

#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Device/Launches.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"

#include <cstdio>

using namespace ingot;

static const FlagSpec infoFlags[] = {
    {"--json", nullptr, "print one JSON object"},
    {"--kernels", nullptr, "print what each kernel computes and moves about"},
    {"--help", nullptr, "print this"},
};

namespace {

/// Prints JSON objects and lists with the commas where they belong.
class JsonPrinter {
public:
  void open(char bracket) {
    text += bracket;
    first = true;
  }
  void close(char bracket) {
    text += bracket;
    first = false;
  }
  void key(const char *name) {
    separate();
    appendJsonString(text, name);
    text += ':';
    first = true; // no comma before the value
  }
  void string(const char *value) {
    separate();
    appendJsonString(text, value ? value : "");
  }
  void raw(const std::string &value) {
    separate();
    text += value;
  }
  void openItem(char bracket) {
    separate();
    open(bracket);
  }
  std::string text;

private:
  void separate() {
    if (!first)
      text += ',';
    first = false;
  }
  bool first = true;
};

} // namespace

static void printSpecJson(JsonPrinter &json, const ingot_tensor_spec &spec) {
  json.key("name");
  json.string(spec.name);
  json.key("dtype");
  json.string(dtypeName(spec.dtype).c_str());
  json.key("shape");
  json.openItem('[');
  for (uint32_t i = 0; i < spec.rank; ++i)
    json.raw(std::to_string(spec.dims[i]));
  json.close(']');
}

static void printSpecsJson(JsonPrinter &json, const char *key,
                           std::span<const ingot_tensor_spec> specs) {
  json.key(key);
  json.openItem('[');
  for (const ingot_tensor_spec &spec : specs) {
    json.openItem('{');
    printSpecJson(json, spec);
    json.close('}');
  }
  json.close(']');
}

static void printStringsJson(JsonPrinter &json, const char *key,
                             const char *const *strings, uint32_t count) {
  json.key(key);
  json.openItem('[');
  for (uint32_t i = 0; i < count; ++i)
    json.string(strings[i]);
  json.close(']');
}

/// How many kernels do not stay on the host.
static size_t kernelsOnDevice(const ingot_device_image &image) {
  size_t count = 0;
  for (uint32_t i = 0; i < image.num_kernels; ++i)
    count += image.kernels[i].entry != nullptr;
  return count;
}

/// Numbers are those of the highest target.
static void printKernelJson(JsonPrinter &json, const ingot_program &program,
                            const ingot_kernel_info &kernel) {
  const ingot_kernel_code &code = kernel.code[program.num_targets - 1];
  json.openItem('{');
  json.key("name");
  json.string(kernel.name);
  // A grid of dynamic size has no number before it runs.
  if (code.num_terms == 0) {
    json.key("iterations");
    json.raw(std::to_string(countIterations(code, nullptr)));
  }
  json.key("flops_per_iteration");
  json.raw(std::to_string(code.flops));
  json.key("bytes_per_iteration");
  json.raw(std::to_string(code.bytes));
  json.key("scratch_bytes");
  json.raw(std::to_string(code.scratch_size));
  json.close('}');
}

/// Which of a device's images runs, its driver decides.
static void printDevicesJson(JsonPrinter &json, const ingot_program &program) {
  json.key("devices");
  json.openItem('[');
  for (uint32_t i = 0; i < program.num_devices; ++i) {
    const ingot_device &device = program.devices[i];
    json.openItem('{');
    json.key("name");
    json.string(device.name);
    json.key("default");
    json.raw(program.default_device == i + 1 ? "true" : "false");
    json.key("images");
    json.openItem('[');
    for (uint32_t j = 0; j < device.num_images; ++j) {
      const ingot_device_image &image = device.images[j];
      json.openItem('{');
      json.key("arch");
      json.string(image.arch);
      json.key("format");
      json.string(image.is_binary ? "cubin" : "ptx");
      json.key("bytes");
      json.raw(std::to_string(image.size));
      json.key("kernels");
      json.raw(std::to_string(kernelsOnDevice(image)));
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

static std::string infoJson(const ingot_program &program) {
  JsonPrinter json;
  json.open('{');
  json.key("source");
  json.string(program.source);
  json.key("source_sha256");
  json.string(program.source_hash);
  json.key("compiler");
  json.string(program.compiler);
  json.key("artifact_format");
  json.raw(std::to_string(program.abi_version));
  printStringsJson(json, "targets", program.targets, program.num_targets);
  printDevicesJson(json, program);
  json.key("entries");
  json.openItem('[');
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    json.openItem('{');
    json.key("name");
    json.string(entry.name);
    json.key("role");
    json.string(roleName(entry.role));
    json.key("arena_bytes");
    json.raw(std::to_string(entry.arena_size));
    printSpecsJson(json, "feeds", feedsOf(entry));
    printSpecsJson(json, "fetches", fetchesOf(entry));
    json.close('}');
  }
  json.close(']');
  json.key("variables");
  json.openItem('[');
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    json.openItem('{');
    printSpecJson(json, variable.spec);
    json.key("bytes");
    json.raw(std::to_string(variable.byte_size));
    json.key("trainable");
    json.raw(variable.flags & INGOT_VARIABLE_TRAINABLE ? "true" : "false");
    json.key("local");
    json.raw(variable.flags & INGOT_VARIABLE_LOCAL ? "true" : "false");
    json.key("device");
    json.string(variable.device);
    json.close('}');
  }
  json.close(']');
  json.key("iterators");
  json.openItem('[');
  for (uint32_t i = 0; i < program.num_iterators; ++i) {
    const ingot_iterator &iterator = program.iterators[i];
    json.openItem('{');
    json.key("name");
    json.string(iterator.name);
    printSpecsJson(json, "components",
                   {iterator.components, iterator.num_components});
    json.close('}');
  }
  json.close(']');
  json.key("savers");
  json.openItem('[');
  for (uint32_t i = 0; i < program.num_savers; ++i) {
    const ingot_saver &saver = program.savers[i];
    json.openItem('{');
    json.key("name");
    json.string(saver.name);
    json.key("items");
    json.raw(std::to_string(saver.num_items));
    json.key("shards");
    json.raw(std::to_string(saver.num_shards));
    json.close('}');
  }
  json.close(']');
  json.key("loss");
  json.string(program.loss);
  json.key("global_step");
  json.string(program.global_step >= 0
                  ? program.variables[program.global_step].spec.name
                  : "");
  json.key("kernels");
  json.openItem('[');
  for (uint32_t i = 0; i < program.num_kernels; ++i)
    printKernelJson(json, program, program.kernels[i]);
  json.close(']');
  json.close('}');
  return json.text + "\n";
}

/// "x:0 float32[64,10], y:0 int64[64]".
static std::string specList(std::span<const ingot_tensor_spec> specs) {
  std::string text;
  for (const ingot_tensor_spec &spec : specs)
    text += (text.empty() ? "" : ", ") + std::string(spec.name) + " " +
            typeText(spec);
  return text.empty() ? "-" : text;
}

static std::string cell(std::string text, size_t width) {
  text.resize(text.size() < width ? width : text.size() + 1, ' ');
  return text;
}

/// "cuda       sm_90a PTX (14 kernels of 18), sm_80 PTX (...)".
static std::string deviceLines(const ingot_program &program) {
  std::string text;
  for (uint32_t i = 0; i < program.num_devices; ++i) {
    const ingot_device &device = program.devices[i];
    text += cell(device.name, 11);
    for (uint32_t j = 0; j < device.num_images; ++j) {
      const ingot_device_image &image = device.images[j];
      text += std::string(j > 0 ? ", " : "") + image.arch +
              (image.is_binary ? " machine code (" : " PTX (") +
              std::to_string(kernelsOnDevice(image)) + " kernels of " +
              std::to_string(image.num_kernels) + ")";
    }
    text += program.default_device == i + 1 ? ", by default\n" : "\n";
  }
  return text;
}

static std::string infoTable(const ingot_program &program) {
  std::string text = "source     " + std::string(program.source) +
                     "\nsha256     " + program.source_hash + "\ncompiler   " +
                     program.compiler + "\ntargets    ";
  for (uint32_t i = 0; i < program.num_targets; ++i)
    text += std::string(i > 0 ? ", " : "") + program.targets[i];
  text += "\n" + deviceLines(program) + "loss       " +
          std::string(program.loss ? program.loss : "-") + "\n\nentries\n";
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    text += "  " + cell(entry.name, 24) + cell(roleName(entry.role), 22) +
            "feeds " + specList(feedsOf(entry)) + "\n" + std::string(48, ' ') +
            "fetches " + specList(fetchesOf(entry)) + "\n";
  }
  uint64_t total = 0;
  text += "\nvariables\n";
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    total += variable.byte_size;
    text += "  " + cell(variable.spec.name, 40) +
            cell(typeText(variable.spec), 24) +
            cell(std::to_string(variable.byte_size) + " bytes", 16) +
            (variable.flags & INGOT_VARIABLE_TRAINABLE ? "trainable" : "") +
            (variable.flags & INGOT_VARIABLE_LOCAL ? "local" : "") +
            (isRandomState(variable) ? "random state" : "") + "\n";
    while (text.ends_with(" \n"))
      text.erase(text.size() - 2, 1);
  }
  text += "  " + std::to_string(program.num_variables) + " variables, " +
          std::to_string(total) + " bytes\n\niterators\n";
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    text += "  " + cell(program.iterators[i].name, 24) +
            specList({program.iterators[i].components,
                      program.iterators[i].num_components}) +
            "\n";
  text += "\nkernels\n";
  for (uint32_t i = 0; i < program.num_kernels; ++i)
    text += "  " + std::string(program.kernels[i].name) + "\n";
  return text;
}

/// Numbers of which a few digits are enough: "537 M".
static std::string amount(int64_t number) {
  static constexpr const char *units[] = {"", " k", " M", " G", " T"};
  auto value = static_cast<double>(number);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g%s", value, units[unit]);
  return text;
}

/// The code for the highest level: facts of others differ in how grids are cut.
/// A grid of dynamic size has no number before it runs; its figures are those
/// of an iteration.
static std::string kernelTable(const ingot_program &program) {
  std::string text = cell("iterations", 12) + cell("operations", 12) +
                     cell("bytes", 12) + cell("a byte", 10) +
                     cell("scratch", 12) + "kernel\n";
  for (uint32_t i = 0; i < program.num_kernels; ++i) {
    const ingot_kernel_info &kernel = program.kernels[i];
    const ingot_kernel_code &code = kernel.code[program.num_targets - 1];
    bool isOpen = code.num_terms != 0;
    int64_t count = isOpen ? 1 : countIterations(code, nullptr);
    char share[32] = "-";
    if (code.bytes > 0)
      std::snprintf(share, sizeof(share), "%.2f",
                    static_cast<double>(code.flops) /
                        static_cast<double>(code.bytes));
    text += cell(isOpen ? "each" : std::to_string(count), 12) +
            cell(amount(count * code.flops), 12) +
            cell(amount(count * code.bytes), 12) + cell(share, 10) +
            cell(amount(code.scratch_size), 12) + kernel.name + "\n";
  }
  return text;
}

static int runInfo(Command &command) {
  if (!command.flags.positionals().empty())
    return command.usage(
        {"unexpected argument '" + command.flags.positionals().front() + "'",
         ""});
  std::string text = command.flags.has("--json") ? infoJson(command.program)
                     : command.flags.has("--kernels")
                         ? kernelTable(command.program)
                         : infoTable(command.program);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return std::fflush(stdout) == 0 ? ExitDone : ExitFailed;
}

const Verb ingot::infoVerb = {
    "info",
    "[--json|--kernels]",
    "prints the program's entries, variables, iterators and kernels",
    "--json",
    infoFlags,
    runInfo,
};
