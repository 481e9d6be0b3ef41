# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's run of a program with each float32 as a float64.

How far TensorFlow's float32 is from this is the rounding error of TensorFlow's own kernels, which noise in a graph's
inputs does not move: for example, the largest element of its softmax is `exp(0) * (1 / sum)`, which may be the float
before 1 where the exact value rounds to 1, and a saturated row's gradient is a multiple of the difference.
"""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
DRAWS = ("Random", "Stateless", "TruncatedNormal", "ParameterizedTruncatedNormal", "Multinomial")


def widenType(dtype):
    return tf.float64.as_datatype_enum if dtype == tf.float32.as_datatype_enum else dtype


def widenNode(node):
    for attribute in node.attr.values():
        kind = attribute.WhichOneof("value")
        if kind == "type":
            attribute.type = widenType(attribute.type)
        elif kind == "list":
            attribute.list.type[:] = map(widenType, attribute.list.type)
        elif kind == "tensor" and attribute.tensor.dtype == tf.float32.as_datatype_enum:
            values = tf.make_ndarray(attribute.tensor).astype(np.float64)
            attribute.tensor.CopyFrom(tf.make_tensor_proto(values, shape=values.shape))


def widen(graph):
    """Changes a GraphDef in place; False if it draws random numbers, which depend on the type, or takes from queues, which its
    part that losses depend on does not fill."""
    nodes = [*graph.node, *(node for function in graph.library.function for node in function.node_def)]
    if any(node.op.startswith(DRAWS) or "Queue" in node.op for node in nodes):
        return False
    for node in nodes:
        widenNode(node)
    for function in graph.library.function:
        for argument in [*function.signature.input_arg, *function.signature.output_arg]:
            argument.type = widenType(argument.type)
    return True


def runFloat64(program, folder, steps):
    """Losses and variables as Program.runTensorFlow(); None for a graph that TensorFlow does not take in float64."""
    names = [program.train.name, *(loss.op.name for loss in program.losses), *(v.op.name for v in program.variables)]
    definition = v1.graph_util.extract_sub_graph(program.graph.as_graph_def(), names)
    if not widen(definition):
        return None
    reader = tf.train.load_checkpoint(str(folder / "model.ckpt-0"))
    try:
        with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
            tf.import_graph_def(definition, name="")
            handles = {variable.op.name: graph.get_operation_by_name(variable.op.name).outputs[0] for variable in program.variables}
            types = {}
            for name, handle in handles.items():
                value = reader.get_tensor(name)
                value = value.astype(np.float64) if value.dtype == np.float32 else value
                types[name] = value.dtype
                session.run(tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(value)))
            losses = [graph.get_tensor_by_name(loss.name) for loss in program.losses]
            train = graph.get_operation_by_name(program.train.name)
            lines = [session.run([losses, train])[0] for _ in range(steps)]
            reads = {name: tf.raw_ops.ReadVariableOp(resource=handle, dtype=types[name]) for name, handle in handles.items()}
            values = session.run(reads)
    except (ValueError, TypeError, KeyError, tf.errors.OpError):
        return None
    values.update({f"loss of tower {i}": np.array([line[i] for line in lines]) for i in range(len(losses))})
    return values
