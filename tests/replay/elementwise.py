"""Elementwise functions."""
import numpy as np

from .generator import BEFORE_2, COMPLEX, Weak, eps, value_of


def make_complex(a, b):
    a, b = np.broadcast_arrays(a, b)
    part = "f8" if any(x.dtype.kind in "iu" and x.dtype.itemsize > 2 or x.dtype == "f8" for x in (a, b)) else "f4"
    result = np.empty(a.shape, "c16" if part == "f8" else "c8")
    result.real, result.imag = a.astype(part), b.astype(part)
    return result


# NumPy's function, number of operands, kinds, range of the operands.
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


def differs_before_2(name, operands):
    if name in ("where", "clip"):
        return any(isinstance(x, Weak) for x in operands)
    if name in ("floor", "ceil", "trunc", "sign"):
        return (operands[0].array.dtype.kind == "c") if name == "sign" else operands[0].array.dtype.kind != "f"
    return name == "isclose"


def elementwise(g):
    name = g.pick(list(ELEMENTWISE))
    function, arity, kinds, low, high = ELEMENTWISE[name]
    shape = g.shape()
    dtypes = [g.dtype(kinds) for _ in range(arity)]
    if g.chance(0.5) or name == "isclose":  # NumPy computes the tolerance in the second dtype
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
    if BEFORE_2 and differs_before_2(name, operands):
        return
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
        try:
            if not np.all(np.isfinite(function(*values))):
                return
        except ValueError:
            pass
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


def clip_to(g):
    x = g.array(g.dtype("if"))
    bounds = [None if g.chance(0.2) else g.weak("i" if x.array.dtype.kind in "iu" else "if", special=False)
              for _ in range(2)]
    if g.chance(0.2) and x.array.dtype.kind in "iu":
        bounds[g.integer(0, 1)] = Weak(g.integer(-300, 300))
    if bounds == [None, None] or BEFORE_2:
        return
    g.case("clip_to", [x] + bounds, lambda: np.clip(x.array, *(b and b.value for b in bounds)))


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


SECTIONS = [(elementwise, 40), (rounding, 2), (nan_to_num, 1), (clip_to, 2), (in_place, 3), (astype, 5)]
