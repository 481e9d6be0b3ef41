# SPDX-License-Identifier: Apache-2.0
"""Programs with trainers in them, built from the files that `cmake --install` installs, and no others."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import urllib.request

import curves
import evaluation
import feeding
import harness

DIGITS = harness.SOURCE / "examples" / "digits"
STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror")


def prefix_of(setup):
    """Where `the_package_is_installed` leaves it."""
    return setup.trainer.parent / "embedding" / "moved"


def the_package_is_installed(setup):
    """Into one folder, which is then moved: nothing in it knows its path."""
    prefix = prefix_of(setup)
    shutil.rmtree(prefix.parent, ignore_errors=True)
    first = prefix.parent / "first"
    cmake = shutil.which("cmake")
    if not cmake:
        raise harness.Skip("there is no cmake")
    for component in ("compiler", "runtime", "development"):
        done = setup.run(cmake, "--install", setup.ingotc.parents[1], "--component", component, "--prefix", first)
        assert done.code == 0, done.out + done.err
    first.rename(prefix)
    for path in prefix.glob("lib/cmake/Ingot/*.cmake"):
        assert str(first) not in path.read_text() and str(harness.SOURCE) not in path.read_text(), path


def configure(setup, source, *flags):
    """Builds the project in `source` with find_package alone; returns its build folder."""
    build = setup.dir / "build"
    setup.run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix_of(setup)}", *flags).expect(0)
    done = setup.run("cmake", "--build", build)
    assert done.code == 0, done.out + done.err
    return build


def a_program_is_killed_and_goes_on(setup):
    """examples/embed/train.c, killed wherever it is: the last checkpoint is that of a run that was left alone."""
    train = configure(setup, harness.SOURCE / "examples" / "embed") / "train"
    source = (harness.SOURCE / "examples" / "embed" / "train.c").read_text()
    assert len(source.splitlines()) <= 40
    whole = setup.run(train, "whole", DIGITS, 3000, cwd=setup.dir).expect(0)
    assert whole.out.count("accuracy") == 6 and "reached --max-steps 3000" in whole.err, whole.out + whole.err
    killed = setup.dir / "killed"
    kills = 0
    for wait in (0.05, 0.1, 0.15, 0.2):
        run = subprocess.Popen([train, killed, DIGITS, "3000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Once it has saved something that it didn't find.
        before = set(killed.glob("model.ckpt-*.index"))
        while run.poll() is None and set(killed.glob("model.ckpt-*.index")) <= before:
            time.sleep(0.002)
        time.sleep(wait / 5)
        run.send_signal(signal.SIGKILL)
        kills += run.wait() == -signal.SIGKILL
    assert kills > 0
    last = setup.run(train, killed, DIGITS, 3000).expect(0)
    assert "restored '" in last.err, last.err
    harness.assert_same_checkpoint(setup.dir / "whole", killed, 3000)
    # And that of the trainer with a command line.
    trainer = setup.dir / "trainer"
    setup.compile(DIGITS / "train.meta", "-o", trainer).expect(0)
    setup.run(trainer, "--model-dir", setup.dir / "alone", "--data-dir", DIGITS, "--max-steps", 3000, "--quiet",
              "--save-checkpoints-steps", 100).expect(0)  # fmt: skip
    harness.assert_same_checkpoint(setup.dir / "alone", killed, 3000)


def two_trainers_are_in_one_program(setup):
    """examples/embed/two.cpp: one linked, one shared."""
    two = configure(setup, harness.SOURCE / "examples" / "embed") / "two"
    for folder in ("first", "second"):
        (setup.dir / "both" / folder).mkdir(parents=True)
    done = setup.run(two, setup.dir / "both", DIGITS, 300).expect(0)
    losses = [float(text) for text in re.findall(r"(?:first|second) ([0-9.]+)", done.out)]
    assert len(losses) == 2 and all(0 < loss < 2 for loss in losses) and losses[0] != losses[1], done.out
    saved = [name for name in ("first", "second") if list((setup.dir / "both" / name).glob("model.ckpt-300.index"))]
    assert saved == ["first" if losses[0] < losses[1] else "second"], (saved, losses)
    # And two that are linked, which have nothing in common, whatever is in both.
    ingotc = prefix_of(setup) / "bin" / "ingotc"
    for name in ("digits", "twin"):
        setup.run(ingotc, DIGITS / "train.meta", "--emit=lib", "-o", setup.dir / f"lib{name}.a").expect(0)
    text = (harness.SOURCE / "examples" / "embed" / "two.cpp").read_text()
    linked = compile_program(setup, text, "linked", setup.dir / "libdigits.a", setup.dir / "libtwin.a", "-lm",
                             compiler="c++", standard="-std=c++17")  # fmt: skip
    for folder in ("first", "second"):
        (setup.dir / "linked-both" / folder).mkdir(parents=True)
    assert setup.run(linked, setup.dir / "linked-both", DIGITS, 300).expect(0).out == done.out


def libraries(setup):
    """libdigits.a, libdigits.so and their header, without CMake."""
    ingotc = prefix_of(setup) / "bin" / "ingotc"
    for kind, suffix in (("lib", "a"), ("shared", "so")):
        setup.run(ingotc, DIGITS / "train.meta", f"--emit={kind}", "-o", setup.dir / f"libdigits.{suffix}").expect(0)
    return setup.dir


def compile_program(setup, text, name, *flags, compiler="cc", standard="-std=c99"):
    source = setup.dir / (name + (".c" if compiler == "cc" else ".cpp"))
    source.write_text(text)
    language = () if compiler == "cc" else ("-fno-exceptions", "-fno-rtti")
    done = setup.run(compiler, standard, *STRICT, *language, f"-I{prefix_of(setup) / 'include'}", f"-I{setup.dir}", source,
                     "-o", setup.dir / name, *flags)  # fmt: skip
    assert done.code == 0, done.out + done.err
    return setup.dir / name


def the_headers_are_c99_and_cpp17(setup):
    """Without a warning, and linked with nothing but the C library; C++ without exceptions."""
    folder = libraries(setup)
    text = (harness.SOURCE / "examples" / "embed" / "train.c").read_text()
    alike = []
    for name, *flags in (("static", folder / "libdigits.a", "-lm"),
                         ("shared", folder / "libdigits.so", "-Wl,-rpath," + str(folder)),
                         ("whole", folder / "libdigits.a", "-lm", "-static")):  # fmt: skip
        program = compile_program(setup, text, name, *flags)
        setup.run(program, setup.dir / ("run-" + name), DIGITS, 150).expect(0)
        alike.append(setup.dir / ("run-" + name))
    for run in alike[1:]:
        harness.assert_same_checkpoint(alike[0], run, 150)
    cpp = """#include "digits.h"
#include <ingot/trainer.hpp>
#include <cstdio>
int main(int, char **argv) {
  ingot::Trainer trainer;
  ingot::TrainerOptions options;
  options.modelDir = argv[1];
  options.flags = {"--summary-steps=0", "--data-dir", argv[2]};
  ingot::Result result = trainer.open(digits_library(), options);
  while (result && trainer.globalStep() < 150)
    result = trainer.step();
  ingot::Trainer moved = std::move(trainer);
  if (result)
    result = moved.save();
  ingot::Tensor weights;
  if (result)
    result = moved.read("hidden1/kernel", weights);
  if (!result || trainer.isOpen() || trainer.step().code() != INGOT_TRAINER_INVALID_ARGUMENT)
    return std::fprintf(stderr, "error: %s\\n", result.message().c_str()), 1;
  return weights.size<float>() == 64 * 64 && weights.values<double>().empty() ? 0 : 2;
}
"""
    for standard in ("-std=c++17", "-std=c++20"):
        program = compile_program(setup, cpp, "cpp", folder / "libdigits.a", "-lm", compiler="c++", standard=standard)
        shutil.rmtree(setup.dir / "run-cpp", ignore_errors=True)
        setup.run(program, setup.dir / "run-cpp", DIGITS).expect(0)
        harness.assert_same_checkpoint(alike[0], setup.dir / "run-cpp", 150)


FED = """#include "fed.h"
#include <stdio.h>
#define ROWS %(rows)d
static const float x[ROWS * 5] = {%(x)s};
static const int32_t word[ROWS] = {%(word)s}, label[ROWS] = {%(label)s};
int main(int argc, char **argv) {
  const char *flags[] = {"--summary-steps=0", "--seed=1"};
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  options.model_dir = argv[1];
  options.flags = flags;
  options.num_flags = 2;
  ingot_trainer *trainer;
  char message[512];
  (void)argc;
  if (fed_open(&options, &trainer, message, sizeof(message)))
    return fprintf(stderr, "error: %%s\\n", message), 1;
  if (message[0])
    return 2;
  for (int i = 0; i < ROWS; i += 4) {
    int n = ROWS - i < 4 ? ROWS - i : 4;
    float loss;
    if (fed_step(trainer, x + 5 * i, n, word + i, n, label + i, n, &loss))
      return fprintf(stderr, "error: %%s\\n", ingot_trainer_error(trainer)), 1;
    printf("%%.9g\\n", (double)loss);
  }
  /* Rows that do not go together, and fewer than none: no step. */
  if (fed_step(trainer, x, 4, word, 3, label, 4, NULL) != INGOT_TRAINER_INVALID_ARGUMENT ||
      fed_step(trainer, x, -4, word, 4, label, 4, NULL) != INGOT_TRAINER_INVALID_ARGUMENT)
    return 3;
  if (ingot_trainer_save(trainer))
    return 4;
  ingot_trainer_close(trainer);
  return 0;
}
"""


def what_c_feeds_trains_as_files_do(setup):
    """A typed step on batches, the last one short: the losses and checkpoints of --feed and --batch."""
    graph = (feeding.GRAPH, "--loss", "loss", "--optimizer", "adam:0.01")
    trainer = feeding.compiled(setup)
    expected = feeding.train(setup, trainer, "files", *feeding.arrays(setup), "--batch", 4, "--epochs", 1,
                             "--summary-steps", 0, "--seed", 1)  # fmt: skip
    setup.run(prefix_of(setup) / "bin" / "ingotc", *graph, "--emit=lib", "-o", setup.dir / "libfed.a").expect(0)
    values = {name: [v for row in rows for v in (row if isinstance(row, list) else [row])]
              for name, (_, rows) in feeding.examples().items()}  # fmt: skip
    text = FED % {"rows": feeding.ROWS, **{name: ", ".join(str(v) + ("f" if name == "x" else "") for v in all) for name, all in values.items()}}
    program = compile_program(setup, text, "fed", setup.dir / "libfed.a", "-lm")
    done = setup.run(program, setup.dir / "run").expect(0)
    found = [float(line) for line in done.out.split()]
    assert len(found) == 6 and found == [float(f"{loss:.9g}") for loss in expected], (found, expected)


DEFAULTS = """#include "defaults.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  options.model_dir = argv[1];
  ingot_trainer *trainer;
  char message[512];
  if (defaults_open(&options, &trainer, message, sizeof(message)))
    return fprintf(stderr, "error: %s\\n", message), 1;
  float rate = argc > 2 ? (float)atof(argv[2]) : 0;
  ingot_trainer_tensor fed = {"rate", INGOT_TRAINER_FLOAT, 0, NULL, &rate, sizeof(rate)};
  for (int i = 0; i < 40; ++i) {
    ingot_trainer_tensor loss;
    if (ingot_trainer_step(trainer, &fed, argc > 2) || ingot_trainer_fetch(trainer, "loss", &loss))
      return fprintf(stderr, "error: %s\\n", ingot_trainer_error(trainer)), 1;
    printf("%.9g\\n", (double)*(const float *)loss.data);
  }
  /* Likewise where an entry is run by its name. */
  if (ingot_trainer_run(trainer, "step", &fed, argc > 2))
    return fprintf(stderr, "error: %s\\n", ingot_trainer_error(trainer)), 1;
  ingot_trainer_close(trainer);
  return 0;
}
"""


def what_c_does_not_feed_has_its_default(setup):
    """Placeholders with defaults: the losses of a trainer that is given as much on its command line."""
    setup.run(prefix_of(setup) / "bin" / "ingotc", feeding.DEFAULTS / "train.meta", "--emit=lib", "-o",
              setup.dir / "libdefaults.a").expect(0)  # fmt: skip
    program = compile_program(setup, DEFAULTS, "defaults", setup.dir / "libdefaults.a", "-lm")
    trainer, expected, _ = feeding.with_defaults(setup)
    found = lambda *args: [float(line) for line in setup.run(program, *args).expect(0).out.split()]
    feeding.near(found(setup.dir / "without"), expected["defaults"])
    fed = feeding.train(setup, trainer, "command_line", "--max-steps", 40, "--feed", "rate=0.05")
    assert found(setup.dir / "with", "0.05") == [float(f"{loss:.9g}") for loss in fed]


EVALUATE = """#include "metrics.h"
#include <stdio.h>
int main(int argc, char **argv) {
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  const char *flags[] = {"--data-dir", argv[1], "--checkpoint", argv[2]};
  options.read_only = 1;
  options.flags = flags;
  options.num_flags = 4;
  ingot_trainer *trainer;
  char message[512];
  const ingot_trainer_metric *metrics;
  size_t count;
  (void)argc;
  if (metrics_open(&options, &trainer, message, sizeof(message)))
    return fprintf(stderr, "error: %s\\n", message), 1;
  if (ingot_trainer_evaluate(trainer, NULL, -1, &metrics, &count))
    return fprintf(stderr, "error: %s\\n", ingot_trainer_error(trainer)), 1;
  for (size_t i = 0; i < count; ++i)
    printf("%s %.9g\\n", metrics[i].name, metrics[i].value);
  ingot_trainer_close(trainer);
  return 0;
}
"""


def figures_in_c_are_tensorflows(setup):
    """An evaluation of the checkpoint that TensorFlow has evaluated."""
    setup.run(prefix_of(setup) / "bin" / "ingotc", evaluation.DATA / "train.meta", "--emit=lib", "-o",
              setup.dir / "libmetrics.a").expect(0)  # fmt: skip
    program = compile_program(setup, EVALUATE, "figures", setup.dir / "libmetrics.a", "-lm")
    done = setup.run(program, evaluation.DATA, evaluation.DATA / "model.ckpt-30").expect(0)
    found = {line.split()[0]: float(line.split()[1]) for line in done.out.splitlines()}
    for name, value in evaluation.EXPECT["metrics"].items():
        evaluation.near(name, found[name], value)


def a_library_is_loaded_by_name(setup):
    """dlopen, twice under two names, and dlclose: threads of the first may still wait in it."""
    libraries(setup)
    shutil.copy(setup.dir / "libdigits.so", setup.dir / "libtwin.so")
    text = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <ingot/trainer.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 3; i < argc; ++i) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    const ingot_trainer_library *(*entry)(void);
    if (!library)
      return fprintf(stderr, "error: %s\\n", dlerror()), 1;
    *(void **)&entry = dlsym(library, "digits_library");
    const char *flags[] = {"--data-dir", argv[2], "--summary-steps=0"};
    ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
    char folder[4096], message[1024];
    snprintf(folder, sizeof(folder), "%s-%d", argv[1], i);
    options.model_dir = folder;
    options.flags = flags;
    options.num_flags = 3;
    ingot_trainer *trainer;
    if (ingot_trainer_open(entry(), &options, &trainer, message, sizeof(message)))
      return fprintf(stderr, "error: %s\\n", message), 1;
    while (ingot_trainer_global_step(trainer) < 150)
      if (ingot_trainer_step(trainer, NULL, 0))
        return fprintf(stderr, "error: %s\\n", ingot_trainer_error(trainer)), 1;
    if (ingot_trainer_save(trainer))
      return 3;
    printf("%s: %d entries\\n", ingot_trainer_describe(entry())->source, (int)ingot_trainer_describe(entry())->num_entries);
    ingot_trainer_close(trainer);
    dlclose(library);
  }
  return 0;
}
"""
    program = compile_program(setup, text, "load", "-ldl")
    done = setup.run(program, setup.dir / "run", DIGITS, setup.dir / "libdigits.so", setup.dir / "libtwin.so").expect(0)
    assert done.out.count("train.meta: ") == 2, done.out
    harness.assert_same_checkpoint(setup.dir / "run-3", setup.dir / "run-4", 150)


def a_library_leaves_the_process_alone(setup):
    """Handlers of signals, the terminal and the exit are the program's; a directory is one trainer's at a time."""
    libraries(setup)
    text = """#define _POSIX_C_SOURCE 200809L
#include "digits.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  (void)argc;
  const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGSEGV, SIGALRM, SIGCHLD};
  struct sigaction before[6], now;
  for (int i = 0; i < 6; ++i)
    sigaction(signals[i], NULL, &before[i]);
  const char *flags[] = {"--data-dir", argv[2], "--log-steps=1"};
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  options.model_dir = argv[1];
  options.flags = flags;
  options.num_flags = 3;
  char message[1024];
  ingot_trainer *trainer, *second;
  if (digits_open(&options, &trainer, message, sizeof(message)))
    return fprintf(stderr, "error: %s\\n", message), 1;
  if (digits_open(&options, &second, message, sizeof(message)) != INGOT_TRAINER_FAILED_PRECONDITION || second)
    return 2;
  if (!strstr(message, "is being trained in by process"))
    return fprintf(stderr, "error: %s\\n", message), 3;
  for (int i = 0; i < 20; ++i)
    if (digits_step(trainer, NULL, NULL))
      return 4;
  if (ingot_trainer_save(trainer))
    return 5;
  for (int i = 0; i < 6; ++i) {
    sigaction(signals[i], NULL, &now);
    if (now.sa_handler != before[i].sa_handler)
      return 6;
  }
  ingot_trainer_close(trainer);
  /* Closed, it is free again. */
  if (digits_open(&options, &second, message, sizeof(message)))
    return 7;
  ingot_trainer_close(second);
  return 0;
}
"""
    program = compile_program(setup, text, "alone", setup.dir / "libdigits.a", "-lm")
    done = setup.run(program, setup.dir / "run", DIGITS).expect(0)
    assert done.out == "" and done.err == "", done.out + done.err


RECOVER = """#include "digits.h"
#include <stdio.h>
#include <string.h>
static int32_t start(ingot_trainer *trainer, void *state) {
  ingot_trainer_tensor bias;
  int32_t code = ingot_trainer_read(trainer, "logits/bias", &bias);
  float *values = state;
  if (code)
    return code;
  for (int i = 0; i < 10; ++i)
    values[i] = ((const float *)bias.data)[i] + (float)(i + 1);
  bias.data = values;
  return ingot_trainer_write(trainer, &bias);
}
int main(int argc, char **argv) {
  const char *flags[] = {"--data-dir", argv[2], "--summary-steps=0"};
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  ingot_trainer *trainer;
  ingot_trainer_tensor bias;
  int32_t initialized = 7;
  float values[10];
  char message[1024];
  (void)argc;
  options.model_dir = argv[1];
  options.flags = flags;
  options.num_flags = 3;
  options.init_fn = start;
  options.init_state = values;
  /* Nothing to recover: no init function, no values, no checkpoint. */
  if (digits_recover(&options, &trainer, &initialized, message, sizeof(message)) || initialized != 0)
    return fprintf(stderr, "error: %s\\n", message), 1;
  if (ingot_trainer_step(trainer, NULL, 0) != INGOT_TRAINER_FAILED_PRECONDITION ||
      !strstr(ingot_trainer_error(trainer), "Variables not initialized: "))
    return 2;
  if (ingot_trainer_read(trainer, "logits/bias", &bias) != INGOT_TRAINER_FAILED_PRECONDITION)
    return 3;
  ingot_trainer_close(trainer);
  if (digits_open(&options, &trainer, message, sizeof(message)))
    return fprintf(stderr, "error: %s\\n", message), 4;
  if (ingot_trainer_read(trainer, "logits/bias", &bias) || memcmp(bias.data, values, sizeof(values)) || values[9] < 9)
    return 5;
  if (ingot_trainer_step(trainer, NULL, 0) || ingot_trainer_save(trainer))
    return 6;
  ingot_trainer_close(trainer);
  if (digits_recover(&options, &trainer, &initialized, message, sizeof(message)) || initialized != 1)
    return fprintf(stderr, "error: %s\\n", message), 7;
  if (ingot_trainer_global_step(trainer) != 1 || ingot_trainer_step(trainer, NULL, 0))
    return 8;
  ingot_trainer_close(trainer);
  return 0;
}
"""

RECOVER_CPP = """#include "digits.h"
#include <ingot/trainer.hpp>
#include <cstdio>
int main(int, char **argv) {
  ingot::TrainerOptions options;
  options.modelDir = argv[1];
  options.flags = {"--data-dir", argv[2], "--summary-steps=0"};
  int calls = 0;
  const std::vector<float> ones(10, 1.0f);
  options.initFn = [&](ingot::Trainer &trainer) {
    ++calls;
    return trainer.write(ingot::feed("logits/bias", ones, {10}));
  };
  ingot::Trainer trainer;
  bool initialized = true;
  if (!trainer.recover(digits_library(), options, initialized) || initialized || calls != 0)
    return 1;
  ingot::Result result = trainer.open(digits_library(), options);
  ingot::Tensor bias;
  if (result)
    result = trainer.read("logits/bias", bias);
  if (!result || calls != 1 || bias.values<float>() != ones)
    return std::fprintf(stderr, "error: %s\\n", result.message().c_str()), 2;
  ingot::Trainer moved = std::move(trainer);
  if (!moved.step() || !moved.save())
    return 3;
  moved.close();
  if (!trainer.recover(digits_library(), options, initialized) || !initialized || trainer.globalStep() != 1)
    return 4;
  trainer.close();
  options.modelDir += "-failed";
  options.initFn = [](ingot::Trainer &) { return ingot::Result(INGOT_TRAINER_UNAVAILABLE, "the store is down"); };
  result = trainer.open(digits_library(), options);
  return result.code() == INGOT_TRAINER_UNAVAILABLE && result.message() == "the store is down" && !trainer.isOpen() ? 0 : 5;
}
"""


def a_program_initializes_or_recovers(setup):
    """init_fn and recover_session of SessionManager, from C and C++."""
    libraries(setup)
    program = compile_program(setup, RECOVER, "recover", setup.dir / "libdigits.a", "-lm")
    setup.run(program, setup.dir / "run", DIGITS).expect(0)
    program = compile_program(setup, RECOVER_CPP, "recover_cpp", setup.dir / "libdigits.a", "-lm",
                              compiler="c++", standard="-std=c++17")  # fmt: skip
    setup.run(program, setup.dir / "run-cpp", DIGITS).expect(0)


WITH_FLAGS = """#include "digits.h"
#include <stdio.h>
static void tell(void *state, int32_t kind, const char *message) {
  (void)state;
  printf("%d %s\\n", (int)kind, message);
  fflush(stdout);
}
int main(int argc, char **argv) {
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  options.model_dir = argv[1];
  options.flags = (const char *const *)(argv + 2);
  options.num_flags = (size_t)(argc - 2);
  options.log = tell;
  char message[1024];
  ingot_trainer *trainer;
  if (digits_open(&options, &trainer, message, sizeof(message))) {
    fprintf(stderr, "error: %s\\n", message);
    return 1;
  }
  int32_t code;
  while ((code = digits_step(trainer, NULL, NULL)) == INGOT_TRAINER_OK)
    ;
  ingot_trainer_close(trainer);
  return code != INGOT_TRAINER_END;
}
"""


def flags_in_c_do_what_they_do_on_a_command_line(setup):
    """Those about operations and curves, or they are refused: none is taken and forgotten."""
    folder = libraries(setup)
    program = compile_program(setup, WITH_FLAGS, "flags", folder / "libdigits.a", "-lm")

    def train(run, *flags):
        return setup.run(program, setup.dir / run, "--data-dir", DIGITS, "--max-steps=30", *flags)

    for flag, *words in (
        ("--max-memory=1K", "--max-memory: the run needs at least", "1 KiB"),
        ("--max-memory=x", "--max-memory", "'x'"),
        ("--log-format=json", "--log-format is not for libraries"),
        ("--metrics-port=99999", "--metrics-port: expected a port"),
        ("--metrics-host=::1", "--metrics-host needs --metrics-port"),
        ("--reduce-lr-on-plateau=loss", "no variable of this program is called learning_rate"),
    ):
        train("refused", flag).expect(1, *words)
    for run, *flags in (("curves",), ("bare", "--no-curves", "--max-memory=1G", "--terminate-on-nan")):
        train(run, *flags).expect(0)
    # The graph's own summary has the loss of the first and last step.
    found = [len(curves.scalars(setup.dir / run)["loss"]) for run in ("curves", "bare")]
    assert found[0] == 30 and found[1] <= 2, found
    harness.assert_same_checkpoint(setup.dir / "curves", setup.dir / "bare", 30)
    command = [program, setup.dir / "served", "--data-dir", DIGITS, "--max-steps=100000000", "--metrics-port=0"]
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) as process:
        port = next(found[1] for found in (re.match(r"1 metrics are on port (\d+)", line) for line in process.stdout) if found)
        # The port answers before the run is prepared; the step is there as soon as training begins.
        for _ in range(600):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                text = answer.read()
            if b"ingot_global_step" in text:
                break
            time.sleep(0.05)
        process.kill()
    assert b"ingot_global_step" in text, text


def what_docs_embedding_shows_runs(setup):
    """Every block of docs/guide/embed.md, in order: of C and C++ main files, a function beside them, a project, commands."""
    text = (harness.SOURCE / "docs" / "guide" / "embed.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S) if block[0] != "text"]
    assert {language for language, _ in blocks} == {"sh", "c", "cpp", "cmake"}
    environment = dict(os.environ, INGOT=str(prefix_of(setup)), DIGITS=str(DIGITS))
    for language, block in blocks:
        if language == "sh":
            done = setup.run("bash", "-ec", block, cwd=setup.dir, env=environment)
            assert done.code == 0, block + done.out + done.err
        elif language == "cmake":
            (setup.dir / "CMakeLists.txt").write_text(block)
        elif language == "cpp":
            (setup.dir / "main.cpp").write_text(block)
        elif "int main(" in block:
            (setup.dir / "main.c").write_text(block)
        else:  # a function, which the program before is to have called
            name = re.search(r"(\w+)\(ingot_trainer \*trainer\) {", block)[1]
            main = (setup.dir / "main.c").read_text().replace("int main(", block + "\nint main(")
            main = main.replace("  ingot_trainer_close(trainer);", f"  if ({name}(trainer))\n    code = 1;\n  ingot_trainer_close(trainer);")
            compile_program(setup, main, "function", setup.dir / "libdigits.a", "-lm")
            done = setup.run(setup.dir / "function", DIGITS, cwd=setup.dir)
            assert done.code == 0, done.out + done.err


def projects_are_told_what_is_wrong(setup):
    """ingot_add_trainer's mistakes name the target; executables and entries are made as well."""
    project = setup.dir / "project"
    project.mkdir()
    head = "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C CXX)\nfind_package(Ingot 0.1 REQUIRED)\n"

    def refused(line, words):
        (project / "CMakeLists.txt").write_text(head + line + "\n")
        shutil.rmtree(setup.dir / "build", ignore_errors=True)
        done = setup.run("cmake", "-S", project, "-B", setup.dir / "build", f"-DCMAKE_PREFIX_PATH={prefix_of(setup)}")
        assert done.code != 0 and words in " ".join(done.err.split()), done.err

    refused("ingot_add_trainer(net nothing.meta)", "ingot_add_trainer(net): there is no")
    refused(f"ingot_add_trainer(my-net {DIGITS}/train.meta)", "'my-net' is no name for functions in C; NAME gives another")
    refused(f"ingot_add_trainer(net {DIGITS}/train.meta SHARED EXECUTABLE)", "SHARED and EXECUTABLE exclude one another")
    refused(f"ingot_add_trainer(net {DIGITS}/train.meta STATIC)", "unexpected 'STATIC'")
    refused("find_package(Ingot 7 REQUIRED)", "0.1.0")
    shutil.rmtree(setup.dir / "build", ignore_errors=True)
    (project / "CMakeLists.txt").write_text(
        head
        + f"ingot_add_trainer(digits {DIGITS}/train.meta EXECUTABLE OPTIONS --cpu=x86-64-v2 -O1)\n"
        + f'ingot_add_trainer(my-net {DIGITS}/train.meta NAME net ENTRY "norm=->hidden1/MatMul/ReadVariableOp:0")\n'
        + "add_executable(main main.c)\ntarget_link_libraries(main PRIVATE my-net)\n"
        # A program with a main of its own: the trainer's, of the runtime.
        + f"add_custom_command(OUTPUT direct.o COMMAND Ingot::ingotc {DIGITS}/train.meta --emit=obj -o direct.o)\n"
        + 'add_executable(direct "${CMAKE_CURRENT_BINARY_DIR}/direct.o")\n'
        + "set_target_properties(direct PROPERTIES LINKER_LANGUAGE CXX)\ntarget_link_libraries(direct PRIVATE Ingot::runtime)\n"
    )
    (project / "main.c").write_text(
        '#include "net.h"\n'
        "int main(void) {\n"
        "  static float kernel[64 * 64];\n"
        "  ingot_trainer *trainer;\n"
        "  if (net_open(NULL, &trainer, NULL, 0) || net_norm(trainer, kernel))\n"
        "    return 1;\n"
        "  ingot_trainer_close(trainer);\n"
        "  return kernel[0] == 0.0f;\n"
        "}\n"
    )
    build = configure(setup, project)
    setup.run(build / "main").expect(0)
    for program in (build / "digits.ingot" / "digits", build / "direct"):
        assert "hidden1/kernel" in setup.run(program, "info").expect(0).out
    # Nothing has changed, and nothing is compiled again.
    again = setup.run("cmake", "--build", build)
    assert "Compiling" not in again.out, again.out


if __name__ == "__main__":
    for needed in ("cmake", "cc", "c++"):
        if not shutil.which(needed):
            print(f"SKIP: there is no {needed}")
            raise SystemExit(77)
    harness.main(globals())
