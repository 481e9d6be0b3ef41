# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/guide/defaults.md, against TensorFlow's signatures and the help of Ingot's verbs."""
import json
import re

import harness
from with_tensorflow import tensorflow

PAGE = harness.SOURCE / "docs" / "guide" / "defaults.md"

# Arguments that are no defaults of behaviour: ops, tensors and objects that a graph or a flag brings, and what a compiled
# graph has no counterpart for.
OBJECTS = """
SessionManager: local_init_op ready_op ready_for_local_init_op graph local_init_run_options local_init_feed_dict
SessionManager.prepare_session: master init_op saver checkpoint_dir checkpoint_filename_with_path config init_feed_dict init_fn
SessionManager.recover_session: master saver checkpoint_dir checkpoint_filename_with_path config
SessionManager.wait_for_session: master config
MonitoredTrainingSession: master is_chief scaffold hooks chief_only_hooks config summary_dir
WorkerSessionCreator: scaffold master config
CheckpointSaverHook: checkpoint_dir save_secs save_steps saver scaffold listeners
StepCounterHook: every_n_secs output_dir summary_writer
LoggingTensorHook: tensors every_n_iter formatter
NanTensorHook: loss_tensor
Saver: var_list name saver_def builder defer_build filename
Saver.save: sess save_path global_step
stop_if_lower_hook: estimator metric_name threshold run_every_steps
stop_if_higher_hook: estimator metric_name threshold run_every_steps
stop_if_no_decrease_hook: estimator metric_name max_steps_without_decrease run_every_steps
stop_if_no_increase_hook: estimator metric_name max_steps_without_increase run_every_steps
RunConfig: session_config train_distribute device_fn protocol eval_distribute experimental_distribute experimental_max_worker_delay_secs
EvalSpec: input_fn name hooks exporters
"""

SIGNATURES = """
import inspect, json, sys
import tensorflow.compat.v1 as tf
from tensorflow_estimator.python.estimator import early_stopping
from tensorflow_estimator.python.estimator.run_config import RunConfig
from tensorflow_estimator.python.estimator.training import EvalSpec

def find(name):
    if name == "RunConfig":
        return RunConfig.__init__
    if name == "EvalSpec":
        return EvalSpec.__new__
    if name.startswith("stop_if_"):
        return getattr(early_stopping, name)
    owner, _, method = name.partition(".")
    found = getattr(tf.train, owner)
    if method:
        return getattr(found, method)
    return found.__init__ if inspect.isclass(found) else found

print(json.dumps({name: {
    argument: None if parameter.default is inspect.Parameter.empty else repr(parameter.default)
    for argument, parameter in inspect.signature(find(name)).parameters.items() if argument not in ("self", "cls")}
    for name in sys.argv[1:]}))
"""


def rows():
    """The rows of both tables: TensorFlow's function and argument, its default, verb and flag, Ingot's default."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        match = re.fullmatch(r"`([\w.]+)\((\w+)\)`", cells[0])
        if match:
            verb, _, flag = cells[2].strip("`").rpartition(" ")
            found.append((match[1], match[2], cells[1], verb or "train", flag, cells[3]))
    assert len(found) > 50, len(found)
    return found


def documented_defaults_are_tensorflows(setup):
    """Each argument stands in one table, or has no default that could be stated; each default is TensorFlow's."""
    python = tensorflow()
    objects = dict(line.split(": ") for line in OBJECTS.strip().splitlines())
    done = setup.run(python, "-c", SIGNATURES, *objects).expect(0)
    signatures = json.loads(done.out.splitlines()[-1])
    documented = {}
    for function, argument, default, *_ in rows():
        documented.setdefault((function, argument), set()).add(default)
    for function, arguments in signatures.items():
        known = {argument for name, argument in documented if name == function}
        both = known & set(objects[function].split())
        assert not both, (function, both)
        assert known | set(objects[function].split()) == set(arguments), (function, set(arguments) ^ known)
        for argument in known:
            (default,) = documented[function, argument]
            # An object stands for "not given": the value that the function then takes is in its text only.
            if "object at 0x" not in arguments[argument]:
                assert default == f"`{arguments[argument]}`", (function, argument, default, arguments[argument])
    assert {function for function, _ in documented} == set(objects)


def documented_defaults_are_those_of_flags(setup):
    """What a table says of a flag is what `--help` says: `(default: ...)`, or nothing where it is off or required."""
    helps = {}
    for verb in ("train", "train-and-evaluate"):
        flag = None
        for line in setup.run(setup.trainer, verb, "--help").expect(0).out.splitlines():
            if line.startswith("  --"):
                flag = line.split()[0]
            elif not line.startswith("  "):
                flag = None
            if flag:
                helps[verb, flag] = helps.get((verb, flag), "") + line
    seen = set()
    for function, argument, _, verb, flag, default in rows():
        values = re.findall(r"\(default: ([^;)]*)", helps[verb, flag])
        if default in ("off", "required", "every second"):
            assert not values, (flag, values)
        else:
            assert default in values, (flag, default, values)
        seen.add(flag)
    assert len(seen) > 25, seen


if __name__ == "__main__":
    harness.main(globals())
