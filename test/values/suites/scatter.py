# SPDX-License-Identifier: Apache-2.0
"""Sparse updates of variables: scatters and sparse steps of optimizers; TF1's reference variables."""
from suite import *
from optimizer import STEPS


def held(name, value, resource=True):
    if resource:
        return v1.get_variable(name, initializer=tf.constant(value), use_resource=True)
    return raw.VariableV2(shape=value.shape, dtype=tf.as_dtype(value.dtype), name=name)


def scatter():
    suite = Suite("scatter")

    def update(name, op, value, indices, updates, rtol=0.0):
        def function(i, u):
            variable = held(f"{op}_{name}", value)
            done = getattr(raw, "ResourceScatter" + op)(
                **{"ref" if op.startswith("Nd") else "resource": variable.handle}, indices=i, updates=u)  # fmt: skip
            with tf.control_dependencies([done]):
                return variable.read_value()
        suite.case(f"{op}_{name}", function, indices, updates, rtol=rtol)

    for op in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max"):
        for dtype in FLOATS + INTS if op != "Div" else FLOATS:
            for wide in INTS if dtype is F32 else (I32,):
                kind = f"{short(dtype)}_{short(wide)}"
                nonzero = lambda shape: np.asarray(2.0 ** rng.randint(0, 3, size=shape), dtype)
                draw = nonzero if op in ("Mul", "Div") else lambda shape: values(shape, dtype)
                twice = np.array([3, 0, 3, 1, 3], wide)
                update(f"rows_{kind}", op, values((5, 4), dtype), twice, draw((5, 4)))
                if dtype in (F32, I64):
                    update(f"vector_{kind}", op, values((7,), dtype), np.array([6, 2, 2], wide), draw((3,)))
                    update(f"matrix_of_indices_{kind}", op, values((5, 2, 3), dtype), np.array([[4, 0], [1, 1]], wide), draw((2, 2, 2, 3)))
                    update(f"one_index_{kind}", op, values((5, 2), dtype), np.array(2, wide), draw((2,)))
                    update(f"one_value_{kind}", op, values((5, 2), dtype), np.array([4, 1, 4], wide), draw(()))
                    update(f"no_index_{kind}", op, values((5, 2), dtype), np.zeros((0,), wide), draw((0, 2)))
    for op in ("NdUpdate", "NdAdd", "NdSub", "NdMin", "NdMax"):
        for dtype in (F32, I32):
            kind = short(dtype)
            update(f"rows_{kind}", op, values((5, 4), dtype), np.array([[3], [0], [3]], I32), values((3, 4), dtype))
            update(f"elements_{kind}", op, values((5, 4), dtype), np.array([[3, 1], [0, 0], [3, 1], [4, 3]], I64), values((4,), dtype))
            update(f"deep_{kind}", op, values((3, 4, 5), dtype), np.array([[[2, 1]], [[0, 3]]], I32), values((2, 1, 5), dtype))
    update("bools", "Update", bools((6, 3)), np.array([5, 0], I32), bools((2, 3)))
    # Reads before the update, or unordered ones, return the value from before the step.
    def readers(i, u):
        variable = held("readers", values((6, 3), F32))
        before = variable.read_value()
        with tf.control_dependencies([before]):
            done = raw.ResourceScatterAdd(resource=variable.handle, indices=i, updates=u)
        with tf.control_dependencies([done]):
            again = raw.ResourceScatterMul(resource=variable.handle, indices=i, updates=u + before[:2])
        with tf.control_dependencies([again]):
            return [before, variable.read_value(), before * 2.0]
    suite.case("readers", readers, np.array([5, 1], I32), values((2, 3), F32))
    suite.write()


SPARSE = ("Adagrad", "AdagradV2", "Momentum", "KerasMomentum", "RMSProp", "CenteredRMSProp", "Adadelta", "Ftrl", "FtrlV2",
    "ProximalGradientDescent", "ProximalAdagrad")  # fmt: skip


def sparse_steps():
    suite = Suite("sparse_steps")
    steps = STEPS | {"Momentum": ("var accum", dict(lr=0.1, grad=None, momentum=0.9))}
    for op in SPARSE:
        stateNames, inputs = steps[op]
        names = stateNames.replace("+", "").split()
        inputs = {"grad" if key == "delta" else key: value for key, value in inputs.items()}
        for dtype in FLOATS:
            for shape in ((6, 5), (6,)) if dtype is F32 else ((6, 5),):
                name = f"{op}_{short(dtype)}_{text(shape)}"
                states = [normal(shape, dtype) for _ in names]
                states = [np.asarray(np.abs(s) + 0.1 if n.endswith("+") else s, dtype) for s, n in zip(states, stateNames.split())]
                for wide in INTS if op == "Adagrad" else (I32,):
                    indices = np.array([4, 0, 4, 2], wide)  # one twice
                    rest = {key: normal((4,) + shape[1:], dtype) if value is None else np.array(value, dtype) for key, value in inputs.items()}
                    rest["indices"] = indices
                    flags = [{}]
                    if op in ("Momentum", "KerasMomentum"):
                        flags.append({"use_nesterov": True})
                    if op.startswith("Adagrad"):
                        flags.append({"update_slots": False})
                    if op.startswith("Ftrl"):
                        flags.append({"multiply_linear_by_lr": True})
                    for flag in flags:
                        case = f"{name}_{short(wide)}" + "".join("_" + key for key in flag)
                        def function(*feeds, case=case, states=states, rest=rest, op=op, flag=flag, names=names):
                            variables = [held(f"{case}_{i}", state) for i, state in enumerate(states)]
                            done = getattr(raw, "ResourceSparseApply" + op)(**dict(zip(names, [v.handle for v in variables])), **dict(zip(rest, feeds)), **flag)
                            with tf.control_dependencies([done]):
                                return [v.read_value() for v in variables]
                        tolerance = 4e-6 if dtype is F32 else 3e-14
                        suite.case(case, function, *rest.values(), rtol=tolerance, atol=tolerance / 10)
    suite.write()


def reference_variables():
    suite = Suite("reference_variables")

    def reference(name, value):
        """A variable that the case initializes again, whatever ran before."""
        variable = held(name, value, resource=False)
        ready = raw.Assign(ref=variable, value=tf.constant(value))
        v1.add_to_collection(INITIALIZERS, ready)
        return variable, ready

    def case(name, values_, body, *inputs, rtol=0.0):
        def function(*feeds):
            variables, ready = zip(*[reference(f"{name}_{i}", v) for i, v in enumerate(values_)])
            with tf.control_dependencies(ready):
                return body(*variables, *feeds)
        suite.case(name, function, *inputs, rtol=rtol)

    w, x = values((3, 4), F32), values((3, 4), F32)
    after = lambda done, v: control(done, lambda: tf.identity(v))

    def control(done, then):
        with tf.control_dependencies([done]):
            return then()

    case("assign", [w], lambda v, x: [after(raw.Assign(ref=v, value=x), v)], x)
    case("assign_add", [w], lambda v, x: [after(raw.AssignAdd(ref=v, value=x), v)], x)
    case("assign_sub", [w], lambda v, x: [after(raw.AssignSub(ref=v, value=x), v)], x)
    case("result_of_assign", [w], lambda v, x: [raw.AssignAdd(ref=v, value=x)], x)
    case("result_is_a_variable", [w], lambda v, x: [raw.Assign(ref=raw.AssignAdd(ref=v, value=x), value=x + 1.0) * 2.0], x)
    case("direct_use", [w], lambda v, x: [control(raw.AssignAdd(ref=v, value=x), lambda: raw.Mul(x=v, y=x))], x)
    case("counter", [np.array(41, I64)], lambda v, x: [after(raw.AssignAdd(ref=v, value=x), v)], np.array(1, I64))
    case("descent", [w], lambda v, x: [after(raw.ApplyGradientDescent(var=v, alpha=0.5, delta=x), v)], x)
    case("momentum", [w, x], lambda v, m, g: [raw.ApplyMomentum(var=v, accum=m, lr=0.5, grad=g, momentum=0.5)], x, rtol=1e-6)
    case("adagrad", [w, np.abs(x) + F32(1)], lambda v, a, g: [after(raw.ApplyAdagrad(var=v, accum=a, lr=0.5, grad=g), v)], x, rtol=1e-6)
    case("rms_prop", [w, np.abs(x), w], lambda v, s, m, g: [after(raw.ApplyRMSProp(var=v, ms=s, mom=m, lr=0.5, rho=0.9, momentum=0.1, epsilon=1.0, grad=g), m)], x, rtol=1e-6)
    rows = np.array([2, 0, 2], I32)
    for op in ("Update", "Add", "Sub", "Mul", "Min", "Max"):
        case(f"scatter_{op}", [w], lambda v, i, u, op=op: [getattr(raw, "Scatter" + op)(ref=v, indices=i, updates=u)], rows, values((3, 4), F32))
    case("scatter_nd", [w], lambda v, i, u: [raw.ScatterNdUpdate(ref=v, indices=i, updates=u)], np.array([[2, 1], [0, 3]], I32), values((2,), F32))
    case("sparse_adagrad", [w, np.abs(x) + F32(1)], lambda v, a, g, i: [raw.SparseApplyAdagrad(var=v, accum=a, lr=0.5, grad=g, indices=i)],
         values((3, 4), F32), rows, rtol=1e-6)  # fmt: skip
    for op in ("Add", "Sub", "Max", "Min"):
        case(f"scatter_nd_{op}", [w], lambda v, i, u, op=op: [getattr(raw, "ScatterNd" + op)(ref=v, indices=i, updates=u)],
             np.array([[2, 1], [0, 3], [2, 1]], I32), values((3,), F32))  # fmt: skip
    case("scatter_Div", [w], lambda v, i, u: [raw.ScatterDiv(ref=v, indices=i, updates=u)], rows, np.full((3, 4), 2, F32))
    a, b, c = np.abs(x) + F32(1), np.abs(w) + F32(1), np.array(0.5, F32)
    step = lambda name, held_, run, **more: case(name, held_, lambda *all_: [run(*all_)], x, rtol=2e-6, **more)
    step("adam", [w, x, a], lambda v, m, s, g: raw.ApplyAdam(var=v, m=m, v=s, beta1_power=c, beta2_power=c, lr=0.5, beta1=0.9, beta2=0.99, epsilon=1e-3, grad=g))
    step("adamax", [w, x, a], lambda v, m, s, g: raw.ApplyAdaMax(var=v, m=m, v=s, beta1_power=c, lr=0.5, beta1=0.9, beta2=0.99, epsilon=1e-3, grad=g))
    step("adadelta", [w, a, b], lambda v, s, u, g: raw.ApplyAdadelta(var=v, accum=s, accum_update=u, lr=0.5, rho=0.9, epsilon=1e-3, grad=g))
    step("adagrad_v2", [w, a], lambda v, s, g: raw.ApplyAdagradV2(var=v, accum=s, lr=0.5, epsilon=1e-3, grad=g))
    step("centered", [w, x * 0, a * 9, w], lambda v, mg, ms, m, g: raw.ApplyCenteredRMSProp(var=v, mg=mg, ms=ms, mom=m, lr=0.5, rho=0.9, momentum=0.1, epsilon=1.0, grad=g))
    step("ftrl", [w, a, x], lambda v, s, l, g: raw.ApplyFtrl(var=v, accum=s, linear=l, grad=g, lr=0.5, l1=0.1, l2=0.2, lr_power=-0.5))
    step("ftrl_v2", [w, a, x], lambda v, s, l, g: raw.ApplyFtrlV2(var=v, accum=s, linear=l, grad=g, lr=0.5, l1=0.1, l2=0.2, l2_shrinkage=0.1, lr_power=-0.5))
    step("proximal", [w], lambda v, g: raw.ApplyProximalGradientDescent(var=v, alpha=0.5, l1=0.1, l2=0.2, delta=g))
    step("proximal_adagrad", [w, a], lambda v, s, g: raw.ApplyProximalAdagrad(var=v, accum=s, lr=0.5, l1=0.1, l2=0.2, grad=g))
    step("add_sign", [w, x], lambda v, m, g: raw.ApplyAddSign(var=v, m=m, lr=0.5, alpha=1.0, sign_decay=0.9, beta=0.9, grad=g))
    step("power_sign", [w, x], lambda v, m, g: raw.ApplyPowerSign(var=v, m=m, lr=0.5, logbase=1.0, sign_decay=0.9, beta=0.9, grad=g))
    sparse = lambda name, held_, run: case(name, held_, lambda *all_: [run(*all_)], values((3, 4), F32), rows, rtol=4e-6)
    sparse("sparse_momentum", [w, x], lambda v, m, g, i: raw.SparseApplyMomentum(var=v, accum=m, lr=0.5, grad=g, indices=i, momentum=0.5))
    sparse("sparse_rms_prop", [w, a, x], lambda v, s, m, g, i: raw.SparseApplyRMSProp(var=v, ms=s, mom=m, lr=0.5, rho=0.9, momentum=0.1, epsilon=1.0, grad=g, indices=i))
    sparse("sparse_centered", [w, x * 0, a * 9, w], lambda v, mg, ms, m, g, i: raw.SparseApplyCenteredRMSProp(
        var=v, mg=mg, ms=ms, mom=m, lr=0.5, rho=0.9, momentum=0.1, epsilon=1.0, grad=g, indices=i))  # fmt: skip
    sparse("sparse_adadelta", [w, a, b], lambda v, s, u, g, i: raw.SparseApplyAdadelta(var=v, accum=s, accum_update=u, lr=0.5, rho=0.9, epsilon=1e-3, grad=g, indices=i))
    sparse("sparse_adagrad_v2", [w, a], lambda v, s, g, i: raw.SparseApplyAdagradV2(var=v, accum=s, lr=0.5, epsilon=1e-3, grad=g, indices=i))
    sparse("sparse_ftrl", [w, a, x], lambda v, s, l, g, i: raw.SparseApplyFtrl(var=v, accum=s, linear=l, grad=g, indices=i, lr=0.5, l1=0.1, l2=0.2, lr_power=-0.5))
    sparse("sparse_ftrl_v2", [w, a, x], lambda v, s, l, g, i: raw.SparseApplyFtrlV2(
        var=v, accum=s, linear=l, grad=g, indices=i, lr=0.5, l1=0.1, l2=0.2, l2_shrinkage=0.1, lr_power=-0.5))  # fmt: skip
    sparse("sparse_proximal", [w], lambda v, g, i: raw.SparseApplyProximalGradientDescent(var=v, alpha=0.5, l1=0.1, l2=0.2, grad=g, indices=i))
    sparse("sparse_proximal_adagrad", [w, a], lambda v, s, g, i: raw.SparseApplyProximalAdagrad(var=v, accum=s, lr=0.5, l1=0.1, l2=0.2, grad=g, indices=i))
    case("is_initialized", [w], lambda v, x: [raw.IsVariableInitialized(ref=v), x], x)
    # References that branches and loops hand on.
    case("ref_identity", [w], lambda v, x: [raw.RefIdentity(input=raw.AssignAdd(ref=v, value=x)) * 2.0], x)
    for c in (True, False):
        def switched(v, x, c):
            off, on = raw.RefSwitch(data=v, pred=c)
            return list(raw.Merge(inputs=[raw.Identity(input=off) + x, raw.Identity(input=on) * x]))
        case(f"ref_switch_{c}", [w], switched, x, np.bool_(c))
        def merged(v, x, c):
            off, on = raw.RefSwitch(data=v, pred=c)
            return [tf.identity(raw.RefMerge(inputs=[off, on])[0]) + x]
        case(f"ref_merge_{c}", [w], merged, x, np.bool_(c))

    def chosen(v, x, c):
        done = v1.cond(c, lambda: v1.assign(v, x * 2.0), lambda: v1.assign_sub(v, x))
        return [done + 0.0, control(done, lambda: tf.identity(v))]

    def looped(v, x, n):
        def body(i):
            return control(v1.assign_add(v, x), lambda: i + 1)
        done = v1.while_loop(lambda i: i < n, body, [tf.constant(0)])
        return [control(done, lambda: tf.identity(v))]

    def carried(v, x, n):
        """A reference that is the loop's state, put together by hand."""
        enter = dict(frame_name=n.op.name)
        most, added = (raw.Enter(data=t, is_constant=True, **enter) for t in (n, x))
        count, total, given = raw.Enter(data=tf.constant(0), **enter), raw.Enter(data=x, **enter), raw.RefEnter(data=v, **enter)
        with tf.control_dependencies(None):  # of another frame
            merges = [raw.Merge(inputs=[t, t])[0] for t in (count, total)] + [raw.RefMerge(inputs=[given, given])[0]]
            go = raw.LoopCond(input=raw.Less(x=merges[0], y=most))
            switches = [raw.Switch(data=t, pred=go) for t in merges[:2]] + [raw.RefSwitch(data=merges[2], pred=go)]
            count, total, given = (switch.output_true for switch in switches)
            with tf.control_dependencies([count]):
                one = tf.constant(1)
            nexts = [raw.NextIteration(data=t) for t in (count + one, total * added + given)] + [raw.RefNextIteration(data=given)]
            for merge, then in zip(merges, nexts):
                merge.op._update_input(1, then)
            return [raw.Exit(data=switches[1].output_false) * 1.0, tf.identity(raw.RefExit(data=switches[2].output_false)) * 1.0]

    v1.disable_control_flow_v2()
    for n in (0, 3):
        case(f"carried_by_a_loop_{n}", [w], carried, x, I32(n))
    for c in (True, False):
        case(f"assigned_in_a_branch_{c}", [w], chosen, x, np.bool_(c))
    for n in (0, 3):
        case(f"assigned_in_a_loop_{n}", [w], looped, x, I32(n))

    case("strided", [w], lambda v, x: [raw.StridedSliceAssign(ref=v, begin=[0, 1], end=[2, 3], strides=[1, 1], value=x) * 2.0], values((2, 2), F32))
    case("strided_masks", [w], lambda v, x: [raw.StridedSliceAssign(ref=v, begin=[2, 0], end=[0, 0], strides=[-2, 1], value=x, end_mask=1, shrink_axis_mask=2)], values((2,), F32))

    def temporary(x, y):
        total = raw.TemporaryVariable(shape=(3, 4), dtype=tf.float32, var_name="total")
        ready = raw.Assign(ref=total, value=tf.zeros((3, 4)))
        sums = [raw.AssignAdd(ref=ready, value=t) for t in (x, y)]
        with tf.control_dependencies(sums):
            return [raw.DestroyTemporaryVariable(ref=ready, var_name="total")]

    suite.case("temporary", temporary, x, values((3, 4), F32))

    def oldest(x):
        variable = raw.Variable(shape=(3, 4), dtype=tf.float32)
        v1.add_to_collection(INITIALIZERS, raw.Assign(ref=variable, value=tf.constant(w)))
        return [variable + x]

    suite.case("Variable", oldest, x)
    suite.write()


def reference_reads():
    """When TF1's graphs see what they have assigned: what `w/read` gives is the variable's own buffer."""
    suite = Suite("reference_reads")
    v1.disable_control_flow_v2()

    def initialized(variables):
        for variable in variables:
            v1.add_to_collection(INITIALIZERS, variable.initializer)

    def reference(name, value):
        variable = v1.get_variable(name, initializer=tf.constant(value), use_resource=False)
        initialized([variable])
        return variable

    def case(name, values_, body, *inputs, rtol=0.0, times=2):
        def function(*feeds):
            return body(*[reference(f"{name}_{i}", v) for i, v in enumerate(values_)], *feeds)
        suite.case(name, function, *inputs, rtol=rtol, times=times)

    def then(first, body):
        with tf.control_dependencies(first if isinstance(first, list) else [first]):
            return body()

    w, x = values((3, 4), F32), values((3, 4), F32)
    one, zero, step = np.array(1, F32), np.array(0, F32), np.array(0, I64)
    descend = lambda v, x: v1.train.GradientDescentOptimizer(0.125).minimize(tf.reduce_sum(x * v * v), var_list=[v])

    def moving_average(v, x, **more):
        average = v1.train.ExponentialMovingAverage(0.9, **more)
        apply = then(descend(v, x), lambda: average.apply([v]))
        initialized([average.average(v)])
        return then(apply, lambda: [average.average(v) * 1.0, v * 1.0])

    case("moving_average", [w], moving_average, np.abs(x), rtol=2e-6)
    case("moving_average_in_a_row", [w, step], lambda v, s, x: then(v1.assign_add(s, 1), lambda: moving_average(v, x, num_updates=s)), np.abs(x), rtol=2e-6)
    case("counter_after_its_step", [step, zero], lambda s, v: then(v1.assign_add(s, 1), lambda: [v1.assign(v, tf.cast(s, tf.float32) * 2.0), tf.identity(s) + 10]))

    def decayed(s, v, x):
        rate = v1.train.exponential_decay(0.5, s, 1, 0.5)
        done = v1.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(v * x), global_step=s, var_list=[v])
        return then(done, lambda: [rate * 1.0, tf.identity(s) + 0, v * 1.0])

    def before_and_after(v, x):
        old = v * x
        done = then(old, lambda: v1.assign_add(v, x))
        return then(done, lambda: [old + 10.0, v * x])

    def read_before(v, x, hand_on=tf.identity):
        old = hand_on(v)
        done = then(old, lambda: v1.assign_add(v, x))
        return then(done, lambda: [old + 10.0])

    def assigned_in_a_row(v, x):
        first = v1.assign(v, v + x)
        second = v1.assign(first, first * 2.0)
        return [v1.assign_add(second, second) * 1.0]

    def losses(v, x):
        loss = tf.reduce_sum(v * v * x)
        return then(then(loss, lambda: descend(v, x)), lambda: [tf.reduce_sum(v * v * x), tf.identity(loss)])

    case("rate_from_before_the_step", [step, w], decayed, x, rtol=2e-6)
    case("product_before_and_after", [w], before_and_after, x)
    case("identity_from_before", [w], read_before, x)
    case("identities_in_a_row", [w], lambda v, x: read_before(v, x, lambda v: tf.stop_gradient(tf.identity(v))), x)
    case("results_of_assign", [w], assigned_in_a_row, x)
    case("loss_before_and_after", [w], losses, np.abs(x), rtol=2e-6)
    case("fetched", [w], lambda v, x: [tf.identity(v), v1.assign_add(v, x)], x)

    def three(v, s, x):
        first = v1.assign_add(s, v)
        second = then(first, lambda: v1.assign(v, s * 2.0 + v))
        third = then(second, lambda: v1.assign_add(s, v))
        return then(third, lambda: [v * 1.0, s * x])

    case("three_in_turn", [w, x], three, x)

    def power(v, x):
        optimizer = v1.train.AdamOptimizer(0.125)
        done = optimizer.minimize(tf.reduce_sum(v * v * x), var_list=[v])
        made = optimizer.variables()
        initialized(made)
        return then(done, lambda: [slot * 1.0 for slot in made])

    case("powers_of_adam", [w], power, np.abs(x), rtol=4e-6)

    def normalized(name, scale, x, training=True):
        """A step of a layer whose moments are updated before it."""
        y = v1.layers.batch_normalization(x, training=training, name=name)
        updates = [u for u in v1.get_collection(v1.GraphKeys.UPDATE_OPS) if f"/{name}/" in u.name]
        assert len(updates) == 2, updates
        own = v1.global_variables(name + "/")
        initialized(own)
        done = then(updates, lambda: v1.train.GradientDescentOptimizer(0.125).minimize(tf.reduce_mean(y * y * scale + y), var_list=own[:2]))
        return then(done, lambda: [v * scale for v in own])

    near = dict(rtol=1e-5)
    case("moments_after_their_update", [one], lambda *a: normalized("normalized", *a), x, **near)
    images = normal((3, 4, 5, 2))
    for training in (True, False):
        for kind, shape in (("rows", x), ("images", images)):
            name = f"normalized_{kind}_{training}"
            case(name, [one], lambda *a, name=name: normalized("the_" + name, *a), shape, np.bool_(training), **near)
    branch = lambda v: v1.cond(tf.reduce_sum(v) > 1.5, lambda: v + 10.0, lambda: v - 10.0)
    case("read_in_a_branch", [one], lambda v: then(v1.assign_add(v, 1.0), lambda: [branch(v)]))
    inside = lambda v, c: v1.cond(c, lambda: then(v1.assign_add(v, v), lambda: v * 3.0), lambda: v * 5.0)
    for c in (True, False):
        case(f"assigned_and_read_in_a_branch_{c}", [w], lambda v, c: [inside(v, c)], np.bool_(c))
    loop = lambda v, n: v1.while_loop(lambda i, a: i < n, lambda i, a: then(then(a, lambda: v1.assign_add(v, v)), lambda: [i + 1, a + v]), [tf.constant(0), tf.zeros((3, 4))])[1]
    for n in (0, 3):
        case(f"assigned_and_read_in_a_loop_{n}", [w], lambda v, n: [loop(v, n)], I32(n))
    suite.write()


SUITES = [scatter, sparse_steps, reference_variables, reference_reads]
