// Fourier transforms against the sum of their definition in long double. The bound is that of algorithms that take a
// length apart: the 2-norm of the error within c (1 + log2(n)) eps times that of the result; c = 4 leaves room for lengths
// that are convolved.
#include <numbers>

#include "support.hpp"

namespace tandem::test {
namespace {

using Number = std::complex<long double>;
using Numbers = std::vector<Number>;
using fft::Norm;

Numbers numbers(const Array& x) {
  const auto values = x.astype(complex128).to_vector<std::complex<double>>();
  return Numbers(values.begin(), values.end());
}

/// The transform of each row along the last axis of x, as (rows, n).
Numbers direct(const Numbers& x, std::int64_t n, bool forward) {
  Numbers roots, result(x.size());
  const auto size = std::size_t(n);
  for (std::size_t k = 0; k < size; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / n;
    roots.emplace_back(std::cos(angle), forward ? -std::sin(angle) : std::sin(angle));
  }
  for (std::size_t row = 0; row < x.size(); row += size)
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) result[row + k] += x[row + j] * roots[j * k % size];
  return result;
}

::testing::AssertionResult close(const Array& got, const Numbers& truth, std::int64_t n) {
  constexpr double c = 4;
  const Numbers values = numbers(got);
  if (values.size() != truth.size()) return ::testing::AssertionFailure() << values.size() << " elements";
  long double error = 0, norm = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    error += std::norm(values[i] - truth[i]);
    norm += std::norm(truth[i]);
  }
  const double eps = real_dtype(got.dtype()) == float32 ? 0x1p-23 : 0x1p-52;
  const double bound = c * (1 + std::log2(double(n))) * eps;
  if (std::sqrt(error) <= bound * std::sqrt(norm)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "n = " << n << ", error " << double(std::sqrt(error / norm)) << " above "
                                       << bound;
}

::testing::AssertionResult close(const Array& got, const Array& truth, std::int64_t n) {
  if (!(got.shape() == truth.shape()))
    return ::testing::AssertionFailure() << got.shape() << " instead of " << truth.shape();
  return close(got, numbers(truth), n);
}

Array real_input(const Shape& shape, DType dtype) { return random::normal(shape, {.seed = 5, .dtype = dtype}); }
Array complex_input(const Shape& shape, DType dtype) {
  const DType part = real_dtype(dtype);
  return real_input(shape, part) +
         random::normal(shape, {.seed = 6, .dtype = part}) * std::complex<double>(0, 1);
}

/// All four kinds along the last axis of (rows, n) and along the first of (n, rows).
void check_length(std::int64_t n, std::int64_t rows, DType dtype) {
  SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(rows) + " rows, " + std::string(name(dtype)));
  const Array x = complex_input({rows, n}, dtype), re = real(x).eval();
  const Numbers truth = direct(numbers(x), n, true), of_real = direct(numbers(re), n, true);
  Numbers backward = direct(numbers(x), n, false), half;
  for (Number& value : backward) value /= static_cast<long double>(n);
  for (std::int64_t row = 0; row < rows; ++row)
    half.insert(half.end(), of_real.begin() + row * n, of_real.begin() + row * n + n / 2 + 1);
  EXPECT_TRUE(close(fft::fft(x), truth, n));
  EXPECT_TRUE(close(fft::ifft(x), backward, n));
  EXPECT_TRUE(close(fft::fft(re), of_real, n));
  const Array spectrum = fft::rfft(re);
  EXPECT_EQ(name(spectrum.dtype()), name(dtype));
  EXPECT_TRUE(close(spectrum, half, n));
  EXPECT_TRUE(close(fft::irfft(spectrum, {.n = n}), re, n));
  const Array columns = x.T().contiguous(), real_columns = re.T().contiguous();
  EXPECT_TRUE(close(fft::fft(columns, {.axis = 0}).T(), truth, n));
  EXPECT_TRUE(close(fft::ifft(columns, {.axis = 0}).T(), backward, n));
  EXPECT_TRUE(close(fft::fft(columns.T()), truth, n));
  const Array spectra = fft::rfft(real_columns, {.axis = 0});
  EXPECT_TRUE(close(spectra.T(), half, n));
  EXPECT_TRUE(close(fft::irfft(spectra, {.n = n, .axis = 0}).T(), re, n));
}

TEST(Fft, EveryShortLength) {
  for (std::int64_t n = 1; n <= 64; ++n)
    for (const DType dtype : {complex64, complex128}) {
      check_length(n, 1, dtype);
      check_length(n, 19, dtype);
    }
}

TEST(Fft, PrimesPowersAndProducts) {
  for (const std::int64_t n : {97, 101, 128, 143, 169, 244, 256, 500})
    for (const DType dtype : {complex64, complex128}) check_length(n, 17, dtype);
  for (const std::int64_t n : {512, 997, 1000, 1009, 1024})
    for (const DType dtype : {complex64, complex128}) check_length(n, 2, dtype);
}

/// Lengths that the definition takes too long for: some elements by definition, and the ways back.
TEST(Fft, LongLengths) {
  for (const std::int64_t n : {4096, 6054, 10007, 65536, 65537, 96000})
    for (const DType dtype : {complex64, complex128}) {
      if (n == 65537 && dtype == complex64) continue;  // a prime, which takes the reference backend long
      SCOPED_TRACE(n);
      const Array x = complex_input({n}, dtype), spectrum = fft::fft(x);
      EXPECT_TRUE(close(fft::ifft(spectrum), x, n));
      const Numbers values = numbers(x), got = numbers(spectrum);
      const double eps = dtype == complex64 ? 0x1p-23 : 0x1p-52;
      for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2, n - 1}) {
        Number sum = 0;
        for (std::int64_t j = 0; j < n; ++j)
          sum += values[std::size_t(j)] *
                 std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n);
        // Elements are about sqrt(2 n) large, and so is what errors are relative to.
        EXPECT_LE(std::abs(got[std::size_t(k)] - sum), 8 * std::log2(double(n)) * eps * std::sqrt(2.0 * double(n)));
      }
      const Array re = real(x).eval();
      const Array half = fft::rfft(re);
      EXPECT_TRUE(close(half, fft::fft(re)(slice(0, n / 2 + 1)), n));
      EXPECT_TRUE(close(fft::irfft(half, {.n = n}), re, n));
      // Parseval
      const double power = sum(abs(x) * abs(x)).item<double>();
      const double other = sum(abs(spectrum) * abs(spectrum)).item<double>();
      EXPECT_NEAR(other / double(n) / power, 1, 100 * eps);
    }
}

TEST(Fft, NormsScale) {
  const Array x = complex_input({3, 12}, complex128), plain = fft::fft(x);
  EXPECT_TRUE(close(fft::fft(x, {.norm = Norm::ortho}), plain / std::sqrt(12.0), 12));
  EXPECT_TRUE(close(fft::fft(x, {.norm = Norm::forward}), plain / 12.0, 12));
  const Array back = fft::ifft(x);
  EXPECT_TRUE(close(fft::ifft(x, {.norm = Norm::ortho}), back * std::sqrt(12.0), 12));
  EXPECT_TRUE(close(fft::ifft(x, {.norm = Norm::forward}), back * 12.0, 12));
  for (const Norm norm : {Norm::backward, Norm::ortho, Norm::forward}) {
    const Array re = real(x).eval();
    EXPECT_TRUE(close(fft::irfft(fft::rfft(re, {.norm = norm}), {.norm = norm}), re, 12));
    EXPECT_TRUE(close(fft::ifftn(fft::fftn(x, {.norm = norm}), {.norm = norm}), x, 36));
    EXPECT_TRUE(close(fft::irfft2(fft::rfft2(re, {.norm = norm}), {.norm = norm}), re, 36));
    const Array half = fft::ihfft(re, {.norm = norm});
    EXPECT_TRUE(close(fft::hfft(half, {.n = 12, .norm = norm}), re, 12));
    EXPECT_TRUE(close(half, fft::ifft(re, {.norm = norm})(all, slice(0, 7)), 12));
  }
}

TEST(Fft, CutsAndFillsUp) {
  const Array x = complex_input({4, 10}, complex128);
  EXPECT_TRUE(close(fft::fft(x, {.n = 7}), fft::fft(x(all, slice(0, 7))), 7));
  EXPECT_TRUE(close(fft::fft(x, {.n = 13}), fft::fft(concat({x, zeros({4, 3}, {.dtype = complex128})}, 1)), 13));
  const Array taller = concat({x, zeros({2, 10}, {.dtype = complex128})});
  EXPECT_TRUE(close(fft::fft(x, {.n = 6, .axis = 0}), fft::fft(taller, {.axis = 0}), 6));
  EXPECT_TRUE(close(fft::irfft(x, {.n = 8}), fft::irfft(x(all, slice(0, 5))), 8));
  EXPECT_EQ(fft::fftn(x, {.s = Shape{3, -1}, .axes = {0, 1}}).shape(), (Shape{3, 10}));
  EXPECT_EQ(fft::fftn(x, {.s = Shape{5}}).shape(), (Shape{4, 5}));
  EXPECT_EQ(fft::irfftn(x).shape(), (Shape{4, 18}));
  EXPECT_EQ(fft::irfftn(x, {.s = Shape{-1, -1}}).shape(), (Shape{4, 10}));
  EXPECT_EQ(fft::rfft(zeros({0}), {.n = 5}).shape(), (Shape{3}));
}

TEST(Fft, SeveralAxes) {
  for (const DType dtype : {complex64, complex128}) {
    const Array x = complex_input({3, 4, 5, 2, 6}, dtype), re = real(x).eval();
    const std::int64_t n = x.size();
    const auto one_by_one = [](Array y, std::initializer_list<int> axes, auto* f) {
      for (const int axis : axes) y = f(y, {.axis = axis});
      return y;
    };
    EXPECT_TRUE(close(fft::fftn(x), one_by_one(x, {4, 3, 2, 1, 0}, fft::fft), n));
    EXPECT_TRUE(close(fft::ifftn(x), one_by_one(x, {4, 3, 2, 1, 0}, fft::ifft), n));
    EXPECT_TRUE(close(fft::fftn(x, {.axes = {1, 3}}), one_by_one(x, {3, 1}, fft::fft), n));
    EXPECT_TRUE(close(fft::fftn(x, {.axes = {2, 2}}), one_by_one(x, {2, 2}, fft::fft), n));
    EXPECT_TRUE(close(fft::fft2(x), one_by_one(x, {4, 3}, fft::fft), n));
    EXPECT_TRUE(close(fft::ifft2(x, {.axes = {0, 2}}), one_by_one(x, {2, 0}, fft::ifft), n));
    EXPECT_TRUE(close(fft::rfftn(re), one_by_one(fft::rfft(re), {3, 2, 1, 0}, fft::fft), n));
    EXPECT_TRUE(close(fft::rfftn(re, {.axes = {4, 1}}), one_by_one(fft::rfft(re, {.axis = 1}), {4}, fft::fft), n));
    // What is not Hermitian, too: the axes have an order.
    EXPECT_TRUE(close(fft::irfftn(x), fft::irfft(one_by_one(x, {0, 1, 2, 3}, fft::ifft)), n));
    EXPECT_TRUE(close(fft::irfftn(x, {.axes = {4, 1}}), fft::irfft(fft::ifft(x, {.axis = 4}), {.axis = 1}), n));
    EXPECT_TRUE(close(fft::irfftn(fft::rfftn(re)), re, n));
  }
}

TEST(Fft, Views) {
  const Array base = complex_input({40, 36}, complex128), re = real(base).eval();
  const auto check = [](const Array& view) {
    EXPECT_TRUE(close(fft::fft(view), fft::fft(view.copy()), view.shape(-1)));
    EXPECT_TRUE(close(fft::ifft(view, {.axis = 0}), fft::ifft(view.copy(), {.axis = 0}), view.shape(0)));
    EXPECT_TRUE(close(fft::irfft(view), fft::irfft(view.copy()), view.shape(-1)));
    EXPECT_TRUE(close(fft::fft2(view), fft::fft2(view.copy()), view.size()));
  };
  check(base.T());
  check(base.flip());
  check(base(slice(none, none, 3), slice(35, none, -2)));
  check(base(slice(1, 2)).broadcast_to({9, 36}));
  const Array stepped = re(slice(none, none, -3), slice(1, none, 2));
  for (const Array& view : {re.T(), re.flip({1}), stepped, re(all, slice(1, none))}) {
    EXPECT_TRUE(close(fft::rfft(view), fft::rfft(view.copy()), view.shape(-1)));
    EXPECT_TRUE(close(fft::rfft(view, {.axis = 0}), fft::rfft(view.copy(), {.axis = 0}), view.shape(0)));
  }
  const Array before = base.copy();
  fft::irfft(base).eval();
  fft::irfft2(base).eval();
  EXPECT_TRUE(all(base == before).item<bool>());
}

TEST(Fft, IgnoresWhatMustBeReal) {
  for (const std::int64_t n : {8, 9, 200, 4096}) {
    Array x = complex_input({2, n / 2 + 1}, complex128), cleared = x.copy();
    cleared(all, 0) = real(cleared(all, 0)).astype(complex128);
    if (n % 2 == 0) cleared(all, -1) = real(cleared(all, -1)).astype(complex128);
    EXPECT_TRUE(close(fft::irfft(x, {.n = n}), fft::irfft(cleared, {.n = n}), n));
  }
}

TEST(Fft, HermitianSymmetryAndExactParts) {
  for (const std::int64_t n : {10, 15, 1000, 1023}) {
    const Array x = real_input({n}, float64), whole = fft::fft(x);
    const Array mirrored = conj(roll(whole.flip(), 1));
    EXPECT_TRUE(close(mirrored, whole, n));
    const Array half = fft::rfft(x);
    EXPECT_EQ(imag(half(0)).item<double>(), 0);
    if (n % 2 == 0) { EXPECT_EQ(imag(half(-1)).item<double>(), 0); }
  }
}

TEST(Fft, Dtypes) {
  for (const DType dtype : all_dtypes) {
    const Array x = ones({6}, {.dtype = dtype});
    const bool narrow = dtype == float16 || dtype == bfloat16 || dtype == float32 || dtype == complex64;
    EXPECT_EQ(name(fft::fft(x).dtype()), name(narrow ? complex64 : complex128)) << name(dtype);
    EXPECT_EQ(name(fft::irfft(x).dtype()), name(narrow ? float32 : float64)) << name(dtype);
    EXPECT_EQ(fft::ifft(x)(0).item<std::complex<double>>(), 1.0) << name(dtype);
    EXPECT_EQ(fft::hfft(x)(0).item<double>(), 10) << name(dtype);
    if (!is_complex(dtype)) { EXPECT_EQ(fft::rfft(x)(0).item<std::complex<double>>(), 6.0) << name(dtype); }
  }
  EXPECT_EQ(name(fft::fftn(Array(Scalar(2.0))).dtype()), "complex128");
}

TEST(Fft, EmptyBatches) {
  EXPECT_EQ(fft::fft(zeros({0, 4})).shape(), (Shape{0, 4}));
  EXPECT_EQ(fft::rfft(zeros({3, 0, 4})).shape(), (Shape{3, 0, 3}));
  EXPECT_EQ(fft::irfft(zeros({0, 4})).shape(), (Shape{0, 6}));
  EXPECT_EQ(fft::fftn(zeros({0, 4}), {.axes = {1}}).shape(), (Shape{0, 4}));
}

TEST(Fft, Refusals) {
  const Array x = zeros({3, 4});
  EXPECT_TRUE(throws([&] { fft::fft(zeros({0})); }, "fft: invalid number of data points (0)", {"axis 0", "(0,)"}));
  EXPECT_TRUE(throws([&] { fft::ifft(x, {.n = 0}); }, "ifft: invalid number of data points (0)", {"(3, 4)"}));
  EXPECT_TRUE(throws([&] { fft::irfft(zeros({1})); }, "irfft: invalid number of data points (0)"));
  EXPECT_TRUE(throws([&] { fft::hfft(zeros({1})); }, "hfft: invalid number of data points (0)"));
  EXPECT_TRUE(throws([&] { fft::fftn(x, {.s = Shape{3, -2}, .axes = {0, 1}}); }, "fftn: invalid number", {"-2"}));
  EXPECT_TRUE(throws([&] { fft::fftn(x, {.s = Shape{2}, .axes = {0, 1}}); }, "fftn: lengths (2,) and axes (0, 1)"));
  EXPECT_TRUE(throws([&] { fft::rfft(x.astype(complex64)); }, "rfft: dtype complex64 is not supported"));
  EXPECT_TRUE(throws([&] { fft::ihfft(x.astype(complex64)); }, "ihfft: dtype complex64"));
  EXPECT_TRUE(throws([&] { fft::rfftn(x.astype(complex128)); }, "rfftn: dtype complex128"));
  EXPECT_TRUE(throws([&] { fft::rfftn(Array()); }, "rfftn: array of shape ()"));
  EXPECT_TRUE(throws<IndexError>([&] { fft::fft(x, {.axis = 2}); }, "fft: axis 2 is out of bounds"));
  EXPECT_TRUE(throws<IndexError>([&] { fft::fft2(zeros({4})); }, "fft2: axis -2 is out of bounds"));
  EXPECT_TRUE(throws<IndexError>([&] { fft::fft(Array()); }, "fft: axis -1 is out of bounds"));
  EXPECT_TRUE(throws<IndexError>([&] { fft::fftshift(x, {.axes = 5}); }, "fftshift: axis 5"));
  EXPECT_TRUE(throws([&] { fft::fftfreq(0); }, "fftfreq: invalid number of data points (0)"));
  EXPECT_TRUE(throws([&] { fft::rfftfreq(4, {.d = 0}); }, "rfftfreq: the distance of samples is 0"));
  EXPECT_TRUE(throws([&] { fft::fftfreq(4, {.dtype = int32}); }, "fftfreq: dtype int32"));
}

TEST(Fft, Frequencies) {
  EXPECT_EQ(fft::fftfreq(5, {.d = 0.1}).to_vector<double>(), (std::vector<double>{0, 2, 4, -4, -2}));
  EXPECT_EQ(fft::fftfreq(4).to_vector<double>(), (std::vector<double>{0, 0.25, -0.5, -0.25}));
  EXPECT_EQ(fft::rfftfreq(5, {.dtype = float32}).to_vector<float>(), (std::vector<float>{0, 0.2f, 0.4f}));
  EXPECT_EQ(fft::rfftfreq(4).to_vector<double>(), (std::vector<double>{0, 0.25, 0.5}));
  const Array x = arange(15).reshape({3, 5});
  EXPECT_EQ(fft::fftshift(arange(5)).to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
  EXPECT_EQ(fft::ifftshift(arange(5)).to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 3, 4, 0, 1}));
  EXPECT_TRUE(all(fft::ifftshift(fft::fftshift(x)) == x).item<bool>());
  EXPECT_TRUE(all(fft::fftshift(x, {.axes = 1}) == roll(x, 2, 1)).item<bool>());
}

std::string bits() {
  std::string text;
  for (const std::int64_t n : {std::int64_t{30}, std::int64_t{1009}, std::int64_t{1} << 17}) {
    const Array x = complex_input({n < 100 ? 3000 : 3, n}, complex64);
    const auto values = fft::fft(x).to_vector<std::complex<float>>();
    std::uint64_t hash = 14695981039346656037u;
    for (const auto& value : values)
      for (const float part : {value.real(), value.imag()})
        hash = (hash ^ std::bit_cast<std::uint32_t>(part)) * 1099511628211u;
    text += std::to_string(hash) + " ";
  }
  return text;
}
const Probe probe("fft_bits", bits);

TEST(Fft, BitsDoNotDependOnTheThreads) {
  EXPECT_EQ(run_probe("fft_bits", {{"OMP_NUM_THREADS", "1"}}), run_probe("fft_bits", {{"OMP_NUM_THREADS", "3"}}));
}

}  // namespace
}  // namespace tandem::test
