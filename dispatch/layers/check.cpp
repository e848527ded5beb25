// The layer check: errors where they arise, writes beside an output, memory read before it was written, the first NaN or
// infinity and the operation that made it.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "../registry/registry.hpp"
#include "built_in.hpp"
#include "elements.hpp"
#include "programs.hpp"
#include "wrap.hpp"

namespace tandem::detail {
namespace {

constexpr std::int64_t zone_bytes = 256;  // on either side of a block; TD_PADDING of it may be read
constexpr unsigned char zone_byte = 0xa5;
static_assert(zone_bytes % TD_ALIGNMENT == 0 && zone_bytes >= TD_PADDING);

/// One report of numbers that are not finite is enough: all others follow from it, or hide it.
std::atomic<bool> not_finite_reported{false}, unwritten_reported{false};

/// What check says of a verb's output.
struct Finding {
  std::string text;
  bool unwritten = false;
};

class Check : public Layer {
 public:
  Check(td_layer& layer, bool throws) : Layer(layer), target_(make_target(inner(), device())), throws_(throws) {}
  static Check& of(td_device* device) { return layer_state<Check>(device); }

  template <Verb verb, class... Arguments>
  auto call(Tag<verb> tag, Arguments... arguments) {
    bool has_views = false;
    for_each_view<verb>([&](const td_view&, const Parameter&) { has_views = true; }, arguments...);
    if constexpr (std::is_void_v<decltype(forward(tag, arguments...))>) {
      forward(tag, arguments...);
    } else {
      if (!has_views) return forward(tag, arguments...);
      td_error* error = error_of(arguments...);
      bool finite = looks_for_not_finite();
      if (finite)
        for_each_view<verb>([&](const td_view& view, const Parameter& parameter) {
          if (parameter.role == Role::inout) finite = finite && !first_not_finite(view);
        }, arguments...);
      td_status status = finished(verb, forward(tag, arguments...), error);
      for_each_view<verb>([&](const td_view& view, const Parameter& parameter) {
        if (status == TD_OK && parameter.role != Role::in) status = check_zones(verb, view.data, error);
      }, arguments...);
      if (status != TD_OK || !finite) return status;
      std::optional<Finding> finding;
      for_each_view<verb>([&](const td_view& view, const Parameter& parameter) {
        if (!finding && parameter.role != Role::in) finding = look_at(verb, view, parameter);
      }, arguments...);
      if (!finding) return status;
      for_each_view<verb>([&](const td_view& view, const Parameter& parameter) {
        if (finding && parameter.role == Role::in) judge_input(verb, view, parameter, finding);
      }, arguments...);
      return finding ? report(*finding, error) : status;
    }
  }

  td_status call(Tag<Verb::run_program> tag, const td_program* program, const td_operand* inputs,
                 const td_operand* outputs, td_error* error) {
    Originals originals(*this, *program, inputs, outputs);
    td_status status = finished(Verb::run_program, forward(tag, program, inputs, outputs, error), error);
    for (int i = 0; i < program->n_outputs && status == TD_OK; ++i)
      status = check_zones(Verb::run_program, outputs[i].data, error);
    if (status != TD_OK || !looks_for_not_finite()) return status;
    const std::vector<bool> rows = row_values(*program, inputs);
    for (int i = 0; i < program->n_outputs; ++i) {
      std::vector<std::int64_t> shape;
      const int value = program->outputs[i];
      const td_view view = operand_view(*program, outputs[i], value_dtype(*program, value),
                                        rows[std::size_t(value)], shape);
      if (!first_not_finite(view)) continue;
      const std::optional<Finding> finding = find_maker(*program, originals.inputs.data());
      return finding ? report(*finding, error) : status;
    }
    return status;
  }

  td_status call(Tag<Verb::copy> tag, td_copy_kind kind, void* to, const void* from, std::int64_t bytes,
                 td_error* error) {
    const td_status status = finished(Verb::copy, forward(tag, kind, to, from, bytes, error), error);
    return status == TD_OK && kind != TD_DEVICE_TO_HOST ? check_zones(Verb::copy, to, error) : status;
  }

  td_status call(Tag<Verb::allocate> tag, std::int64_t bytes, void** pointer, td_error* error) {
    {
      std::lock_guard lock(mutex_);
      if (limit_ > 0 && bytes > limit_ - used_)
        return refuse(error, TD_OUT_OF_MEMORY, "%lld bytes do not fit: %lld are in use and the limit is %lld bytes",
                      static_cast<long long>(bytes), static_cast<long long>(used_), static_cast<long long>(limit_));
    }
    void* whole = nullptr;
    const td_status status = forward(tag, bytes + 2 * zone_bytes, &whole, error);
    if (status != TD_OK) return status;
    std::byte* begin = static_cast<std::byte*>(whole) + zone_bytes;
    fill(begin, bytes, poison);
    fill(begin - zone_bytes, zone_bytes, zone_byte);
    fill(begin + bytes, zone_bytes, zone_byte);
    *pointer = begin;
    std::lock_guard lock(mutex_);
    blocks_[begin] = bytes;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return TD_OK;
  }

  void call(Tag<Verb::free> tag, void* pointer, std::int64_t bytes) {
    if (!pointer) return;
    td_error error;
    if (check_zones(Verb::free, pointer, &error) != TD_OK) log(TD_LOG_ERROR, error.message);
    {
      std::lock_guard lock(mutex_);
      blocks_.erase(static_cast<std::byte*>(pointer));
      used_ -= bytes;
    }
    forward(tag, static_cast<void*>(static_cast<std::byte*>(pointer) - zone_bytes), bytes + 2 * zone_bytes);
  }

  td_status call(Tag<Verb::memory_stats> tag, td_memory_stats* stats, td_error* error) {
    const td_status status = forward(tag, stats, error);
    std::lock_guard lock(mutex_);
    stats->used_bytes = used_;
    stats->peak_bytes = peak_;
    stats->limit_bytes = limit_;
    return status;
  }

  /// The zones do not count, so the limit is kept here.
  td_status call(Tag<Verb::set_memory_limit>, std::int64_t bytes, td_error*) {
    std::lock_guard lock(mutex_);
    limit_ = bytes;
    return TD_OK;
  }

 private:
  /// A program's inputs as they were before it ran: copies of those that an output takes the place of.
  struct Originals {
    std::vector<td_operand> inputs;
    std::vector<DeviceBuffer> memory;

    Originals(const Check& check, const td_program& program, const td_operand* in, const td_operand* out)
        : inputs(in, in + program.n_inputs) {
      if (!check.looks_for_not_finite()) return;
      memory.reserve(inputs.size());
      for (int i = 0; i < program.n_inputs; ++i) {
        const bool overwritten = std::any_of(out, out + program.n_outputs, [&](const td_operand& output) {
          return in[i].data && output.data == in[i].data;
        });
        if (!overwritten) continue;
        const td_view view{in[i].data, td_dtype(program.input_dtypes[i]), program.ndim, program.shape, in[i].strides};
        const Extent extent = extent_of(view);
        memory.emplace_back(check.target_, extent.end - extent.begin);
        check.target_.call(&td_backend::copy, TD_DEVICE_TO_DEVICE, static_cast<void*>(memory.back().data()),
                           static_cast<const void*>(static_cast<std::byte*>(in[i].data) + extent.begin),
                           extent.end - extent.begin);
        inputs[std::size_t(i)].data = memory.back().data() - extent.begin;
      }
    }
  };

  bool looks_for_not_finite() const noexcept {
    return throws_ || !not_finite_reported.load(std::memory_order_relaxed) ||
           !unwritten_reported.load(std::memory_order_relaxed);
  }

  /// Waits, so that what goes wrong on the device is said by the call that did it.
  td_status finished(Verb verb, td_status status, td_error* error) {
    if (status != TD_OK) return status;
    td_error late;
    late.message[0] = 0;
    status = inner().synchronize(device(), &late);
    if (status != TD_OK)
      refuse(error, status, "the verb %s failed on %s: %.400s", name(verb), device_name(), late.message);
    return status;
  }

  void fill(std::byte* to, std::int64_t bytes, unsigned char value) const {
    if (bytes == 0) return;
    if (target_.shares_host_memory) {
      std::memset(to, value, std::size_t(bytes));
      return;
    }
    constexpr std::int64_t piece = std::int64_t{1} << 22;
    const std::vector<unsigned char> pattern(std::size_t(std::min(bytes, piece)), value);
    for (std::int64_t at = 0; at < bytes; at += piece)
      target_.call(&td_backend::copy, TD_HOST_TO_DEVICE, static_cast<void*>(to + at),
                   static_cast<const void*>(pattern.data()), std::min(piece, bytes - at));
  }

  /// Bytes of a zone that are not what they were, counted from its begin; restores them.
  std::optional<std::int64_t> damaged(std::byte* zone) const {
    std::byte copy[zone_bytes];
    const std::byte* bytes = zone;
    if (!target_.shares_host_memory) {
      target_.call(&td_backend::copy, TD_DEVICE_TO_HOST, static_cast<void*>(copy), static_cast<const void*>(zone),
                   zone_bytes);
      bytes = copy;
    }
    const std::byte* at = std::find_if(bytes, bytes + zone_bytes,
                                       [](std::byte b) { return b != std::byte{zone_byte}; });
    if (at == bytes + zone_bytes) return std::nullopt;
    const std::int64_t offset = at - bytes;
    fill(zone, zone_bytes, zone_byte);
    return offset;
  }

  /// Looks at the zones of the block that holds the pointer, if it is one of ours.
  td_status check_zones(Verb verb, void* pointer, td_error* error) {
    std::byte* begin;
    std::int64_t bytes;
    {
      std::lock_guard lock(mutex_);
      auto after = blocks_.upper_bound(static_cast<std::byte*>(pointer));
      if (after == blocks_.begin()) return TD_OK;
      std::tie(begin, bytes) = *std::prev(after);
      if (pointer >= begin + bytes + zone_bytes) return TD_OK;
    }
    const char* found_by = verb == Verb::free ? "check: before free: a verb" : "check: the verb ";
    const char* verb_text = verb == Verb::free ? "" : name(verb);
    if (const auto offset = damaged(begin + bytes))
      return refuse(error, TD_INTERNAL, "%s%s wrote outside an array on %s: byte %lld after the end of %lld bytes changed",
                    found_by, verb_text, device_name(), static_cast<long long>(*offset), static_cast<long long>(bytes));
    if (const auto offset = damaged(begin - zone_bytes))
      return refuse(error, TD_INTERNAL, "%s%s wrote outside an array on %s: byte %lld before its begin changed", found_by,
                    verb_text, device_name(), static_cast<long long>(zone_bytes - *offset));
    return TD_OK;
  }

  struct Element {
    std::int64_t position;
    bool unwritten;
    std::string text;
  };

  /// The first element that is neither finite nor, of an output, left unwritten.
  std::optional<Element> first_not_finite(const td_view& view, bool skip_unwritten = false) const {
    const DType dtype = DType(view.dtype);
    std::optional<Element> found;
    if (!is_inexact(dtype) || !view.data || element_count(view) == 0) return found;
    HostElements(target_, view).for_each([&](const std::byte* element, std::int64_t position) {
      if (is_finite(dtype, element)) return true;
      const bool unwritten = is_poison(dtype, element);
      if (unwritten && skip_unwritten) return true;
      found = {position, unwritten, element_text(dtype, element)};
      return false;
    });
    return found;
  }

  std::optional<Finding> look_at(Verb verb, const td_view& view, const Parameter& parameter) const {
    const auto element = first_not_finite(view, true);
    if (!element) return std::nullopt;
    const Shape shape(view.shape, view.ndim);
    return Finding{"the verb " + std::string(name(verb)) + " made " + element->text + " from finite numbers on " +
                   device_name() + ": " + std::string(parameter.name) + " at " + index_text(element->position, shape) +
                   " of " + to_string(shape) + ", " + std::string(tandem::name(DType(view.dtype)))};
  }

  /// An input that is not finite either explains what was found, unless nobody has written it.
  void judge_input(Verb verb, const td_view& view, const Parameter& parameter, std::optional<Finding>& finding) const {
    const auto element = first_not_finite(view);
    if (!element) return;
    finding.reset();
    if (!element->unwritten) return;
    const Shape shape(view.shape, view.ndim);
    finding = Finding{"the verb " + std::string(name(verb)) + " read memory on " + device_name() +
                      " that nobody has written: " + std::string(parameter.name) + " at " +
                      index_text(element->position, shape) + " of " + to_string(shape), true};
  }

  /// The first instruction of a program that makes something that is not finite of finite numbers, at the first place.
  std::optional<Finding> find_maker(const td_program& program, const td_operand* inputs) const {
    std::vector<std::optional<ProgramValue>> values(static_cast<std::size_t>(value_count(program)));
    const auto value = [&](int number) -> const ProgramValue& {
      auto& slot = values[std::size_t(number)];
      if (!slot) slot = compute_value(target_, program, inputs, number);
      return *slot;
    };
    const Shape shape(program.shape, program.ndim);
    std::int64_t n = 1;
    for (const std::int64_t length : shape) n *= length;
    for (int i = 0; i < program.n_inputs; ++i) {
      if (!is_inexact(DType(program.input_dtypes[i]))) continue;
      const ProgramValue& x = value(i);
      for (std::int64_t at = 0; at < n; ++at)
        if (is_poison(x.dtype, x.at(at)))
          return Finding{"the program " + program_name(program) + " read memory on " + device_name() +
                         " that nobody has written: input " + std::to_string(i) + " at " + index_text(at, shape) + " of " +
                         to_string(shape), true};
    }
    for (int i = 0; i < program.n_instructions; ++i) {
      const td_instruction& instruction = program.instructions[i];
      if (!is_inexact(DType(instruction.result))) continue;
      const ProgramValue& result = value(program.n_inputs + program.n_constants + i);
      // A reduction answers for its whole row.
      const std::int64_t step = instruction.kind == TD_REDUCE ? result.repeat : 1;
      for (std::int64_t at = 0; at < n; at += step) {
        if (is_finite(result.dtype, result.at(at))) continue;
        bool made = true;
        std::string sources;
        for (int k = 0; k < source_count(instruction); ++k) {
          const ProgramValue& source = value(instruction.sources[k]);
          for (std::int64_t place = at; place < at + step; ++place)
            made = made && is_finite(source.dtype, source.at(place));
          sources += (k ? ", " : "") + element_text(source.dtype, source.at(at));
        }
        if (!made) continue;
        if (step > 1) sources = "finite numbers of a row of " + std::to_string(step);
        return Finding{operation_name(instruction) + " of " + std::string(tandem::name(DType(instruction.dtype))) +
                       " made " + element_text(result.dtype, result.at(at)) + " from " + sources + " on " +
                       device_name() + ", at " + index_text(at, shape) + " of " + to_string(shape) +
                       " in the program " + program_name(program)};
      }
    }
    return std::nullopt;
  }

  td_status report(const Finding& finding, td_error* error) const {
    if (throws_) return refuse(error, TD_INTERNAL, "check: %s", finding.text.c_str());
    std::atomic<bool>& reported = finding.unwritten ? unwritten_reported : not_finite_reported;
    if (!reported.exchange(true)) log(TD_LOG_WARNING, "check: " + finding.text);
    return TD_OK;
  }

  Target target_;
  bool throws_;
  std::mutex mutex_;
  std::map<std::byte*, std::int64_t> blocks_;  // begin and bytes of the memory that the program holds
  std::int64_t used_ = 0, peak_ = 0, limit_ = 0;
};

}  // namespace

void wrap_check(td_layer& layer, const std::string& options, td_backend& table) {
  if (!options.empty() && options != "throw")
    fail("Device", "TANDEM_LAYERS: check has no option \"" + options + "\"; \"throw\" is its only one");
  layer.state = new Check(layer, options == "throw");
  wrap_all<Check>(table);
}

}  // namespace tandem::detail
