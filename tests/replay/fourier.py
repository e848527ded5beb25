"""Fourier transforms."""
import numpy as np

from .generator import BEFORE_2, View, eps

ALONG_AXES = {"fftn": "n", "ifftn": "n", "rfftn": "n", "irfftn": "n", "fft2": "2", "ifft2": "2", "rfft2": "2",
              "irfft2": "2"}


def bound(x, norm, inverse, points):
    """Of the distance of two transforms: twice 4 (1 + log2(n)) eps times the 2-norm of what a unitary transform of all of
    x would give, scaled."""
    size = np.linalg.norm(np.abs(x.astype("c16")).ravel())
    scale = {"ortho": 1, "backward": points ** -0.5 if inverse else points ** 0.5,
             "forward": points ** 0.5 if inverse else points ** -0.5}[norm]
    # irfft sees each element of the half twice, but for the ends.
    return lambda r: 8 * (1 + np.log2(max(points, 1))) * eps(r) * 2 * size * scale


def numbers(g, shape):
    """Not of float16, for which NumPy scales by a number of that dtype."""
    x = g.array(g.dtype("bifc"), shape, special=False, low=-9, high=9)
    return x if x.array.dtype != "f2" else View(x.array.astype("f4"))


def one_axis(g):
    name = g.pick(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
    shape = g.shape(g.pick([0, 1, 1, 2, 2, 3]))
    x = numbers(g, shape)
    array, axis, norm = x.array, g.axis(len(shape)), g.pick(["backward", "backward", "ortho", "forward"])
    n = None if g.chance(0.5) else g.integer(0 if g.chance(0.1) else 1, 12 if g.chance(0.8) else 100)
    inside = -len(shape) <= axis < len(shape)
    half = name in ("irfft", "hfft")
    length = n if n is not None else (2 * (shape[axis] - 1) if half else shape[axis]) if inside else 1
    if half and inside and shape[axis] == 0:  # of which NumPy reads a first element
        return
    if name == "ihfft" and array.dtype.kind == "c" and BEFORE_2:
        return
    call = lambda: getattr(np.fft, name)(array, n, axis, norm)
    # NumPy's hfft and ihfft are scaled as the transforms of the other direction.
    g.case(name, [x, n, axis, norm], call, bound(array, norm, name in ("ifft", "irfft", "ihfft"), max(length, 1)))


def several_axes(g):
    name = g.pick(list(ALONG_AXES))
    ndim = g.pick([0, 1, 2, 2, 2, 3, 3])
    shape = tuple(g.integer(0, 9) if g.chance(0.05) else g.integer(1, 9) for _ in range(ndim))
    x = numbers(g, shape)
    array, norm = x.array, g.pick(["backward", "backward", "ortho", "forward"])
    half = name.startswith("irfft")
    plane = ALONG_AXES[name] == "2"
    if plane:
        axes = (-2, -1) if g.chance(0.6) or ndim < 2 else tuple(int(a) for a in g.random.permutation(ndim)[:2])
        if g.chance(0.05):
            axes = (g.axis(ndim), g.axis(ndim))
    else:
        axes = None if g.chance(0.4) else g.axes(ndim)
    count = len(axes) if axes is not None else ndim
    s = None
    if g.chance(0.4):
        s = tuple(g.integer(1, 9) if g.chance(0.95) else g.pick([-1, 0]) for _ in range(max(0, count)))
        if g.chance(0.03):
            s = s + (2,)
    if s is not None and axes is None and not plane and BEFORE_2:
        return
    chosen = axes if axes is not None else tuple(range(-(len(s) if s is not None else ndim), 0))
    if BEFORE_2 and s is not None and -1 in s:
        return
    try:
        lengths = [(s[i] if s is not None and s[i] != -1 else shape[a]) for i, a in enumerate(chosen)]
    except IndexError:
        lengths = [1]
    if half and lengths and s is None:
        lengths[-1] = max(1, 2 * (lengths[-1] - 1))
    if half and lengths and array.size == 0:  # where the last axis is empty NumPy reads a first element
        return
    points = float(np.prod(np.maximum(lengths, 1))) if lengths else 1.0
    # Without axes NumPy does not look at the dtype and gives x itself.
    if not chosen:
        return
    call = lambda: getattr(np.fft, name)(array, s, axes, norm)
    g.case(name, [x, s, axes, norm], call, bound(array, norm, name.startswith("i"), points))


def frequencies(g):
    name = g.pick(["fftfreq", "rfftfreq", "fftshift", "ifftshift"])
    if name.endswith("freq"):
        n, d = g.integer(1, 40), g.pick([1.0, 0.1, -2.5, 1e-3])
        g.case(name, [n, d], lambda: getattr(np.fft, name)(n, d))
    else:
        x = g.array(g.dtype("bifc"))
        axes = g.axes(x.array.ndim)
        if x.array.ndim or axes:  # NumPy's ifftshift falls over its own feet
            g.case(name, [x, axes], lambda: getattr(np.fft, name)(x.array, axes))


SECTIONS = [] if BEFORE_2 else [(one_axis, 5), (several_axes, 4)]  # NumPy 1 computes in float64 alone
SECTIONS += [(frequencies, 2)]
