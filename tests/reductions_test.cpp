// Reductions: the fixed tree bit by bit, on every axis and layout, the same for every backend, ISA and thread count.
#include <algorithm>
#include <optional>

#include "truth.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::BFloat16;
using tandem::DType;
using tandem::Half;
using tandem::Shape;

namespace {

/// The tree of docs/reductions.md: leaves of 4096, 128 lanes each, lanes by halving, leaves by adjacent pairs.
template <class T, class Combine>
T tree(const std::vector<T>& row, Combine&& combine) {
  std::vector<T> level;
  for (std::size_t begin = 0; begin < row.size(); begin += 4096) {
    const std::size_t end = std::min(row.size(), begin + 4096);
    std::vector<std::optional<T>> lane(128);
    for (std::size_t i = begin; i < end; ++i) {
      auto& l = lane[(i - begin) % 128];
      l = l ? combine(*l, row[i]) : row[i];
    }
    for (std::size_t h = 64; h; h /= 2)
      for (std::size_t j = 0; j < h; ++j)
        if (lane[j + h]) lane[j] = combine(*lane[j], *lane[j + h]);
    level.push_back(*lane[0]);
  }
  while (level.size() > 1) {
    std::vector<T> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(combine(level[i], level[i + 1]));
    if (level.size() % 2) next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

/// The element type that sums of T accumulate in, and the one they are returned in.
template <class T> struct Sum { using accumulator = T; using result = T; };
template <> struct Sum<Half> { using accumulator = float; using result = Half; };
template <> struct Sum<BFloat16> { using accumulator = float; using result = BFloat16; };
template <class T>
  requires std::integral<T>
struct Sum<T> {
  using accumulator =
      std::conditional_t<std::unsigned_integral<T> && !std::same_as<T, bool>, std::uint64_t, std::int64_t>;
  using result = accumulator;
};

template <class A>
A plus(A a, A b) {
  if constexpr (std::integral<A>) return A(std::uint64_t(a) + std::uint64_t(b));
  else return a + b;
}
template <class A>
A times(A a, A b) {
  if constexpr (std::integral<A>) return A(std::uint64_t(a) * std::uint64_t(b));
  else if constexpr (is_complex_v<A>)
    return A(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else return a * b;
}

/// The larger (or smaller) of two elements of any dtype as TD_OP_maximum and TD_OP_minimum define it.
template <class T>
Stored<T> extreme(Stored<T> a, Stored<T> b, bool larger) {
  if constexpr (is_complex_v<T>) {
    const T pair[] = {a, b, T(), T()};
    const auto w = complex_truth(larger ? TD_OP_maximum : TD_OP_minimum, pair).number;
    return T(static_cast<typename T::value_type>(w.real()), static_cast<typename T::value_type>(w.imag()));
  } else if constexpr (is_real_v<T>) {
    return element<T>(ordered(real_value(a), real_value(b), larger));
  } else {
    return larger ? std::max(a, b) : std::min(a, b);
  }
}

template <class T>
bool has_nan(Stored<T> x) {
  if constexpr (is_complex_v<T>) return std::isnan(x.real()) || std::isnan(x.imag());
  else if constexpr (is_real_v<T>) return std::isnan(real_value(x));
  else return false;
}

/// Position of the first largest or smallest, or of the first NaN.
template <class T>
std::int64_t position(const Values<T>& row, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (has_nan<T>(row[i])) return std::int64_t(i);
    const auto before = [&](std::size_t p, std::size_t q) {
      if constexpr (is_complex_v<T>) {
        return row[p].real() != row[q].real() ? row[p].real() < row[q].real() : row[p].imag() < row[q].imag();
      } else {
        return real_value(row[p]) < real_value(row[q]);
      }
    };
    if (largest ? before(best, i) : before(i, best)) best = i;
  }
  return std::int64_t(best);
}

/// The rows of an array with these elements, over the given axes, in row-major order.
template <class T>
std::vector<Values<T>> rows_of(const Values<T>& values, const Shape& shape, const std::vector<int>& axes) {
  std::vector<Values<T>> rows;
  for_each_index(shape, [&](std::int64_t i, const Shape& index) {
    std::size_t row = 0;
    for (int axis = 0; axis < shape.size(); ++axis)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end())
        row = row * std::size_t(shape[axis]) + std::size_t(index[axis]);
    if (rows.size() <= row) rows.resize(row + 1);
    rows[row].push_back(values[std::size_t(i)]);
  });
  return rows;
}

Shape reduced(const Shape& shape, const std::vector<int>& axes, bool keepdims) {
  Shape result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool gone = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (!gone) result.push_back(shape[axis]);
    else if (keepdims) result.push_back(1);
  }
  return result;
}

/// Every reduction of x over the axes, against the rows computed here.
template <class T>
void check_all(const Array& x, const Values<T>& values, const std::vector<int>& axes) {
  const std::vector<Values<T>> rows = rows_of<T>(values, x.shape(), axes);
  td::Axes list = td::Axes(Shape{});
  {
    Shape s;
    for (int axis : axes) s.push_back(axis % 2 ? axis - x.ndim() : axis);  // both ways of counting
    list = td::Axes(s);
  }
  for (bool keepdims : {false, true}) {
    const Shape shape = reduced(x.shape(), axes, keepdims);
    const td::ReduceOptions o{.axis = list, .keepdims = keepdims};
    const auto expect = [&]<class R>(Type<R>, const char* what, const Array& result, auto&& row_value) {
      Values<R> expected;
      for (const auto& row : rows) expected.push_back(row_value(row));
      EXPECT_TRUE(same(result, make<R>(expected, shape))) << what << " of " << x.dtype() << " " << x.shape();
    };
    using A = typename Sum<T>::accumulator;
    using R = typename Sum<T>::result;
    const auto accumulate = [](const Values<T>& row, auto&& combine) -> Stored<R> {
      std::vector<A> wide;
      for (const auto& v : row) {
        if constexpr (is_half_v<T>) wide.push_back(static_cast<float>(real_value(v)));
        else wide.push_back(static_cast<A>(v));
      }
      const A result = tree(wide, combine);
      if constexpr (is_half_v<T>) return element<R>(result);
      else return result;
    };
    expect(Type<R>{}, "sum", td::sum(x, o), [&](const auto& row) { return accumulate(row, plus<A>); });
    expect(Type<R>{}, "prod", td::prod(x, o), [&](const auto& row) { return accumulate(row, times<A>); });
    for (bool larger : {true, false}) {
      const auto combine = [&](Stored<T> a, Stored<T> b) { return extreme<T>(a, b, larger); };
      expect(Type<T>{}, larger ? "max" : "min", larger ? td::max(x, o) : td::min(x, o),
             [&](const auto& row) { return tree(row, combine); });
      if (axes.size() == 1)
        expect(Type<std::int64_t>{}, larger ? "argmax" : "argmin", larger ? td::argmax(x, o) : td::argmin(x, o),
               [&](const auto& row) { return position<T>(row, larger); });
    }
    const auto nonzero = [](const Stored<T>& v) {
      if constexpr (is_half_v<T>) return real_value(v) != 0;
      else return v != Stored<T>{};
    };
    expect(Type<bool>{}, "all", td::all(x, o),
           [&](const auto& row) { return std::all_of(row.begin(), row.end(), nonzero); });
    expect(Type<bool>{}, "any", td::any(x, o),
           [&](const auto& row) { return std::any_of(row.begin(), row.end(), nonzero); });
    expect(Type<std::int64_t>{}, "count_nonzero", td::count_nonzero(x, o),
           [&](const auto& row) { return std::int64_t(std::count_if(row.begin(), row.end(), nonzero)); });
  }
}

class Reductions : public ::testing::TestWithParam<DType> {
 protected:
  /// Calls function(Type<T>{}) with the dtype's element type.
  template <class Function> void with(Function&& function) { with_type(GetParam(), function); }
};

TEST_P(Reductions, AxesAndLayouts) {
  with([]<class T>(Type<T>) {
    const Shape shape = {6, 7, 5};
    const Values<T> values = random_values<T>(210, -2, 3, 21);
    const std::vector<std::vector<int>> axes = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
    for (Layout layout : all_layouts) {
      SCOPED_TRACE(name(layout));
      const LaidOut<T> x = lay_out<T>(values, shape, layout);
      for (const auto& a : axes) check_all<T>(x.array, x.values, a);
    }
  });
}

TEST_P(Reductions, RowLengthsAroundLanesAndLeaves) {
  with([]<class T>(Type<T>) {
    for (std::int64_t n : {1, 2, 127, 128, 129, 1000, 4095, 4096, 4097, 12288, 20001}) {
      if (on_backend("reference") && n > 4097) continue;
      const Values<T> values = random_values<T>(std::size_t(n), -3, 3, std::uint64_t(n));
      check_all<T>(make<T>(values, {n}), values, {0});
      const Shape two = {2, n};
      const Values<T> pair = random_values<T>(std::size_t(2 * n), -3, 3, std::uint64_t(n) + 1);
      check_all<T>(make<T>(pair, two), pair, {1});
      check_all<T>(lay_out<T>(pair, {n, 2}, Layout::transposed).array, pair, {0});
    }
  });
}

TEST_P(Reductions, ManyShortRowsAndManyColumns) {
  with([]<class T>(Type<T>) {
    const std::int64_t rows = static_cast<std::int64_t>(cases(3000));
    for (std::int64_t columns : {1, 3, 10}) {
      const Values<T> values = random_values<T>(std::size_t(rows * columns), -2, 2, std::uint64_t(columns));
      const Array x = make<T>(values, {rows, columns});
      check_all<T>(x, values, {0});
      check_all<T>(x, values, {1});
      check_all<T>(x, values, {0, 1});
    }
  });
}

TEST_P(Reductions, SpecialValues) {
  with([]<class T>(Type<T>) {
    Values<T> values = special_values<T>();
    Random random(3);
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[std::size_t(random.integer(0, std::int64_t(i) - 1))]);
      const std::size_t n = 1 + std::size_t(random.integer(0, std::int64_t(values.size()) - 1));
      const Values<T> part(values.begin(), values.begin() + std::ptrdiff_t(n));
      check_all<T>(make<T>(part), part, {0});
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Dtypes, Reductions, ::testing::ValuesIn(all_dtypes),
                         [](const auto& info) { return std::string(td::name(info.param)); });

TEST(ReductionOptions, DtypeAccumulatesAndReturns) {
  const Array x = td::full({3}, 100, {.dtype = td::int8});
  EXPECT_TRUE(same(td::sum(x, {.dtype = td::float32}), td::full({}, 300, {.dtype = td::float32})));
  EXPECT_TRUE(same(td::sum(x, {.dtype = td::uint8}).astype(td::int64), td::array(44)));
  EXPECT_TRUE(same(td::prod(td::full({2}, 1.5), {.dtype = td::int64}), td::array(1)));
  EXPECT_TRUE(throws([&] { td::max(x, {.dtype = td::int64}); }, "max: ", {"dtype"}));
}

/// Hashes of exact results: elementwise and reduced, long enough for several threads.
std::string exact_results() {
  std::string lines;
  const auto add = [&](const std::string& what, const Array& x) {
    lines += what + " " + std::to_string(hash(x)) + "\n";
  };
  const Shape shape = {403, 257};
  const Array base = td::random::uniform(shape, {.low = -50, .high = 50, .seed = 12});
  const Array other = td::random::uniform(shape, {.low = -50, .high = 50, .seed = 13});
  for (DType dtype : all_dtypes) {
    const auto convert = [&](const Array& re, const Array& im) {
      return td::is_bool(dtype)      ? re > 0
             : td::is_complex(dtype) ? td::make_complex(re, im).astype(dtype)
                                     : re.astype(dtype);
    };
    const Array x = convert(base, other), y = convert(other, base.flip());
    const Array near_one = td::is_inexact(dtype) ? x * 4e-4 + 1 : x;
    const std::string text(td::name(dtype));
    add("add " + text, x + y);
    add("multiply " + text, x * y);
    add("maximum " + text, td::maximum(x, y));
    add("less " + text, x < y);
    if (td::is_inexact(dtype)) add("divide " + text, x / y);
    if (td::is_real_floating(dtype)) {
      add("sqrt " + text, td::sqrt(td::abs(x)));
      add("fma " + text, td::fma(x, y, x));
      add("remainder " + text, x % y);
      add("floor " + text, td::floor(x));
      add("var " + text, td::var(x, {.axis = 0}));
      for (DType to : {td::int8, td::uint32, td::float16, td::bfloat16, td::float32}) add("cast " + text, x.astype(to));
    }
    for (const td::Axes& axes : {td::Axes(), td::Axes(0), td::Axes(1)}) {
      add("sum " + text, td::sum(x, {.axis = axes}));
      add("prod " + text, td::prod(near_one, {.axis = axes}));
      add("max " + text, td::max(x, {.axis = axes}));
      add("argmin " + text, td::argmin(x, {.axis = axes}));
    }
    add("strided sum " + text,
        td::sum(x(td::slice(td::none, td::none, 2), td::slice(td::none, td::none, -1)).T(), {.axis = 0}));
    add("fused sum " + text, td::sum((x + y) * y, {.axis = 1}));
    add("sort " + text, td::sort(x, {.axis = 0}));
  }
  return lines;
}
const Probe exact_probe("exact_results", exact_results);

TEST(SameBits, OnEveryBackendInstructionSetAndThreadCount) {
  const std::string here = exact_results();
  for (const char* isa : {"v2", "v3", "v4"})
    for (const char* threads : {"1", "2"})
      EXPECT_EQ(here, run_probe("exact_results",
                                {{"TANDEM_BACKEND", "cpu"}, {"TANDEM_CPU_ISA", isa}, {"OMP_NUM_THREADS", threads}}))
          << isa << " with " << threads << " threads";
  const bool on_reference = on_backend("reference");
  EXPECT_EQ(here, on_reference ? here : run_probe("exact_results", {{"TANDEM_BACKEND", "reference"}}));
  EXPECT_EQ(here, run_probe("exact_results", {{"TANDEM_EAGER", "1"}}));
}

}  // namespace
