"""Random calls with NumPy's answers, replayed by Tandem.
Usage: python3 numpy_replay.py PROGRAM [--seed N] [--cases N] [--only FUNCTION] [--keep FILE]
numpy_replay.cpp says how calls are written and compared. Exit code 77 without NumPy."""
import argparse
import os
import struct
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("NPY_PROMOTION_STATE", "weak")  # NumPy 1.24 promotes as NumPy 2 then
try:
    import numpy as np
except ImportError:
    print("SKIPPED: python3 has no NumPy")
    sys.exit(77)

BEFORE_2 = np.lib.NumpyVersion(np.__version__) < "2.0.0"
if np.lib.NumpyVersion(np.__version__) < "1.24.0":
    print(f"SKIPPED: NumPy {np.__version__} promotes by value")
    sys.exit(77)

BOOL, SIGNED, UNSIGNED = ["?"], ["i1", "i2", "i4", "i8"], ["u1", "u2", "u4", "u8"]
INTEGERS, FLOATS, COMPLEX = SIGNED + UNSIGNED, ["f2", "f4", "f8"], ["c8", "c16"]
KINDS = {"b": BOOL, "i": INTEGERS, "f": FLOATS, "c": COMPLEX}
NONE = -2**63  # of an open bound in a slice


class Weak:
    """A number without a dtype. NumPy gets Python's."""

    def __init__(self, value):
        self.value = value


class View:
    """A view of a contiguous array: sliced, its axes permuted, broadcast."""

    def __init__(self, base, slices=(), permutation=(), shape=None):
        self.base, self.slices, self.permutation, self.shape = base, slices, permutation, shape
        array = base
        if slices:
            array = array[tuple(slice(*s) for s in slices)].transpose(permutation)
        self.array = array if shape is None else np.broadcast_to(array, shape)


class Index:
    """An index: of integers, slices, None, Ellipsis, bools and Views of arrays."""

    def __init__(self, parts):
        self.parts = parts

    def numpy(self):
        return tuple(part.array if isinstance(part, View) else part for part in self.parts)


class Generator:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.output = bytearray()
        self.count = 0

    # ---- writing ----

    def write_text(self, text):
        self.output += struct.pack("<q", len(text)) + text.encode()

    def write_numbers(self, numbers):
        self.output += struct.pack(f"<q{len(numbers)}q", len(numbers), *numbers)

    def write_array(self, array):
        self.write_text(array.dtype.name)
        self.write_numbers(array.shape)
        self.output += np.ascontiguousarray(array).tobytes()

    def write(self, x):
        tag = self.output.extend
        if isinstance(x, View):
            tag(b"A")
            self.write_array(x.base)
            self.write_numbers([n for s in x.slices for n in (NONE if bound is None else bound for bound in s)])
            self.write_numbers(x.permutation)
            self.write(x.shape)
        elif isinstance(x, Weak):
            self.write(x.value)
        elif isinstance(x, Index):
            tag(b"I")
            self.output += struct.pack("<q", len(x.parts))
            for part in x.parts:
                self.write(part)
        elif x is None:
            tag(b"n")
        elif x is Ellipsis:
            tag(b"e")
        elif isinstance(x, slice):
            tag(b"s")
            self.output += struct.pack("<3q", *(NONE if v is None else v for v in (x.start, x.stop, x.step or 1)))
        elif isinstance(x, (bool, np.bool_)):
            tag(b"b")
            self.output += struct.pack("<q", int(x))
        elif isinstance(x, (int, np.integer)):
            tag(b"i" if x < 2**63 else b"u")
            self.output += struct.pack("<q" if x < 2**63 else "<Q", int(x))
        elif isinstance(x, float):
            tag(b"f")
            self.output += struct.pack("<d", x)
        elif isinstance(x, complex):
            tag(b"c")
            self.output += struct.pack("<2d", x.real, x.imag)
        elif isinstance(x, str):
            tag(b"t")
            self.write_text(x)
        elif isinstance(x, tuple):
            tag(b"l")
            self.write_numbers(x)
        elif isinstance(x, list):
            tag(b"L")
            self.output += struct.pack("<q", len(x))
            for part in x:
                self.write(part)
        else:
            raise TypeError(type(x))

    def case(self, function, arguments, call, tolerance=None):
        """Writes a call and what `call` gives: arrays, or that it raises. `tolerance` gives, for the result, the largest
        allowed distance of its elements; without one it is the function's own."""
        if self.only and function != self.only:
            return
        try:
            results = call()
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            results = error
        self.count += 1
        self.write_text(function)
        self.write(list(arguments))
        if isinstance(results, Exception):
            self.output += b"!"
            self.write_text(str(results)[:200])
            return
        self.output += b"="
        if not isinstance(results, (list, tuple)):
            results = [results]
        self.output += struct.pack("<q", len(results))
        for result in results:
            result = np.asarray(result)
            self.write_array(result)
            if tolerance is None:
                self.output += b"-"
            else:
                self.output += b"~"
                bound = np.broadcast_to(np.asarray(tolerance(result), "f8"), result.shape)
                self.output += np.ascontiguousarray(bound).tobytes()

    # ---- drawing ----

    def chance(self, probability):
        return self.random.random() < probability

    def integer(self, low, high):
        return int(self.random.integers(low, high, endpoint=True))

    def pick(self, list_):
        return list_[self.integer(0, len(list_) - 1)]

    def shape(self, ndim=None, low=0, high=5):
        if ndim is None:
            ndim = self.pick([0, 1, 1, 2, 2, 2, 3, 3, 4])
        if ndim == 1 and self.chance(0.3):
            return (self.integer(6, 300) if self.chance(0.95) else self.integer(1000, 20000),)
        return tuple(self.integer(low, high) if self.chance(0.1) else self.integer(1, high) for _ in range(ndim))

    def broadcastable(self, shape):
        """A shape that broadcasts with this one, seldom one that does not."""
        shape = list(shape)
        for axis in range(len(shape)):
            if self.chance(0.2):
                shape[axis] = 1
        if shape and self.chance(0.2):
            shape = shape[self.integer(1, len(shape)):]
        if shape and self.chance(0.02):
            shape[self.integer(0, len(shape) - 1)] += 1
        return tuple(shape)

    def numbers(self, shape, dtype, low=-10, high=10, special=True, whole=False):
        """Values of one of several kinds. Without `special` they lie in [low, high]."""
        dtype, n = np.dtype(dtype), int(np.prod(shape, dtype="i8"))
        draw = self.random
        if dtype.kind == "b":
            return draw.integers(0, 2, shape).astype(dtype)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if special and self.chance(0.4):
                values = draw.integers(info.min, info.max, n, dtype, endpoint=True)
                edges = np.array([info.min, info.max, 0, 1, info.max - 1, info.max // 2], dtype)
                values = np.where(draw.random(n) < 0.3, draw.choice(edges, n), values)
            else:
                low, high = max(int(np.ceil(low)), info.min), min(int(np.floor(high)), info.max)
                values = draw.integers(low, high, n, dtype, endpoint=True)
            return values.reshape(shape)
        if dtype.kind == "c":
            result = np.empty(shape, dtype)
            part = dtype.type(0).real.dtype
            result.real = self.numbers(shape, part, low, high, special, whole)
            result.imag = self.numbers(shape, part, low, high, special, whole)
            return result
        if whole or self.chance(0.2):
            values = np.rint(draw.uniform(np.ceil(low), np.floor(high), n))
        else:
            values = draw.uniform(low, high, n)
        if special and self.chance(0.4):
            info = np.finfo(dtype)
            edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.5, float(info.max), float(info.tiny),
                     float(info.tiny) / 4, -float(info.max), float(info.eps)]
            values = np.where(draw.random(n) < 0.5, draw.choice(np.array(edges), n), values)
        with np.errstate(all="ignore"):
            return values.astype(dtype).reshape(shape)

    def view(self, shape, make):
        """A View of that shape in some layout. `make(shape)` gives an array of values."""
        if self.chance(0.4) or not shape:
            return View(make(shape))
        permutation = tuple(int(p) for p in self.random.permutation(len(shape))) if self.chance(0.6) \
            else tuple(range(len(shape)))
        narrow = [1 if n > 0 and self.chance(0.1) else n for n in shape]
        base, slices = [0] * len(shape), [None] * len(shape)
        for axis, from_axis in enumerate(permutation):
            n = narrow[axis]
            step = self.pick([1, 1, 1, 2, -1, -2, 3])
            offset = self.integer(0, 2)
            if n == 0:
                base[from_axis], slices[from_axis] = offset, (0, 0, 1)
                continue
            span = (n - 1) * abs(step)
            base[from_axis] = offset + span + 1 + self.integer(0, 2)
            if step > 0:
                slices[from_axis] = (offset, offset + span + 1, step)
            else:
                slices[from_axis] = (offset + span, offset - 1 if offset > 0 else None, step)
        return View(make(tuple(base)), slices, permutation, shape if narrow != list(shape) else None)

    def array(self, dtype, shape=None, **how):
        shape = self.shape() if shape is None else shape
        return self.view(shape, lambda base: self.numbers(base, dtype, **how))

    def weak(self, kinds, **how):
        kind = self.pick(kinds)
        if kind == "b":
            return Weak(self.chance(0.5))
        if kind == "i":
            return Weak(self.integer(-3, 300) if self.chance(0.1) else self.integer(0, 9))
        value = complex(self.numbers((), "c16", **how)) if kind == "c" else float(self.numbers((), "f8", **how))
        return Weak(value)

    def dtype(self, kinds):
        return self.pick(KINDS[self.pick(kinds)])

    def axis(self, ndim):
        return self.integer(-ndim, ndim - 1) if ndim and not self.chance(0.02) else self.integer(-1, 1) + ndim

    def axes(self, ndim):
        """None, one axis or several."""
        if self.chance(0.3):
            return None
        if ndim == 0 or self.chance(0.6):
            return (self.axis(ndim),)
        chosen = self.random.permutation(ndim)[:self.integer(0, ndim)]
        return tuple(int(a) - (ndim if self.chance(0.3) else 0) for a in chosen)


def numpy_axes(axes):
    """As an integer if there is one: of arrays without axes NumPy takes no tuple."""
    return axes[0] if axes is not None and len(axes) == 1 else axes


def eps(array):
    return float(np.finfo(array.dtype).eps)


def value_of(x):
    return x.array if isinstance(x, View) else x.value if isinstance(x, Weak) else x


# ---- elementwise functions: NumPy's, number of operands, kinds, range of the operands ----

def make_complex(a, b):
    a, b = np.broadcast_arrays(a, b)
    part = "f8" if any(x.dtype.kind in "iu" and x.dtype.itemsize > 2 or x.dtype == "f8" for x in (a, b)) else "f4"
    result = np.empty(a.shape, "c16" if part == "f8" else "c8")
    result.real, result.imag = a.astype(part), b.astype(part)
    return result


ELEMENTWISE = {
    "add": (np.add, 2, "bifc", -10, 10), "subtract": (np.subtract, 2, "bifc", -10, 10),
    "multiply": (np.multiply, 2, "bifc", -10, 10), "divide": (np.divide, 2, "bifc", -10, 10),
    "floor_divide": (np.floor_divide, 2, "if", -10, 10), "remainder": (np.remainder, 2, "if", -10, 10),
    "fmod": (np.fmod, 2, "if", -10, 10), "pow": (np.power, 2, "ifc", 0, 6),
    "negative": (np.negative, 1, "bifc", -10, 10), "positive": (np.positive, 1, "ifc", -10, 10),
    "abs": (np.abs, 1, "bifc", -10, 10), "sign": (np.sign, 1, "ifc", -10, 10),
    "square": (np.square, 1, "ifc", -10, 10), "reciprocal": (np.reciprocal, 1, "fc", -10, 10),
    "clip": (np.clip, 3, "if", -10, 10), "maximum": (np.maximum, 2, "bifc", -10, 10),
    "minimum": (np.minimum, 2, "bifc", -10, 10), "fmax": (np.fmax, 2, "bifc", -10, 10),
    "fmin": (np.fmin, 2, "bifc", -10, 10), "copysign": (np.copysign, 2, "bif", -10, 10),
    "nextafter": (np.nextafter, 2, "f", -10, 10), "hypot": (np.hypot, 2, "bif", -10, 10),
    "floor": (np.floor, 1, "bifc", -10, 10), "ceil": (np.ceil, 1, "bifc", -10, 10),
    "trunc": (np.trunc, 1, "bifc", -10, 10), "rint": (np.rint, 1, "fc", -10, 10),
    "sqrt": (np.sqrt, 1, "bifc", 0, 100), "cbrt": (np.cbrt, 1, "bif", -10, 10),
    "exp": (np.exp, 1, "bifc", -8, 8), "exp2": (np.exp2, 1, "bifc", -8, 8), "expm1": (np.expm1, 1, "bifc", -8, 8),
    "log": (np.log, 1, "bifc", 0, 100), "log2": (np.log2, 1, "bifc", 0, 100), "log10": (np.log10, 1, "bifc", 0, 100),
    "log1p": (np.log1p, 1, "bifc", -0.9, 100), "logaddexp": (np.logaddexp, 2, "bif", 0, 10),
    "logaddexp2": (np.logaddexp2, 2, "bif", 0, 10),
    "sin": (np.sin, 1, "bifc", -10, 10), "cos": (np.cos, 1, "bifc", -10, 10), "tan": (np.tan, 1, "bifc", -10, 10),
    "asin": (np.arcsin, 1, "bifc", -1, 1), "acos": (np.arccos, 1, "bifc", -1, 1),
    "atan": (np.arctan, 1, "bifc", -10, 10), "atan2": (np.arctan2, 2, "bif", -10, 10),
    "sinh": (np.sinh, 1, "bifc", -8, 8), "cosh": (np.cosh, 1, "bifc", -8, 8), "tanh": (np.tanh, 1, "bifc", -8, 8),
    "asinh": (np.arcsinh, 1, "bifc", -10, 10), "acosh": (np.arccosh, 1, "bifc", 1, 10),
    "atanh": (np.arctanh, 1, "bifc", -1, 1), "degrees": (np.degrees, 1, "bif", -10, 10),
    "radians": (np.radians, 1, "bif", -360, 360),
    "equal": (np.equal, 2, "bifc", -3, 3), "not_equal": (np.not_equal, 2, "bifc", -3, 3),
    "less": (np.less, 2, "bifc", -3, 3), "less_equal": (np.less_equal, 2, "bifc", -3, 3),
    "greater": (np.greater, 2, "bifc", -3, 3), "greater_equal": (np.greater_equal, 2, "bifc", -3, 3),
    "isnan": (np.isnan, 1, "bifc", -3, 3), "isinf": (np.isinf, 1, "bifc", -3, 3),
    "isfinite": (np.isfinite, 1, "bifc", -3, 3), "signbit": (np.signbit, 1, "bif", -3, 3),
    "logical_and": (np.logical_and, 2, "bifc", -2, 2), "logical_or": (np.logical_or, 2, "bifc", -2, 2),
    "logical_xor": (np.logical_xor, 2, "bifc", -2, 2), "logical_not": (np.logical_not, 1, "bifc", -2, 2),
    "bitwise_and": (np.bitwise_and, 2, "bif", -100, 100), "bitwise_or": (np.bitwise_or, 2, "bi", -100, 100),
    "bitwise_xor": (np.bitwise_xor, 2, "bi", -100, 100), "bitwise_invert": (np.invert, 1, "bif", -100, 100),
    "bitwise_left_shift": (np.left_shift, 2, "i", -2, 70), "bitwise_right_shift": (np.right_shift, 2, "i", -2, 70),
    "where": (np.where, 3, "bifc", -10, 10), "real": (np.real, 1, "bifc", -10, 10),
    "imag": (np.imag, 1, "bifc", -10, 10), "conj": (np.conjugate, 1, "ifc", -10, 10),
    "angle": (np.angle, 1, "fc", -10, 10), "make_complex": (make_complex, 2, "bif", -10, 10),
    "isclose": (lambda a, b: np.isclose(a, b), 2, "bifc", -3, 3),
}
# Of these, Annex G leaves signs open; special_cases.def has what it says.
FINITE_COMPLEX = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
                  "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "divide", "sqrt", "sign", "reciprocal",
                  "multiply", "square"}


def elementwise(g):
    name = g.pick(list(ELEMENTWISE))
    function, arity, kinds, low, high = ELEMENTWISE[name]
    shape = g.shape()
    dtypes = [g.dtype(kinds) for _ in range(arity)]
    if g.chance(0.5):
        dtypes = [dtypes[0]] * arity
    how = {"low": low, "high": high}
    if name in FINITE_COMPLEX and any(d in COMPLEX for d in dtypes):
        how["special"] = False
    if name == "nextafter" and "f2" in dtypes:  # NumPy's nextafter(-0, 0) is -0 there
        return
    operands = [g.array(d, shape if i == 0 else g.broadcastable(shape), **how) for i, d in enumerate(dtypes)]
    if name == "where":
        operands[0] = g.array(g.pick(["?", "?", "?", "i4", "f8"]), g.broadcastable(shape), low=-1, high=1)
    if arity > 1 and g.chance(0.3) and name not in ("make_complex", "isclose"):
        i = g.integer(1 if name in ("where", "clip") else 0, arity - 1)
        operands[i] = g.weak(kinds, **how if "c" not in kinds else {**how, "special": False})
        if name == "where" and isinstance(operands[i].value, int):  # NumPy checks the range since 2.5 only
            operands[i].value = min(operands[i].value, 9)
    values = [value_of(x) for x in operands]
    if name == "reciprocal" and np.any(values[0] == 0) and values[0].dtype.kind == "c":  # NaN in NumPy, not 1 / x
        return
    if name == "clip" and any(np.any(np.isnan(v)) for v in values[1:]):  # depends on the processor in NumPy
        return
    if name == "clip" and isinstance(values[2], int) and values[2] > 9:  # NumPy drops a bound outside the dtype
        return
    tolerance = None
    if name in FINITE_COMPLEX and any(np.result_type(v).kind == "c" for v in values):
        sizes = np.concatenate([np.ravel(np.abs(v)).astype("f8") for v in values])
        if not np.all((sizes == 0) | (sizes > 1e-6) & (sizes < 1e6)):
            return
        # NumPy's are as good as the rounded argument of the logarithm, and the rounded exponent.
        if name in ("log", "log2", "log10", "log1p"):
            tolerance = lambda r: 8 * eps(r) * (1 + np.abs(r))
        if name == "exp2":
            tolerance = lambda r: (8 + 4 * np.abs(values[0])) * eps(r) * np.abs(r)
        if name == "pow":
            tolerance = lambda r: (8 + 4 * np.abs(values[1] * np.log(values[0] + 0j))) * eps(r) * np.abs(r)
    g.case(name, operands, lambda: function(*values), tolerance)


def rounding(g):
    x, decimals = g.array(g.dtype("ifc"), low=-1000, high=1000, special=False), g.integer(-3, 3)
    if x.array.dtype.kind == "u" or x.array.dtype.itemsize == 1:
        decimals = max(decimals, 0)
    g.case("round", [x, decimals], lambda: np.round(x.array, decimals))


def nan_to_num(g):
    x = g.array(g.dtype("bifc"))
    options = [g.pick([0.0, -1.5]), g.pick([None, 2.0]), g.pick([None, -3.0])]
    g.case("nan_to_num", [x] + options,
           lambda: np.nan_to_num(x.array, nan=options[0], posinf=options[1], neginf=options[2]))


def in_place(g):
    """`a += b` and so on, on a variable or through an index."""
    name, function = g.pick([("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply),
                             ("divide", np.divide), ("remainder", np.remainder), ("bitwise_and", np.bitwise_and),
                             ("bitwise_xor", np.bitwise_xor), ("bitwise_left_shift", np.left_shift)])
    kinds = "if" if name == "remainder" else "bi" if "bitwise" in name else "bifc"
    shape = g.shape()
    a = g.array(g.dtype(kinds), shape, low=1, high=9, special=False)
    b = g.weak(kinds)
    if g.chance(0.7):
        b = g.array(g.dtype(kinds), g.broadcastable(shape), low=1, high=9, special=False)
    if BEFORE_2 and isinstance(b, Weak):
        return

    def call():
        x = a.array.copy()
        return function(x, value_of(b), out=x, casting="same_kind")

    g.case("in_place", [a, name, b], call)


def astype(g):
    """Casts of values that fit; for those that do not, Tandem has a rule of its own."""
    source, target = np.dtype(g.dtype("bifc")), np.dtype(g.dtype("bifc"))
    if source.kind == "c" and target.kind != "c" and target.kind != "b":
        return
    low, high, special = -10, 10, True
    if target.kind in "iu" and source.kind == "f":
        info, most = np.iinfo(target), float(np.finfo(source).max)
        low, high, special = max(info.min, -most) * 0.99, min(info.max, most) * 0.99, False
        if g.chance(0.5):
            low, high = max(low, -50), min(high, 50)
    x = g.array(source, low=low, high=high, special=special)
    g.case("astype", [x, target.name], lambda: x.array.astype(target))


# ---- reductions and scans ----

def sum_bound(x, axis=None, keepdims=False, scale=1):
    """Of the rounding errors of a sum in any order."""
    array = np.abs(x.astype("c16")) if x.dtype.kind == "c" else np.abs(x.astype("f8"))
    precision = "f4" if x.dtype == "f2" else x.dtype.type(0).real.dtype
    n = max(1, array.size)
    bound = np.sum(array, axis=axis, keepdims=keepdims) * n * float(np.finfo(precision).eps) * scale
    return np.where(np.isfinite(bound), bound, np.inf)


def reduction(g):
    name = g.pick(["sum", "sum", "prod", "max", "min", "any", "all", "count_nonzero", "mean", "var", "std"])
    dtype = g.dtype("bifc")
    whole = name in ("sum", "prod") and g.chance(0.5)
    shape = g.shape(low=0)
    low, high = (-2, 2) if name == "prod" else (-10, 10)
    x = g.array(dtype, shape, low=low, high=high, special=not whole and dtype not in COMPLEX, whole=whole)
    axes, keepdims = g.axes(len(shape)), g.chance(0.4)
    axis = numpy_axes(axes)
    if not shape and axes and name in ("mean", "var", "std"):  # NumPy refuses axis 0 of these alone
        return
    of = np.dtype(dtype).kind in "fc"
    array = x.array
    arguments = [x, axes, keepdims]
    if name in ("sum", "prod"):
        forced = g.dtype("ifc") if g.chance(0.2) and array.dtype.kind in "biu" else None
        if forced and np.dtype(forced).kind in "fc" and not whole:
            forced = None
        tolerance = None
        if of and name == "sum" and not whole:
            tolerance = lambda r: sum_bound(array, axis, keepdims)
            if not np.all(np.isfinite(array)) or np.any(np.abs(array.astype("c16")) > 1e30) or dtype == "f2":
                return
        if of and name == "prod":
            if dtype == "f2" or array.size > 100 or not np.all(np.isfinite(array)) or np.any(np.abs(array) > 1e3):
                return
            tolerance = lambda r: 4 * max(1, array.size) * eps(r) * np.abs(r)
        g.case(name, arguments + [forced and np.dtype(forced).name],
               lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims, dtype=forced), tolerance)
    elif name in ("mean", "var", "std"):
        if of and (not np.all(np.isfinite(array)) or np.any(np.abs(array) > 1e3)):
            return
        precision = 1e-3 if dtype == "f2" else 1e-5 if dtype in ("f4", "c8") else 1e-13
        if name == "mean":
            size = np.max(np.abs(array.astype("f8")), initial=10) if array.dtype.kind in "iu" else 10
            g.case(name, arguments, lambda: np.mean(array, axis=axis, keepdims=keepdims), lambda r: 4 * size * precision)
        else:
            large = array.dtype.kind in "iu" and array.size and np.max(np.abs(array.astype("f8"))) > 1e3
            if large or dtype == "f2" and array.size > 100:  # of float16 NumPy adds the squares in float16
                return
            correction = g.pick([0, 0, 1, 2])
            g.case(name, [x, axes, keepdims, float(correction)],
                   lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims, ddof=correction),
                   lambda r: (1 if name == "var" else 10) * 1000 * precision)
    elif name == "count_nonzero":
        g.case(name, arguments, lambda: np.asarray(np.count_nonzero(array, axis=axis, keepdims=keepdims)))
    else:
        g.case(name, arguments, lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims))


def position(g):
    name = g.pick(["argmax", "argmin"])
    x = g.array(g.dtype("bifc"), low=-3, high=3)
    axis, keepdims = (None if g.chance(0.4) else (g.axis(x.array.ndim),)), g.chance(0.4)
    g.case(name, [x, axis, keepdims],
           lambda: getattr(np, name)(x.array, axis=axis and axis[0], keepdims=keepdims))


def scan(g):
    name, numpy = g.pick([("cumulative_sum", np.cumsum), ("cumulative_prod", np.cumprod)])
    dtype = g.dtype("bifc")
    shape = g.shape(g.pick([1, 1, 2, 3]))
    low, high = (-10, 10) if name == "cumulative_sum" else (-2, 2)
    x = g.array(dtype, shape, low=low, high=high, special=dtype not in FLOATS + COMPLEX, whole=True)
    axis = g.axis(len(shape))
    if name == "cumulative_prod" and dtype in FLOATS + COMPLEX and len(x.array) > 20:
        return
    initial = g.chance(0.3)

    def call():
        result = numpy(x.array, axis=axis)
        if initial:
            one = [1 if i == axis % result.ndim else n for i, n in enumerate(result.shape)]
            first = np.full(one, 0 if numpy is np.cumsum else 1, result.dtype)
            result = np.concatenate([first, result], axis)
        return result

    g.case(name, [x, axis, initial], call)


def extreme_scan(g):
    name, numpy = g.pick([("cumulative_max", np.maximum), ("cumulative_min", np.minimum)])
    x = g.array(g.dtype("bifc"), g.shape(g.pick([1, 2, 3])))
    axis = g.axis(x.array.ndim)
    g.case(name, [x, axis], lambda: numpy.accumulate(x.array, axis=axis))


def diff(g):
    x = g.array(g.dtype("bifc"), g.shape(g.pick([1, 2, 3])), special=False, whole=True)
    axis, n = g.axis(x.array.ndim), g.pick([0, 1, 1, 2, 3])
    if n == 0 and axis not in range(-x.array.ndim, x.array.ndim):  # NumPy does not look at it then
        return
    ends = []
    for _ in range(2):
        ends.append(None)
        if g.chance(0.3) and -x.array.ndim <= axis < x.array.ndim:
            shape = list(x.array.shape)
            shape[axis] = g.integer(1, 2)
            ends[-1] = g.array(x.array.dtype.str[1:], tuple(shape), special=False, whole=True)
    numpy_ends = {key: end.array for key, end in zip(("prepend", "append"), ends) if end}
    g.case("diff", [x, axis, n] + ends, lambda: np.diff(x.array, n=n, axis=axis, **numpy_ends))


# ---- order ----

def sort(g):
    name = g.pick(["sort", "argsort"])
    x = g.array(g.dtype("bifc"), low=-3, high=3)
    axis = g.axis(x.array.ndim)
    g.case(name, [x, axis], lambda: getattr(np, name)(x.array, axis=axis, kind="stable"))


def searchsorted(g):
    dtype = g.dtype("bifc")
    x = np.sort(g.numbers((g.integer(0, 40),), dtype, low=-5, high=5))
    values = g.array(dtype if g.chance(0.6) else g.dtype("bif"), low=-6, high=6)
    side = g.pick(["left", "right"])
    if {np.dtype(dtype).kind, values.array.dtype.kind} == {"i", "u"}:  # NumPy compares them as float64
        return
    sorter = None
    if g.chance(0.3):
        order = g.random.permutation(len(x))
        sorter = View(np.argsort(order, kind="stable").astype("i8"))
        x = x[order]
    g.case("searchsorted", [View(x), values, side, sorter],
           lambda: np.searchsorted(x, values.array, side, sorter and sorter.array))


def quantile(g):
    x = g.array(g.dtype("if"), low=-9, high=9, special=False)
    if x.array.dtype == "f2":
        return
    axis = None if g.chance(0.3) else g.axis(x.array.ndim)
    q = [float(v) for v in g.random.random(g.integer(1, 3))]
    keepdims = g.chance(0.3)
    dtype = x.array.dtype if x.array.dtype.kind == "f" else "f8"  # NumPy takes the dtype of a list of q into account
    g.case("quantile", [x, q, axis, keepdims],
           lambda: np.quantile(x.array, q, axis=axis, keepdims=keepdims).astype(dtype), lambda r: 16 * eps(r) * 10)


# ---- manipulation ----

def factors(g, size):
    shape = []
    while size > 1 and len(shape) < 4:
        divisors = [d for d in range(1, size + 1) if size % d == 0]
        shape.append(g.pick(divisors))
        size //= shape[-1]
    return tuple(shape + ([size] if size != 1 or g.chance(0.3) else []))


def manipulation(g):
    dtype = g.dtype("bifc")
    shape = g.shape()
    x = g.array(dtype, shape)
    array, ndim = x.array, x.array.ndim
    name = g.pick(["reshape", "transpose", "permute", "squeeze", "expand_dims", "broadcast_to", "flip", "moveaxis",
                   "roll", "repeat", "repeat_each", "tile", "concat", "stack", "unstack", "ravel", "matrix_transpose",
                   "copy"])
    if name == "reshape":
        target = list(factors(g, array.size)) if array.size else list(shape)
        if target and g.chance(0.4):
            target[g.integer(0, len(target) - 1)] = -1
        if g.chance(0.05):
            target.append(g.integer(2, 3))
        g.case(name, [x, tuple(target)], lambda: array.reshape(target))
    elif name == "transpose":
        g.case(name, [x], lambda: array.T)
    elif name == "permute":
        axes = tuple(int(a) - (ndim if g.chance(0.3) else 0) for a in g.random.permutation(ndim))
        g.case(name, [x, axes], lambda: array.transpose(axes))
    elif name == "squeeze":
        ones = [i for i in range(ndim) if shape[i] == 1]
        axes = None if g.chance(0.4) else tuple(ones[:g.integer(0, len(ones))]) if g.chance(0.8) else (g.axis(ndim),)
        g.case(name, [x, axes], lambda: np.squeeze(array, axes))
    elif name == "expand_dims":
        axes = tuple(set(g.integer(-ndim - 1, ndim) for _ in range(g.integer(1, 2))))
        g.case(name, [x, axes], lambda: np.expand_dims(array, axes))
    elif name == "broadcast_to":
        target = tuple(g.integer(1, 3) for _ in range(g.integer(0, 2))) + tuple(
            g.integer(2, 4) if n == 1 and g.chance(0.6) else n for n in shape)
        if g.chance(0.05):
            target = target[1:]
        g.case(name, [x, target], lambda: np.broadcast_to(array, target))
    elif name == "flip":
        axes = g.axes(ndim)
        g.case(name, [x, axes], lambda: np.flip(array, axes))
    elif name == "moveaxis":
        axes = g.axis(ndim), g.axis(ndim)
        g.case(name, [x, *axes], lambda: np.moveaxis(array, *axes))
    elif name == "roll":
        if g.chance(0.5):
            shift, axis = g.integer(-7, 7), None if g.chance(0.5) else g.axis(ndim)
            g.case(name, [x, shift, axis], lambda: np.roll(array, shift, axis))
        else:
            n = g.integer(1, 3)
            shift, axis = tuple(g.integer(-7, 7) for _ in range(n)), tuple(g.axis(ndim) for _ in range(n))
            g.case(name, [x, shift, axis], lambda: np.roll(array, shift, axis))
    elif name == "repeat":
        n, axis = g.integer(-1 if g.chance(0.05) else 0, 3), None if g.chance(0.4) else g.axis(ndim)
        g.case(name, [x, n, axis], lambda: np.repeat(array, n, axis))
    elif name == "repeat_each":
        axis = None if g.chance(0.4) else g.axis(ndim)
        length = array.size if axis is None else shape[axis] if -ndim <= axis < ndim else 1
        n = View(g.numbers((1 if g.chance(0.1) else length,), "i8", 0, 3, special=False))
        g.case("repeat", [x, n, axis], lambda: np.repeat(array, n.array, axis))
    elif name == "tile":
        n = tuple(g.integer(0 if g.chance(0.2) else 1, 3) for _ in range(g.integer(0, 4)))
        g.case(name, [x, n], lambda: np.tile(array, n))
    elif name == "concat":
        axis = g.axis(ndim)
        arrays = [x]
        for _ in range(g.integer(0, 3)):
            other = list(shape)
            if -ndim <= axis < ndim:
                other[axis] = g.integer(0, 3)
            if other and g.chance(0.03):
                other[g.integer(0, ndim - 1)] += 1
            arrays.append(g.array(dtype if g.chance(0.5) else g.dtype("bifc"), tuple(other)))
        g.case(name, [arrays, axis], lambda: np.concatenate([a.array for a in arrays], axis))
    elif name == "stack":
        arrays = [x] + [g.array(dtype if g.chance(0.5) else g.dtype("bifc"), shape) for _ in range(g.integer(0, 3))]
        axis = g.axis(ndim + 1)
        g.case(name, [arrays, axis], lambda: np.stack([a.array for a in arrays], axis))
    elif name == "unstack":
        axis = g.axis(ndim)
        g.case(name, [x, axis], lambda: [np.take(array, i, axis) for i in range(array.shape[axis])])
    elif name == "ravel":
        g.case("reshape", [x, (-1,)], lambda: array.reshape(-1))
    elif name == "matrix_transpose":
        g.case(name, [x], lambda: np.swapaxes(array, -1, -2))
    else:
        g.case(name, [x], lambda: array)


# ---- indexing ----

def index_array(g, length, shape):
    """Positions in an axis, seldom outside."""
    dtype = g.pick(["i8", "i8", "i4", "i1", "i2", "u1", "u4", "u8"])
    if length == 0:
        return View(np.zeros((0,), dtype))
    low = 0 if dtype[0] == "u" else -length
    values = lambda s: g.numbers(s, dtype, low, length - 1 + g.chance(0.02), special=False)
    return g.view(shape, values)


def index_for(g, shape, advanced):
    """An index for an array of that shape: with index arrays or masks if `advanced`."""
    parts, axis, ndim = [], 0, len(shape)
    common = g.shape(g.pick([0, 1, 1, 1, 2]), low=0, high=4) if advanced else ()
    upto = ndim if g.chance(0.6) else g.integer(0, ndim)
    ellipsis_at = g.integer(0, upto) if g.chance(0.3) else None
    while axis < upto:
        if ellipsis_at == axis and ellipsis_at is not None:
            parts.append(Ellipsis)
            ellipsis_at = None
        n = shape[axis]
        kind = g.random.random()
        if g.chance(0.08):
            parts.append(None)
        if advanced and kind < 0.4:
            parts.append(index_array(g, n, tuple(1 if g.chance(0.15) else m for m in common)))
        elif advanced and kind < 0.5:
            axes = g.integer(1, min(2, upto - axis))
            mask = list(shape[axis:axis + axes])
            if g.chance(0.02):
                mask[0] += 1
            if 0 in mask:  # fits any length in NumPy
                parts.append(slice(None))
                axis += 1
                continue
            count = int(np.prod(common, dtype="i8"))
            values = g.random.random(mask) < 0.4
            if g.chance(0.7) and values.size:  # as many true elements as the other index arrays have
                values[...] = False
                values.reshape(-1)[g.random.permutation(values.size)[:count]] = True
            parts.append(View(values))
            axis += axes
            continue
        elif advanced and kind < 0.53:
            parts.append(g.chance(0.7))
            continue
        elif kind < 0.7:
            bound = lambda: None if g.chance(0.3) else g.integer(-n - 2, n + 2)
            parts.append(slice(bound(), bound(), g.pick([1, 1, 1, 2, 3, -1, -2])))
        else:
            parts.append(g.integer(-n, n - 1) if n and not g.chance(0.02) else n)
        axis += 1
    if ellipsis_at is not None:
        parts.append(Ellipsis)
    if g.chance(0.02):
        parts += [0] * (ndim + 1 - len(parts))
    return Index(parts)


def indexing(g):
    shape = g.shape(g.pick([0, 1, 2, 3, 3, 4]))
    x = g.array(g.dtype("bifc"), shape)
    index = index_for(g, shape, g.chance(0.6))
    g.case("getitem", [x, index], lambda: x.array[index.numpy()])


def in_order(array, positions, values):
    """`array` with values put at positions one after the other, in row-major order; NumPy goes by strides."""
    flat = array.copy().reshape(-1)
    values = np.asarray(values)
    while values.ndim > positions.ndim:  # an assignment drops leading axes of length 1
        values = values[0]
    flat[positions.reshape(-1)] = np.broadcast_to(values, positions.shape).reshape(-1)
    return flat.reshape(array.shape)


def assignment(g):
    shape = g.shape(g.pick([0, 1, 2, 3, 3, 4]))
    x = g.array(g.dtype("bifc"), shape, special=False)
    index = index_for(g, shape, g.chance(0.6))
    try:
        target = x.array[index.numpy()].shape
    except (IndexError, ValueError):
        target = ()
    kind = x.array.dtype.kind
    to = "b" if kind == "b" else "bi" if kind in "iu" else "bif" if kind == "f" else "bifc"
    positions = None
    try:
        positions = np.arange(x.array.size).reshape(shape)[index.numpy()]
    except (IndexError, ValueError):
        pass
    adds = target != () and g.chance(0.2)  # one element is no array in NumPy: it promotes
    value = Weak(g.integer(0, 9)) if g.chance(0.2) else g.array(g.dtype(to), g.broadcastable(target), special=False)

    def call():
        array, values = x.array.copy(), value_of(value)
        if adds:
            values = array[index.numpy()]
            values += value_of(value)
        array[index.numpy()] = values
        return in_order(x.array, positions, values)

    g.case("setitem_add" if adds else "setitem", [x, index, value], call)


def picking(g):
    name = g.pick(["take", "take_along_axis", "put_along_axis", "put", "add_at", "nonzero", "argwhere", "flatnonzero",
                   "compress", "extract"])
    dtype = g.dtype("bifc")
    shape = g.shape(g.pick([1, 2, 3]))
    x = g.array(dtype, shape)
    array, ndim = x.array, x.array.ndim
    axis = g.axis(ndim)
    length = shape[axis] if -ndim <= axis < ndim else 1
    if name == "take":
        flat, mode = g.chance(0.3), g.pick(["raise", "raise", "wrap", "clip"])
        axis, length = (None, array.size) if flat else (axis, length)
        indices = index_array(g, length, g.shape(g.pick([0, 1, 2])))
        if mode != "raise" and length:
            indices = View(g.numbers(g.shape(g.pick([0, 1, 2])), "i8", -3 * length, 3 * length, special=False))
        g.case(name, [x, indices, axis, mode], lambda: np.take(array, indices.array, axis, mode=mode))
    elif name in ("take_along_axis", "put_along_axis"):
        if not -ndim <= axis < ndim:
            return
        other = [1 if g.chance(0.1) else n for n in shape]
        other[axis] = g.integer(0, 4)
        indices = index_array(g, length, tuple(other))
        if indices.array.ndim != ndim:
            return
        if name == "take_along_axis":
            g.case(name, [x, indices, axis], lambda: np.take_along_axis(array, indices.array, axis))
        else:
            values = g.array(dtype, g.broadcastable(tuple(shape[:axis % ndim]) + (other[axis],) +
                                                    tuple(shape[axis % ndim + 1:])))

            def call():
                np.put_along_axis(array.copy(), indices.array, values.array, axis)
                positions = np.take_along_axis(np.arange(array.size).reshape(shape), indices.array, axis)
                return in_order(array, positions, values.array)

            g.case(name, [x, indices, values, axis], call)
    elif name == "put":
        mode = g.pick(["raise", "wrap", "clip"])
        n = g.integer(0, 6)
        indices = index_array(g, array.size, (n,))
        values = g.array(dtype, (g.integer(1, 7),))

        def call():
            copy = array.copy()
            np.put(copy, indices.array.astype("i8"), values.array, mode)
            return copy

        g.case(name, [x, indices, values, mode], call)
    elif name == "add_at":
        if dtype == "?":
            return
        x = g.array(dtype, shape, special=False, whole=True)
        index = index_for(g, shape, True)
        try:
            target = x.array[index.numpy()].shape
        except (IndexError, ValueError):
            target = ()
        values = g.array(dtype, g.broadcastable(target), special=False, whole=True)

        def call():
            positions = np.arange(x.array.size).reshape(shape)[index.numpy()]
            flat = x.array.copy().reshape(-1)
            np.add.at(flat, positions.reshape(-1), np.broadcast_to(values.array, positions.shape).reshape(-1))
            return flat.reshape(shape)

        g.case(name, [x, index, values], call)
    elif name == "nonzero":
        x = g.array(dtype, shape, low=-1, high=1)
        g.case(name, [x], lambda: list(np.nonzero(x.array)))
    elif name in ("argwhere", "flatnonzero"):
        x = g.array(dtype, shape, low=-1, high=1)
        g.case(name, [x], lambda: getattr(np, name)(x.array))
    elif name == "compress":
        axis, length = (None, array.size) if g.chance(0.3) else (axis, length)
        condition = g.array(g.pick(["?", "?", "i4"]), (max(0, length - g.integer(0, 2)),), low=0, high=1, special=False)
        g.case(name, [condition, x, axis], lambda: np.compress(condition.array, array, axis))
    else:
        condition = g.array("?", shape)
        g.case(name, [condition, x], lambda: np.extract(condition.array, array))


# ---- products ----

def products(g):
    name = g.pick(["matmul", "matmul", "dot", "outer", "tensordot"])
    dtype = g.dtype("bifc")
    other = dtype if g.chance(0.7) else g.dtype("bifc")
    whole = {"special": dtype == other and dtype in INTEGERS, "whole": True, "low": -5, "high": 5}
    m, n, k = (g.integer(0 if g.chance(0.1) else 1, 9 if g.chance(0.9) else 70) for _ in range(3))
    if name == "outer":
        a, b = g.array(dtype, g.shape(), **whole), g.array(other, g.shape(), **whole)
        if a.array.size * b.array.size > 5000:
            return
        g.case(name, [a, b], lambda: np.outer(a.array, b.array))
    elif name == "tensordot":
        first, second = g.shape(g.pick([1, 2, 3]), high=4), []
        first = tuple(min(v, 5) for v in first)
        if g.chance(0.5):
            axes = g.integer(0, len(first))
            second = first[len(first) - axes:] + g.shape(g.pick([0, 1, 2]), high=4)
            numpy_axes, argument = axes, [axes]
        else:
            count = g.integer(0, len(first))
            chosen = [int(a) for a in g.random.permutation(len(first))[:count]]
            second = tuple(first[a] for a in chosen) + g.shape(g.pick([0, 1]), high=4)
            where = list(range(count))
            numpy_axes, argument = (chosen, where), [tuple(chosen), tuple(where)]
        second = tuple(min(v, 5) if i >= (numpy_axes if isinstance(numpy_axes, int) else len(numpy_axes[0])) else v
                       for i, v in enumerate(second))
        a, b = g.array(dtype, first, **whole), g.array(other, second, **whole)
        g.case(name, [a, b] + argument, lambda: np.tensordot(a.array, b.array, numpy_axes))
    else:
        batch = g.shape(g.pick([0, 0, 1, 2]), high=3) if name == "matmul" else ()
        batch = tuple(min(v, 4) for v in batch)
        first = (k,) if g.chance(0.2) else batch + (m, k)
        second = (k,) if g.chance(0.2) else (g.broadcastable(batch) if g.chance(0.7) else ()) + (k, n)
        if name == "dot" and g.chance(0.3):
            second = (g.integer(1, 3),) + second
        if g.chance(0.05):
            second = second[:-1] + (second[-1] + 1,) if len(second) == 1 else second[:-2] + (k + 1, n)
        a, b = g.array(dtype, first, **whole), g.array(other, second, **whole)
        g.case(name, [a, b], lambda: getattr(np, name)(a.array, b.array))


def norm(g):
    x = g.array(g.dtype("ifc"), g.shape(g.pick([1, 2, 3])), special=False)
    if x.array.dtype == "f2" or (x.array.dtype.kind in "iu" and x.array.dtype.itemsize < 4):
        return
    axis = None if g.chance(0.4) else (g.axis(x.array.ndim),)
    if x.array.size == 0:
        return
    order = 2.0 if axis is None else g.pick([2.0, 1.0, 0.0, np.inf, -np.inf, 3.0])
    keepdims = g.chance(0.3)
    array = x.array.astype("f8") if x.array.dtype.kind in "iu" else x.array
    g.case("norm", [x, axis, order, keepdims],
           lambda: np.linalg.norm(array, None if axis is None else order, axis and axis[0], keepdims),
           lambda r: 64 * eps(r) * (1 + np.abs(r)))


# ---- creation ----

def creation(g):
    name = g.pick(["arange", "arange", "linspace", "eye", "full"])
    if name == "arange":
        if g.chance(0.5):
            numbers = [g.integer(-9, 9), g.integer(-9, 30), g.pick([1, 2, 3, -1, -4])]
        else:
            numbers = [float(v) for v in (g.integer(-9, 9), g.integer(-9, 30) + 0.5, g.pick([0.5, 0.1, 1.3, -0.7]))]
        dtype = g.pick([None, None, "float32", "float64", "int64", "int32"])
        if dtype and "int" in dtype and isinstance(numbers[0], float):
            dtype = None
        # Element 1 is start + step in NumPy, and all others are start + i * ((start + step) - start).
        g.case(name, [Weak(v) for v in numbers] + [dtype], lambda: np.arange(*numbers, dtype=dtype),
               None if dtype is None or "int" in dtype else lambda r: 2 * eps(r) * np.max(np.abs(r), initial=0))
    elif name == "linspace":
        start, stop = (float(v) for v in g.numbers((2,), "f8", special=False))
        num, endpoint = g.integer(-1 if g.chance(0.1) else 0, 40), g.chance(0.7)
        dtype = g.pick([None, None, "float32", "int64"])
        g.case(name, [Weak(start), Weak(stop), num, endpoint, dtype],
               lambda: np.linspace(start, stop, num, endpoint, dtype=dtype))
    elif name == "eye":
        n, m, k, dtype = g.integer(0, 6), g.pick([None, 0, 3, 7]), g.integer(-7, 7), np.dtype(g.dtype("bifc")).name
        g.case(name, [n, m, k, dtype], lambda: np.eye(n, m, k, dtype))
    elif name == "full":
        shape, value = g.shape(), g.weak("bifc")
        g.case(name, [shape, value], lambda: np.full(shape, value.value))


# Each with how often it is drawn.
SECTIONS = [(elementwise, 40), (rounding, 2), (nan_to_num, 1), (in_place, 3), (astype, 5), (reduction, 9),
            (position, 3), (scan, 4), (extreme_scan, 2), (diff, 2), (sort, 4), (searchsorted, 3), (quantile, 1),
            (manipulation, 12), (indexing, 10), (assignment, 8), (picking, 8), (products, 7), (norm, 1),
            (creation, 2)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=6000)
    parser.add_argument("--only", help="a function: no other calls are written")
    parser.add_argument("--keep", help="write the calls to this file and keep it")
    arguments = parser.parse_args()
    g = Generator(arguments.seed)
    g.only = arguments.only
    weights = np.array([weight for _, weight in SECTIONS], "f8")
    warnings.simplefilter("ignore")
    with np.errstate(all="ignore"):
        for section in g.random.choice(len(SECTIONS), arguments.cases, p=weights / weights.sum()):
            SECTIONS[section][0](g)
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.keep or os.path.join(folder, "calls")
        with open(path, "wb") as file:
            file.write(g.output)
        print(f"NumPy {np.__version__}, seed {arguments.seed}: {g.count} calls", flush=True)
        sys.exit(subprocess.run([arguments.program, path]).returncode)


main()
