#include <tandem/sets.hpp>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>
#include <tandem/reductions.hpp>
#include <tandem/scans.hpp>
#include <tandem/sorting.hpp>

#include "../array/selection.hpp"
#include "common.hpp"

namespace tandem {
namespace {

/// Neighbours in a sorted array, unevaluated.
struct Neighbours {
  explicit Neighbours(const Array& sorted) : earlier(sorted(slice(0, -1))), later(sorted(slice(1, none))) {}
  Array earlier, later;
};

/// Where a sorted array that is not empty has an element that differs from the one before it.
Array begins(const Array& sorted, const UniqueOptions& options) {
  const auto [earlier, later] = Neighbours(sorted);
  Array differs = not_equal(later, earlier);
  if (options.equal_nan && is_inexact(sorted.dtype()))
    differs = logical_and(std::move(differs), logical_not(logical_and(isnan(later), isnan(earlier))));
  const Array first = full({1}, true, {.device = sorted.device()});
  return concat({first, differs});
}

/// Elements in order, where each group of equal ones begins, and the groups' number, for x that is not empty.
struct Groups {
  Array order;      // positions in the flattened x
  Array begins;     // bool
  Array positions;  // of the beginnings
  Array values;

  Groups(const Array& x, const UniqueOptions& options) {
    const Array flat = x.ravel();
    order = argsort(flat);
    const Array sorted = take(flat, order);
    begins = tandem::begins(sorted, options).eval();
    positions = flatnonzero(begins);
    values = take(sorted, positions);
  }
  Array indices() const { return take(order, positions); }
  Array counts() const {
    const Array end = full({1}, order.size(), {.device = order.device()});
    return diff(positions, {.append = end});
  }
  Array inverse(const Shape& shape) const {
    Array result = empty_like(order);
    result(order) = subtract(cumulative_sum(begins), 1);
    return result.reshape(shape);
  }
};

Array no_positions(const Array& x, const Shape& shape = {0}) {
  return empty(shape, {.dtype = int64, .device = x.device()});
}

/// Of sorted elements of two sets, those that are in both, or those that are in one alone.
Array compared(const char* function, const Array& x1, const Array& x2, bool both) {
  const detail::FunctionName scope(function);
  const Array pair[] = {unique(x1), unique(x2)};
  detail::common_device(function, pair);
  const Array sorted = sort(concat(pair));
  if (sorted.size() == 0) return sorted;
  const auto [earlier, later] = Neighbours(sorted);
  if (both) return earlier(equal(earlier, later));
  const Array differs = not_equal(later, earlier), yes = full({1}, true, {.device = sorted.device()});
  return sorted(logical_and(concat({yes, differs}), concat({differs, yes})));
}

/// The elements of a 1-d array at int64 places in it.
Array at_places(const Array& x, const Array& places) {
  return detail::select("isin", x, detail::selection_of(places), false);
}

/// isin by a table with a place for each integer that the set may hold, if these are so few that it pays.
std::optional<Array> found_in_table(const Array& x, const Array& set) {
  constexpr std::uint64_t places_by_element = 6;
  // The many threads of a GPU would write the same places again and again.
  if (!is_integer(x.dtype()) || !x.device().shares_host_memory()) return {};
  // Numbers and their differences modulo 2^64.
  const auto smallest = min(set).astype(uint64).item<std::uint64_t>();
  const auto span = max(set).astype(uint64).item<std::uint64_t>() - smallest;
  if (span / places_by_element >= static_cast<std::uint64_t>(x.size() + set.size())) return {};
  // What lies outside finds the last place, where nothing is.
  const auto places_of = [&](const Array& each) {
    return minimum(subtract(each.astype(uint64), smallest), span + 1).astype(int64).eval();
  };
  Array table = zeros({static_cast<std::int64_t>(span) + 2}, {.dtype = bool_, .device = x.device()});
  detail::selection_of(places_of(set))->assign(table, true);
  return at_places(table, places_of(x));
}

/// isin for arrays of one dtype and a set that is not empty.
Array found(const Array& x, const Array& set) {
  if (set.size() <= 15) {  // one pass over x
    Array result = equal(x, set(0));
    for (std::int64_t i = 1; i < set.size(); ++i) result = logical_or(std::move(result), equal(x, set(i)));
    return result;
  }
  if (std::optional<Array> result = found_in_table(x, set)) return *std::move(result);
  const Array sorted = sort(set);
  const Array places = minimum(searchsorted(sorted, x), set.size() - 1);
  return equal(at_places(sorted, places.eval()), x);
}

}  // namespace

Array unique_values(const Array& x, const UniqueOptions& options) {
  const detail::FunctionName function("unique_values");
  if (x.size() == 0) return x.ravel();
  const Array sorted = sort(x.ravel());
  return sorted(begins(sorted, options));
}

Array unique(const Array& x) {
  const detail::FunctionName function("unique");
  return unique_values(x, {.equal_nan = true});
}

UniqueCounts unique_counts(const Array& x, const UniqueOptions& options) {
  const detail::FunctionName function("unique_counts");
  if (x.size() == 0) return {x.ravel(), no_positions(x)};
  const Array sorted = sort(x.ravel());
  const Array positions = flatnonzero(begins(sorted, options));
  return {take(sorted, positions), diff(positions, {.append = full({1}, x.size(), {.device = x.device()})})};
}

UniqueInverse unique_inverse(const Array& x, const UniqueOptions& options) {
  const detail::FunctionName function("unique_inverse");
  if (x.size() == 0) return {x.ravel(), no_positions(x, x.shape())};
  const Groups groups(x, options);
  return {groups.values, groups.inverse(x.shape())};
}

UniqueAll unique_all(const Array& x, const UniqueOptions& options) {
  const detail::FunctionName function("unique_all");
  if (x.size() == 0) return {x.ravel(), no_positions(x), no_positions(x, x.shape()), no_positions(x)};
  const Groups groups(x, options);
  return {groups.values, groups.indices(), groups.inverse(x.shape()), groups.counts()};
}

Array isin(const Operand& x1, const Operand& x2, const IsinOptions& options) {
  const detail::FunctionName function("isin");
  const Operand* operands[] = {&x1, &x2};
  const Device device(&detail::common_device(function, operands, 2));
  const auto array_of = [&](const Operand& x) {
    return x.is_array() ? x.array() : full({}, x.scalar(), {.device = device});
  };
  const Array x = array_of(x1), set = array_of(x2).ravel();
  const DType dtype = promote_types(x.dtype(), set.dtype());
  Array result;
  if (set.size() == 0) {
    result = zeros(x.shape(), {.dtype = bool_, .device = device});
  } else if (dtype == float64 && is_integer(x.dtype()) && is_integer(set.dtype())) {
    // int64 and uint64: what both can hold is compared as uint64, exactly.
    if (is_signed_integer(x.dtype()))
      result = logical_and(greater_equal(x, 0), found(x.astype(uint64), set));
    else
      return isin(x, set(greater_equal(set, 0)).astype(uint64), options);
  } else {
    result = found(x.astype(dtype), set.astype(dtype));
  }
  return options.invert ? logical_not(std::move(result)) : result;
}

Array intersect1d(const Array& x1, const Array& x2) { return compared("intersect1d", x1, x2, true); }

Array union1d(const Array& x1, const Array& x2) {
  const detail::FunctionName function("union1d");
  return unique(concat({x1.ravel(), x2.ravel()}));
}

Array setdiff1d(const Array& x1, const Array& x2) {
  const detail::FunctionName function("setdiff1d");
  const Array values = unique(x1);
  return values(isin(values, x2, {.invert = true}));
}

Array setxor1d(const Array& x1, const Array& x2) { return compared("setxor1d", x1, x2, false); }

}  // namespace tandem
