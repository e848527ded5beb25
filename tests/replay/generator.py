"""Random arrays, indices and numbers, and how calls are written for numpy_replay.cpp."""
import struct

import numpy as np

BEFORE_2 = np.lib.NumpyVersion(np.__version__) < "2.0.0"
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
        self.pending = False  # whether it is still to be computed when it becomes an argument
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
    def __init__(self, seed, only=None, pending=0.0):
        """`pending`: how many of the arrays are still to be computed."""
        self.random = np.random.default_rng(seed)
        self.only, self.pending = only, pending
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
            tag(b"P" if x.pending else b"A")
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
        """Writes a call and what `call` gives: arrays, or that it raises. `tolerance` gives, for a result, the
        largest allowed distance of its elements; a list has one for each result. Without one it is the function's
        own."""
        if self.only and function != self.only:
            return
        try:
            results = call()
        except (ValueError, TypeError, IndexError, ArithmeticError, np.linalg.LinAlgError) as error:
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
        for i, result in enumerate(results):
            result = np.asarray(result)
            self.write_array(result)
            allowed = tolerance[i] if isinstance(tolerance, list) else tolerance
            if allowed is None:
                self.output += b"-"
            else:
                self.output += b"~"
                bound = np.broadcast_to(np.asarray(allowed(result), "f8"), result.shape)
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

    def array(self, dtype, shape=None, pending=True, **how):
        shape = self.shape() if shape is None else shape
        view = self.view(shape, lambda base: self.numbers(base, dtype, **how))
        view.pending = pending and self.chance(self.pending)
        return view

    def weak(self, kinds, **how):
        kind = self.pick(kinds)
        if kind == "b":
            return Weak(self.chance(0.5))
        if kind == "i":
            return Weak(self.integer(-3, 300) if self.chance(0.1) and not BEFORE_2 else self.integer(0, 9))
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


def eps(array):
    return float(np.finfo(array.dtype).eps)


def value_of(x):
    return x.array if isinstance(x, View) else x.value if isinstance(x, Weak) else x
