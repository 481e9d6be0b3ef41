# SPDX-License-Identifier: Apache-2.0
"""Complex numbers and discrete Fourier transforms."""
from suite import *

C64, C128 = np.complex64, np.complex128
COMPLEX = {C64: F32, C128: F64}
NEAR = {C64: 3e-6, C128: 1e-13}


def numbers(shape, dtype, scale=1.0):
    return (scale * (rng.normal(size=shape) + 1j * rng.normal(size=shape))).astype(dtype)


def exact(shape, dtype):
    """Multiples of 1/8, whose products are exact."""
    return (eighths(shape, F64) + 1j * eighths(shape, F64)).astype(dtype)


def complex_numbers():
    suite = Suite("complex_numbers")
    for dtype, part in COMPLEX.items():
        name, near = dtype.__name__, dict(rtol=NEAR[dtype], atol=NEAR[dtype])
        case = lambda op, *more, **options: suite.case(f"{op}_{name}", *more, **options)
        x, y = exact((3, 5), dtype), exact((3, 5), dtype)
        z = numbers((3, 17), dtype)
        case("Complex", lambda a, b: raw.Complex(real=a, imag=b, Tout=dtype), eighths((3, 5), part), eighths((5,), part))
        for op in ("Real", "Imag"):
            case(op, lambda a: getattr(raw, op)(input=a, Tout=part), x)
        case("Conj", lambda a: raw.Conj(input=a), x)
        case("ComplexAbs", lambda a: raw.ComplexAbs(x=a, Tout=part), np.append(z.ravel(), [0, 3 + 4j, 1e-30j, 1e30, -2]).astype(dtype), **near)
        case("Angle", lambda a: raw.Angle(input=a, Tout=part), np.append(z.ravel(), [0, 1j, -1j, -1, 2]).astype(dtype), **near)
        for op in ("Add", "AddV2", "Sub", "Mul", "SquaredDifference"):
            case(op, lambda a, b: getattr(raw, op)(x=a, y=b), x, exact((5,), dtype))
        for op in ("RealDiv", "Div", "DivNoNan"):
            case(op, lambda a, b: getattr(raw, op)(x=a, y=b), z, numbers((3, 1), dtype), **near)
        case("DivNoNan_zero", lambda a, b: raw.DivNoNan(x=a, y=b), x, np.where(np.eye(3, 5), 0, y).astype(dtype), **near)
        case("AddN", lambda a, b, c: raw.AddN(inputs=[a, b, c]), x, y, x)
        for op in ("Neg", "Square"):
            case(op, lambda a: getattr(raw, op)(x=a), x)
        case("Sign", lambda a: raw.Sign(x=a), np.append(z.ravel(), [0]).astype(dtype), **near)
        for op in ("Reciprocal", "Inv", "Sqrt", "Rsqrt", "Exp", "Log", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Sigmoid"):
            case(op, lambda a: getattr(raw, op)(x=a), z, **near)
        case("Pow", lambda a, b: raw.Pow(x=a, y=b), z, numbers((17,), dtype), rtol=4 * near["rtol"], atol=near["atol"])
        case("Log_near_one", lambda a: raw.Log(x=a), (np.exp(1j * np.linspace(0, 6, 9)) * (1 + np.linspace(-1, 1, 9) / 64)).astype(dtype), **near)
        case("Sqrt_axes", lambda a: raw.Sqrt(x=a), np.array([0, 4, -4, 9j, -9j, 1e20], dtype), **near)
        for op in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "TanhGrad", "SigmoidGrad"):
            case(op, lambda a, b: getattr(raw, op)(y=a, dy=b), z, numbers((3, 17), dtype), **near)
        for op in ("Equal", "NotEqual"):
            case(op, lambda a, b: getattr(raw, op)(x=a, y=b), np.array([1, 1j, 0, 1 + 1j, float("nan")], dtype), np.array([1, -1j, -0.0, 1 - 1j, float("nan")], dtype))
        for op in ("Sum", "Mean"):
            case(op, lambda a: getattr(raw, op)(input=a, axis=[0, 2]), exact((2, 3, 4), dtype))
            case(op + "_all", lambda a: getattr(raw, op)(input=a, axis=[0, 1], keep_dims=True), exact((4, 8), dtype))
        for to in (F32, F64, I32, C64, C128):
            case("Cast_to_" + np.dtype(to).name, lambda a: raw.Cast(x=a, DstT=to), x)
        for source in (F32, F64, I32, BOOL):
            case("Cast_from_" + np.dtype(source).name, lambda a: raw.Cast(x=a, DstT=dtype), values((3, 5), source))
        case("MatMul", lambda a, b: raw.MatMul(a=a, b=b, transpose_b=True), exact((3, 5), dtype), exact((4, 5), dtype))
        case("MatMul_real", lambda a, b: tf.matmul(a, tf.cast(b, dtype)), exact((3, 5), dtype), eighths((5, 4), part))
        for adj in (False, True):
            case(f"BatchMatMul_{adj}", lambda a, b: raw.BatchMatMulV2(x=a, y=b, adj_x=adj), exact((2, 5, 5), dtype), exact((5, 5), dtype))
        case("Einsum", lambda a, b: tf.einsum("bij,jk->bik", a, b), exact((2, 3, 5), dtype), exact((5, 4), dtype))
        case("Cumsum", lambda a: raw.Cumsum(x=a, axis=1), x)
        case("UnsortedSegmentSum", lambda a, i: raw.UnsortedSegmentSum(data=a, segment_ids=i, num_segments=2), x, fixed(np.array([1, 0, 1], I32)))
        case("Pipeline", lambda a, b: tf.abs(tf.exp(a * b) + 1) - tf.math.real(a), z, numbers((17,), dtype), **near)
    suite.write()


def complex_elements():
    """Ops that move elements, variables and constants."""
    suite = Suite("complex_elements")
    for dtype in COMPLEX:
        name = dtype.__name__
        case = lambda op, *more, **options: suite.case(f"{op}_{name}", *more, **options)
        x, y = exact((3, 5), dtype), exact((3, 5), dtype)
        case("Transpose", lambda a: raw.Transpose(x=a, perm=[1, 0]), x)
        case("ConjugateTranspose", lambda a: raw.ConjugateTranspose(x=a, perm=[1, 0]), x)
        case("Reshape", lambda a: raw.Reshape(tensor=a, shape=[-1]), x)
        case("Concat", lambda a, b: tf.concat([a, b], 1), x, y)
        case("Pack", lambda a, b: tf.stack([a, b], 1), x, y)
        case("Unpack", lambda a: tf.unstack(a), x)
        case("Slice", lambda a: a[1:, ::2], x)
        case("Pad", lambda a: tf.pad(a, [[1, 0], [0, 2]]), x)
        case("PadV2", lambda a: tf.pad(a, [[1, 0], [0, 2]], constant_values=1 - 2j), x)
        case("MirrorPad", lambda a: tf.pad(a, [[1, 1], [0, 2]], "REFLECT"), x)
        case("Gather", lambda a, i: tf.gather(a, i, axis=1), x, fixed(np.array([4, 0, 0], I32)))
        case("GatherNd", lambda a, i: tf.gather_nd(a, i), x, fixed(np.array([[2, 1], [0, 4]], I32)))
        case("Select", lambda c, a, b: tf.where(c, a, b), bools((3, 5)), x, y)
        case("ZerosLike", lambda a: [tf.zeros_like(a), tf.ones_like(a)], x)
        case("Fill", lambda a: tf.fill([2, 3], a), exact((), dtype))
        case("Tile", lambda a: tf.tile(a, [2, 1]), x)
        case("BroadcastTo", lambda a: tf.broadcast_to(a, [3, 4]), exact((3, 1), dtype))
        case("Reverse", lambda a: tf.reverse(a, [1]), x)
        case("Roll", lambda a: tf.roll(a, 2, 1), x)
        case("MatrixDiag", lambda a: tf.linalg.diag(a), exact((3,), dtype))
        case("Const", lambda a: a + tf.constant([1 + 2j, -3j, 0.5, 4, 1j], dtype) * tf.constant(2 - 1j, dtype), x)
        case("Scatter", lambda a, i: tf.scatter_nd(i, a, [4, 5]), x, fixed(np.array([[3], [1], [3]], I32)))
        case("Cond", lambda c, a: tf.cond(tf.reduce_all(c), lambda: a * a, lambda: tf.math.conj(a)), bools((3,)), x)
        case("Loop", lambda a: tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b * a), [0, a])[1], exact((2, 2), dtype), rtol=1e-6)
        def variable(a):
            v = tf.Variable(np.full((3, 5), 1 + 1j, dtype), name="v_" + name)
            with tf.control_dependencies([v.assign_add(a)]):
                return v.read_value()
        with suite.graph.as_default():
            case("Variable", lambda a: variable(a), x)
    suite.write()


# Lengths: powers of two, products of small primes, small and large primes.
LENGTHS = (1, 2, 3, 4, 15, 16, 37, 60, 101)


def fourier_transforms():
    suite = Suite("fourier_transforms")
    for dtype, part in COMPLEX.items():
        name, near = dtype.__name__, dict(rtol=NEAR[dtype], atol=NEAR[dtype] / 4)
        def case(op, function, *inputs):
            suite.case(f"{op}_{name}", function, *inputs, **near)
        for n in LENGTHS:
            x, r, half = numbers((n,), dtype), normal((n,), part), numbers((n // 2 + 1,), dtype)
            case(f"FFT_{n}", lambda a: raw.FFT(input=a), x)
            case(f"IFFT_{n}", lambda a: raw.IFFT(input=a), x)
            case(f"RFFT_{n}", lambda a, l: raw.RFFT(input=a, fft_length=l, Tcomplex=dtype), r, fixed(np.array([n], I32)))
            case(f"IRFFT_{n}", lambda a, l: raw.IRFFT(input=a, fft_length=l, Treal=part), half, fixed(np.array([n], I32)))
        for rank, shape in ((2, (2, 4, 6)), (3, (2, 3, 4, 5))):
            x, r = numbers(shape, dtype), normal(shape, part)
            half = numbers(shape[:-1] + (shape[-1] // 2 + 1,), dtype)
            length = fixed(np.array(shape[-rank:], I32))
            case(f"FFT{rank}D", lambda a: getattr(raw, f"FFT{rank}D")(input=a), x)
            case(f"IFFT{rank}D", lambda a: getattr(raw, f"IFFT{rank}D")(input=a), x)
            case(f"RFFT{rank}D", lambda a, l: getattr(raw, f"RFFT{rank}D")(input=a, fft_length=l, Tcomplex=dtype), r, length)
            case(f"IRFFT{rank}D", lambda a, l: getattr(raw, f"IRFFT{rank}D")(input=a, fft_length=l, Treal=part), half, length)
            crop = [n - 1 for n in shape[-rank:]]
            case(f"RFFT{rank}D_cropped", lambda a: getattr(raw, f"RFFT{rank}D")(input=a, fft_length=crop, Tcomplex=dtype), r)
            case(f"IRFFT{rank}D_cropped", lambda a: getattr(raw, f"IRFFT{rank}D")(input=a, fft_length=crop, Treal=part), half)
        case("FFT_rows", lambda a: raw.FFT(input=a), numbers((2, 3, 6), dtype))
        case("RFFT_cropped", lambda a: raw.RFFT(input=a, fft_length=[6], Tcomplex=dtype), normal((2, 3, 9), part))
        case("RFFT_padded", lambda a: tf.signal.rfft(a, [16]), normal((3, 9), part))
        case("IRFFT_padded", lambda a: tf.signal.irfft(a, [16]), numbers((3, 5), dtype))
        case("FFT_empty", lambda a: raw.FFT(input=a), numbers((0, 4), dtype))
    suite.write()


def spectrograms():
    """What tf.signal makes of Fourier transforms, and its gradients."""
    suite = Suite("spectrograms")
    signal = normal((2, 60))
    near = dict(rtol=1e-5, atol=1e-6)
    stft = lambda a, n=16: tf.signal.stft(a, frame_length=n, frame_step=8, fft_length=16)
    suite.case("frame", lambda a: tf.signal.frame(a, 16, 8, pad_end=True), signal)
    suite.case("stft", stft, signal, **near)
    suite.case("stft_padded", lambda a: stft(a, 12), signal, **near)
    suite.case("inverse_stft", lambda a: tf.signal.inverse_stft(a, 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8)), numbers((2, 6, 9), C64), **near)
    suite.case("overlap_and_add", lambda a: tf.signal.overlap_and_add(a, 5), normal((2, 6, 9)), **near)
    def mel(a):
        matrix = tf.signal.linear_to_mel_weight_matrix(6, 9, 16000, 80.0, 7600.0)
        return tf.math.log(tf.tensordot(tf.abs(stft(a)), matrix, 1) + 1e-6)
    suite.case("mel", mel, signal, **near)
    suite.case("mfcc", lambda a: tf.signal.mfccs_from_log_mel_spectrograms(mel(a))[..., :4], signal, rtol=1e-4, atol=1e-5)
    suite.case("hilbert", lambda a: tf.abs(tf.signal.ifft(tf.signal.fft(tf.cast(a, C64)) * tf.constant([1] + [2] * 29 + [1] + [0] * 29, C64))), signal, **near)
    suite.case("fftshift", lambda a: tf.signal.fftshift(a), numbers((3, 5), C64))
    suite.case("mel_gradient", lambda a: tf.gradients(mel(a), a), signal, rtol=1e-4, atol=1e-5)
    suite.case("power_gradient", lambda a: tf.gradients(tf.square(tf.abs(stft(a))), a), signal, **near)
    suite.case("phase_gradient", lambda a: tf.gradients(tf.math.angle(stft(a)), a), signal, rtol=1e-3, atol=1e-4)
    suite.case("istft_gradient", lambda a: tf.gradients(tf.square(tf.signal.inverse_stft(tf.complex(a, a), 16, 8)), a), normal((2, 6, 9)), **near)
    suite.case("product_gradient", lambda a: tf.gradients(tf.abs(tf.exp(tf.complex(a, a * a)) / tf.complex(a, a + 3)), a), normal((7,)), **near)
    suite.case("rfft2d_gradient", lambda a: tf.gradients(tf.abs(tf.signal.rfft2d(a)), a), normal((2, 4, 6)), **near)
    suite.case("stft_f64", stft, signal.astype(F64), rtol=1e-12, atol=1e-13)
    suite.write()


def complex_derivatives():
    """Functions between the parts of complex numbers, for their gradients (make_derivatives.py)."""
    suite = Suite("complex_derivatives")
    for part, near in ((F32, 5e-6), (F64, 1e-13)):
        def case(op, function, shape=(2, 4), more=(), inputs=4):
            def parts(*x):
                pairs = [tf.complex(x[i], x[i + 1]) for i in range(0, inputs, 2)]
                result = function(*pairs)
                return [tf.math.real(result), tf.math.imag(result)] if result.dtype.is_complex else result
            feeds = [rng.uniform(0.3, 1.5, size=shape).astype(part) * rng.choice([-1, 1], size=shape).astype(part) for _ in range(inputs)]
            suite.case(f"{op}_{short(part)}", parts, *feeds, rtol=near, atol=near)
        for op in ("AddV2", "Sub", "Mul", "RealDiv", "DivNoNan", "Pow"):
            case(op, lambda a, b: getattr(raw, op)(x=a, y=b))
        for op in ("Neg", "Square", "Reciprocal", "Sqrt", "Rsqrt", "Exp", "Log", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Sigmoid"):
            case(op, lambda a: getattr(raw, op)(x=a), inputs=2)
        # Of the imaginary part, which is zero, TensorFlow has another gradient.
        case("SquaredDifference", lambda a, b: tf.math.real(tf.math.squared_difference(a, b)))
        case("Conj", lambda a: tf.math.conj(a), inputs=2)
        case("ComplexAbs", lambda a: tf.abs(a), inputs=2)
        case("Angle", lambda a: tf.math.angle(a), inputs=2)
        case("MatMul", lambda a, b: tf.matmul(a, b, adjoint_b=True))
        case("BatchMatMul", lambda a, b: raw.BatchMatMulV2(x=a, y=b, adj_x=True), (2, 3, 2))
        case("Einsum", lambda a, b: tf.einsum("ij,kj->ik", a, b))
        case("Sum", lambda a: tf.reduce_sum(a, 1), inputs=2)
        case("Mean", lambda a: tf.reduce_mean(a, 0), inputs=2)
        case("Gather", lambda a: tf.gather(a, [1, 0, 1]), inputs=2)
        case("ConjugateTranspose", lambda a: raw.ConjugateTranspose(x=a, perm=[1, 0]), inputs=2)
        case("Slice", lambda a: tf.pad(a[:, 1:3], [[1, 0], [0, 1]]), inputs=2)
        case("Cast", lambda a: tf.cast(tf.cast(a, part), a.dtype) * a, inputs=2)
        for rank, shape in ((1, (2, 5)), (2, (2, 3, 4)), (3, (2, 3, 4))):
            suffix = f"{rank}D" if rank > 1 else ""
            case(f"FFT{suffix}", lambda a: getattr(raw, "FFT" + suffix)(input=a), shape, inputs=2)
            case(f"IFFT{suffix}", lambda a: getattr(raw, "IFFT" + suffix)(input=a), shape, inputs=2)
            for last in (shape[-1], shape[-1] + 1):
                sizes = shape[:-1] + (last,)
                if rank < 3:  # TensorFlow has no gradients of RFFT3D
                    case(f"RFFT{suffix}_{last}", lambda a: getattr(tf.signal, "rfft" + suffix.lower())(tf.math.real(a) * tf.math.imag(a)), sizes, inputs=2)
                    case(f"IRFFT{suffix}_{last}", lambda a: getattr(tf.signal, "irfft" + suffix.lower())(a, [*sizes[-rank:-1], last]), sizes[:-1] + (last // 2 + 1,), inputs=2)
    for part, near in ((F32, 2e-5), (F64, 1e-12)):
        def square(op, function, *feeds):
            parts = lambda *x: [tf.math.real(function(tf.complex(x[0], x[-1] * (len(x) - 1)))), tf.math.imag(function(tf.complex(x[0], x[-1] * (len(x) - 1))))]
            suite.case(f"{op}_{short(part)}", parts, *(feed.astype(part) for feed in feeds), rtol=near, atol=near)
        # Eigenvalues that are apart, and not near the negative axis. Of square roots of complex matrices TensorFlow has no right gradient.
        whole, imaginary = np.diag([1.0, 2.0, 3.5]) + 0.2 * rng.uniform(-1, 1, size=(3, 3)), 0.2 * rng.uniform(-1, 1, size=(3, 3))
        square("MatrixSquareRoot", lambda a: raw.MatrixSquareRoot(input=a), whole)
        square("Eig", lambda a: raw.Eig(input=a, compute_v=True, Tout=a.dtype)[0], whole, imaginary)
    suite.write()


SUITES = [complex_derivatives, complex_numbers, complex_elements, fourier_transforms, spectrograms]
