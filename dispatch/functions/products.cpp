#include <tandem/products.hpp>

#include <algorithm>

#include <tandem/elementwise.hpp>
#include <tandem/linalg.hpp>
#include <tandem/manipulation.hpp>
#include <tandem/reductions.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;

// A label is a letter, 0 to 51 in the order A-Z a-z, or an axis under an ellipsis, counted from its last one.
constexpr int letters = 52;
constexpr int labels = letters + Shape::max_ndim;
using Labels = std::vector<int>;

/// An operand of a contraction: each axis has a label of its own.
struct Term {
  Array array;
  Labels axes;
};

bool contains(const Labels& list, int label) { return std::find(list.begin(), list.end(), label) != list.end(); }

[[noreturn]] void refuse(std::string_view subscripts, const std::string& why) {
  fail("einsum", "subscripts \"" + std::string(subscripts) + "\": " + why);
}

/// The labels of one part of the subscripts; an ellipsis stands for `ellipsis` axes.
Labels parse(std::string_view subscripts, std::string_view part, int ellipsis) {
  Labels result;
  bool seen = false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == ' ') continue;
    if (c == '.') {
      if (seen || part.substr(i, 3) != "...") refuse(subscripts, "an ellipsis is three points, once");
      seen = true;
      i += 2;
      for (int k = ellipsis - 1; k >= 0; --k) result.push_back(letters + k);
    } else if (c >= 'A' && c <= 'Z') {
      result.push_back(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      result.push_back(26 + c - 'a');
    } else {
      refuse(subscripts, std::string("'") + c + "' is no letter");
    }
  }
  return result;
}

/// x with the diagonal of axes that have one label, each label once.
Term diagonals(std::string_view subscripts, const Array& x, Labels axes) {
  Array array = x;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto again = std::find(axes.begin() + std::ptrdiff_t(i) + 1, axes.end(), axes[i]);
    if (again == axes.end()) continue;
    const auto j = again - axes.begin();
    const int label = axes[i];
    if (array.shape()[int(i)] != array.shape()[int(j)])
      refuse(subscripts, "shape " + to_string(x.shape()) + " has different lengths for one letter");
    array = diagonal(array, {.axis1 = int(i), .axis2 = int(j)});
    axes.erase(again);
    axes.erase(axes.begin() + std::ptrdiff_t(i));
    axes.push_back(label);
    --i;
  }
  return {array, axes};
}

/// A sum over the axes that `keep` lacks.
Term reduced(Term term, const Labels& keep, DType dtype) {
  Shape summed;
  Labels left;
  for (std::size_t i = 0; i < term.axes.size(); ++i)
    if (contains(keep, term.axes[i])) left.push_back(term.axes[i]);
    else summed.push_back(std::int64_t(i));
  if (summed.empty()) return term;
  return {sum(term.array, {.axis = summed, .dtype = dtype}), left};
}

/// The axes in this order, which names all of them and may name more: those come with length 1.
Array arranged(const Term& term, const Labels& order) {
  Shape axes, added;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto at = std::find(term.axes.begin(), term.axes.end(), order[i]);
    if (at == term.axes.end()) added.push_back(std::int64_t(i));
    else axes.push_back(at - term.axes.begin());
  }
  const Array permuted = term.array.permute(axes);
  return added.empty() ? permuted : permuted.expand_dims(added);
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Product of two terms, summed over what they have in common and `keep` lacks.
Term contracted(Term a, Term b, const Labels& keep, DType dtype) {
  a = reduced(std::move(a), keep + b.axes, dtype);
  b = reduced(std::move(b), keep + a.axes, dtype);
  Labels batch, rows, inner, columns;
  for (int label : a.axes) (contains(b.axes, label) ? contains(keep, label) ? batch : inner : rows).push_back(label);
  for (int label : b.axes)
    if (!contains(a.axes, label)) columns.push_back(label);
  const Labels result = batch + rows + columns;
  if (inner.empty() || (rows.empty() && columns.empty())) {  // no matrices: a product that fuses with its sum
    const Labels all_axes = result + inner;
    return reduced({multiply(arranged(a, all_axes), arranged(b, all_axes)), all_axes}, result, dtype);
  }
  const auto lengths = [](const Term& term, const Labels& list) {
    Shape shape;
    for (int label : list) {
      const auto axis = std::find(term.axes.begin(), term.axes.end(), label) - term.axes.begin();
      shape.push_back(term.array.shape()[int(axis)]);
    }
    return shape;
  };
  const auto matrices = [&](const Term& term, const Labels& first, const Labels& second) {
    Shape shape = lengths(term, batch);
    for (const Labels* group : {&first, &second}) {
      std::int64_t product = 1;
      for (std::int64_t length : lengths(term, *group)) product *= length;
      shape.push_back(product);
    }
    return arranged(term, batch + first + second).reshape(shape);
  };
  const Array product = matmul(matrices(a, rows, inner), matrices(b, inner, columns));
  Shape shape = lengths(a, batch + rows);
  for (std::int64_t length : lengths(b, columns)) shape.push_back(length);
  return {product.reshape(shape), result};
}

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array> operands) {
  const FunctionName function("einsum");
  detail::common_device(function, operands);
  const std::size_t arrow = subscripts.find("->");
  const std::string_view inputs = subscripts.substr(0, arrow);
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= inputs.size();) {
    const std::size_t end = std::min(inputs.find(',', begin), inputs.size());
    parts.push_back(inputs.substr(begin, end - begin));
    begin = end + 1;
  }
  if (operands.empty() || parts.size() != operands.size())
    refuse(subscripts, std::to_string(parts.size()) + " operands are named, " + std::to_string(operands.size()) +
                           " given");

  const DType dtype = detail::promote(operands);
  const DType compute = dtype == float16 || dtype == bfloat16 ? float32 : dtype;
  std::vector<Term> terms;
  int count[labels] = {}, widest = 0;  // how often each label occurs; axes under ellipses
  std::int64_t lengths[labels];
  std::fill(lengths, lengths + labels, -1);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Array& x = operands[k];
    const int hidden = x.ndim() - int(parse(subscripts, parts[k], 0).size());
    const bool ellipsis = parts[k].find('.') != parts[k].npos;
    if (hidden < 0 || (hidden > 0 && !ellipsis))
      refuse(subscripts, "operand " + std::to_string(k) + " has shape " + to_string(x.shape()));
    widest = std::max(widest, hidden);
    const Labels axes = parse(subscripts, parts[k], hidden);
    for (int label : axes) ++count[label];
    terms.push_back(diagonals(subscripts, x, axes));
    const Term& term = terms.back();
    for (std::size_t i = 0; i < term.axes.size(); ++i) {
      const std::int64_t length = term.array.shape()[int(i)];
      std::int64_t& whole = lengths[term.axes[i]];
      if (whole == -1 || whole == 1) whole = length;
      else if (length != 1 && length != whole)
        refuse(subscripts, "lengths " + std::to_string(whole) + " and " + std::to_string(length) +
                               " of one axis, in operand " + std::to_string(k) + " of shape " + to_string(x.shape()));
    }
  }

  Labels output;
  if (arrow != subscripts.npos) {
    output = parse(subscripts, subscripts.substr(arrow + 2), widest);
    for (std::size_t i = 0; i < output.size(); ++i) {
      if (std::count(output.begin(), output.end(), output[i]) > 1) refuse(subscripts, "the output names an axis twice");
      if (lengths[output[i]] == -1) refuse(subscripts, "the output names an axis that no operand has");
    }
  } else {
    for (int k = widest - 1; k >= 0; --k) output.push_back(letters + k);
    for (int label = 0; label < letters; ++label)
      if (count[label] == 1) output.push_back(label);
  }

  for (Term& term : terms) {
    term.array = term.array.astype(compute);
    // An axis of length 1 that meets a longer one repeats: without it the product does that.
    Shape repeated;
    for (std::size_t i = 0; i < term.axes.size(); ++i)
      if (term.array.shape()[int(i)] == 1 && lengths[term.axes[i]] != 1) repeated.push_back(std::int64_t(i));
    if (repeated.empty()) continue;
    term.array = term.array.squeeze(repeated);
    for (int i = repeated.size() - 1; i >= 0; --i) term.axes.erase(term.axes.begin() + std::ptrdiff_t(repeated[i]));
  }

  const auto size_of = [&](const Labels& axes) {
    double size = 1;
    for (int label : axes) size *= double(lengths[label]);
    return size;
  };
  const auto needed = [&](std::size_t a, std::size_t b) {  // by the output and the terms other than these
    Labels keep = output;
    for (std::size_t k = 0; k < terms.size(); ++k)
      if (k != a && k != b) keep = keep + terms[k].axes;
    return keep;
  };
  while (terms.size() > 1) {
    std::size_t first = 0, second = 1;
    double best = 0;
    for (std::size_t a = 0; a < terms.size() && terms.size() > 2; ++a)
      for (std::size_t b = a + 1; b < terms.size(); ++b) {
        const Labels keep = needed(a, b);
        Labels result;
        for (int label : terms[a].axes + terms[b].axes)
          if (contains(keep, label) && !contains(result, label)) result.push_back(label);
        const double growth = size_of(result) - size_of(terms[a].axes) - size_of(terms[b].axes);
        if ((a == 0 && b == 1) || growth < best) best = growth, first = a, second = b;
      }
    Term product = contracted(terms[first], terms[second], needed(first, second), compute);
    terms.erase(terms.begin() + std::ptrdiff_t(second));
    terms[first] = std::move(product);
  }
  const Term result = reduced(std::move(terms[0]), output, compute);
  Array array = arranged(result, output);
  Shape shape;
  for (int label : output) shape.push_back(lengths[label]);
  return array.broadcast_to(shape).astype(dtype);
}

Array inner(const Array& a, const Array& b) {
  const FunctionName function("inner");
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
  if (a.shape(-1) != b.shape(-1))
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
  return tensordot(a, b, {-1}, {-1});
}

Array vdot(const Array& a, const Array& b) {
  const FunctionName function("vdot");
  if (a.size() != b.size())
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " have different sizes");
  const DType dtype = promote_types(a.dtype(), b.dtype());
  const DType compute = dtype == float16 || dtype == bfloat16 ? float32 : dtype;
  const Array products = multiply(conj(a.ravel().astype(compute)), b.ravel().astype(compute));
  return sum(products, {.dtype = compute}).astype(dtype);
}

namespace {

/// Throws Error unless the vectors have as many elements as `axis` of the matrices, and the stacks broadcast.
void require_alignment(const char* function, const Array& a, const Array& b, const Array& matrices, int axis,
                       const Array& vectors) {
  const auto stack = [](const Array& x, int axes) { return Shape(x.shape().data(), x.ndim() - axes); };
  if (matrices.ndim() >= 2 && vectors.ndim() >= 1 && matrices.shape(axis) == vectors.shape(-1))
    if (Shape shape = stack(matrices, 2); detail::broadcast_into(shape, stack(vectors, 1))) return;
  fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
}

}  // namespace

Array matvec(const Array& a, const Array& b) {
  const FunctionName function("matvec");
  require_alignment(function, a, b, a, -1, b);
  return matmul(a, b.expand_dims(-1)).squeeze(-1);
}

Array vecmat(const Array& a, const Array& b) {
  const FunctionName function("vecmat");
  require_alignment(function, a, b, b, -2, a);
  return matmul((is_complex(a.dtype()) ? conj(a) : a).expand_dims(-2), b).squeeze(-2);
}

Array kron(const Array& a, const Array& b) {
  const FunctionName function("kron");
  const int ndim = std::max(a.ndim(), b.ndim());
  Shape apart_a, apart_b, shape;  // (length, 1) and (1, length) for each axis
  for (int i = 0; i < ndim; ++i) {
    const auto length = [&](const Array& x) { return i < ndim - x.ndim() ? 1 : x.shape()[i - (ndim - x.ndim())]; };
    for (std::int64_t each : {length(a), std::int64_t{1}}) apart_a.push_back(each);
    for (std::int64_t each : {std::int64_t{1}, length(b)}) apart_b.push_back(each);
    std::int64_t product;
    if (__builtin_mul_overflow(length(a), length(b), &product))
      fail(function, "the result has more elements than can be counted");
    shape.push_back(product);
  }
  return multiply(a.reshape(apart_a), b.reshape(apart_b)).reshape(shape);
}

}  // namespace tandem
