// The layer parity: every verb that writes arrays also runs on a second backend, from the same inputs.
#include <tandem/parity.hpp>

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>

#include "../registry/environment.hpp"
#include "../registry/loader.hpp"
#include "agreement.hpp"
#include "built_in.hpp"

namespace tandem::detail {
namespace {

/// The device of that name without any layer in front of it. Throws Error, whose message begins with "function: " and
/// `start`, if there is none.
Side open_side(const char* function, const std::string& name, const std::string& start) {
  const DeviceState& state = locate_device(name, function + (": " + start));
  const Backend& backend = find_backend(state.backend);
  td_device* handle = nullptr;
  call(function, backend.table->open_device, std::int32_t{state.index}, &handle);
  return {state.name, make_target(*backend.table, handle)};
}

/// Things that were said are not said again.
bool is_new(const std::string& text) {
  static std::mutex& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return said.insert(text).second;
}

std::string subject(const RecordedCall& call) {
  return call.verb == Verb::run_program ? program_name(call.program.view()) : name(call.verb);
}

class Parity : public Layer {
 public:
  Parity(td_layer& layer, Side second, bool throws)
      : Layer(layer), first_{layer.device_name, make_target(inner(), device())}, second_(std::move(second)),
        throws_(throws) {}
  static Parity& of(td_device* device) { return layer_state<Parity>(device); }

  template <Verb verb, class... Arguments>
  auto call(Tag<verb> tag, Arguments... arguments) {
    if constexpr (!writes_arrays<verb>()) {
      return forward(tag, arguments...);
    } else {
      const RecordedCall recorded = record(tag, first_.target, arguments...);
      td_error* error = error_of(arguments...);
      Outcome outcome;
      outcome.status = forward(tag, arguments...);
      if (outcome.status == TD_OK)
        outcome.outputs = read_outputs(tag, first_.target, arguments...);
      else if (outcome.status == TD_SINGULAR)
        outcome.message = error->message;
      else
        return outcome.status;
      const Comparison comparison = compare(recorded, outcome, first_, second_);
      if (comparison.verdict == Verdict::differ) return report(recorded, comparison.text, outcome.status, error);
      if (comparison.verdict == Verdict::unknown && is_new("not compared: " + subject(recorded)))
        log(TD_LOG_WARNING, "parity: " + subject(recorded) + " is not compared; " + comparison.text);
      return outcome.status;
    }
  }

 private:
  td_status report(const RecordedCall& recorded, const std::string& difference, td_status status,
                   td_error* error) const {
    if (!throws_ && !is_new(subject(recorded))) return status;
    static std::atomic<int> files{0};
    const std::string file = "tandem-parity-" + std::to_string(getpid()) + "-" + std::to_string(++files) + ".call";
    std::string replay = "; tandem replay " + file + " shows it again";
    try {
      save(file, recorded, {first_.name, second_.name, difference});
    } catch (const Error& problem) {
      replay = "; " + std::string(problem.what());
    }
    // A message has an end: what may be long, the program, stands behind.
    const std::size_t program = std::min(difference.find("; in the program "), difference.size());
    const std::string text = "parity: " + difference.substr(0, program) + replay + difference.substr(program);
    if (throws_) return refuse(error, TD_INTERNAL, "%s", text.c_str());
    log(TD_LOG_ERROR, text);
    return status;
  }

  Side first_, second_;
  bool throws_;
};

std::string array_text(const RecordedArray& array) {
  std::string text = std::string(tandem::name(array.dtype)) + " " + to_string(Shape(array.shape));
  if (!array.has_memory) text += ", an index array";
  return text + ", strides " + to_string(Shape(array.strides));
}

std::string program_text(const td_program& program) {
  std::string text = "over " + to_string(Shape(program.shape, program.ndim)) + ", of which the last " +
                     std::to_string(program.n_reduced) + " axes are rows\n";
  for (int i = 0; i < program.n_constants; ++i) {
    const DType dtype = DType(program.constant_dtypes[i]);
    text += "  %" + std::to_string(program.n_inputs + i) + " = " +
            element_text(dtype, reinterpret_cast<const std::byte*>(program.constants[i].bytes)) + ", " +
            std::string(tandem::name(dtype)) + "\n";
  }
  for (int i = 0; i < program.n_instructions; ++i) {
    const td_instruction& instruction = program.instructions[i];
    text += "  %" + std::to_string(program.n_inputs + program.n_constants + i) + " = " + operation_name(instruction);
    for (int k = 0; k < source_count(instruction); ++k) text += " %" + std::to_string(instruction.sources[k]);
    text += ", " + std::string(tandem::name(DType(instruction.result))) + "\n";
  }
  text += "outputs";
  for (int i = 0; i < program.n_outputs; ++i) text += " %" + std::to_string(program.outputs[i]);
  return text + "\n";
}

std::string call_text(const RecordedCall& recorded) {
  std::string text = "the verb " + std::string(name(recorded.verb)) + "\n";
  if (recorded.verb == Verb::run_program) text += program_text(recorded.program.view());
  for (std::size_t i = 0; i < recorded.arguments.size(); ++i) {
    const std::vector<RecordedArray>& arrays = recorded.arguments[i].arrays;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      text += std::string(signatures[int(recorded.verb)].parameters[i + 1].name) +
              (arrays.size() > 1 ? " " + std::to_string(k) : "") + ": " + array_text(arrays[k]) + "\n";
  }
  return text;
}

}  // namespace

void wrap_parity(td_layer& layer, const std::string& options, td_backend& table) {
  std::string device = options;
  bool throws = true;
  if (constexpr std::string_view report = "report"; device.ends_with(report)) {
    throws = false;
    device.erase(device.size() - report.size());
    if (device.ends_with(':')) device.pop_back();
  }
  std::string start = "TANDEM_LAYERS: parity:" + options + ": ";
  if (device.empty()) {
    device = environment("TANDEM_PARITY");
    start = "TANDEM_PARITY=" + device + ": ";
  }
  if (device.empty()) device = "reference", start = "TANDEM_LAYERS: parity: ";
  layer.state = new Parity(layer, open_side("Device", device, start), throws);
  wrap_all<Parity>(table);
}

}  // namespace tandem::detail

namespace tandem::parity {

std::vector<Level> levels() {
  using namespace detail;
  std::vector<Level> list;
#define X(result, verb, arguments) \
  if (writes_arrays<Verb::verb>()) list.push_back({name(Verb::verb), level_text(Verb::verb)});
  TD_ALL_VERBS(X, X)
#undef X
  return list;
}

Replay replay(const std::string& file, const ReplayOptions& options) {
  using namespace detail;
  RecordedBy by;
  const RecordedCall recorded = load_call(file, by);
  const Side first = open_side("replay", options.backend.empty() ? by.first : options.backend, "");
  const Side second = open_side("replay", options.parity.empty() ? by.second : options.parity, "");
  Replay result;
  result.text = call_text(recorded) + "recorded on " + by.first + " with " + by.second + ": " + by.report +
                "\nmust agree: " + level_text(recorded.verb) + "\n";
  const Comparison comparison = compare(recorded, run(recorded, first.target), first, second);
  result.agrees = comparison.verdict == Verdict::agree;
  result.text += result.agrees                                 ? first.name + " and " + second.name + " agree\n"
                 : comparison.verdict == Verdict::unknown      ? "not compared: " + comparison.text + "\n"
                                                               : "they differ: " + comparison.text + "\n";
  return result;
}

}  // namespace tandem::parity
