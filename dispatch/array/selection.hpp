// Indexing with arrays: an index in normal form, and reading and writing through it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tandem/array.hpp>

#include "../reference_count.hpp"
#include "node.hpp"

namespace tandem::detail {

/// What an index with arrays names: nothing in it lies outside, but for `unchecked`. It holds index arrays but not the
/// indexed array, of which it is true as long as shape and dtype stay.
struct Selection {
  /// Indices of the array of that number are for that axis of the indexed array, which has that length.
  struct Bounds {
    std::size_t number;
    int axis;
    std::int64_t length;
  };

  std::vector<Index> basic;    // the index without arrays: it leaves the axes whole that they index
  Shape order;                 // axes of that view, the indexed ones brought together; empty: as they are
  int merged_axis = -1;        // of the view in this order: where merged_count axes become one
  int merged_count = 0;
  int axis = 0;                // the first indexed axis of the view that comes out
  std::vector<Array> indices;  // for this axis and those behind it: int64, of one shape
  std::vector<Bounds> unchecked;  // of these arrays: what select() has still to find out
  std::optional<Array> mask;   // in place of indices: of the whole array, contiguous
  Shape shape;                 // of the result
  bool unique = false;         // no element is named twice
  mutable ReferenceCount references = {};

  /// The indexed array as gather and scatter see it: a view.
  Array view_of(const Array& base) const;
  /// base(index) := value, or += value, one element after the other.
  void assign(Array& base, const Operand& value, bool adds = false) const { base.assign(*this, value, adds); }
};

/// Number of axes that the parts of an index name; throws IndexError for more than there are and for two ellipses.
int count_indexed_axes(std::span<const Index> index, const Shape& shape);

/// The normal form of an index for arrays of base's shape; throws IndexError with `function` as the start of the message.
/// With `read_at_once` indices may be left unchecked, for select() of base, which finds those outside as it reads.
SelectionPtr make_selection(const char* function, const Array& base, std::span<const Index> index,
                            bool read_at_once = false);

/// The elements of a 1-d array at ready int64 positions that lie in it.
SelectionPtr selection_of(const Array& positions);

/// The elements of x that the selection names, as a new array: at once, or when they are needed. Throws IndexError, with
/// `function` as the start of the message, for unchecked indices outside; there are none if it is done later.
Array select(const char* function, const Array& x, SelectionPtr selection, bool later);

/// What a pending node of the kind selection stands for, as an owner of memory.
NodePtr compute_selection(const char* function, NodePtr source, const Selection& selection);

/// The elements that the selection names := values, or += values, which have its shape and x's dtype and do not overlap x.
void scatter(const char* function, const Array& x, const Selection& selection, const Node& values, bool adds);

/// Positions of the true elements of a contiguous mask of which `count` are, in row-major order: one int64 array per axis,
/// or one array of positions in the flattened mask.
std::vector<Array> positions_by_axis(const char* function, const Array& mask, std::int64_t count);
Array flat_positions(const char* function, const Array& mask, std::int64_t count);

/// Number of true elements of a bool array.
std::int64_t count_true(const Array& mask);

/// Index arrays as int64; throws IndexError for other dtypes and for indices outside an axis of that number and length.
Array checked_indices(const char* function, const Array& indices, int axis, std::int64_t length);

}  // namespace tandem::detail
