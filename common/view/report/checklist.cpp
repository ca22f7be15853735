// What a careful reader asks of any performance claim, what was left out, and how to do it again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/request.h"
#include "common/record/seed_delta.h"
#include "common/record/trained.h"
#include "common/view/report/content.h"

namespace ridge::report {
namespace {

using namespace chart;

constexpr const char* kUnknown = "not recorded";

/// Phrases that have commas of their own are told apart by semicolons.
std::string list_of(const std::set<std::string>& entries) {
  const bool has_commas = std::any_of(entries.begin(), entries.end(), [](const std::string& entry) {
    return entry.find(", ") != std::string::npos;
  });
  std::string text;
  for (const std::string& entry : entries) {
    if (!entry.empty()) text += (text.empty() ? "" : has_commas ? "; " : ", ") + entry;
  }
  return text.empty() ? kUnknown : text;
}

template <class Get>
std::string over_lines(const Material& material, Get get) {
  std::set<std::string> found;
  for (const Line& line : material.lines) found.insert(get(line));
  return list_of(found);
}

std::string language_of(const Line& line) {
  const KernelInfo* info = line.input->run->kernel(line.series->kernel);
  const SourceText* source = line.input->run->source(line.series->kernel);
  const std::string path = source ? source->path : info ? info->path : "";
  const std::string flags = source ? source->flags : info ? info->flags : "";
  if (path.empty()) return "";
  const std::string language = path.ends_with(".cu") ? "CUDA C++" : "C++";
  return language + (flags.empty() ? "" : " (" + flags + ")");
}

std::string library_of(const Line& line) {
  const KernelInfo* info = line.input->run->kernel(line.series->kernel);
  if (!info) return "";
  if (info->library.empty()) return "none in our own rungs";
  const auto& env = line.input->run->environment();
  if (env && env->libraries.contains(info->library)) {
    return info->library + " " + env->libraries.at(info->library);
  }
  return info->library + ", version not recorded";
}

/// The check by a task metric, which says on what data; null: it is judged by its error.
const QualityCheck* task_check(const Series& series) {
  for (auto check = series.checks.rbegin(); check != series.checks.rend(); ++check) {
    if (!check->task.empty()) return &*check;
  }
  return nullptr;
}

/// A rung's note says where its data are no real ones, and the lab which ones they would be.
std::string data_set_of(const Line& line, const Options& options) {
  const std::string& note = line.series->note;
  const size_t synthetic = note.find("synthetic");
  if (synthetic == std::string::npos) return options.data_set;
  const std::string words = note.substr(synthetic, note.find_first_of(";(", synthetic) - synthetic);
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

/// The harness feeds kernels itself; trainings and pipelines read a data set.
std::string data_of(const Line& line, const Options& options) {
  const Series& series = *line.series;
  const OwnSides own = own_sides(series);
  if (!own.many.empty()) return "what the " + own.many + (own.one == "library" ? " make" : " read");
  if (series.kind == RungKind::trap) return "its victim's: random normals from a fixed seed";
  const bool is_kernel = series.kind.empty() || series.kind == RungKind::kernel;
  const QualityCheck* check = task_check(series);
  if (is_kernel && (!check || options.data_set.empty()))
    return "random normals from a fixed seed, rounded to the rung's type; never zeros";
  const std::string set = data_set_of(line, options);
  return set.empty() ? std::string(kUnknown) + ": the rung does not name its data set" : set;
}

/// What it learned from, and what it was judged on.
std::string split_of(const Line& line, const Options& options) {
  const Series& series = *line.series;
  const QualityCheck* check = task_check(series);
  if (series.kind == RungKind::pipeline) return "none: all images, each once an epoch";
  if (series.kind == RungKind::training) {
    if (!check) return std::string(kUnknown) + ": it was not judged";
    return fmt::format("judged on {} {}, which no step saw", format_count(double(check->checked)),
                       check->what == "test set" ? "images of the test set" : check->what);
  }
  if (check && !options.data_set.empty())
    return "judged on the test set, which its model never saw";
  return "none: nothing learns from the inputs";
}

std::string compiler_of(const Material& material) {
  std::set<std::string> found;
  for (const Input& input : material.inputs) {
    const auto& env = input.run->environment();
    if (env) found.insert(env->compiler + (env->build_type.empty() ? "" : ", " + env->build_type));
  }
  return list_of(found);
}

/// Of kernels: how many calls follow each other.
std::string calls_of(const Series& series) {
  double least = INFINITY, most = 0;
  for (const Sample& sample : series.samples) {
    least = std::min(least, static_cast<double>(sample.calls));
    most = std::max(most, static_cast<double>(sample.calls));
  }
  if (!(most > 0)) {
    return "no overlap with other work; calls a sample " + std::string(kUnknown) +
           ": the run keeps no samples of it";
  }
  const std::string calls =
      least == most ? format_count(most) : format_count(least) + " to " + format_count(most);
  return "no overlap with other work; back to back, calls a sample: " + calls;
}

std::string pipelined(const Line& line) {
  const Series& series = *line.series;
  const auto kind = series.kind.value();
  if (!kind && !series.kind.empty())
    return std::string(kUnknown) + ": this version does not know the kind " + series.kind.text();
  switch (kind.value_or(RungKind::kernel)) {
    case RungKind::training:
      return "no: one step after the other";
    case RungKind::pipeline:
      return series.pipeline ? fmt::format("yes: {} stages at once, each also timed alone",
                                           series.pipeline->stages.size())
                             : "yes; its stages were not timed alone";
    case RungKind::trap:
      return "no: the two readings in turns";
    case RungKind::command:
      return "no: one process after the other";
    case RungKind::kernel:
      break;
  }
  return calls_of(series);
}

std::string clocks(const Material& material) {
  double low = INFINITY, high = 0, hottest = -INFINITY;
  for (const Line& line : material.lines) {
    const auto take = [&](const std::optional<double>& clock_hz) {
      if (!clock_hz || !(*clock_hz > 0)) return;
      low = std::min(low, *clock_hz);
      high = std::max(high, *clock_hz);
    };
    take(line.series->sm_clock_hz);  // a recording has no samples
    for (const Sample& sample : line.series->samples) {
      take(sample.sm_clock_hz);
      if (sample.temp_c) hottest = std::max(hottest, *sample.temp_c);
    }
  }
  std::string text =
      high > 0 ? "SM clock " + format_quantity(low, "Hz") + " to " + format_quantity(high, "Hz")
               : "clock not recorded";
  if (std::isfinite(hottest)) text += ", at most " + format_number(hottest) + " °C";
  return text;
}

std::string power_state(const Material& material) {
  std::set<std::string> found;
  for (const Input& input : material.inputs) {
    const auto& env = input.run->environment();
    if (!env) continue;
    found.insert(
        (env->power_source.empty() ? "power source not recorded" : "on " + env->power_source) +
        ", " +
        (env->cpu.governor.empty() ? "governor not recorded" : "governor " + env->cpu.governor) +
        ", " +
        (!env->quiet.quiet       ? "machine not quiet"
         : env->quiet.is_unknown ? "the machine's load is not known"
                                 : "machine quiet"));
  }
  const std::string state = list_of(found);
  return (state == kUnknown ? "power source not recorded" : state) + ", " + clocks(material);
}

std::string rung_argument(const std::string& kernel, const Params& params, const Params& shared) {
  std::string own;
  for (const auto& [name, value] : params) {
    const auto found = shared.find(name);
    if (found != shared.end() && found->second == value) continue;
    own += (own.empty() ? ":" : ",") + name + "=" + to_string(value);
  }
  return shell_word(kernel + own);
}

std::string set_arguments(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params)
    text += " --set " + shell_word(name + "=" + to_string(value));
  return text;
}

std::string cache_argument(const std::string& cache) {
  return cache.empty() ? "" : " --cache " + shell_word(cache);
}

/// A rung that ran in a comparison alone has no mode that a run knows.
std::string mode_argument(const OpenEnum<RunMode>& mode) {
  return mode.empty() || mode == RunMode::compare ? "" : " --mode " + shell_word(mode.text());
}

/// "loop_order.cpp" of gemm.cpu.loop_order_edit
std::string edit_file(const std::string& kernel) {
  const std::string_view original = original_of(kernel);
  return shell_word(std::string(original.substr(original.rfind('.') + 1)) +
                    (backend_of(kernel) == Backend::cuda ? ".cu" : ".cpp"));
}

/// Of kernels with commas between them those that were edited, each once.
std::string edit_arguments(const std::string& kernels) {
  std::set<std::string> files;
  for (size_t at = 0; at < kernels.size();) {
    const size_t end = std::min(kernels.find(',', at), kernels.size());
    const std::string kernel = kernels.substr(at, end - at);
    if (is_edit(kernel)) files.insert(edit_file(kernel));
    at = end + 1;
  }
  std::string text;
  for (const std::string& file : files) text += " --edit " + file;
  return text;
}

std::string budget_argument(const Budget& budget) {
  return budget.is_empty() ? "" : " --budget " + shell_word(budget_text(budget));
}

/// What the request was given beside its sides and parameters.
std::string given_arguments(const Request* request) {
  if (!request) return "";
  std::string text;
  if (request->rounds) text += fmt::format(" --rounds {}", *request->rounds);
  if (request->limit_s && std::isfinite(*request->limit_s))
    text += fmt::format(" --limit {:g}", *request->limit_s);
  if (request->call_limit_s && *request->call_limit_s != CommandRule().call_limit_s)
    text += fmt::format(" --call-limit {:g}", *request->call_limit_s);
  if (request->device > 0) text += fmt::format(" --device {}", request->device);
  if (!request->sustained) text += " --no-sustained";
  return text;
}

/// Of a comparison of commands its own words, as the run holds them: shown, and run by nothing that opens it.
std::string command_compare_command(const Run& run, const Comparison& c, const std::string& out) {
  std::string text = "ridgepoint compare", names;
  const CommandFacts* rule = nullptr;
  for (const auto& [id, index, option] :
       {std::tuple(&c.baseline, c.baseline_index, " --baseline "),
        std::tuple(&c.candidate, c.candidate_index, " --candidate ")}) {
    for (const Series& series : run.series()) {
      const bool is_it = series.request == c.request && series.index == index && series.command;
      if (!is_it) continue;
      text += option + shell_word(one_line(series.command->text, 4000));
      rule = &*series.command;
    }
    names += " --name " + shell_word(command_title(*id));
  }
  text += names;
  if (rule && !rule->check.empty()) text += " --check " + shell_word(one_line(rule->check, 4000));
  if (rule && !rule->reference.empty())
    text += " --reference " + shell_word(one_line(rule->reference, 4000));
  if (c.margin > 0 && std::isfinite(c.margin)) text += fmt::format(" --margin {:g}", c.margin);
  return text + budget_argument(c.budget) + given_arguments(run.request(c.request)) + " --out " +
         out;
}

/// What copies the problem's size where it is not set needs no setting.
Params without_followers(const Params& params, const std::string& size_param) {
  Params::Map told = params.map();
  const auto size = params.find(size_param);
  std::erase_if(told, [&](const auto& entry) {
    return size != params.end() && entry.first != size->first && entry.first != "threads" &&
           entry.second == size->second;
  });
  return told;
}

/// Of a command that a person types: on a GPU without the CPU's threads.
Params short_params(const Params& shared, const Comparison& c) {
  Params params = without_followers(shared, c.size_param);
  if (backend_of(c.candidate) == Backend::cuda) params.erase("threads");
  return params;
}

/// With `name`, which prints an id, it is short: what follows the size, hot caches and the usual margin are not set.
std::string compare_command(const Run& run, const Comparison& c, const std::string& out,
                            const std::function<std::string(const std::string&)>& name = {}) {
  if (!command_name(c.baseline).empty()) return command_compare_command(run, c, out);
  Params shared;
  for (const auto& [name, value] : c.baseline_params) {
    const auto found = c.candidate_params.find(name);
    if (found != c.candidate_params.end() && found->second == value) shared[name] = value;
  }
  Params theirs = c.baseline_params, ours = c.candidate_params;
  if (c.trained) {
    theirs.erase("seed"), ours.erase("seed");
    shared["seed"] = seeds_argument(c.trained->seeds);
  }
  std::string text =
      "ridgepoint compare " +
      shell_word(c.lab.empty() ? std::string(c.baseline.substr(0, c.baseline.find('.'))) : c.lab) +
      edit_arguments(c.baseline + "," + c.candidate) + " --baseline " +
      rung_argument(name ? name(c.baseline) : c.baseline, theirs, shared) + " --candidate " +
      rung_argument(name ? name(c.candidate) : c.candidate, ours, shared) +
      set_arguments(name ? short_params(shared, c) : shared) +
      (name && c.cache == CacheMode::hot ? "" : cache_argument(c.cache.text()));
  const bool is_usual =
      name && c.margin == default_margin(backend_of(c.candidate) != Backend::cuda);
  if (c.margin > 0 && std::isfinite(c.margin) && !is_usual)
    text += fmt::format(" --margin {:g}", c.margin);
  return text + budget_argument(c.budget) + given_arguments(run.request(c.request)) + " --out " +
         out;
}

/// "run"; of several "run2": the file of no command replaces another's.
std::string numbered(const std::string& stem, size_t index, size_t count) {
  return count == 1 ? stem : stem + std::to_string(index + 1);
}

/// One command for each set of parameters and cache; `stem`: of the files that they save.
std::vector<std::string> run_commands(const Material& material, const std::string& stem) {
  struct Group {
    const Series* series;
    std::string rungs, given;
  };
  std::vector<Group> groups;
  for (const Line& line : material.lines) {
    const Series& series = *line.series;
    const Request* request = line.input->run->request(series.request);
    if (request && request->type == RequestType::compare)
      continue;  // the compare command makes these
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.series->params == series.params && known.series->cache == series.cache &&
             known.series->lab == series.lab;
    });
    if (group == groups.end()) {
      groups.push_back({&series, series.kernel, given_arguments(request)});
    } else if (("," + group->rungs + ",").find("," + series.kernel + ",") == std::string::npos) {
      group->rungs += "," + series.kernel;
    }
  }
  std::vector<std::string> commands;
  for (const Group& group : groups) {
    std::string text = "ridgepoint run " +
                       shell_word(group.series->lab.empty() ? material.lab : group.series->lab) +
                       edit_arguments(group.rungs) + " --rungs " + shell_word(group.rungs) +
                       set_arguments(group.series->params);
    text += mode_argument(group.series->mode) + cache_argument(group.series->cache.text()) +
            group.given + " --out " + numbered(stem, commands.size(), groups.size()) + ".jsonl";
    commands.push_back(std::move(text));
  }
  return commands;
}

/// The last part of the id where the lab has it once: a command that a person types.
std::string rung_name(const std::string& kernel, const Options& options) {
  const auto same = [&](const std::string& other) {
    return short_name(other) == short_name(kernel);
  };
  const bool is_unique = std::count_if(options.order.begin(), options.order.end(), same) == 1;
  return is_unique ? short_name(kernel) : kernel;
}

}  // namespace

Section calibrate_section(const Material& material) {
  Section section{.id = "calibrate", .title = "Calibrate the claim"};
  section.paragraphs = {
      "Two figures may be set side by side only where these answers are the same for both."};
  Table table{.columns = {"Question", "Answer"}, .prose = true};
  auto add = [&](const char* question, const std::string& answer) {
    table.rows.push_back({question, answer});
  };
  add("Language", over_lines(material, language_of));
  add("Compiler", compiler_of(material));
  add("Libraries", over_lines(material, library_of));
  add("Precision", over_lines(material, [](const Line& line) { return line.series->dtype; }));
  add("Data set",
      over_lines(material, [&](const Line& line) { return data_of(line, *material.options); }));
  add("Split",
      over_lines(material, [&](const Line& line) { return split_of(line, *material.options); }));
  add("Size",
      over_lines(material, [](const Line& line) { return to_string(line.series->params); }));
  add("Cache", over_lines(material, [](const Line& line) { return line.series->cache.text(); }));
  add("Pipelined", over_lines(material, pipelined));
  add("Latency or inverse throughput",
      "time per call and ratios are inverse throughput; latency is measured apart and only shown "
      "as "
      "such");
  add("Power state", power_state(material));
  section.table = std::move(table);
  return section;
}

std::vector<std::string> untested_of(const Material& material) {
  if (material.is_of_pair) return material.claims.back().decision.not_tested;
  std::vector<std::string> list;
  const bool has_speeds = std::any_of(material.lines.begin(), material.lines.end(),
                                      [](const Line& line) { return !is_trap(line); });
  if (has_speeds) {
    list.emplace_back(
        material.claims.empty()
            ? "whether any rung is faster than another: that takes a paired comparison"
            : "whether rungs that were not compared in pairs differ");
  }
  list.emplace_back("other sizes, types and machines than those named above");
  list.emplace_back("the whole application");
  return list;
}

std::string import_command(const Material& material) {
  std::string text = "ridgepoint report";
  for (const Input& input : material.inputs) text += " " + shell_word(input.name);
  if (material.claims.size() != 1) return text;
  const Comparison& c = material.claims.front().comparison;
  return text + " --baseline " + shell_word(command_title(c.baseline)) + " --candidate " +
         shell_word(command_title(c.candidate));
}

std::string claim_command(const Claim& claim, const std::string& out) {
  return compare_command(*claim.run, claim.comparison, out);
}

std::string short_claim_command(const Material& material, const Claim& claim,
                                const std::string& out) {
  return compare_command(*claim.run, claim.comparison, out, [&](const std::string& kernel) {
    return rung_name(kernel, *material.options);
  });
}

/// "256,512": the sizes at which all of these rungs ran; empty where there is one.
std::string sizes_of(const Material& material, const std::vector<const Line*>& lines) {
  const std::string& size = lines.front()->series->size_param;
  std::map<std::string, std::set<std::string>> rungs;
  for (const Line& line : material.lines) {
    const auto value = line.series->params.find(size);
    const Request* request = line.input->run->request(line.series->request);
    const bool is_compare = request && request->type == RequestType::compare;
    if (value != line.series->params.end() && !is_compare)
      rungs[to_string(value->second)].insert(line.series->kernel);
  }
  std::string sizes;
  int count = 0;
  for (const auto& [text, there] : rungs) {
    const bool has_all = std::all_of(lines.begin(), lines.end(), [&, &there = there](const Line* line) {
      return there.contains(line->series->kernel);
    });
    if (has_all) sizes += (count++ ? "," : "") + text;
  }
  return count > 1 ? sizes : "";
}

std::string climb_command(const Material& material, const std::vector<const Line*>& lines,
                          const std::string& out) {
  Params::Map shared, several;
  std::string rungs, kernels, mode, cache, given;  // mode: with its option
  for (const Line* line : lines) {
    const Series& series = *line->series;
    kernels += series.kernel + ",";
    rungs += (rungs.empty() ? "" : ",") + rung_name(series.kernel, *material.options);
    mode = mode_argument(series.mode);
    cache = series.cache.text();
    given = given_arguments(line->input->run->request(series.request));
    for (const auto& [name, value] : told_params(series)) {
      if (shared.try_emplace(name, value).first->second != value) several[name] = value;
    }
  }
  for (const auto& [name, value] : several) shared.erase(name);
  if (!lines.empty()) {
    shared = without_followers(shared, lines.front()->series->size_param).map();
    const auto size = shared.find(lines.front()->series->size_param);
    const std::string sizes = sizes_of(material, lines);
    if (size != shared.end() && !sizes.empty()) size->second = sizes;
  }
  return "ridgepoint run " + shell_word(material.lab) + edit_arguments(kernels) + " --rungs " +
         shell_word(rungs) + set_arguments(shared) + mode + cache_argument(cache) + given +
         " --out " + out;
}

Section not_tested_section(const Material& material) {
  return {.id = "not-tested", .title = "Not tested", .bullets = untested_of(material)};
}

Section reproduce_section(const Material& material) {
  Section section{.id = "reproduce", .title = "How to reproduce"};
  const size_t claims = material.claims.size();
  if (material.lab == kImportedLab) {
    section.commands = {import_command(material)};
    return section;
  }
  section.commands = run_commands(material, claims == 0 ? "run" : "ladder");
  for (size_t i = 0; i < claims; ++i) {
    section.commands.push_back(compare_command(*material.claims[i].run,
                                               material.claims[i].comparison,
                                               numbered("run", i, claims) + ".jsonl"));
  }
  // The last claim is what a report is about; without one each run is.
  const size_t runs = claims == 0 ? section.commands.size() : claims;
  const size_t first = claims == 0 ? 0 : claims - 1;
  for (size_t i = first; i < runs; ++i) {
    section.commands.push_back("ridgepoint report " + numbered("run", i, runs) + ".jsonl --out " +
                               numbered("report", i - first, runs - first) + ".html");
  }
  for (const Line& line : material.lines) {
    if (line.series->hash.empty()) continue;
    section.bullets.push_back(line.series->kernel + ", source " + line.series->hash);
  }
  std::sort(section.bullets.begin(), section.bullets.end());
  section.bullets.erase(std::unique(section.bullets.begin(), section.bullets.end()),
                        section.bullets.end());
  return section;
}

std::vector<Section> edited_sections(const Material& material) {
  std::vector<Section> sections;
  std::set<std::string> seen;
  for (const Line& line : material.lines) {
    const std::string& kernel = line.series->kernel;
    const SourceText* source = is_edit(kernel) ? line.input->run->source(kernel) : nullptr;
    if (!source || source->text.empty() || !seen.insert(kernel).second) continue;
    Section section{.id = "edited", .title = "The text of " + title_of(kernel, *material.options)};
    section.paragraphs = {fmt::format(
        "{}, source {}. The program knows an edited rung only from its file: save this text as {}.",
        kernel, source->hash, edit_file(kernel))};
    section.code = source->text;
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace ridge::report
