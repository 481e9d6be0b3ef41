# SPDX-License-Identifier: Apache-2.0
"""Rows of different lengths, as layers of text make them: as tensors, of ranges, of n-grams; images turned, moved and scaled."""
from strings import told
from suite import *


def ragged():
    suite = Suite("ragged")
    ids, splits = np.array([0, 0, 0, 2, 3, 3], I64), np.array([0, 3, 3, 4, 6], I64)

    def filled(shape, value, default, parts, kinds):
        return raw.RaggedTensorToTensor(shape=shape, values=value, default_value=default, row_partition_tensors=parts, row_partition_types=kinds)

    counted = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
    for dtype in (F32, F64, I32, I64, BOOL):
        v, d = values((6,), dtype), values((), dtype)
        kind = short(dtype)
        suite.case(f"ids_{kind}", lambda v, d, n, i: filled(np.array(-1, I64), v, d, [n, i], counted), v, d, np.array(5, I64), ids)
        suite.case(f"splits_{kind}", lambda v, d, s: filled(np.array(-1, I64), v, d, [s], ["ROW_SPLITS"]), v, d, splits)
    x, zero = eighths((6,)), np.array(-0.5, F32)
    for asked in ((-1, 2), (2, -1), (6, 7), (1, 1), (0, 4), (4, 0)):
        name = text(asked).replace("-1", "any")
        suite.case(f"asked_{name}", lambda v, d, s, asked=asked: filled(np.array(asked, I32), v, d, [s], ["ROW_SPLITS"]), x, zero, splits)
    suite.case("asked_at_run_time", lambda a, v, d, n, i: filled(a, v, d, [n, i], counted), np.array([-1, 4], I64), x, zero, np.array(4, I64), ids)
    # Values of more dimensions, a default that is broadcast to them.
    pairs = eighths((6, 2, 3))
    for shape in ((), (1,), (2, 1), (2, 3)):
        suite.case(f"default_{text(shape)}", lambda v, d, s: filled(np.array([-1, -1, 2, 3], I64), v, d, [s], ["ROW_SPLITS"]),
                   pairs, eighths(shape), splits)  # fmt: skip
    # Rows of rows.
    outer = np.array([0, 2, 2, 5], I64)
    for first, parts in (("splits", [outer]), ("ids", [np.array(3, I64), np.array([0, 0, 2, 2, 2], I64)])):
        inner = np.array([0, 1, 1, 4, 4, 6], I64)
        kinds = ["ROW_SPLITS"] if first == "splits" else counted
        suite.case(f"twice_{first}", lambda v, d, *p, kinds=kinds: filled(np.array([-1, -1, -1], I64), v, d, list(p), [*kinds, "ROW_SPLITS"]),
                   x, zero, *parts, inner)  # fmt: skip
        suite.case(f"twice_cut_{first}", lambda v, d, *p, kinds=kinds: filled(np.array([2, 1, 2], I64), v, d, list(p), [*kinds, "ROW_SPLITS"]),
                   x, zero, *parts, inner)  # fmt: skip
    suite.case("none", lambda v, d, s: filled(np.array([-1, 3], I64), v, d, [s], ["ROW_SPLITS"]), np.zeros((0,), F32), zero, np.array([0, 0, 0], I64))
    suite.write()


def projections():
    suite = Suite("projections")
    turned = np.array([[0.9, -0.4, 1.2, 0.4, 0.9, -0.8, 0, 0]], F32)
    several = np.array([[1, 0, 2.5, 0, 1, -1.25, 0, 0], [2, 0, -3, 0, 0.5, 0.25, 0, 0], [0.8, 0.1, 0, -0.2, 1.1, 0.5, 0.01, -0.02]], F32)
    far = np.array([[1, 0, 40.5, 0, 1, -33.25, 0, 0]], F32)

    def projected(x, a, size, fill, how, mode):
        return raw.ImageProjectiveTransformV3(images=x, transforms=a, output_shape=size, fill_value=fill, interpolation=how, fill_mode=mode)

    for mode in ("CONSTANT", "NEAREST", "REFLECT", "WRAP"):
        for how in ("NEAREST", "BILINEAR"):
            for name, a in (("one", turned), ("several", several), ("far", far)):
                exact = 0.0 if how == "NEAREST" else 2e-5
                suite.case(f"{mode}_{how}_{name}", lambda x, a, f, how=how, mode=mode: projected(x, a, np.array([5, 7], I32), f, how, mode),
                           normal((3, 6, 5, 2)), a, np.array(0.25, F32), rtol=exact, atol=exact / 2)  # fmt: skip
    for dtype in (F64, F16, I32, I64, U8):
        x = np.asarray(rng.randint(0, 200, size=(2, 4, 4, 1)), dtype)
        suite.case(f"NEAREST_{short(dtype)}", lambda x, a: projected(x, a, np.array([4, 4], I32), np.array(3, F32), "NEAREST", "REFLECT"), x, turned)
    suite.case("size_at_run_time", lambda x, a, n: projected(x, a, n, np.array(0, F32), "NEAREST", "CONSTANT"), normal((3, 6, 5, 2)), turned, np.array([3, 9], I32))
    suite.case("one_pixel", lambda x, a: projected(x, a, np.array([3, 3], I32), np.array(0, F32), "BILINEAR", "WRAP"), normal((3, 1, 1, 2)), several, rtol=2e-5, atol=1e-5)
    suite.write()


def ragged_ranges():
    suite = Suite("ragged_ranges")

    def ranges(splits=tf.int64):
        return lambda a, b, d: list(raw.RaggedRange(starts=a, limits=b, deltas=d, Tsplits=splits))

    for dtype in (F32, F64, I32, I64):
        rows = [np.array(x, dtype) for x in ([0, 5, 8, -3, 2, 4], [3, 5, 12, -9, 7, 1], [1, 1, 2, -2, 3, 1])]
        for splits in (tf.int32, tf.int64):
            suite.case(f"rows_{splits.name}_{short(dtype)}", ranges(splits), *rows)
        one, few = np.array(2, dtype), np.array([7, 1, 2, 3], dtype)
        suite.case(f"limits_{short(dtype)}", ranges(), np.array(0, dtype), few, one)
        suite.case(f"starts_{short(dtype)}", ranges(), few, np.array(0, dtype), np.array(-2, dtype))
        suite.case(f"scalars_{short(dtype)}", ranges(), one, np.array(11, dtype), one)
        suite.case(f"none_{short(dtype)}", ranges(), few[:0], few[:0], one)
    for dtype in FLOATS:
        special = [np.array(x, dtype) for x in ([0, 1, 0.25, 1e-3, 5], [1, 2, -1.2, 1.5, float("-inf")], [0.1, 0.3, -0.3, 0.7, 1])]
        suite.case(f"fractions_{short(dtype)}", ranges(), *special)
    suite.write()


def ragged_rows():
    """RaggedTensorToVariant and back, rows by their indices, and as sparse tensors."""
    suite = Suite("ragged_rows")
    inner, outer = np.array([0, 3, 3, 4, 6, 6], I64), np.array([0, 2, 2, 5], I64)
    at = np.array([2, 0, 2], I32)

    def variant(splits, x, batched=True):
        return raw.RaggedTensorToVariant(rt_nested_splits=list(splits), rt_dense_values=x, batched_input=batched)

    def back(encoded, x, rank, given=-1, splits=tf.int64):
        result = raw.RaggedTensorFromVariant(encoded_ragged=encoded, input_ragged_rank=given, output_ragged_rank=rank,
                                             Tvalues=x.dtype, Tsplits=splits)  # fmt: skip
        return [*result[0], result[1]]

    def gathered(splits, x, i):
        rank = len(splits) + len(i.shape) - 1
        result = raw.RaggedGather(params_nested_splits=list(splits), params_dense_values=x, indices=i, OUTPUT_RAGGED_RANK=rank)
        return [*result[0], result[1]]

    for dtype in (F32, F64, I32, I64, BOOL):
        x, kind = values((6,), dtype), short(dtype)
        suite.case(f"rows_{kind}", lambda x, s: back(variant([s], x), x, 1), x, inner)
        suite.case(f"gather_{kind}", lambda x, s, i: gathered([s], x, i), x, inner, at)
        suite.case(f"sparse_{kind}", lambda x, s: list(raw.RaggedTensorToSparse(rt_nested_splits=[s], rt_dense_values=x)), x, inner)
    x, pairs = eighths((6,)), eighths((6, 2))
    narrow = inner.astype(I32)
    suite.case("whole", lambda x, s: back(variant([s], x, False), x, 1, 1), x, inner)
    suite.case("dense", lambda x: back(variant([], x, False), x, 0), pairs)
    suite.case("narrow", lambda x, s: back(variant([s], x), x, 1, splits=tf.int32), pairs, narrow)
    suite.case("twice", lambda x, o, s: back(variant([o, s], x), x, 2), pairs, outer, inner)
    suite.case("twice_whole", lambda x, o, s: back(tf.stack([variant([o, s], x, False)] * 2), x, 3), pairs, outer, inner)
    suite.case("picked", lambda x, s, i: back(tf.gather(variant([s], x), tf.reshape(i, [3, 1])), x, 2), x, inner, at)
    suite.case("none", lambda x, s: back(variant([s], x), x, 1), x[:0], np.array([0], I64))
    suite.case("gradient", lambda x, s, n: raw.RaggedTensorToVariantGradient(
        encoded_ragged_grad=variant([s], x), row_splits=s, dense_values_shape=n, Tvalues=F32), pairs, inner, fixed(np.array([6, 2], I32)))  # fmt: skip
    suite.case("gather_twice", lambda x, o, s, i: gathered([o, s], x, i), pairs, outer, inner, at)
    for dtype in FLOATS:
        suite.case(f"gather_pairs_{short(dtype)}", lambda x, s, i: tf.ensure_shape(gathered([s], x, i)[-1], [5, 2]), eighths((6, 2), dtype), inner, at)
    suite.case("gather_one", lambda x, o, s, i: gathered([o, s], x, i), x, outer, inner, np.array(2, I64))
    suite.case("gather_matrix", lambda x, s, i: gathered([s], x, i), x, narrow, np.array([[4, 0, 0], [1, 3, 2]], I64))
    suite.case("gather_none", lambda x, s, i: gathered([s], x, i), x, inner, at[:0])
    suite.case("sparse_twice", lambda x, o, s: list(raw.RaggedTensorToSparse(rt_nested_splits=[o, s], rt_dense_values=x)), pairs, outer, inner)

    def mapped(x, s):
        rows = tf.RaggedTensor.from_row_splits(x, s, validate=False)
        doubled = tf.map_fn(lambda row: row * 2, rows, tf.RaggedTensorSpec([None], x.dtype, 0, tf.int64))
        return [tf.map_fn(tf.reduce_sum, rows, tf.TensorSpec([], x.dtype)), doubled.values, doubled.row_splits]

    suite.case("mapped", mapped, values((6,), I64), inner)

    def words(s, i):
        texts = tf.constant([b"a", b"", b"longer than eight bytes", b"\0", b"b", b"cc"])
        found = [back(variant([s], texts), texts, 1), gathered([s], texts, i)]
        return [each for splits, text in found for each in (splits, raw.StringLength(input=text), raw.StringToHashBucketFast(input=text, num_buckets=1 << 40))]

    suite.case("words", words, inner, at)
    suite.write()


def ngrams():
    suite = Suite("ngrams")
    words = [b"a", b"bc", b"", b"def", b"\xc3\xa4", b"x y", b"longer words", b"h"]
    splits = np.array([0, 4, 4, 5, 7, 8], I64)

    def case(name, splits, data=words, widths=(2,), pads=0, separator="|", left="<", right=">>", short=False):
        def grams(s):
            result = raw.StringNGrams(data=tf.constant(data, tf.string), data_splits=s, separator=separator, ngram_widths=list(widths),
                                      left_pad=left, right_pad=right, pad_width=pads, preserve_short_sequences=short)  # fmt: skip
            return list(told(*result))
        suite.case(name, grams, splits)

    for pads in (-1, 0, 1, 2, 9, -3):
        for widths in ((1,), (2,), (3,), (5,), (1, 2, 3), (3, 1)):
            for short in (False, True):
                name = f"pads_{pads}_widths_{'_'.join(map(str, widths))}{'_short' if short else ''}".replace("-", "minus_")
                case(name, splits, widths=widths, pads=pads, short=short)
    case("i32", splits.astype(I32), widths=(2, 3), pads=1)
    case("no_pads_text", splits, widths=(3,), pads=1, left="", right="", separator="")
    case("no_widths", splits, widths=())
    case("no_rows", np.array([0], I64), data=[])
    case("empty_rows", np.array([0, 0, 0], I64), data=[], pads=-1)
    case("no_splits", np.zeros((0,), I64))
    suite.write()


# Well-formed UTF-8, then bytes that are none: stray, cut off, too long, surrogates, beyond the last code point.
UTF8 = [b"", b"plain", b"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", b"\xef\xbb\xbfx", b"\x00\x01\x1f \x7f\r\n", b"\xef\xbf\xbf\xf4\x8f\xbf\xbf",
        b"a\xffb", b"\xe2\x82A", b"\xe2\x82", b"\xf0\x80\x80\x80", b"\xed\xa0\x80", b"\xc0\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xe2A",
        b"\x80\x80", b"\xf0\x9f\x98A", b"\xf8\x88\x80\x80\x80", b"\xe0\x80", b"\xe0\x9f\xbf", b"\xc2", b"\xf0\x90\xc2\xa9"]  # fmt: skip
UTF16 = [b"", b"\x00a\xd8\x3d\xde\x00", b"\xd8\x3d\x00a", b"\xde\x00\x00a", b"\x00", b"\xd8\x3d", b"\xd8\x3d\xde", b"\x00a\x00", b"\xfe\xff\x00a", b"\xff\xff\xdf\xff"]
UTF32 = [b"", b"\x00\x00\x00a\x00\x01\xf6\x00", b"\x00\x11\x00\x00\x00\x00\x00b", b"\x00\x00\xd8\x00", b"\x00\x00\x00", b"\x00\x00\x00a\x00", b"\xff\xff\xff\xff\x00\x00\x00a"]
BYTES = [b"", b"plain", bytes(range(256))]
TEXTS = {"UTF-8": UTF8, "UTF-16-BE": UTF16, "UTF-32-BE": UTF32, "US-ASCII": BYTES, "ISO-8859-1": BYTES,
         "UTF-16-LE": [b"a\x00\x3d\xd8\x00\xde", b"\x3d\xd8a\x00", b"\x3d\xd8", b"\x00\xde"], "UTF-32-LE": [b"a\x00\x00\x00", b"\x00\xd8\x00\x00\x00\xf6\x01\x00", b"a\x00"]}  # fmt: skip


def unicode_texts():
    suite = Suite("unicode_texts")

    def case(name, function, *inputs, **how):
        def whole(*feeds):
            result = function(*feeds)
            return list(told(*([result] if isinstance(result, tf.Tensor) else result)))
        suite.case(name, whole, *inputs, **how)

    def options(errors="replace", replacement=0xFFFD, controls=False):
        return dict(errors=errors, replacement_char=replacement, replace_control_characters=controls)

    def decoded(texts, encoding, op="UnicodeDecodeWithOffsets", splits=tf.int64, **how):
        return lambda: list(getattr(raw, op)(input=tf.constant(texts, tf.string), input_encoding=encoding, Tsplits=splits, **options(**how)))

    def transcoded(texts, source, target, **how):
        return lambda: raw.UnicodeTranscode(input=tf.constant(texts, tf.string), input_encoding=source, output_encoding=target, **options(**how))

    for encoding, texts in TEXTS.items():
        name = encoding.replace("-", "_")
        for errors in ("replace", "ignore"):
            case(f"decode_{name}_{errors}", decoded(texts, encoding, errors=errors))
            for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
                case(f"transcode_{name}_{target.replace('-', '_')}_{errors}", transcoded(texts, encoding, target, errors=errors, replacement=0x1F600))
        case(f"decode_{name}_controls", decoded(texts, encoding, controls=True, replacement=63))
        case(f"transcode_{name}_controls", transcoded(texts, encoding, "UTF-8", controls=True, replacement=63))
    case("decode", decoded(UTF8, "UTF-8", op="UnicodeDecode"))
    case("decode_i32", decoded(UTF8, "UTF-8", op="UnicodeDecode", splits=tf.int32))
    # UnicodeDecodeWithOffsets with int32 splits ends TensorFlow.
    case("decode_scalar", decoded(UTF8[2], "UTF-8"))
    case("decode_matrix", decoded([UTF8[1:3], UTF8[3:5]], "UTF-8"))
    case("decode_none", decoded([], "UTF-8"))
    case("decode_surrogate", decoded([b"\xff"], "UTF-8", replacement=0xD800))
    case("decode_strict", decoded(UTF8[:6], "UTF-8", errors="strict"))
    case("decode_strict_controls", decoded(UTF8[:6], "UTF-8", errors="strict", controls=True))
    case("transcode_scalar", transcoded(UTF8[7], "UTF-8", "UTF-8"))
    case("transcode_matrix", transcoded([UTF8[1:3], UTF8[3:5]], "UTF-8", "UTF-16-BE"))
    case("transcode_strict", transcoded(UTF8[:6], "UTF-8", "UTF-32-BE", errors="strict"))
    for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        case(f"transcode_surrogate_{target.replace('-', '_')}", transcoded([b"\xff", b"\xffa"], "UTF-8", target, replacement=0xD800))
    malformed = "Invalid formatting on input string"
    case("decode_wrong", decoded(UTF8, "UTF-8", errors="strict"), fails=malformed)
    case("transcode_wrong", transcoded(UTF8, "UTF-8", "UTF-8", errors="strict"), fails=malformed)
    case("transcode_wrong_control", transcoded(UTF8[:6], "UTF-8", "UTF-8", errors="strict", controls=True), fails=malformed)
    points = np.array([97, 0x20AC, 0x1F600, 0xD800, 0x110000, -1, 0xFFFE, 0xFDD0, 0, 0x10FFFF, 0xD83D, 0xDE00, 0x7FF, 0x800, 0xFFFF, 0x10000], I32)
    ends = np.array([0, 3, 3, 10, 16], I64)
    for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        for errors in ("replace", "ignore"):
            case(f"encode_{target.replace('-', '_')}_{errors}", lambda x, s, target=target, errors=errors: raw.UnicodeEncode(
                input_values=x, input_splits=s, output_encoding=target, errors=errors), points, ends)  # fmt: skip
    encode = lambda errors, replacement=0xFFFD: lambda x, s: raw.UnicodeEncode(
        input_values=x, input_splits=s, output_encoding="UTF-8", errors=errors, replacement_char=replacement)  # fmt: skip
    case("encode_strict", encode("strict"), points[:3], ends[:3])
    case("encode_wrong", encode("strict"), points, ends, fails="Code point is out of range for Unicode, or a noncharacter.")
    case("encode_replacement", encode("replace", 63), points, ends)
    case("encode_i32", encode("replace"), points, ends.astype(I32))
    case("encode_none", encode("replace"), points[:0], ends[:1])
    suite.write()


SUITES = [ragged, projections, ragged_ranges, ragged_rows, ngrams, unicode_texts]
