// Indexing by arrays of integers and by masks, for reading and writing, against NumPy's rules executed one element at a
// time by a model.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Index;
using tandem::Shape;
using tandem::none;
using tandem::slice;

namespace {

using Ints = std::vector<std::int64_t>;

Array shaped(const Shape& shape) { return td::arange(element_count(shape)).reshape(shape); }

// ---- the model ----

/// One part of an index as the model knows it: what it is, and its values with their shape.
struct Part {
  enum Kind { integer, range, newaxis, ellipsis, indices, mask, condition } kind;
  Ints values;  // the integer; the positions of a range; index array; mask; condition
  Shape shape;  // of index array and mask
  Index index = 0;
};

/// Where the elements of an indexed array come from.
struct Places {
  Shape shape;
  Ints flat;  // row-major positions in the indexed array
};

/// An axis of the array as the model walks it: which array of positions it follows, or -1 for a range.
struct Walked {
  int follows;
  Ints range;
};

/// NumPy's rules, literally: masks become arrays of positions, all of them broadcast, and where they stand decides
/// where the broadcast axes go.
Places model(const Shape& base, const std::vector<Part>& parts) {
  int named = 0;
  for (const Part& part : parts)
    named += part.kind == Part::integer || part.kind == Part::range || part.kind == Part::indices ? 1
             : part.kind == Part::mask                                                            ? part.shape.size()
                                                                                                  : 0;
  std::vector<std::pair<Ints, Shape>> arrays;
  std::vector<Walked> axes;      // by axis of the base
  std::vector<int> result_axes;  // by axis of the result without the broadcast ones: an axis of the base, -1 for a new one
  int first = -1;                // result axes before the first advanced part
  bool ended = false, separated = false;
  const auto advanced = [&] {
    if (first < 0) first = int(result_axes.size());
    separated |= ended;
  };
  const auto plain = [&](int axis) {
    if (first >= 0) ended = true;
    if (axis >= -1) result_axes.push_back(axis);
  };
  const auto whole = [&](std::int64_t length) {
    Ints all;
    for (std::int64_t i = 0; i < length; ++i) all.push_back(i);
    plain(int(axes.size()));
    axes.push_back({-1, all});
  };
  bool any_ellipsis = false;
  for (const Part& part : parts) {
    const int axis = int(axes.size());
    switch (part.kind) {
      case Part::integer:
        advanced();
        arrays.push_back({part.values, {}});
        axes.push_back({int(arrays.size()) - 1, {}});
        break;
      case Part::range:
        plain(axis);
        axes.push_back({-1, part.values});
        break;
      case Part::newaxis: plain(-1); break;
      case Part::ellipsis:
        any_ellipsis = true;
        plain(-2);
        for (int i = 0; i < base.size() - named; ++i) whole(base[int(axes.size())]);
        break;
      case Part::indices:
        advanced();
        arrays.push_back({part.values, part.shape});
        axes.push_back({int(arrays.size()) - 1, {}});
        break;
      case Part::mask: {
        advanced();
        std::vector<Ints> positions(std::size_t(part.shape.size()));
        for_each_index(part.shape, [&](std::int64_t i, const Shape& index) {
          for (int k = 0; part.values[std::size_t(i)] && k < index.size(); ++k) positions[std::size_t(k)].push_back(index[k]);
        });
        for (const Ints& each : positions) {
          arrays.push_back({each, {std::int64_t(each.size())}});
          axes.push_back({int(arrays.size()) - 1, {}});
        }
        break;
      }
      case Part::condition:
        advanced();
        arrays.push_back({Ints(std::size_t(part.values[0]), 0), {part.values[0]}});
        break;
    }
  }
  while (int(axes.size()) < base.size()) {
    if (!any_ellipsis) whole(base[int(axes.size())]);
  }
  Shape broadcast;
  for (const auto& [values, shape] : arrays) broadcast = td::broadcast_shapes({broadcast, shape});
  const int before = separated || first < 0 ? 0 : first;
  Places places;
  const auto add_result_axis = [&](int axis) { places.shape.push_back(axis < 0 ? 1 : std::int64_t(axes[std::size_t(axis)].range.size())); };
  for (int i = 0; i < before; ++i) add_result_axis(result_axes[std::size_t(i)]);
  for (std::int64_t length : broadcast) places.shape.push_back(length);
  for (int i = before; i < int(result_axes.size()); ++i) add_result_axis(result_axes[std::size_t(i)]);

  for_each_index(places.shape, [&](std::int64_t, const Shape& index) {
    Shape position = Shape::filled(base.size(), 0);
    for (int i = 0; i < int(result_axes.size()); ++i)
      if (const int axis = result_axes[std::size_t(i)]; axis >= 0)
        position[axis] = axes[std::size_t(axis)].range[std::size_t(index[i < before ? i : i + broadcast.size()])];
    for (int axis = 0; axis < base.size(); ++axis) {
      const int follows = axes[std::size_t(axis)].follows;
      if (follows < 0) continue;
      const auto& [values, shape] = arrays[std::size_t(follows)];
      std::int64_t at = 0;
      for (int k = 0; k < shape.size(); ++k)
        at = at * shape[k] + (shape[k] == 1 ? 0 : index[before + broadcast.size() - shape.size() + k]);
      const std::int64_t i = values[std::size_t(at)];
      position[axis] = i < 0 ? i + base[axis] : i;
    }
    std::int64_t flat = 0;
    for (int axis = 0; axis < base.size(); ++axis) flat = flat * base[axis] + position[axis];
    places.flat.push_back(flat);
  });
  return places;
}

// ---- random indices ----

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}

  Shape base() {
    Shape shape;
    const std::int64_t ndim = random_.integer(1, 4);
    for (int i = 0; i < ndim; ++i) shape.push_back(random_.integer(0, 9) == 0 ? random_.integer(0, 1) : random_.integer(2, 6));
    return shape;
  }

  /// Parts with at least one array among them.
  std::vector<Part> parts(const Shape& base) {
    for (;;) {
      std::vector<Part> list = attempt(base);
      for (const Part& part : list)
        if (part.kind >= Part::indices) return list;
    }
  }

  Random& random() { return random_; }

 private:
  std::vector<Part> attempt(const Shape& base) {
    // All index arrays broadcast to this shape; masks keep as many elements as its last axis has, or one.
    Shape broadcast;
    for (std::int64_t n = random_.integer(0, 2); n > 0; --n) broadcast.push_back(random_.integer(0, 4));
    std::vector<Part> list;
    bool ellipsis = false;
    for (int axis = 0; axis < base.size();) {
      const std::int64_t choice = random_.integer(0, 11);
      if (choice == 0) {
        list.push_back({Part::newaxis, {}, {}, td::newaxis});
      } else if (choice == 1 && !ellipsis) {
        ellipsis = true;
        list.push_back({Part::ellipsis, {}, {}, td::ellipsis});
        axis += int(random_.integer(0, base.size() - axis));
      } else if (choice == 2) {
        const bool value = broadcast_allows(broadcast, random_.integer(0, 1));
        list.push_back({Part::condition, {value}, {}, value});
        if (!value && !broadcast_allows_zero(broadcast)) list.pop_back();
      } else if (choice <= 4) {
        if (base[axis] == 0) return {};
        const std::int64_t i = random_.integer(-base[axis], base[axis] - 1);
        list.push_back({Part::integer, {i}, {}, i});
        ++axis;
      } else if (choice <= 6) {
        list.push_back(range(base[axis++]));
      } else if (choice <= 9) {
        if (!add_indices(list, base[axis], broadcast)) return {};
        ++axis;
      } else {
        const int count = int(random_.integer(1, std::min(2, base.size() - axis)));
        if (!add_mask(list, base, axis, count, broadcast)) return {};
        axis += count;
      }
    }
    // An ellipsis takes the axes that the parts leave over, wherever it stands.
    return ellipsis && misplaced(base, list) ? std::vector<Part>{} : list;
  }

  static bool broadcast_allows_zero(const Shape& broadcast) {
    return !broadcast.empty() && (broadcast[broadcast.size() - 1] == 0 || broadcast[broadcast.size() - 1] == 1);
  }
  static bool broadcast_allows(const Shape&, std::int64_t value) { return value != 0; }

  /// Whether lengths that parts were made for are not those of the axes that they meet.
  static bool misplaced(const Shape& base, const std::vector<Part>& list) {
    int named = 0, at = 0;
    for (const Part& part : list) named += axes_of(part);
    if (named > base.size()) return true;
    for (const Part& part : list) {
      if (part.kind == Part::ellipsis) at += base.size() - named;
      for (std::int64_t value : part.values)
        if ((part.kind == Part::integer || part.kind == Part::indices || part.kind == Part::range) &&
            (value < -base[at] || value >= base[at]))
          return true;
      if (part.kind == Part::range) return true;  // a slice means other positions there
      for (int i = 0; part.kind == Part::mask && i < part.shape.size(); ++i)
        if (part.shape[i] != base[at + i]) return true;
      at += axes_of(part);
    }
    return false;
  }
  static int axes_of(const Part& part) {
    return part.kind == Part::mask ? part.shape.size()
                                   : part.kind == Part::integer || part.kind == Part::range || part.kind == Part::indices;
  }

  Part range(std::int64_t length) {
    const std::int64_t step = random_.integer(0, 1) ? random_.integer(1, 2) : -random_.integer(1, 2);
    const std::int64_t start = random_.integer(0, length), stop = random_.integer(0, length);
    Part part{Part::range, {}, {}, slice(start, stop, step)};
    for (std::int64_t i = step < 0 ? std::min(start, length - 1) : start; step < 0 ? i > stop : i < stop; i += step)
      part.values.push_back(i);
    return part;
  }

  bool add_indices(std::vector<Part>& list, std::int64_t length, const Shape& broadcast) {
    Part part{Part::indices, {}, {}};
    const std::int64_t dropped = random_.integer(0, broadcast.size());
    for (int i = int(dropped); i < broadcast.size(); ++i)
      part.shape.push_back(random_.integer(0, 3) == 0 ? 1 : broadcast[i]);
    const std::int64_t count = element_count(part.shape);
    if (length == 0 && count > 0) return false;
    for (std::int64_t i = 0; i < count; ++i) part.values.push_back(random_.integer(-length, length - 1));
    const DType dtypes[] = {td::int64, td::int32, td::int8};
    part.index = td::array(part.values, {.dtype = dtypes[random_.integer(0, 2)]}).reshape(part.shape);
    list.push_back(part);
    return true;
  }

  bool add_mask(std::vector<Part>& list, const Shape& base, int axis, int count, const Shape& broadcast) {
    Part part{Part::mask, {}, {}};
    for (int i = 0; i < count; ++i) part.shape.push_back(base[axis + i]);
    const std::int64_t n = element_count(part.shape);
    const std::int64_t wanted = broadcast.empty() || random_.integer(0, 3) == 0 ? 1 : broadcast[broadcast.size() - 1];
    if (wanted > n) return false;
    part.values.assign(std::size_t(n), 0);
    for (std::int64_t set = 0; set < wanted;)
      if (std::int64_t& place = part.values[std::size_t(random_.integer(0, n - 1))]; place == 0) place = 1, ++set;
    part.index = td::array(part.values).reshape(part.shape).astype(td::bool_);
    list.push_back(part);
    return true;
  }

  Random random_;
};

std::vector<Index> index_of(const std::vector<Part>& parts) {
  std::vector<Index> index;
  for (const Part& part : parts) index.push_back(part.index);
  return index;
}

std::string describe(const Shape& base, const std::vector<Part>& parts) {
  std::string text = "array of shape " + td::to_string(base) + " indexed by";
  for (const Part& part : parts) {
    const char* names[] = {"integer", "range", "newaxis", "ellipsis", "indices", "mask", "condition"};
    text += std::string(" ") + names[part.kind];
    if (part.kind == Part::indices || part.kind == Part::mask) text += td::to_string(part.shape);
    for (std::int64_t value : part.values) text += " " + std::to_string(value);
    text += ",";
  }
  return text;
}

Array places_as_array(const Places& places) { return td::array(places.flat, {.dtype = td::int64}).reshape(places.shape); }

TEST(AdvancedIndexing, ReadsWhatTheModelSays) {
  Cases cases(1);
  for (std::size_t i = 0; i < 1500; ++i) {
    const Shape base = cases.base();
    const std::vector<Part> parts = cases.parts(base);
    const Places places = model(base, parts);
    const Array x = lay_out(shaped(base), all_layouts[i % 6 == 4 ? 0 : i % 6]);
    ASSERT_TRUE(same(x.at(index_of(parts)), places_as_array(places))) << describe(base, parts);
  }
}

TEST(AdvancedIndexing, WritesWhatTheModelSays) {
  Cases cases(2);
  for (std::size_t i = 0; i < 1500; ++i) {
    const Shape base = cases.base();
    const std::vector<Part> parts = cases.parts(base);
    const Places places = model(base, parts);
    Ints expected = shaped(base).to_vector<std::int64_t>();
    Array x = lay_out(shaped(base), all_layouts[i % 6 == 4 ? 0 : i % 6]);
    const Array before = x;
    const std::int64_t count = std::int64_t(places.flat.size());
    switch (cases.random().integer(0, 3)) {
      case 0:  // values of the result's shape
        x.at(index_of(parts)) = (td::arange(count) + 1000).reshape(places.shape);
        for (std::int64_t k = 0; k < count; ++k) expected[std::size_t(places.flat[std::size_t(k)])] = 1000 + k;
        break;
      case 1:
        x.at(index_of(parts)) = -1;
        for (std::int64_t place : places.flat) expected[std::size_t(place)] = -1;
        break;
      case 2: {  // buffered: places that are named twice change once
        x.at(index_of(parts)) += 7;
        const Ints old = expected;
        for (std::int64_t place : places.flat) expected[std::size_t(place)] = old[std::size_t(place)] + 7;
        break;
      }
      default:
        td::add_at(x, std::span<const Index>(index_of(parts)), (td::arange(count) + 1).reshape(places.shape));
        for (std::int64_t k = 0; k < count; ++k) expected[std::size_t(places.flat[std::size_t(k)])] += k + 1;
    }
    ASSERT_EQ(x.to_vector<std::int64_t>(), expected) << describe(base, parts);
    ASSERT_TRUE(same(before, shaped(base))) << "a copy has changed: " << describe(base, parts);
  }
}

// ---- NumPy's examples ----

TEST(AdvancedIndexing, ShapesOfTheChecklist) {
  const Array m = shaped({2, 3, 4});
  const Array i02 = td::array({0, 2}), i01 = td::array({0, 1}), column = td::array({{0}, {1}});
  EXPECT_EQ(m(td::all, i02).shape(), (Shape{2, 2, 4}));
  EXPECT_EQ(m(td::all, i01, i01).shape(), (Shape{2, 2}));
  EXPECT_EQ(m(i01, td::all, i01).shape(), (Shape{2, 3}));
  EXPECT_EQ(m(0, td::all, i01).shape(), (Shape{2, 3}));
  EXPECT_EQ(m(td::array({0}), td::all, 0).shape(), (Shape{1, 3}));
  EXPECT_EQ(m(i01, td::newaxis, i01).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(m(td::all, column, i01).shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(m(true).shape(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(m(false).shape(), (Shape{0, 2, 3, 4}));
  EXPECT_EQ(m(td::array(true)).shape(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(m(td::array({true, false}), td::array({0})).shape(), (Shape{1, 4}));
  EXPECT_EQ(m(td::empty({0}, {.dtype = td::int64})).shape(), (Shape{0, 3, 4}));
  EXPECT_EQ(m(td::all, td::array(0), i01).shape(), (Shape{2, 2}));
  EXPECT_EQ(m(td::array(0), td::all, td::array(1)).shape(), Shape{3});
  const Array n = shaped({5, 6, 7});
  EXPECT_EQ(n(td::all, 0, td::ellipsis, i01).shape(), (Shape{2, 5}));  // an ellipsis separates, even if it is empty
  EXPECT_EQ(n(td::all, td::newaxis, 0, td::array({1, 2, 3})).shape(), (Shape{5, 1, 3}));
  EXPECT_EQ(n(td::all, true, td::array({0, 1, 2})).shape(), (Shape{5, 3, 7}));
  EXPECT_EQ(n(td::all, i01, true).shape(), (Shape{5, 2, 7}));
  EXPECT_EQ(n(td::all, false).shape(), (Shape{5, 0, 6, 7}));
  EXPECT_EQ(td::zeros({3, 2})(td::empty({0}, {.dtype = td::int64}), td::array({5})).shape(), Shape{0});
}

TEST(AdvancedIndexing, ValuesOfTheChecklist) {
  const Array a = shaped({5, 6});
  EXPECT_TRUE(same(a(a % 7 == 0), td::array({0, 7, 14, 21, 28})));
  EXPECT_TRUE(same(a(td::array({1, -1}), slice(none, none, 2)), td::array({{6, 8, 10}, {24, 26, 28}})));
  EXPECT_TRUE(same(a(td::array({{0}, {1}}), td::array({0, 2})), td::array({{0, 2}, {6, 8}})));
  EXPECT_TRUE(same(a(td::array({true, false, true, false, false}), 1), td::array({1, 13})));
  Array x = td::arange(6);
  x(td::array({0, 0, 0})) = td::array({1, 2, 3});
  EXPECT_EQ(x(0).item<int>(), 3);
  x(td::array({1, 1, 1})) += 1;
  EXPECT_EQ(x(1).item<int>(), 2);
  td::add_at(x, td::array({2, 2, 2}), 1);
  EXPECT_EQ(x(2).item<int>(), 5);
}

// Backends look at many indices while they read.
TEST(AdvancedIndexing, ManyIndicesMayBeOutside) {
  const std::int64_t n = 5000;
  const Array x = td::arange(50), m = shaped({50, 3, 4});
  const auto with = [&](td::DType dtype, std::int64_t at, std::int64_t value) {
    Array indices = td::remainder(td::arange(n), 50).astype(dtype);
    indices(at) = value;
    indices(n - 1) = value < 0 ? -60 : 60;
    return indices;
  };
  for (const td::DType dtype : {td::int64, td::int32, td::int8}) {
    EXPECT_TRUE(throws<td::IndexError>([&] { x(with(dtype, 4000, 50)); }, "index: 50 is out of bounds for axis 0 with size 50"));
    EXPECT_TRUE(throws<td::IndexError>([&] { td::take(m, with(dtype, 7, -51), {.axis = 0}); },
                                       "take: index -51 is out of bounds for axis 0 with size 50"));
  }
  EXPECT_TRUE(throws<td::IndexError>([&] { x(td::full({n}, UINT64_MAX)); }, "index: 18446744073709551615 is out of bounds"));
  EXPECT_TRUE(throws<td::IndexError>([&] { x(with(td::int64, 0, INT64_MIN)); }, "index: -9223372036854775808 is out of"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::take_along_axis(x, with(td::int64, 1, 1'000'000'000'000), 0); },
                                     "take_along_axis: index 1000000000000 is out of bounds for axis 0 with size 50"));
  // Of several arrays the first one with an index outside counts, of it the first in row-major order.
  const Array columns = td::full({n}, 3);
  EXPECT_TRUE(throws<td::IndexError>([&] { m(td::all, columns, with(td::int64, 9, 4)); },
                                     "index: 3 is out of bounds for axis 1 with size 3"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(with(td::int32, 9, 70).reshape({n / 10, 1, 10}), td::all, td::zeros({2, 1}, {.dtype = td::int64})); },
                                     "index: 70 is out of bounds for axis 0 with size 50"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(columns, td::slice(0, 0), columns + 1); }, "index: 4 is out of bounds for axis 2"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::zeros({3, 0})(columns); }, "index: 3 is out of bounds for axis 0 with size 3"));
  // Inside, also from the end.
  const Array inside = td::remainder(td::arange(n) * 7, 100) - 50;
  EXPECT_TRUE(same(x(inside), td::remainder(inside, 50)));
  EXPECT_TRUE(same(m(inside, td::slice(none, none, -1), 2), m(td::all, td::slice(none, none, -1), 2)(td::remainder(inside, 50))));
  EXPECT_TRUE(same(x(inside.astype(td::int8).reshape({100, 50}).T()), td::remainder(inside, 50).reshape({100, 50}).T()));
}

TEST(AdvancedIndexing, ErrorsAreNumPys) {
  Array m = shaped({2, 3, 4}), x = td::arange(5);
  const Array outside = td::array({0, 5, -6});
  EXPECT_TRUE(throws<td::IndexError>([&] { x(outside); }, "index: 5 is out of bounds for axis 0 with size 5"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(td::all, td::array({0, -4})); }, "index: -4 is out of bounds for axis 1 with size 3"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(0, td::all, td::array({{1, 4}})); }, "index: 4 is out of bounds for axis 2 with size 4"));
  EXPECT_TRUE(throws<td::IndexError>([&] { x(td::array({200}, {.dtype = td::uint8})); }, "index: 200 is out of bounds"));
  // An array without axes is an integer, which counts even where no element is left.
  EXPECT_TRUE(throws<td::IndexError>([&] { x(false, td::array(5)); }, "index: 5 is out of bounds"));
  EXPECT_EQ(x(false, td::array({5})).shape(), (Shape{0}));
  EXPECT_TRUE(throws<td::IndexError>([&] { x(td::full({1}, UINT64_MAX)); }, "index: 18446744073709551615 is out of bounds"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(td::ones({2, 2}, {.dtype = td::bool_})); },
                                     "index: boolean index did not match indexed array along axis 1; size of axis is 3 "
                                     "but size of corresponding boolean axis is 2"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(td::ones({2, 3, 4, 1}, {.dtype = td::bool_})); },
                                     "index: too many indices: array of shape (2, 3, 4) is 3-dimensional, but 4 were"));
  EXPECT_TRUE(throws<td::IndexError>([&] { m(td::array({0, 1}), td::array({0, 1, 2})); },
                                     "index: shape mismatch: indexing arrays could not be broadcast together with shapes "
                                     "(2,) (3,)"));
  EXPECT_TRUE(throws<td::IndexError>([&] { x(td::array({0.5})); },
                                     "index: arrays used as indices must be of integer (or boolean) type"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::zeros({3, 0})(td::array({5})); }, "index: 5 is out of bounds"));
  const std::vector<Index> many(40, td::newaxis);
  EXPECT_TRUE(throws([&] { x.at(std::vector<Index>(40, td::newaxis)); }, "Shape: ", {"32"}));
  std::vector<Index> more = many;
  more.insert(more.begin(), {true});
  more.push_back(td::array({0}));
  EXPECT_TRUE(throws([&] { x.at(more); }, "Shape: ", {"32"}));
  // Nothing is written.
  EXPECT_TRUE(throws<td::IndexError>([&] { x(outside) = 9; }, "index: 5"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::add_at(x, outside, 9); }, "add_at: index 5 is out of bounds"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::put(x, outside, 9); }, "put: index 5 is out of bounds"));
  EXPECT_TRUE(throws([&] { x(x > 1) = td::array({1, 2}); },
                     "assign: cannot assign 2 input values to the 3 output values where the mask is true"));
  EXPECT_TRUE(throws([&] { x(td::array({0, 1})) = td::array({1, 2, 3}); }, "assign: ", {"(3,)", "(2,)"}));
  EXPECT_TRUE(throws([&] { td::add_at(x, 0, 1.5); }, "add_at: ", {"float64", "int64"}));
  EXPECT_TRUE(same(x, td::arange(5)));
}

// ---- values ----

TEST(AdvancedIndexing, OfEveryDType) {
  const Array places = td::array({5, 0, -1, 5});
  for (DType dtype : all_dtypes) {
    const Array x = (td::arange(24) % 2 + 1).astype(dtype).reshape({6, 4});
    EXPECT_TRUE(same(x(places), td::stack({x(5), x(0), x(5), x(5)}))) << dtype;
    EXPECT_TRUE(same(x(td::all, td::array({3, 1})), td::stack({x(td::all, 3), x(td::all, 1)}, 1))) << dtype;
    EXPECT_TRUE(same(x(places, td::array({1, 2, 3, 0})),
                     td::stack({x(5, 1), x(0, 2), x(5, 3), x(5, 0)}))) << dtype;
    const Array mask = td::arange(24).reshape({6, 4}) > 20;
    EXPECT_TRUE(same(x(mask), x.ravel()(slice(21, none)))) << dtype;
    Array y = x;
    y(mask) = x(slice(0, 1), slice(0, 3)).ravel();
    EXPECT_TRUE(same(y(5, slice(1, none)), x(0, slice(0, 3)))) << dtype;
    Array sums = td::zeros({3}, {.dtype = dtype});
    td::add_at(sums, td::array({0, 2, 0, 2, 2}), td::ones({5}, {.dtype = dtype}));
    EXPECT_TRUE(same(sums, td::is_bool(dtype) ? td::array({true, false, true}) : td::array({2, 0, 3}).astype(dtype))) << dtype;
  }
}

TEST(AdvancedIndexing, OverlapIsSafe) {
  Array x = td::arange(6);
  x(td::array({1, 2, 3, 4, 5})) = x(slice(0, -1));
  EXPECT_TRUE(same(x, td::array({0, 0, 1, 2, 3, 4})));
  Array y = td::arange(6);
  y(td::array({5, 4, 3, 2, 1, 0})) = y;
  EXPECT_TRUE(same(y, td::arange(6).flip()));
  Array z = td::array({2, 0, 1});
  z(z) = td::array({10, 20, 30});  // an array may index itself
  EXPECT_TRUE(same(z, td::array({20, 30, 10})));
  Array w = td::arange(6);
  w(w > 2) = w(w < 3);
  EXPECT_TRUE(same(w, td::array({0, 1, 2, 0, 1, 2})));
  Array v = td::arange(4);
  td::add_at(v, td::array({3, 3, 0}), v(slice(1, none)));
  EXPECT_TRUE(same(v, td::array({3, 1, 2, 6})));
  Array p = td::arange(4);
  td::put(p, td::array({0, 1, 2, 3}), p.flip());
  EXPECT_TRUE(same(p, td::array({3, 2, 1, 0})));
}

TEST(AdvancedIndexing, ResultsAreValues) {
  Array x = td::arange(6);
  const Array picked = x(td::array({0, 5}));
  const Array masked = x(x > 3);
  x(td::array({0, 5})) = -1;
  EXPECT_TRUE(same(picked, td::array({0, 5})));
  EXPECT_TRUE(same(masked, td::array({4, 5})));
  auto later = x(td::array({0, 1}));  // a view object that is used after its variable has changed
  x(0) = 77;
  EXPECT_TRUE(same(later, td::array({-1, 1})));
  Array shared = x;
  x(td::array({1})) = 5;
  EXPECT_EQ(shared(1).item<int>(), 1);
  const void* memory = x.mutable_data();
  x(td::array({2})) = 5;
  x(x > 50) = 6;
  td::put(x, td::array({3}), 5);
  EXPECT_EQ(x.data(), memory);  // written in place
  EXPECT_TRUE(same(x, td::array({6, 5, 5, 5, 4, -1})));
}

TEST(AdvancedIndexing, OfExpressions) {
  const Array a = td::arange(10) * 2, b = td::arange(10);
  EXPECT_TRUE(same((a + b)(b > 7), td::array({24, 27})));
  EXPECT_TRUE(same((a + b)(td::array({1, 1}) + 1), td::array({6, 6})));
  Array x = td::arange(5);
  EXPECT_TRUE(same(x(td::array({1, 2})) * 2 + 1, td::array({3, 5})));
  EXPECT_TRUE(same(td::sum(x(td::array({1, 2}))), td::array(3)));
  EXPECT_TRUE(same(x(td::array({1, 2})).astype(td::float32), td::array({1, 2}, {.dtype = td::float32})));
  x(slice(0, 2)) = x(td::array({4, 3}));
  EXPECT_TRUE(same(x, td::array({4, 3, 2, 3, 4})));
  EXPECT_TRUE(same(td::concat({x(td::array({0})), x(x == 2)}), td::array({4, 2})));
}

TEST(AdvancedIndexing, ScatterOrderOfManyValues) {
  for (std::int64_t n : {1000, 70'000}) {
    for (std::int64_t targets : {std::int64_t{3}, n / 7, 10 * n}) {
      Random random(std::uint64_t(n + targets));
      Ints places;
      for (std::int64_t i = 0; i < n; ++i) places.push_back(random.integer(-targets, targets - 1));
      const Values<float> values = random_values<float>(std::size_t(n), -1, 1);
      Values<float> last(std::size_t(targets), 0), sums(std::size_t(targets), 0);
      for (std::size_t i = 0; i < std::size_t(n); ++i) {
        const auto place = std::size_t(places[i] < 0 ? places[i] + targets : places[i]);
        last[place] = values[i];
        sums[place] += values[i];
      }
      Array x = td::zeros({targets}, {.dtype = td::float32}), y = x;
      x(td::array(places)) = make<float>(values);
      td::add_at(y, td::array(places), make<float>(values));
      EXPECT_TRUE(same(x, make<float>(last))) << n << " values, " << targets << " places";
      EXPECT_TRUE(same(y, make<float>(sums))) << n << " values, " << targets << " places";
    }
  }
}

TEST(AdvancedIndexing, ScatterOfManyRows) {
  constexpr std::int64_t n = 20'000;
  for (std::int64_t targets : {3, 200, 100'000}) {
    for (std::int64_t run : {1, 3, 20}) {
      const Array places = td::random::integers({n}, -targets, targets, {.seed = 1});
      const Array values = td::random::integers({n, run}, -1000, 1000, {.seed = 2});
      const Ints list = read<std::int64_t>(places), elements = read<std::int64_t>(values);
      Ints last(std::size_t(targets * run), 0), sums = last;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::int64_t place = list[i] < 0 ? list[i] + targets : list[i];
        for (std::int64_t j = 0; j < run; ++j) {
          const std::int64_t value = elements[std::size_t(std::int64_t(i) * run + j)];
          last[std::size_t(place * run + j)] = value;
          sums[std::size_t(place * run + j)] += value;
        }
      }
      for (DType dtype : {td::int32, td::int64, td::float32, td::float64}) {
        const auto expected = [&](const Ints& each) { return td::array(each).reshape({targets, run}).astype(dtype); };
        Array x = td::zeros({targets, run}, {.dtype = dtype}), y = x;
        x(places) = values.astype(dtype);
        td::add_at(y, places, values.astype(dtype));
        EXPECT_TRUE(same(x, expected(last))) << dtype << " " << targets << " " << run;
        EXPECT_TRUE(same(y, expected(sums))) << dtype << " " << targets << " " << run;
      }
    }
  }
}

TEST(AdvancedIndexing, LongMasks) {
  for (std::int64_t n : {1, 63, 64, 65'535, 65'536, 300'001}) {
    const Array x = td::random::uniform({n}, {.seed = std::uint64_t(n), .dtype = td::float32});
    for (double threshold : {-1.0, 0.001, 0.5, 0.999, 2.0}) {
      Values<float> expected;
      Ints positions;
      const Values<float> values = read<float>(x);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] > float(threshold)) expected.push_back(values[i]), positions.push_back(std::int64_t(i));
      EXPECT_TRUE(same(x(x > threshold), make<float>(expected))) << n << " > " << threshold;
      EXPECT_EQ(td::flatnonzero(x > threshold).to_vector<std::int64_t>(), positions);
      if (n % 3 == 0) {
        const std::vector<Array> by_axis = td::nonzero((x > threshold).reshape({3, -1}));
        EXPECT_EQ(read<std::int64_t>(by_axis[0] * (n / 3) + by_axis[1]), positions);
        const std::vector<Array> short_rows = td::nonzero((x > threshold).reshape({-1, 3}));
        EXPECT_EQ(read<std::int64_t>(short_rows[0] * 3 + short_rows[1]), positions);
      }
      Array y = x;
      y(x > threshold) = td::arange(std::int64_t(positions.size()));
      EXPECT_TRUE(same(y(x > threshold), td::arange(std::int64_t(positions.size())).astype(td::float32)));
    }
  }
}

// ---- functions ----

TEST(Take, AlongAxesAndModes) {
  const Array x = shaped({2, 3, 4}), i = td::array({{2, 0}, {-1, 1}});
  EXPECT_TRUE(same(td::take(x, i, {.axis = 1}), x(td::all, i)));
  EXPECT_TRUE(same(td::take(x, td::array(3), {.axis = -1}), x(td::ellipsis, 3)));
  EXPECT_TRUE(same(td::take(x, td::array({23, -24})), td::array({23, 0})));
  EXPECT_TRUE(same(td::take(td::arange(4), td::array({-5, 4, 9}), {.mode = td::IndexMode::clip}), td::array({0, 3, 3})));
  EXPECT_TRUE(same(td::take(td::arange(4), td::array({-5, 4, 9}), {.mode = td::IndexMode::wrap}), td::array({3, 0, 1})));
  EXPECT_TRUE(same(td::take(td::arange(300), td::array({200}, {.dtype = td::uint8}), {.mode = td::IndexMode::clip}), td::array({200})));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::take(td::arange(5), td::array({9})); }, "take: index 9 is out of bounds for axis 0 with size 5"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::take(x, i, {.axis = 3}); }, "take: axis 3"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::take(td::zeros({0}), td::array({0}), {.mode = td::IndexMode::clip}); }, "take: index 0"));
}

TEST(TakeAlongAxis, IsTheInverseOfArgsort) {
  const Array x = td::random::normal({5, 7, 3}, {.seed = 3});
  for (int axis : {0, 1, 2, -1})
    EXPECT_TRUE(same(td::take_along_axis(x, td::argsort(x, {.axis = axis}), axis), td::sort(x, {.axis = axis}))) << axis;
  const Array best = td::argmax(x, {.axis = 1, .keepdims = true});
  EXPECT_TRUE(same(td::take_along_axis(x, best, 1), td::max(x, {.axis = 1, .keepdims = true})));
  EXPECT_TRUE(same(td::take_along_axis(shaped({2, 3}), td::array({{-1}}), 1), td::array({{2}, {5}})));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::take_along_axis(td::zeros({2, 3}), td::array({{3}, {0}}), 1); },
                                     "take_along_axis: index 3 is out of bounds for axis 1 with size 3"));
  EXPECT_TRUE(throws([&] { td::take_along_axis(td::zeros({2, 3}), td::array({0}), 1); }, "take_along_axis: ", {"(1,)", "(2, 3)"}));
}

TEST(Put, AlongAxisAndFlat) {
  Array x = td::array({{10, 30, 20}, {60, 40, 50}});
  td::put_along_axis(x, td::argmax(x, {.axis = 1, .keepdims = true}), 99, 1);
  EXPECT_TRUE(same(x, td::array({{10, 99, 20}, {99, 40, 50}})));
  td::put_along_axis(x, td::array({{0, 0}, {2, 2}}), td::array({{1, 2}, {3, 4}}), 1);
  EXPECT_TRUE(same(x, td::array({{2, 99, 20}, {99, 40, 4}})));
  Array y = td::array({1, 2, 3, 4, 5});
  td::put(y, td::array({0, -1, 2}), td::array({7, 8}));
  EXPECT_TRUE(same(y, td::array({7, 2, 7, 4, 8})));
  td::put(y, td::array({7, -9}), 0, td::IndexMode::clip);
  EXPECT_TRUE(same(y, td::array({0, 2, 7, 4, 0})));
  Array t = shaped({2, 3}).transpose();
  td::put(t, td::array({1}), 9.9);
  EXPECT_TRUE(same(t, td::array({{0, 9}, {1, 4}, {2, 5}})));
  EXPECT_TRUE(throws([&] { td::put(y, td::array({0}), td::zeros({0})); }, "put: there are indices but no values"));
}

TEST(Nonzero, OfAllKindsOfArrays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x = td::array({{0.0, nan, -0.0}, {3.0, 0.0, 4.0}});
  const std::vector<Array> positions = td::nonzero(x);
  ASSERT_EQ(positions.size(), 2u);
  EXPECT_TRUE(same(positions[0], td::array({0, 1, 1})));
  EXPECT_TRUE(same(positions[1], td::array({1, 0, 2})));
  EXPECT_TRUE(same(td::where(x)[1], positions[1]));
  EXPECT_TRUE(same(td::argwhere(x), td::array({{0, 1}, {1, 0}, {1, 2}})));
  EXPECT_TRUE(same(td::flatnonzero(x), td::array({1, 3, 5})));
  EXPECT_TRUE(same(td::flatnonzero(x.T()), td::array({1, 2, 5})));
  EXPECT_TRUE(same(td::nonzero(td::zeros({3}))[0], td::empty({0}, {.dtype = td::int64})));
  EXPECT_EQ(td::argwhere(td::array(5)).shape(), (Shape{1, 0}));
  EXPECT_EQ(td::argwhere(td::zeros({0, 3})).shape(), (Shape{0, 2}));
  EXPECT_TRUE(throws([] { td::nonzero(td::array(5)); }, "nonzero: "));
}

TEST(Compress, PicksParts) {
  const Array x = td::array({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_TRUE(same(td::compress(td::array({0, 1}), x, {.axis = 0}), td::array({{3, 4}})));
  EXPECT_TRUE(same(td::compress(td::array({false, true}), x, {.axis = 1}), td::array({{2}, {4}, {6}})));
  EXPECT_TRUE(same(td::compress(td::array({false, true, true}), x), td::array({2, 3})));
  EXPECT_TRUE(same(td::extract(x % 2 == 0, x), td::array({2, 4, 6})));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::compress(td::array({1, 0, 1, 1}), td::array({1, 2, 3})); }, "compress: index 3"));
  EXPECT_TRUE(throws([&] { td::compress(x, x); }, "compress: ", {"(3, 2)"}));
}

TEST(Searchsorted, LeftAndRightInSortsOrder) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const td::SearchOptions right{.side = td::Side::right};
  const Array x = td::array({1.0, 2.0, 2.0, nan, nan}), v = td::array({{0.0, 2.0}, {nan, 5.0}});
  EXPECT_TRUE(same(td::searchsorted(x, v), td::array({{0, 1}, {3, 3}})));
  EXPECT_TRUE(same(td::searchsorted(x, v, right), td::array({{0, 3}, {5, 3}})));
  EXPECT_TRUE(same(td::searchsorted(td::array({-0.0, 0.0}), td::array(0.0)), td::array(0)));
  EXPECT_TRUE(same(td::searchsorted(td::array({1, 2}), td::array({1.5})), td::array({1})));
  EXPECT_TRUE(same(td::searchsorted(td::zeros({0}), v), td::zeros({2, 2}, {.dtype = td::int64})));
  const Array unsorted = td::array({3, 1, 2});
  EXPECT_TRUE(same(td::searchsorted(unsorted, td::array({2, 4}), {.sorter = td::argsort(unsorted)}), td::array({1, 3})));
  EXPECT_TRUE(throws([&] { td::searchsorted(v, v); }, "searchsorted: ", {"(2, 2)"}));
  for (DType dtype : all_dtypes) {
    const Array sorted = td::sort((td::random::integers({500}, 0, 100, {.seed = 1})).astype(dtype));
    const Array wanted = td::random::integers({300}, 0, 110, {.seed = 2}).astype(dtype);
    const Array less = td::sum((sorted < wanted.expand_dims(1)).astype(td::int64), {.axis = 1});
    const Array up_to = td::sum((sorted <= wanted.expand_dims(1)).astype(td::int64), {.axis = 1});
    EXPECT_TRUE(same(td::searchsorted(sorted, wanted), less)) << dtype;
    EXPECT_TRUE(same(td::searchsorted(sorted, wanted, right), up_to)) << dtype;
  }
}

TEST(Ix, PicksRowsAndColumns) {
  const Array x = shaped({3, 4});
  const std::vector<Array> ix = td::ix_({td::array({2, 0}), td::array({true, false, false, true})});
  EXPECT_EQ(ix[0].shape(), (Shape{2, 1}));
  EXPECT_TRUE(same(x(ix[0], ix[1]), td::array({{8, 11}, {0, 3}})));
  EXPECT_EQ(td::ix_({td::zeros({0}, {.dtype = td::int64})})[0].shape(), Shape{0});
  EXPECT_TRUE(throws([&] { td::ix_({x}); }, "ix_: array of shape (3, 4)"));
}

TEST(TriangleIndices, AsNumPys) {
  EXPECT_TRUE(same(td::tril_indices(3)[0], td::array({0, 1, 1, 2, 2, 2})));
  EXPECT_TRUE(same(td::tril_indices(3)[1], td::array({0, 0, 1, 0, 1, 2})));
  EXPECT_TRUE(same(td::tril_indices(2, {.k = 1, .m = 4})[0], td::array({0, 0, 1, 1, 1})));
  EXPECT_TRUE(same(td::tril_indices(2, {.k = 1, .m = 4})[1], td::array({0, 1, 0, 1, 2})));
  EXPECT_TRUE(same(td::tril_indices(3, {.k = -1})[0], td::array({1, 2, 2})));
  EXPECT_TRUE(same(td::tril_indices(3, {.k = -1})[1], td::array({0, 0, 1})));
  EXPECT_TRUE(same(td::tril_indices(2, {.k = -9})[0], td::zeros({0}, {.dtype = td::int64})));
  EXPECT_TRUE(same(td::tril_indices(2, {.k = -9})[1], td::zeros({0}, {.dtype = td::int64})));
  EXPECT_TRUE(same(td::triu_indices(3)[0], td::array({0, 0, 0, 1, 1, 2})));
  EXPECT_TRUE(same(td::triu_indices(3)[1], td::array({0, 1, 2, 1, 2, 2})));
  EXPECT_TRUE(same(td::triu_indices(2, {.k = 1, .m = 4})[0], td::array({0, 0, 0, 1, 1})));
  EXPECT_TRUE(same(td::triu_indices(2, {.k = 1, .m = 4})[1], td::array({1, 2, 3, 2, 3})));
  EXPECT_TRUE(same(td::triu_indices(3, {.k = -1})[0], td::array({0, 0, 0, 1, 1, 1, 2, 2})));
  EXPECT_TRUE(same(td::triu_indices(3, {.k = -1})[1], td::array({0, 1, 2, 0, 1, 2, 1, 2})));
  EXPECT_TRUE(same(td::triu_indices(2, {.k = -9})[0], td::array({0, 0, 1, 1})));
  EXPECT_TRUE(same(td::triu_indices(2, {.k = -9})[1], td::array({0, 1, 0, 1})));
}

}  // namespace
