// The reductions of a worker: values into lanes, lanes into leaves, leaves into row values (docs/reductions.md).
#include <algorithm>
#include <cstring>

#include "worker.hpp"

namespace tandem::cpu {

void Worker::reset_searches(int s) noexcept {
  for (int i = plan_.stages[s].reductions; i < plan_.stages[s + 1].reductions; ++i)
    if (plan_.reductions[i].searcher) std::fill_n(search_positions(i), width_, int64_t{-1});
}

int64_t* Worker::search_positions(int i) const noexcept {
  const int size = plan_.values[plan_.reductions[i].source].size();
  return reinterpret_cast<int64_t*>(arena_ + layout_.lanes[i] + align(t_.max_width * size));
}

void Worker::accumulate(int i, int64_t position, int64_t count) noexcept {
  const Reduction& reduction = plan_.reductions[i];
  const int size = plan_.values[reduction.source].size();
  const char* values = static_cast<const char*>(at_[reduction.source]);
  const bool apart = reduction.source < plan_.n_inputs && t_.operands[reduction.source].by_rows;
  const int64_t stride = apart ? t_.operands[reduction.source].position_stride : width_;
  char* lanes = arena_ + layout_.lanes[i];
  if (reduction.combiner) {
    if (stride == width_)
      take_in(*reduction.combiner, lanes, values, size, position % leaf_length, count);
    else
      take_in_rows(*reduction.combiner, lanes, values, size, stride, count);
    return;
  }
  const int64_t step = stride == width_ ? count : 1;
  for (int64_t p = 0; p < count; p += step)
    reduction.searcher->search(lanes, search_positions(i), values + p * stride * size, width_, step, position + p);
}

/// Takes in a whole leaf of rows that lie `stride` elements apart, lane by lane.
void Worker::take_in_rows(const Combiner& combiner, char* lanes, const char* values, int size, int64_t stride,
                          int64_t count) noexcept {
  const int64_t row_bytes = width_ * size, step = stride * size;
  for (int64_t lane = 0; lane < std::min(count, lane_count); ++lane) {
    std::memcpy(lanes + lane * row_bytes, values + lane * step, row_bytes);
    combiner.accumulate(lanes + lane * row_bytes, values + (lane + lane_count) * step, width_, lane_count * stride,
                        (count - 1 - lane) / lane_count);
  }
}

/// Takes the values of `count` positions, the first of which is number `at` of its leaf, into the lanes.
void Worker::take_in(const Combiner& combiner, char* lanes, const char* values, int size, int64_t at,
                     int64_t count) noexcept {
  const int64_t row_bytes = width_ * size;
  while (count > 0) {
    const int64_t lane = at % lane_count;
    int64_t part = std::min(count, lane_count - lane);
    if (at < lane_count) {
      std::memcpy(lanes + lane * row_bytes, values, part * row_bytes);
    } else if (part == lane_count) {
      part = count / lane_count * lane_count;
      combiner.accumulate(lanes, values, lane_count * width_, lane_count * width_, part / lane_count);
    } else {
      combiner.combine(lanes + lane * row_bytes, values, part * width_);
    }
    at += part;
    values += part * row_bytes;
    count -= part;
  }
}

/// Halves the lanes of a leaf of `length` positions and keeps its result.
void Worker::finish_leaf(int i, int64_t leaf, int64_t length, const LeafResults& results) noexcept {
  const Reduction& reduction = plan_.reductions[i];
  const int64_t row_bytes = width_ * plan_.values[reduction.source].size();
  char* lanes = arena_ + layout_.lanes[i];
  if (reduction.searcher) {
    if (!results.positions[i]) return;
    std::memcpy(results.values[i] + leaf * row_bytes, lanes, row_bytes);
    std::memcpy(results.positions[i] + leaf * width_, search_positions(i), width_ * sizeof(int64_t));
    return;
  }
  if (width_ == 1 && length >= lane_count) {
    reduction.combiner->fold(lanes);
  } else {
    int64_t present = std::min(length, lane_count);
    for (int64_t half = lane_count / 2; half > 0; half /= 2) {
      if (present <= half) continue;
      reduction.combiner->combine(lanes, lanes + half * row_bytes, (present - half) * width_);
      present = half;
    }
  }
  std::memcpy(results.values[i] + leaf * row_bytes, lanes, row_bytes);
}

/// Combines the results of a tile's leaves into the row value.
void Worker::combine_leaves(int i, const LeafResults& results) noexcept {
  const Reduction& reduction = plan_.reductions[i];
  const int64_t row_bytes = width_ * plan_.values[reduction.source].size();
  void* target = at_[reduction.target];
  char* values = results.values[i];
  if (reduction.combiner) {
    for (int64_t step = 1; step < t_.leaves; step *= 2)
      for (int64_t leaf = 0; leaf + step < t_.leaves; leaf += 2 * step)
        reduction.combiner->combine(values + leaf * row_bytes, values + (leaf + step) * row_bytes, width_);
    std::memcpy(target, values, row_bytes);
    return;
  }
  const int64_t* positions = search_positions(i);
  if (results.positions[i]) {
    for (int64_t leaf = 1; leaf < t_.leaves; ++leaf)
      reduction.searcher->combine(values, results.positions[i], values + leaf * row_bytes,
                                  results.positions[i] + leaf * width_, width_);
    positions = results.positions[i];
  }
  std::memcpy(target, positions, width_ * sizeof(int64_t));
}

}  // namespace tandem::cpu
