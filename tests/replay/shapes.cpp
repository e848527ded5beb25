// Creation, manipulation, sets, partial orders, text.
#include <sstream>

#include "calls.hpp"

namespace td = tandem;

namespace tandem::test::replay {
namespace {

Array bytes(const std::string& text) {
  return Array(std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size()));
}

td::PadWidth widths(const Arguments& a, std::size_t i) {
  if (!a.is_shape(i)) return a.integer(i);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const std::vector<std::int64_t> numbers = a.integers(i);
  for (std::size_t k = 0; k < numbers.size(); k += 2) pairs.emplace_back(numbers[k], numbers[k + 1]);
  return pairs;
}

void add_creation(Functions& f) {
  f["tri"].call = GIVES(td::tri(a.integer(0), a.optional_integer(1), {.k = a.integer(2), .dtype = a.dtype(3)}));
  f["identity"].call = GIVES(td::identity(a.integer(0), {.dtype = a.dtype(1)}));
  f["tril"].call = GIVES(td::tril(a.array(0), {.k = a.integer(1)}));
  f["triu"].call = GIVES(td::triu(a.array(0), {.k = a.integer(1)}));
  f["diag"].call = GIVES(td::diag(a.array(0), {.k = a.integer(1)}));
  f["diagflat"].call = GIVES(td::diagflat(a.array(0), {.k = a.integer(1)}));
  f["logspace"].call = GIVES(td::logspace(a.real(0), a.real(1), a.integer(2),
                                          {.endpoint = a.flag(3), .base = a.real(4), .dtype = a.dtype(5)}));
  f["geomspace"].call = GIVES(td::geomspace(a.real(0), a.real(1), a.integer(2),
                                            {.endpoint = a.flag(3), .dtype = a.dtype(4)}));
  f["meshgrid"].call = [](const Arguments& a) {
    return td::meshgrid(a.arrays(0), {.indexing = a.choice<td::Indexing>(1, {"xy", "ij"}), .sparse = a.flag(2)});
  };
  f["one_hot"].call = GIVES(td::one_hot(a.array(0), a.integer(1), {.dtype = *a.dtype(2)}));
  f["zeros_like"].call = GIVES(td::zeros_like(a.array(0), {.dtype = a.dtype(1)}));
  f["ones_like"].call = GIVES(td::ones_like(a.array(0), {.dtype = a.dtype(1)}));
  f["full_like"].call = GIVES(td::full_like(a.array(0), a.scalar(2), {.dtype = a.dtype(1)}));
  f["ix_"].call = [](const Arguments& a) { return td::ix_(a.arrays(0)); };
  f["tril_indices"].call = [](const Arguments& a) {
    return td::tril_indices(a.integer(0), {.k = a.integer(1), .m = a.optional_integer(2)});
  };
  f["triu_indices"].call = [](const Arguments& a) {
    return td::triu_indices(a.integer(0), {.k = a.integer(1), .m = a.optional_integer(2)});
  };
  f["result_type"].call = [](const Arguments& a) {
    const auto type = [&](std::size_t i) {
      const td::Operand x = a.operand(i);
      return x.is_array() ? td::TypeOperand(x.array()) : td::TypeOperand(x.scalar());
    };
    const DType dtype = a.size() == 2 ? td::result_type({type(0), type(1)})
                                      : td::result_type({type(0), type(1), type(2)});
    return Results{td::zeros({0}, {.dtype = dtype})};
  };
  f["can_cast"].call = GIVES(Array(td::can_cast(
      *a.dtype(0), *a.dtype(1), a.choice<td::Casting>(2, {"safe", "same_kind", "unsafe"}))));
}

void add_manipulation(Functions& f) {
  f["fliplr"].call = GIVES(td::fliplr(a.array(0)));
  f["flipud"].call = GIVES(td::flipud(a.array(0)));
  f["atleast_1d"].call = GIVES(td::atleast_1d(a.array(0)));
  f["atleast_2d"].call = GIVES(td::atleast_2d(a.array(0)));
  f["atleast_3d"].call = GIVES(td::atleast_3d(a.array(0)));
  f["permute_dims"].call = GIVES(td::permute_dims(a.array(0), a.shape(1)));
  f["swapaxes"].call = GIVES(td::swapaxes(a.array(0), a.axis(1), a.axis(2)));
  f["moveaxes"] = {.call = GIVES(td::moveaxis(a.array(0), a.shape(1), a.shape(2))), .says = {"moveaxis"}};
  f["rot90"].call = GIVES(td::rot90(a.array(0), a.integer(1), {.axes = a.shape(2)}));
  f["diagonal"].call =
      GIVES(td::diagonal(a.array(0), {.offset = a.integer(1), .axis1 = a.axis(2), .axis2 = a.axis(3)}));
  f["hstack"].call = GIVES(td::hstack(a.arrays(0)));
  f["vstack"].call = GIVES(td::vstack(a.arrays(0)));
  f["dstack"].call = GIVES(td::dstack(a.arrays(0)));
  f["column_stack"].call = GIVES(td::column_stack(a.arrays(0)));
  f["concat_flat"] = {.call = GIVES(td::concat(a.arrays(0), {.axis = none})), .says = {"concat"}};
  f["block"].call = [](const Arguments& a) {
    const std::vector<Array> x = a.arrays(0);
    return Results{x.size() == 1   ? td::block({{x[0]}})
                   : x.size() == 4 ? td::block({{x[0], x[1]}, {x[2], x[3]}})
                   : a.flag(1)     ? td::block({{x[0], x[1]}})
                                   : td::block({{x[0]}, {x[1]}})};
  };
  f["append"].call = GIVES(td::append(a.array(0), a.array(1), {.axis = a.optional_axis(2)}));
  f["insert"].call = GIVES(td::insert(a.array(0), a.integer(1), a.operand(2), {.axis = a.optional_axis(3)}));
  f["delete_"].call = [](const Arguments& a) {
    const td::EditOptions options{.axis = a.optional_axis(2)};
    const td::Operand index = a.operand(1);
    return Results{index.is_array() ? td::delete_(a.array(0), index.array(), options)
                                    : td::delete_(a.array(0), a.integer(1), options)};
  };
  f["split"].call = [](const Arguments& a) {
    return a.is_shape(1) ? td::split(a.array(0), a.integers(1), {.axis = a.axis(2)})
                         : td::split(a.array(0), a.integer(1), {.axis = a.axis(2)});
  };
  f["array_split"].call = [](const Arguments& a) {
    return a.is_shape(1) ? td::array_split(a.array(0), a.integers(1), {.axis = a.axis(2)})
                         : td::array_split(a.array(0), a.integer(1), {.axis = a.axis(2)});
  };
  f["broadcast_arrays"].call = [](const Arguments& a) { return td::broadcast_arrays(a.arrays(0)); };
  f["broadcast_shapes"].call = [](const Arguments& a) {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < a.size(); ++i) shapes.push_back(a.shape(i));
    const Shape shape = td::broadcast_shapes(shapes);
    return Results{Array(std::span<const std::int64_t>(shape.begin(), shape.end()))};
  };
  f["roll_axes"] = {.call = GIVES(td::roll(a.array(0), a.integer(1), {.axis = a.axes(2)})), .says = {"roll"}};
  f["pad"].call = [](const Arguments& a) {
    const auto mode = a.choice<td::PadMode>(2, {"constant", "edge", "reflect", "symmetric", "wrap"});
    return Results{td::pad(a.array(0), widths(a, 1), {.mode = mode, .constant_values = a.scalar(3)})};
  };
  // A variable changes as if the value had been computed first.
  f["overlap"] = {.call = [](const Arguments& a) {
    Array x = a.array(0);
    const Array value = x.at(a.index(2));
    const std::string& how = a.text(3);
    if (how == "move") x.at(a.index(1)) = x.at(a.index(2));
    else if (how == "negative") x.at(a.index(1)) = negative(x.at(a.index(2)));
    else if (how == "flip") x.at(a.index(1)) = value.flip();
    else if (how == "add") x.at(a.index(1)) += x.at(a.index(2));
    else if (how == "sort") x.at(a.index(1)) = td::sort(value);
    else if (how == "scan") x.at(a.index(1)) = td::cumulative_sum(value, {.axis = -1, .dtype = x.dtype()});
    else throw std::runtime_error("overlap by " + how);
    return Results{x, value};
  }, .says = {"assign"}};
}

void add_sets(Functions& f) {
  f["unique_values"].call = GIVES(td::unique_values(a.array(0), {.equal_nan = a.flag(1)}));
  f["unique_counts"].call = [](const Arguments& a) {
    const auto [values, counts] = td::unique_counts(a.array(0), {.equal_nan = a.flag(1)});
    return Results{values, counts};
  };
  f["unique_inverse"].call = [](const Arguments& a) {
    const auto [values, inverse] = td::unique_inverse(a.array(0), {.equal_nan = a.flag(1)});
    return Results{values, inverse};
  };
  f["unique_all"].call = [](const Arguments& a) {
    const auto [values, indices, inverse, counts] = td::unique_all(a.array(0), {.equal_nan = a.flag(1)});
    return Results{values, indices, inverse, counts};
  };
  f["isin"].call = GIVES(td::isin(a.operand(0), a.operand(1), {.invert = a.flag(2)}));
  f["intersect1d"].call = GIVES(td::intersect1d(a.array(0), a.array(1)));
  f["union1d"].call = GIVES(td::union1d(a.array(0), a.array(1)));
  f["setdiff1d"].call = GIVES(td::setdiff1d(a.array(0), a.array(1)));
  f["setxor1d"].call = GIVES(td::setxor1d(a.array(0), a.array(1)));
  for (const char* name : {"unique_values", "unique_counts", "unique_inverse", "unique_all", "intersect1d", "union1d",
                           "setdiff1d", "setxor1d"})
    f[name].zeros_alike = true;
}

void add_orders(Functions& f) {
  f["sort_down"] = {.call = GIVES(td::sort(a.array(0), {.axis = a.axis(1), .descending = true})), .says = {"sort"}};
  f["argsort_down"] = {.call = GIVES(td::argsort(a.array(0), {.axis = a.axis(1), .descending = true})),
                       .says = {"argsort"}};
  // The element at kth, and whether those before it are no larger and those behind it no smaller.
  const auto parted = [](const Array& x, std::int64_t kth, int axis) {
    const Array rows = td::sort(x, {.axis = axis}), place = td::array({kth});
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      const Array moved = x.moveaxis(axis, 0);
      return td::sort(moved(td::slice(begin, end)), {.axis = 0}).moveaxis(0, axis);
    };
    const std::int64_t n = x.shape(axis), k = kth < 0 ? kth + n : kth;
    return Results{td::take(x, place, {.axis = axis}), td::concat({part(0, k), part(k, n)}, axis)};
  };
  f["partition"].call = [=](const Arguments& a) {
    return parted(td::partition(a.array(0), a.integer(1), {.axis = a.axis(2)}), a.integer(1), a.axis(2));
  };
  f["argpartition"].call = [=](const Arguments& a) {
    const Array order = td::argpartition(a.array(0), a.integer(1), {.axis = a.axis(2)});
    return parted(td::take_along_axis(a.array(0), order, a.axis(2)), a.integer(1), a.axis(2));
  };
  for (const char* name : {"partition", "argpartition", "sort_down"}) f[name].zeros_alike = true;
  f["topk"].call = [](const Arguments& a) {
    const auto [values, indices] = td::topk(a.array(0), a.integer(1), {.axis = a.axis(2), .largest = a.flag(3)});
    return Results{values, indices};
  };
  f["lexsort"].call = GIVES(td::lexsort(a.arrays(0)));
}

void add_text(Functions& f) {
  f["print"].call = GIVES(bytes(td::to_string(a.array(0))));
  f["save"].call = [](const Arguments& a) {
    std::ostringstream out;
    td::save(out, a.array(0));
    return Results{bytes(out.str())};
  };
  f["savetxt"].call = [](const Arguments& a) {
    std::ostringstream out;
    td::savetxt(out, a.array(0), {.fmt = a.text(1), .delimiter = a.text(2)});
    return Results{bytes(out.str())};
  };
  f["loadtxt"].call = [](const Arguments& a) {
    std::istringstream in(a.text(0));
    const std::vector<std::int64_t> columns = a.integers(4);
    return Results{td::loadtxt(in, {.delimiter = a.text(1), .skiprows = a.integer(2),
                                    .usecols = {columns.begin(), columns.end()}, .max_rows = a.optional_integer(5),
                                    .ndmin = a.axis(6), .dtype = *a.dtype(3)})};
  };
}

}  // namespace

void add_shapes(Functions& f) {
  add_creation(f);
  add_manipulation(f);
  add_sets(f);
  add_orders(f);
  add_text(f);
}

}  // namespace tandem::test::replay
