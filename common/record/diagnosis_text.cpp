// The words of a diagnosis.
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/diagnosis.h"

namespace ridge {

namespace {

std::string unit_text(const Diagnosis& diagnosis) {
  if (diagnosis.leaves_sms_idle) return "idle SMs";
  if (diagnosis.bottleneck == Bottleneck::memory_bandwidth && !diagnosis.evidence.empty()) {
    for (const char* cache : {"L1", "L2"}) {
      if (diagnosis.evidence.front().name.starts_with(cache))
        return std::string(cache) + " bandwidth";
    }
  }
  const bool has_second =
      diagnosis.activations_fill_memory && diagnosis.bottleneck != Bottleneck::activation_memory;
  return std::string(to_string(diagnosis.bottleneck)) +
         (has_second ? " (of the batch: activation memory)" : "");
}

std::string open_because(const char* what, const Diagnosis& diagnosis, const std::string& to_do) {
  return power_sentence(diagnosis) + what + diagnosis.reason + "." +
         (to_do.empty() ? "" : " " + to_do + ".");
}

}  // namespace

std::string power_sentence(const Diagnosis& diagnosis) {
  return diagnosis.held_down.empty() ? "" : "Power limits it first: " + diagnosis.held_down + ". ";
}

std::string bottleneck_text(const Diagnosis& diagnosis) {
  return (diagnosis.held_down.empty() ? "" : "power, then ") + unit_text(diagnosis);
}

std::string open_sentences(const Diagnosis& diagnosis, const std::string& to_do) {
  return open_because("What limits it is not known yet: ", diagnosis, to_do);
}

std::string unconfirmed_sentences(const Diagnosis& diagnosis, const std::string& to_do) {
  return open_because("This run does not confirm that: ", diagnosis, to_do);
}

std::string open_sentences(const Diagnosis& diagnosis) {
  return open_sentences(diagnosis, diagnosis.to_do);
}

bool is_buffer_state(const Span& span) {
  return span.stage.find("buffer") != std::string::npos;
}

Bottleneck stage_kind(const std::string& stage) {
  struct Word {
    const char* word;
    Bottleneck kind;
  };
  // "decode_queue" is a queue: what waits comes before what works. And what copies and decodes decodes: on an
  // H200 6.4 ms of it for 0.02 of copying.
  constexpr Word kWords[] = {
      {"queue", Bottleneck::inference_queue},   {"lock", Bottleneck::synchronisation},
      {"barrier", Bottleneck::synchronisation}, {"reduce", Bottleneck::collectives},
      {"gather", Bottleneck::collectives},      {"broadcast", Bottleneck::collectives},
      {"collective", Bottleneck::collectives},  {"decode", Bottleneck::input_pipeline},
      {"copy", Bottleneck::host_copy},          {"upload", Bottleneck::host_copy},
      {"download", Bottleneck::host_copy},      {"read", Bottleneck::input_pipeline},
      {"load", Bottleneck::input_pipeline},     {"augment", Bottleneck::input_pipeline},
      {"shuffle", Bottleneck::input_pipeline},  {"collate", Bottleneck::input_pipeline},
      {"compute", Bottleneck::compute},         {"train", Bottleneck::compute},
      {"infer", Bottleneck::compute},           {"forward", Bottleneck::compute},
      {"backward", Bottleneck::compute},        {"step", Bottleneck::compute},
  };
  for (const Word& known : kWords) {
    if (stage.find(known.word) != std::string::npos) return known.kind;
  }
  return Bottleneck::not_sure;
}

std::string evidence_text(const Diagnosis& diagnosis, size_t most) {
  std::string text;
  for (size_t i = 0; i < diagnosis.evidence.size() && i < most; ++i) {
    const Utilization& one = diagnosis.evidence[i];
    text += (i > 0 ? "; " : "") + format_share(one.value) + " of " + one.name;
    if (one.source == "counters") text += " (counters)";
    text += clocks_text(one);
  }
  return text;
}

std::string describe(const DeviceKernel& kernel) {
  const auto sizes = [](const std::vector<int64_t>& all) {
    std::string text;
    size_t used = all.size();
    while (used > 1 && all[used - 1] == 1) --used;
    for (size_t i = 0; i < used; ++i) text += (i > 0 ? " x " : "") + std::to_string(all[i]);
    return text;
  };
  std::string text = kernel.name;
  if (kernel.launches > 1) text += " (" + std::to_string(kernel.launches) + " times)";
  text += ": " + std::to_string(kernel.registers) + " registers, ";
  const auto shared = kernel.shared_static_bytes + kernel.shared_dynamic_bytes;
  text += shared > 0 ? format_bytes(double(shared)) + " shared, " : "no shared memory, ";
  text += kernel.spill_bytes > 0 ? format_bytes(double(kernel.spill_bytes)) + " spilled, "
                                 : "no spills, ";
  text += sizes(kernel.grid) + " blocks of " + sizes(kernel.block);
  return text + ", occupancy " + format_share(kernel.occupancy) + ", " +
         format_number(kernel.waves) + " waves";
}

std::string format_counter(const Counter& counter) {
  if (counter.unit == "%") return format_share(counter.value / 100);
  if (counter.unit == "B") return format_bytes(counter.value);
  return format_number(counter.value) + (counter.unit.empty() ? "" : " " + counter.unit);
}

}  // namespace ridge
