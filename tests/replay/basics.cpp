// Reductions, scans, order, views, indexing, products, creation.
#include "calls.hpp"

namespace td = tandem;

namespace tandem::test::replay {
namespace {

td::ReduceOptions reduce_options(const Arguments& a) { return {.axis = a.axes(1), .keepdims = a.flag(2)}; }
td::IndexMode index_mode(const std::string& name) {
  return name == "wrap" ? td::IndexMode::wrap : name == "clip" ? td::IndexMode::clip : td::IndexMode::raise;
}

}  // namespace

void add_basics(Functions& f) {
  // Reductions.
#define REDUCTION(name) \
  f[#name].call = [](const Arguments& a) { return Results{td::name(a.array(0), reduce_options(a))}; }
  REDUCTION(max);
  REDUCTION(min);
  REDUCTION(any);
  REDUCTION(all);
  REDUCTION(argmax);
  REDUCTION(argmin);
  REDUCTION(count_nonzero);
  REDUCTION(mean);
  // NumPy leaves open which zero is larger, and starts some sums at +0.
  for (const char* name : {"max", "min", "sum"}) f[name].zeros_alike = true;
  const auto sum_options = [](const Arguments& a) {
    return td::ReduceOptions{.axis = a.axes(1), .keepdims = a.flag(2), .dtype = a.dtype(3)};
  };
  const auto var_options = [](const Arguments& a) {
    return td::VarOptions{.axis = a.axes(1), .correction = a.real(3), .keepdims = a.flag(2)};
  };
  f["sum"].call = [=](const Arguments& a) { return Results{td::sum(a.array(0), sum_options(a))}; };
  f["prod"].call = [=](const Arguments& a) { return Results{td::prod(a.array(0), sum_options(a))}; };
  f["var"].call = [=](const Arguments& a) { return Results{td::var(a.array(0), var_options(a))}; };
  f["std"].call = [=](const Arguments& a) { return Results{td::std(a.array(0), var_options(a))}; };

  // Scans.
  const auto scan_options = [](const Arguments& a) {
    return td::CumulativeOptions{.axis = a.axis(1), .include_initial = a.flag(2)};
  };
#define SCAN(name, options) \
  f[#name].call = [=](const Arguments& a) { return Results{td::name(a.array(0), options(a))}; }
  const auto extreme_options = [](const Arguments& a) { return td::CumulativeExtremeOptions{.axis = a.axis(1)}; };
  SCAN(cumulative_sum, scan_options);
  SCAN(cumulative_prod, scan_options);
  SCAN(cumulative_max, extreme_options);
  SCAN(cumulative_min, extreme_options);
  f["cumulative_max"].zeros_alike = f["cumulative_min"].zeros_alike = true;
  f["diff"].call = [](const Arguments& a) {
    return Results{td::diff(a.array(0), {a.axis(1), a.axis(2), a.optional_array(3), a.optional_array(4)})};
  };

  // Order.
  f["sort"].call = [](const Arguments& a) { return Results{td::sort(a.array(0), {.axis = a.axis(1)})}; };
  f["argsort"].call = [](const Arguments& a) { return Results{td::argsort(a.array(0), {.axis = a.axis(1)})}; };
  f["searchsorted"].call = [](const Arguments& a) {
    const td::Side side = a.text(2) == "left" ? td::Side::left : td::Side::right;
    return Results{td::searchsorted(a.array(0), a.array(1), {side, a.optional_array(3)})};
  };

  // Manipulation.
  f["reshape"].call = [](const Arguments& a) { return Results{a.array(0).reshape(a.shape(1))}; };
  f["transpose"].call = [](const Arguments& a) { return Results{a.array(0).transpose()}; };
  f["permute"].call = [](const Arguments& a) { return Results{a.array(0).permute(a.shape(1))}; };
  f["squeeze"].call = [](const Arguments& a) { return Results{a.array(0).squeeze(a.axes(1))}; };
  f["expand_dims"].call = [](const Arguments& a) { return Results{a.array(0).expand_dims(a.axes(1))}; };
  f["broadcast_to"].call = [](const Arguments& a) { return Results{a.array(0).broadcast_to(a.shape(1))}; };
  f["flip"].call = [](const Arguments& a) { return Results{a.array(0).flip(a.axes(1))}; };
  f["moveaxis"].call = [](const Arguments& a) { return Results{a.array(0).moveaxis(a.axis(1), a.axis(2))}; };
  f["matrix_transpose"].call = [](const Arguments& a) { return Results{td::matrix_transpose(a.array(0))}; };
  f["copy"].call = [](const Arguments& a) { return Results{a.array(0).copy()}; };
  f["roll"].call = [](const Arguments& a) {
    return Results{a.is_shape(1) ? td::roll(a.array(0), a.shape(1), a.shape(2))
                                 : td::roll(a.array(0), a.integer(1), a.optional_axis(2))};
  };
  f["repeat"].call = [](const Arguments& a) {
    const td::RepeatOptions options{.axis = a.optional_axis(2)};
    const td::Operand n = a.operand(1);
    return Results{n.is_array() ? td::repeat(a.array(0), n.array(), options)
                                : td::repeat(a.array(0), a.integer(1), options)};
  };
  f["tile"].call = [](const Arguments& a) { return Results{td::tile(a.array(0), a.shape(1))}; };
  f["concat"].call = [](const Arguments& a) { return Results{td::concat(a.arrays(0), a.axis(1))}; };
  f["stack"].call = [](const Arguments& a) { return Results{td::stack(a.arrays(0), a.axis(1))}; };
  f["unstack"].call = [](const Arguments& a) { return td::unstack(a.array(0), a.axis(1)); };

  // Indexing.
  f["getitem"].call = [](const Arguments& a) { return Results{a.array(0).at(a.index(1))}; };
  f["setitem"].call = [](const Arguments& a) {
    Array x = a.array(0);
    x.at(a.index(1)) = a.operand(2);
    return Results{x};
  };
  f["setitem_add"].call = [](const Arguments& a) {
    Array x = a.array(0);
    x.at(a.index(1)) += a.operand(2);
    return Results{x};
  };
  f["take"].call = [](const Arguments& a) {
    return Results{td::take(a.array(0), a.array(1), {a.optional_axis(2), index_mode(a.text(3))})};
  };
  f["take_along_axis"].call = [](const Arguments& a) {
    return Results{td::take_along_axis(a.array(0), a.array(1), a.axis(2))};
  };
  f["put_along_axis"].call = [](const Arguments& a) {
    Array x = a.array(0);
    td::put_along_axis(x, a.array(1), a.operand(2), a.axis(3));
    return Results{x};
  };
  f["put"].call = [](const Arguments& a) {
    Array x = a.array(0);
    td::put(x, a.array(1), a.operand(2), index_mode(a.text(3)));
    return Results{x};
  };
  f["add_at"].call = [](const Arguments& a) {
    Array x = a.array(0);
    td::add_at(x, a.index(1), a.operand(2));
    return Results{x};
  };
  f["nonzero"].call = [](const Arguments& a) { return td::nonzero(a.array(0)); };
  f["argwhere"].call = [](const Arguments& a) { return Results{td::argwhere(a.array(0))}; };
  f["flatnonzero"].call = [](const Arguments& a) { return Results{td::flatnonzero(a.array(0))}; };
  f["compress"].call = [](const Arguments& a) {
    return Results{td::compress(a.array(0), a.array(1), {a.optional_axis(2)})};
  };
  f["extract"].call = [](const Arguments& a) { return Results{td::extract(a.array(0), a.array(1))}; };

  f["getitem"].says = {"index"};
  f["setitem"].says = {"index", "assign"};
  f["setitem_add"].says = {"index", "assign", "add"};

  // Products. The numbers are whole and small, so that each order of additions gives the same bits; only the sign of a
  // complex zero depends on it.
  f["matmul"].call = [](const Arguments& a) { return Results{td::matmul(a.array(0), a.array(1))}; };
  f["dot"].call = [](const Arguments& a) { return Results{td::dot(a.array(0), a.array(1))}; };
  f["outer"].call = [](const Arguments& a) { return Results{td::outer(a.array(0), a.array(1))}; };
  f["tensordot"].call = [](const Arguments& a) {
    return Results{a.is_shape(2) ? td::tensordot(a.array(0), a.array(1), a.shape(2), a.shape(3))
                                 : td::tensordot(a.array(0), a.array(1), a.axis(2))};
  };
  for (const char* name : {"matmul", "dot", "tensordot"}) f[name].zeros_alike = true;

  // Creation.
  f["arange"].call = [](const Arguments& a) {
    return Results{td::arange(a.scalar(0), a.scalar(1), a.scalar(2), {.dtype = a.dtype(3)})};
  };
  f["linspace"].call = [](const Arguments& a) {
    return Results{td::linspace(a.scalar(0), a.scalar(1), a.integer(2), {.endpoint = a.flag(3), .dtype = a.dtype(4)})};
  };
  f["eye"].call = [](const Arguments& a) {
    const std::optional<std::int64_t> columns = a.has(1) ? std::optional(a.integer(1)) : std::nullopt;
    return Results{td::eye(a.integer(0), columns, {.k = a.axis(2), .dtype = a.dtype(3)})};
  };
  f["full"].call = [](const Arguments& a) { return Results{td::full(a.shape(0), a.scalar(1))}; };
}

}  // namespace tandem::test::replay
