# SPDX-License-Identifier: Apache-2.0
"""Strings: results are compared by their lengths and FarmHash's fingerprints of them."""
from suite import *

WORDS = [b"", b"a", b"abc", b"Hello, World", b"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80x", b" \t padded \n", b"\x00\xff\x80", b"0123456789abcdef",
         b"0123456789abcdefg", b"x" * 32, b"y" * 33, bytes(range(64)), bytes(range(65)), bytes(range(200)), b"z" * 1000]  # fmt: skip


def told(*results):
    """Numbers for strings."""
    for result in results:
        if result.dtype == tf.string:
            yield raw.StringLength(input=result)
            yield raw.StringToHashBucketFast(input=result, num_buckets=2**62)
        else:
            yield result


def strings():
    suite = Suite("strings")
    words = lambda: tf.constant(WORDS)

    def case(name, function, *inputs):
        def whole(*feeds):
            result = function(*feeds)
            return list(told(*([result] if isinstance(result, tf.Tensor) else result)))
        suite.case(name, whole, *inputs)

    case("words", words)
    case("hash_strong", lambda: raw.StringToHashBucketStrong(input=words(), num_buckets=2**62, key=[7, 2**40]))
    case("hash_classic", lambda: raw.StringToHashBucket(string_tensor=words(), num_buckets=2**62))
    case("hash_few", lambda: raw.StringToHashBucketFast(input=words(), num_buckets=7))
    case("length_utf8", lambda: raw.StringLength(input=words(), unit="UTF8_CHAR"))
    for op in ("StringLower", "StringUpper", "StringStrip"):
        case(op, lambda op=op: getattr(raw, op)(input=words()))
    case("join", lambda: raw.StringJoin(inputs=[words(), tf.constant("-"), words()], separator="/"))
    case("join_scalars", lambda: raw.StringJoin(inputs=[tf.constant("a"), tf.constant("b")]))
    for unit in ("BYTE", "UTF8_CHAR"):
        case(f"substr_{unit}", lambda p, n, unit=unit: raw.Substr(input=tf.constant(WORDS[3:5]), pos=p, len=n, unit=unit), np.array(1, I32), np.array(3, I32))
        case(f"substr_{unit}_negative", lambda p, n, unit=unit: raw.Substr(input=tf.constant(WORDS[3:5]), pos=p, len=n, unit=unit), np.array([-2, -1], I64), np.array([5, 1], I64))
    case("substr_broadcast", lambda p, n: raw.Substr(input=tf.constant([[b"abcdef"], [b"ghijkl"]]), pos=p, len=n), np.array([0, 2, 4], I32), np.array([1, 2, 9], I32))
    texts = [b"a,b,,c", b"", b" one  two three ", b",x,", b"a, b"]
    for separator in (",", "", ", "):
        for limit in (-1, 1, 2):
            case(f"split_{len(separator)}_{separator == ', '}_{limit}".replace("-", "minus_"),
                 lambda separator=separator, limit=limit: list(raw.StringSplitV2(input=tf.constant(texts), sep=separator, maxsplit=limit)))  # fmt: skip
    for delimiter in (",", " ,", ""):
        for skip in (True, False):
            case(f"split_any_{len(delimiter)}_{skip}", lambda delimiter=delimiter, skip=skip: list(raw.StringSplit(
                input=tf.constant(texts), delimiter=delimiter, skip_empty=skip)))  # fmt: skip
    numbers = np.array([0, -1, 7, 123456789, -(2**31)], I32)
    case("as_string_i32", lambda x: raw.AsString(input=x), numbers)
    case("as_string_width", lambda x: raw.AsString(input=x, width=12, fill="0"), numbers)
    case("as_string_left", lambda x: raw.AsString(input=x, width=12, fill="-"), numbers)
    case("as_string_i64", lambda x: raw.AsString(input=x), numbers.astype(I64) * 2**32)
    case("as_string_bool", lambda x: raw.AsString(input=x), bools((5,)))
    for dtype in FLOATS:
        x = np.array([0.0, -0.0, 1.5, -2.25, 1e-7, 3.14159274, 1e20, float("inf"), float("-inf")], dtype)
        for options in ({}, {"precision": 2}, {"scientific": True}, {"shortest": True}, {"shortest": True, "precision": 3}, {"precision": 1, "width": 9, "fill": "0"}):
            label = "_".join(f"{k}_{v}" for k, v in options.items())
            case(f"as_string_{short(dtype)}_{label}", lambda x, options=options: raw.AsString(input=x, **options), x)
    for name, texts_ in (("float", [b"1", b"-2.5e3", b" 7 ", b"inf", b"-INF", b"1e-40", b"+3"]), ("int", [b"1", b"-25", b" 7 ", b"2147483647"])):
        for out in (tf.float32, tf.float64) if name == "float" else (tf.int32, tf.int64):
            case(f"to_number_{out.name}", lambda t=texts_, out=out: raw.StringToNumber(string_tensor=tf.constant(t), out_type=out))
    for out in (tf.uint8, tf.int16, tf.int32, tf.int64, tf.float32, tf.float64):
        for little in (True, False):
            bytes_ = [bytes(range(16)), bytes(range(100, 116))]
            case(f"decode_raw_{out.name}_{little}", lambda out=out, little=little, b=bytes_: raw.Cast(
                x=raw.DecodeRaw(bytes=tf.constant(b), out_type=out, little_endian=little), DstT=tf.float64))  # fmt: skip
    for pad in (True, False):
        case(f"base64_{pad}", lambda pad=pad: raw.EncodeBase64(input=words(), pad=pad))
        case(f"base64_{pad}_and_back", lambda pad=pad: raw.DecodeBase64(input=raw.EncodeBase64(input=words(), pad=pad)))
    for length, out in ((4, tf.uint8), (4, tf.int16), (2, tf.int16), (8, tf.int32), (8, tf.float64)):
        for little in (True, False):
            case(f"decode_padded_raw_{out.name}_{length}_{little}", lambda length=length, out=out, little=little: raw.Cast(x=raw.DecodePaddedRaw(
                input_bytes=tf.constant([b"abcdefgh", b"a", b"", b"xyz"]), fixed_length=length, out_type=out, little_endian=little), DstT=tf.float64))  # fmt: skip
    for label, ids, segments in (("rows", [1, 0, 1], 3), ("all", [[1, 0, 0], [0, 1, 2], [1, 1, 1]], 3), ("none", [0, 0, 0], 1), ("wide", np.array([2, 0, 2], I64), np.array(5, I64))):
        case(f"segment_join_{label}", lambda ids=ids, segments=segments: raw.UnsortedSegmentJoin(
            inputs=tf.constant([[b"a", b"b", b"c"], [b"d", b"e", b"f"], [b"", b"h", b"i"]]), segment_ids=ids, num_segments=segments, separator="-"))  # fmt: skip
    matrix = lambda: tf.constant([[b"a", b"b", b"c"], [b"d", b"e", b"f"]])
    for axes in ([0], [1], [-1], [0, 1], [1, 0], []):
        for keep in (True, False):
            case(f"reduce_join_{'_'.join(map(str, axes))}_{keep}".replace("-", "minus_"), lambda axes=axes, keep=keep: raw.ReduceJoin(
                inputs=matrix(), reduction_indices=np.array(axes, I32), keep_dims=keep, separator="+"))  # fmt: skip
    case("equal", lambda: [raw.Equal(x=words(), y=tf.constant(b"abc")), raw.NotEqual(x=words(), y=words())])
    case("unique", lambda: list(raw.UniqueWithCounts(x=tf.constant([b"b", b"a", b"b", b"", b"a"]))))
    case("where_equal", lambda: raw.Where(condition=raw.Equal(x=words(), y=tf.constant(b"a"))))
    case("format", lambda x: raw.StringFormat(inputs=[x, tf.constant([b"q", b"r"])], template="x = {}; y = {}.", placeholder="{}", summarize=2), eighths((7,)))
    case("format_matrix", lambda x: raw.StringFormat(inputs=[x], template="{}", placeholder="{}", summarize=1), eighths((3, 4, 2)))
    case("format_all", lambda x: raw.StringFormat(inputs=[x], template="{}", placeholder="{}", summarize=-1), eighths((3, 4)))
    case("format_scalars", lambda x, y: raw.StringFormat(inputs=[x, y], template="%s %s", placeholder="%s"), np.array(0.1, F32), np.array(3, I32))
    rows = [b"1,2.5,abc", b"-7,,\"quoted, \"\"x\"\"\"", b"3,1e3,"]
    defaults = [np.array([], I32), np.array([0.5], F32), np.array([b"none"], object)]
    case("csv", lambda: raw.DecodeCSV(records=tf.constant(rows), record_defaults=[tf.constant(defaults[0], tf.int32), tf.constant(defaults[1]), tf.constant([b"none"])]))
    case("csv_columns", lambda: raw.DecodeCSV(records=tf.constant(rows), record_defaults=[tf.constant([7], tf.int64), tf.constant([b"none"])], select_cols=[0, 2]))
    case("csv_delimiter", lambda: raw.DecodeCSV(records=tf.constant([b"1;NA;3", b"4;5;NA"]), record_defaults=[tf.constant([9.0], tf.float64)] * 3, field_delim=";", na_value="NA"))
    case("csv_no_quotes", lambda: raw.DecodeCSV(records=tf.constant([b"a\"b,1"]), record_defaults=[tf.constant([b""]), tf.constant([0])], use_quote_delim=False))
    suite.write()


PATTERNS = ["a", "a*", "(a|b)+c", "[a-c]+", "[^a-c]", "^ab", "bc$", "a.c", "\\d+", "\\bfoo\\b", "(a+)(b*)", "a{2,3}", "x*?", "(?i)FOO", "\\s+", "[[:digit:]]+",
            "colou?r", "(?:ab)+", "", "a|ab|abc", "\\.", "[\\w-]+", "ä", ".", "(foo|bar)?baz", "(?s).*", "a+?b", "[]a]+", "\\x41"]


def regex():
    suite = Suite("regex")
    texts = lambda: tf.constant([b"", b"a", b"abc", b"aaa", b"abcabc ab", b"foo bar foobar", b"12 and 345", b"color colour", b"x-y_z.w",
                                 "ä€".encode(), b"foobaz baz", b"line\nbreak", b"aab]A"])  # fmt: skip
    for i, pattern in enumerate(PATTERNS):
        suite.case(f"match_{i}", lambda p=pattern: raw.RegexFullMatch(input=texts(), pattern=p))
        for all_ in (True, False):
            for rewrite in ("<\\0>", "-"):
                suite.case(f"replace_{i}_{all_}_{len(rewrite)}", lambda p=pattern, a=all_, r=rewrite: list(told(
                    raw.RegexReplace(input=texts(), pattern=p, rewrite=r, replace_global=a))))  # fmt: skip
    suite.case("static_match", lambda: raw.StaticRegexFullMatch(input=texts(), pattern="a+b?c?"))
    suite.case("static_replace", lambda: list(told(raw.StaticRegexReplace(input=texts(), pattern="(\\w)(\\w)", rewrite="\\2\\1\\\\"))))
    suite.write()


def tables():
    suite = Suite("tables")
    keys = {tf.string: [b"one", b"two", b"three"], tf.int64: [1, 2, 3], tf.int32: [1, 2, 3]}
    values_ = {tf.int64: [10, 20, 30], tf.float32: [0.5, 1.5, 2.5], tf.string: [b"a", b"b", b"c"]}
    for number, (key, value) in enumerate(((tf.string, tf.int64), (tf.int64, tf.string), (tf.int64, tf.float32), (tf.string, tf.string))):
        for made, fill in (("HashTableV2", "InitializeTableV2"), ("MutableHashTableV2", "LookupTableInsertV2"), ("MutableHashTableV2", "LookupTableImportV2")):
            if key == value and made != "HashTableV2":
                continue  # TensorFlow has no such table
            name = f"{fill}_{key.name}_{value.name}"
            def function(name=name, key=key, value=value, made=made, fill=fill):
                table = getattr(raw, made)(key_dtype=key, value_dtype=value, shared_name=name)
                filled = getattr(raw, fill)(table_handle=table, keys=tf.constant(keys[key], key), values=tf.constant(values_[value], value))
                with tf.control_dependencies([filled]):
                    asked = tf.constant([[keys[key][2], keys[key][0]], [b"none" if key is tf.string else 9, keys[key][1]]], key)
                    found = raw.LookupTableFindV2(table_handle=table, keys=asked, default_value=tf.constant(b"-" if value is tf.string else -1, value))
                    size = raw.LookupTableSizeV2(table_handle=table)
                return list(told(found, size))
            suite.case(name, function)

    def export_all(keys, found):
        table = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float32, shared_name="exported")
        with tf.control_dependencies([raw.LookupTableImportV2(table_handle=table, keys=keys, values=found)]):
            all_keys, all_values = raw.LookupTableExportV2(table_handle=table, Tkeys=tf.int64, Tvalues=tf.float32)
        order = raw.TopKV2(input=all_keys, k=6)  # TensorFlow promises no order
        return [order[0], tf.gather(all_values, order[1])]

    suite.case("LookupTableExportV2", export_all, np.array([7, -3, 9, 2, 4, 11], I64), eighths((6,)))
    suite.file("words.txt", b"one\ntwo\nthree\nfour\n")
    suite.file("columns.txt", b"10,one,0.5\n20,two,1.5\n30,three,2.5\n")
    whole, number = -2, -1
    for name, file, key, value, more in (
            ("lines", "words.txt", tf.string, tf.int64, dict(key_index=whole, value_index=number)),
            ("numbers", "words.txt", tf.int64, tf.string, dict(key_index=number, value_index=whole)),
            ("size", "words.txt", tf.string, tf.int64, dict(key_index=whole, value_index=number, vocab_size=3)),
            ("offset", "words.txt", tf.string, tf.int64, dict(key_index=whole, value_index=number, offset=7)),
            ("columns", "columns.txt", tf.string, tf.int64, dict(key_index=1, value_index=0, delimiter=",", offset=1)),
            ("floats", "columns.txt", tf.int64, tf.float32, dict(key_index=0, value_index=2, delimiter=","))):  # fmt: skip
        def from_file(name=name, file=file, key=key, value=value, more=more):
            table = raw.HashTableV2(key_dtype=key, value_dtype=value, shared_name="file_" + name)
            v1.add_to_collection(INITIALIZERS, raw.InitializeTableFromTextFileV2(table_handle=table, filename=tf.constant(file), **more))
            asked = tf.constant([b"two", b"four", b"none"] if key is tf.string else [1, 20, 3], key)
            found = raw.LookupTableFindV2(table_handle=table, keys=asked, default_value=tf.constant(b"-" if value is tf.string else -1, value))
            return list(told(found, raw.LookupTableSizeV2(table_handle=table)))
        suite.case("file_" + name, from_file)
    suite.write()


SUITES = [strings, regex, tables]
