// SPDX-License-Identifier: Apache-2.0
// Two trainers in one program, each a library of its own: both start at the
// same weights, one of them trains with a changed step size of Adam, and the
// better one is saved.
//
//   two FOLDER DATA_DIR STEPS
#include "digits.h"
#include "twin.h"

#include <ingot/trainer.hpp>

#include <cstdio>
#include <cstdlib>

static ingot::Result train(ingot::Trainer &trainer, int64_t steps) {
  ingot::Result result;
  while (result && trainer.globalStep() < steps)
    result = trainer.step();
  return result;
}

static int fail(const ingot::Result &result) {
  std::fprintf(stderr, "error: %s\n", result.message().c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: two FOLDER DATA_DIR STEPS\n"), 2;
  ingot::TrainerOptions options;
  options.flags = {std::string("--data-dir=") + argv[2], "--summary-steps=0"};
  ingot::Trainer first, second;
  options.modelDir = std::string(argv[1]) + "/first";
  if (auto result = first.open(digits_library(), options); !result)
    return fail(result);
  options.modelDir = std::string(argv[1]) + "/second";
  if (auto result = second.open(twin_library(), options); !result)
    return fail(result);

  // Training starts where the other one does.
  ingot::Tensor weights;
  for (const char *name :
       {"hidden1/kernel", "hidden2/kernel", "logits/kernel"}) {
    if (auto result = first.read(name, weights); !result)
      return fail(result);
    auto values = weights.values<float>();
    if (auto result = second.write(ingot::feed(name, values, weights.dims()));
        !result)
      return fail(result);
  }
  if (auto result = second.write(ingot::feed("beta1_power", 0.5f)); !result)
    return fail(result);

  double losses[2];
  int i = 0;
  for (ingot::Trainer *trainer : {&first, &second}) {
    if (auto result = train(*trainer, std::atoll(argv[3])); !result)
      return fail(result);
    ingot::Tensor loss;
    if (auto result = trainer->fetch("loss", loss); !result)
      return fail(result);
    losses[i++] = static_cast<double>(*loss.data<float>());
  }
  std::printf("first %.4f  second %.4f\n", losses[0], losses[1]);
  ingot::Trainer best = std::move(losses[0] < losses[1] ? first : second);
  if (auto result = best.save(); !result)
    return fail(result);
  return 0;
}
