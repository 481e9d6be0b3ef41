# SPDX-License-Identifier: Apache-2.0
"""The search file of a case (docs/guide/search.md)."""
from cases import graph_name


def option(name, value):
    if isinstance(value, bool):
        return f"{name}: {str(value).lower()} "
    return f"{name}: {value!r} " if not isinstance(value, str) else f'{name}: "{value}" '


def optimizer_text(optimizer, instance=""):
    text = f"{optimizer.kind} {{ learning_rate: {optimizer.rate!r} {''.join(option(*one) for one in optimizer.options)}}}"
    if optimizer.clip:
        text += f" clip_norm: {optimizer.clip!r}"
    if optimizer.schedule:
        kind, steps, number = optimizer.schedule
        text += f" schedule {{ {kind} {{ steps: {steps} {'rate' if kind == 'exponential' else 'alpha'}: {number!r} }} }}"
    if instance:
        text += " " + option("instance", instance).rstrip()
    return f"optimizer {{ {text} }}"


def feature_text(feature):
    kind = {
        "numeric": lambda: "numeric { " + "".join(option(*one) for one in feature.options) + "}",
        "bucketized": lambda: "bucketized { " + "".join(option("boundary", one) for one in feature.options) + "}",
        "vocabulary": lambda: "categorical { vocabulary { " + "".join(option("word", one) for one in feature.options) + "} }",
        "identity": lambda: f"categorical {{ identity: {feature.options[0]} }}",
        "crossed": lambda: "crossed { " + "".join(option("feature", one) for one in feature.column.split(",")) + f"hash_buckets: {feature.options[0]} }}",
    }[feature.kind]()
    column = "" if feature.kind == "crossed" else option("column", feature.column)
    embedding = option("embedding", feature.embedding) if feature.embedding else ""
    return f'feature {{ name: "{feature.name}" {column}{kind} {embedding}}}\n'


def head_text(case, data):
    labels = "".join(option("label", label) for label in data.labels)
    if case.head == "multi":
        kinds = {"amount": "regression {}", "sign": "binary {}"}
        heads = "".join(f'head {{ {kinds[label]} name: "{label}" label: "{label}" }} ' for label in data.labels)
        return f"head {{ multi {{ {heads}}} }}\n"
    classes = f" classes: {int(max(data.train[data.labels[0]])) + 1}" if case.head == "multi_class" else ""
    return f"head {{ {case.head} {{{classes} }} {labels}{option('weight', data.weight) if data.weight else ''}}}\n"


def network_text(network, data, graphs):
    sizes = network.sizes
    if network.kind == "simple_dnn":
        own = f"simple_dnn {{ layer_size: {sizes[0]} }} learn_mixture_weights: true"
    elif network.kind == "linear":
        own = "linear {}"
    elif network.kind == "dnn":
        own = "dnn { " + "".join(option("layer_size", size) for size in sizes) + (option("activation", network.activation) if network.activation else "")
        own += (option("dropout", network.dropout) if network.dropout else "") + "}"
    elif network.kind == "convolutional":
        own = "convolutional { height: 8 width: 8 " + "".join(option("filters", size) for size in sizes[:-1]) + f"dense_size: {sizes[-1]} }}"
    else:
        name = graph_name(network)
        feeds = "".join(option("features", f"{feature.name}={feature.name}") for feature in data.features)
        bagging = ""
        if network.bagging:
            seed, batch = network.bagging
            bagging = f'input {{ csv {{ file: "train.csv" header: true }} shuffle {{ buffer: 3000 seed: {seed} }} batch: {batch} }} '
        complexity = 0 if name.startswith("pool") else network.complexity
        own = (f'graph {{ file: "{graphs}/{name}.meta" name: "{name}" {feeds}logits: "member_logits" last_layer: "last_layer" '
               f"complexity: {complexity!r} {bagging}}}")  # fmt: skip
    # AdaNet's generator hands one optimizer object to all of its networks and their mixture weights.
    instance = network.kind if network.kind == "simple_dnn" else ""
    return f"generator {{ {own} {optimizer_text(network.optimizer, instance)} }}\n"


def ensembler_text(ensembler):
    if ensembler.kind == "mean":
        return "ensembler { mean { new_members_only: true } }\n"
    # An optimizer of AdaNet's ensembler sees the penalty twice.
    optimizer = optimizer_text(ensembler.optimizer) + " penalty_twice: true" if ensembler.optimizer else ""
    name = option("name", ensembler.name) if ensembler.name else ""
    return (f"ensembler {{ complexity_regularized {{ weights: {ensembler.weights} lambda: {ensembler.penalty[0]!r} beta: {ensembler.penalty[1]!r} "
            f"{option('use_bias', ensembler.bias)}{option('warm_start', ensembler.warm)}{optimizer} }} {name}}}\n")  # fmt: skip


def search_text(case, data, seed, graphs):
    """`graphs` is the folder of the graphs that the case's networks may be; data files lie beside the search file."""
    text = f"""seed: {seed}
max_iterations: {case.iterations}
max_iteration_steps: {case.steps}
restart_input: true
adanet_loss_decay: {case.decay!r}
train {{ csv {{ file: "train.csv" header: true }} shuffle {{ buffer: {case.buffer} seed: {seed} }} batch: {case.batch} }}
evaluate {{ csv {{ file: "test.csv" header: true }} batch: {case.batch} }}
"""
    text += "".join(feature_text(feature) for feature in data.features) + head_text(case, data)
    text += "".join(network_text(network, data, graphs) for network in sorted_networks(case))
    text += "".join(ensembler_text(ensembler) for ensembler in case.ensemblers)
    text += "".join(f"strategy {{ kind: {strategy} }}\n" for strategy in case.strategies)
    if case.force_grow:
        text += "force_grow: true\n"
    if case.replicate:
        text += "replicate_ensemble_in_training: true\n"
    if case.evaluator:
        text += f"evaluator {{ {option('metric', case.evaluator[0])}{option('maximize', case.evaluator[1])}}}\n"
    return text


def sorted_networks(case):
    """AdaNet takes the candidates of a pool by their names."""
    return sorted(case.networks, key=graph_name) if case.is_pool else case.networks
