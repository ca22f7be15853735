// ridgepoint: reads the command line and hands over to one command. Exit codes: docs of --help.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>

#include "app/cli/cli.h"
#include "app/query/terminal.h"
#include "common/core/build_info.h"

namespace {

using namespace ridge::app;

constexpr const char* kFooter =
    "Exit codes: 0 done (compare: faster or same), 1 slower, 2 unresolved, 3 invalid or a failed\n"
    "check, 64 usage, 65 bad input file, 69 nothing on this machine can run that, 70 worker "
    "failed,\n"
    "73 cannot write, 130 cancelled.";

/// Each --set takes one value: "run --set n=64 gemm" must not swallow the lab.
CLI::Option* one_at_a_time(CLI::Option* option) {
  return option->allow_extra_args(false);
}

void add_measuring(CLI::App* command, MeasureOptions* options) {
  command->add_option("lab", options->lab, "the lab, e.g. gemm")->required();
  one_at_a_time(command->add_option(
      "--set", options->set, "a parameter: n=1024; run: each of n=256,512 or seed=1..8 (repeat)"));
  command->add_option("--cache", options->cache, "hot (default) or cold")
      ->check(CLI::IsMember({"hot", "cold"}));
  command->add_option("--device", options->device, "which GPU")->check(CLI::Range(0, 1023));
  command->add_option("--limit", options->limit_s, "seconds for each rung")
      ->check(CLI::Range(0.001, 86400.0));
  command->add_option("--out", options->out, "save the run: RUN.jsonl");
  one_at_a_time(command->add_option("--edit", options->edits,
                                    "a file of yours as a rung: FILE or KERNEL=FILE (repeat)"));
}

CLI::App* add_edit(CLI::App* app, EditOptions* options) {
  CLI::App* command = app->add_subcommand("edit", "a copy of a rung's file, for you to change");
  command->add_option("KERNEL", options->kernel, "the rung, e.g. gemm.cpu.loop_order")->required();
  command->add_option("--to", options->to, "where to; default: your folder of edits");
  command->add_flag("--watch", options->watch, "then build, check and time it at every save");
  one_at_a_time(command->add_option("--set", options->set, "a parameter: n=1024 (repeat)"));
  return command;
}

CLI::App* add_exercise(CLI::App* app, ExerciseOptions* options) {
  CLI::App* command = app->add_subcommand("exercise", "files with a hole to fill, and their check");
  command->add_option("what", options->what, "list, start, hint, solution or check")
      ->required()
      ->check(CLI::IsMember({"list", "start", "hint", "solution", "check"}));
  command->add_option("NAME", options->name, "which; of check your FILE");
  command->add_option("--to", options->to, "start: where to");
  command->add_option("--out", options->out, "check: save the run, for a leaderboard: RUN.jsonl");
  one_at_a_time(command->add_option("--set", options->set, "check: a parameter: n=512 (repeat)"));
  return command;
}

CLI::App* add_run(CLI::App* app, MeasureOptions* options) {
  CLI::App* command = app->add_subcommand("run", "measure the rungs of a lab");
  add_measuring(command, options);
  one_at_a_time(command->add_option("--rungs", options->rungs,
                                    "which, a,b,..; default: all that can run here"))
      ->delimiter(',');
  command->add_option("--table", options->table,
                      "a published table run again, row by row: talk (of gemm)");
  command->add_option("--mode", options->mode, "live or measure (default)")
      ->check(CLI::IsMember({"live", "measure"}));
  command->add_flag("--counters", options->counters,
                    "a GPU's hardware counters too, after the timing, in a worker of their own");
  return command;
}

CLI::App* add_compare(CLI::App* app, MeasureOptions* options) {
  CLI::App* command = app->add_subcommand("compare", "interleaved pairs: is the candidate faster?");
  add_measuring(command, options);
  command->add_option("--baseline", options->baseline, "RUNG or RUNG:k=v,..");
  one_at_a_time(command->add_option("--candidate", options->candidates,
                                    "RUNG or RUNG:k=v,.. (repeat for several)"));
  command
      ->add_option("--margin", options->margin,
                   "differences below it are called same; default 0.01 on a GPU, 0.02 on a CPU")
      ->check(CLI::Range(0.0001, 1.0));
  return command;
}

CLI::App* add_inspect(CLI::App* app, InspectOptions* options) {
  CLI::App* command =
      app->add_subcommand("inspect", "look inside a model; with an input, watch it decide");
  command->add_option("kernel", options->kernel, "a rung: weightless.cpu.naive")->required();
  command->add_option("--input", options->input, "an input of the test set, from 0");
  command->add_flag("--wrong", options->wrong, "from there on, the first that it gets wrong");
  command->add_option("--unit", options->unit, "the LUT or RAM to show more of");
  command->add_option("--place", options->place, "a pixel: which of them look there");
  one_at_a_time(command->add_option("--set", options->set, "a parameter: luts=500 (repeat)"));
  command->add_option("--out", options->out, "save the run: RUN.jsonl");
  return command;
}

CLI::App* add_serve(CLI::App* app, ServeOptions* options) {
  CLI::App* command = app->add_subcommand("serve", "a queue of requests before a decode step");
  command->add_option("kernel", options->kernel, "a rung: decode.cpu.split")->required();
  command->add_option("--batch-limit", options->asked.batch_limit, "most requests in a step");
  command->add_option("--wait-ms", options->wait_ms, "an idle machine waits so long for more");
  command->add_option("--limit-ms", options->limit_ms, "of the p99 of a request's latency");
  command->add_option("--requests", options->asked.requests, "at each load; a p99 takes 299");
  command->add_option("--prompt", options->asked.prompt, "keys in the cache at first");
  command->add_option("--tokens", options->asked.tokens, "of each request");
  command->add_option("--seed", options->asked.seed, "of the arrivals");
  one_at_a_time(command->add_option("--load", options->asked.loads, "requests a second (repeat)"));
  one_at_a_time(command->add_option("--set", options->set, "a parameter: heads=32 (repeat)"));
  command->add_option("--out", options->out, "save the run: RUN.jsonl");
  return command;
}

CLI::App* add_model(CLI::App* app, ModelOptions* options) {
  CLI::App* command =
      app->add_subcommand("model", "tokens a second of a transformer that you describe");
  ridge::ModelShape& shape = options->shape;
  const auto whole = [&](const char* name, int64_t* value, const char* help) {
    command->add_option(name, *value, help)->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  };
  whole("--layers", &shape.layers, "layers");
  whole("--heads", &shape.heads, "heads of queries");
  whole("--heads-kv", &shape.heads_kv, "heads of keys and values; divides heads");
  whole("--d", &shape.d, "head size");
  whole("--inner", &shape.inner, "width of the FFN");
  whole("--vocabulary", &shape.vocabulary, "tokens that there are");
  whole("--prompt", &shape.prompt, "tokens of each sequence");
  whole("--batch", &shape.batch, "sequences at once");
  whole("--threads", &options->threads, "CPU threads");
  command->add_flag("--gpu", shape.gpu, "by the GPU's rungs");
  command->add_option(
      "--dtype", shape.dtype,
      "fp32; bf16 or fp16 on a GPU; int8, w8a8, fp8 or int4: weights when decoding; "
      "all: every type of weights side by side, decoding");
  command->add_option("RUN", options->run,
                      "--dtype all: RUN.jsonl, whose figures are taken instead of measuring");
  command->add_option("--out", options->out, "save the run: RUN.jsonl");
  return command;
}

CLI::App* add_report(CLI::App* app, ReportFileOptions* options) {
  CLI::App* command = app->add_subcommand("report", "a report from saved runs");
  command->add_option("RUN", options->runs, "RUN.jsonl, or the baseline's and the candidate's")
      ->required()
      ->expected(1, 2);
  command->add_option("--baseline", options->baseline, "rung");
  command->add_option("--candidate", options->candidate, "rung");
  one_at_a_time(command->add_option("--set", options->set,
                                    "only results with this parameter: n=4096 (repeat)"));
  command->add_option(
      "--out", options->out,
      "FILE.html, .md, .json, .csv, .gbench.json or .trace.json; default: to stdout");
  return command;
}

CLI::App* add_selftest(CLI::App* app, SelftestOptions* options) {
  CLI::App* command =
      app->add_subcommand("selftest", "aa: a rung against itself; the noise floor of this machine");
  command->add_option("kind", options->kind, "aa")->required()->check(CLI::IsMember({"aa"}));
  command->add_option("--runs", options->runs, "comparisons, default 100")
      ->check(CLI::Range(1, 10000));
  command->add_option("--lab", options->lab, "default gemm");
  command->add_option("--rung", options->rung, "RUNG or RUNG:k=v,..; default cache_blocks");
  one_at_a_time(command->add_option("--set", options->set, "a parameter: n=232 (repeat)"));
  command->add_option("--out", options->out, "save the run: RUN.jsonl");
  return command;
}

CLI::App* add_tour(CLI::App* app, TourOptions* options) {
  CLI::App* command = app->add_subcommand("tour", "the tours there are; one, and its rehearsal");
  command->add_option("ID", options->id, "which; none: all are listed");
  command->add_flag("--rehearse", options->rehearse,
                    "run every step here and save a fallback run for each");
  command->add_option("--out", options->out, "folder of the fallback runs");
  return command;
}

CLI::App* add_handout(CLI::App* app, HandoutOptions* options) {
  CLI::App* command =
      app->add_subcommand("handout", "one offline page: lesson, sources, charts, folded answers");
  command->add_option("LAB", options->lab, "the lab, e.g. gemm")->required();
  command->add_option("RUN", options->run, "RUN.jsonl, for its charts and sources");
  command->add_option("--out", options->out, "FILE.html")->required();
  return command;
}

CLI::App* add_shot(CLI::App* app, ShotFileOptions* options, std::string* size) {
  CLI::App* command = app->add_subcommand("shot", "pictures of the window, as PNG");
  command->add_option("scene", options->scenes, "e.g. lab, or home,lab, or all")->required();
  command->add_option("out", options->out, "OUT.png; of several pictures their folder")->required();
  command->add_option("--lab", options->lab, "default: the saved run's, else the first");
  command->add_option("--rung", options->rung, "the rung that is selected");
  command->add_option("--theme", options->themes, "dark, light, or dark,light")
      ->delimiter(',')
      ->check(CLI::IsMember({"dark", "light"}));
  command->add_option("--scale", options->scales, "0.75 to 3, or several: 1,1.5,2")
      ->delimiter(',')
      ->check(CLI::Range(0.75, 3.0));
  command->add_option("--size", *size, "WIDTHxHEIGHT, e.g. 1600x1000");
  return command;
}

bool parse_size(const std::string& text, ShotFileOptions* options) {
  if (text.empty()) return true;
  int end = 0;
  const int read = std::sscanf(text.c_str(), "%dx%d%n", &options->width, &options->height, &end);
  const auto sane = [](int pixels) { return pixels >= 320 && pixels <= 16384; };
  return read == 2 && static_cast<size_t>(end) == text.size() && sane(options->width) &&
         sane(options->height);
}

/// The exit code of the command that was asked for.
int run_command(int argc, char** argv) {
  CommonOptions common;
  MeasureOptions run, compare;
  InspectOptions inspect;
  ServeOptions serve;
  ModelOptions model;
  ReportFileOptions report;
  SelftestOptions selftest;
  ShotFileOptions shot;
  TourOptions tour;
  HandoutOptions handout;
  EditOptions edit;
  ExerciseOptions exercise;
  std::string size;

  CLI::App app{"Ridgepoint: climb a ladder of kernels and see what each step bought.",
               "ridgepoint"};
  app.footer(kFooter);
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", ridge::version_line("ridgepoint"), "say what this is");
  app.add_flag("--json", common.json, "print one JSON document (docs/schema)");
  app.add_option("--worker", common.worker,
                 "launch command, e.g. \"ssh -T gpubox ridgepoint-worker --stdio\"");
  app.add_option("--replay", common.replay, "show a saved run: RUN.jsonl");
  app.add_option("RUN", common.open, "a saved run to open: the same as --replay RUN.jsonl");
  app.add_flag("--presenter", common.presenter, "open the window in presenter mode");
  const CLI::App* tour_command = add_tour(&app, &tour);
  const CLI::App* handout_command = add_handout(&app, &handout);
  CLI::App* list_command = app.add_subcommand("list", "labs, rungs, and what can run here");
  bool list_actions = false;
  list_command->add_flag("--actions", list_actions, "the window's actions and keys instead");
  std::string asm_of;
  list_command->add_option("--asm", asm_of, "what the compiler made of this rung: KERNEL");
  const CLI::App* edit_command = add_edit(&app, &edit);
  const CLI::App* exercise_command = add_exercise(&app, &exercise);
  CLI::App* board_command =
      app.add_subcommand("leaderboard", "a folder of saved runs, ranked with their intervals");
  std::string board_folder;
  board_command->add_option("FOLDER", board_folder, "of RUN.jsonl files")->required();
  const CLI::App* run_command = add_run(&app, &run);
  const CLI::App* compare_command = add_compare(&app, &compare);
  const CLI::App* inspect_command = add_inspect(&app, &inspect);
  const CLI::App* serve_command = add_serve(&app, &serve);
  const CLI::App* model_command = add_model(&app, &model);
  const CLI::App* report_command = add_report(&app, &report);
  const CLI::App* machine_command =
      app.add_subcommand("machine", "environment and measured ceilings");
  const CLI::App* selftest_command = add_selftest(&app, &selftest);
  const CLI::App* shot_command = add_shot(&app, &shot, &size);

  // An error in the command line is a document too, whatever stands before --json.
  for (int i = 1; i < argc; ++i) common.json |= std::strcmp(argv[i], "--json") == 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream help;
      const int code = app.exit(error, help);
      write_out(help.str());
      return code;
    }
    return fail(common, {ridge::ErrorCode::usage, error.what(), "", "see 'ridgepoint --help'"});
  }
  if (!common.open.empty()) {
    // A word that is neither a command nor a file is more likely a mistyped command.
    const bool after_command = !app.get_subcommands().empty();
    if (after_command || !std::filesystem::exists(common.open)) {
      return fail(common,
                  {ridge::ErrorCode::usage,
                   "'" + common.open +
                       (after_command ? "' is one word too many"
                                      : "' is neither a command nor a saved run that exists"),
                   "", "see 'ridgepoint --help'"});
    }
    common.replay = common.open;
  }
  if (!common.replay.empty() && !app.get_subcommands().empty() && !shot_command->parsed()) {
    return fail(common, {ridge::ErrorCode::usage, "a saved run is shown by the window and by shot",
                         "--replay", "use 'ridgepoint report RUN.jsonl' for its report"});
  }
  if (list_command->parsed() && !asm_of.empty()) return cmd_assembly(common, asm_of);
  if (list_command->parsed()) return list_actions ? cmd_actions(common) : cmd_list(common);
  if (edit_command->parsed()) return cmd_edit(common, edit);
  if (exercise_command->parsed()) return cmd_exercise(common, exercise);
  if (board_command->parsed()) return cmd_leaderboard(common, board_folder);
  if (run_command->parsed()) return cmd_run(common, run);
  if (compare_command->parsed()) return cmd_compare(common, compare);
  if (inspect_command->parsed()) return cmd_inspect(common, inspect);
  if (serve_command->parsed()) return cmd_serve(common, serve);
  if (model_command->parsed()) return cmd_model(common, model);
  if (report_command->parsed()) return cmd_report(common, report);
  if (machine_command->parsed()) return cmd_machine(common);
  if (selftest_command->parsed()) return cmd_selftest(common, selftest);
  if (tour_command->parsed()) return cmd_tour(common, tour);
  if (handout_command->parsed()) return cmd_handout(common, handout);
  if (shot_command->parsed()) {
    if (parse_size(size, &shot)) return cmd_shot(common, shot);
    return fail(common, {ridge::ErrorCode::usage, "'" + size + "' is no size", "--size",
                         "give WIDTHxHEIGHT, each from 320 to 16384, as in 1600x1000"});
  }
  return cmd_open(common);
}

}  // namespace

int main(int argc, char** argv) {
  guard_standard_streams();
  const int code = run_command(argc, argv);
  const auto unwritten = output_error();
  return unwritten ? fail({}, *unwritten) : code;
}
