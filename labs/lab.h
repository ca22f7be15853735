// A lab is a list: the ladder in order, its texts, and how its parameters are presented. It names
// kernels by id only and links none of them. One file per lab; the last line registers it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/level.h"
#include "common/core/registration.h"
#include "common/core/result.h"
#include "common/record/diagnosis.h"
#include "common/record/params.h"
#include "common/record/scaling.h"
#include "labs/score_card.h"
#include "labs/table.h"
#include "labs/workload.h"

namespace ridge {

struct Rung {
  const char* kernel;   ///< "gemm.cpu.naive_o1"
  const char* title;    ///< "three loops, -O1"
  const char* change;   ///< what is new since the rung before, one phrase
  bool peer = false;    ///< a library to measure against, not a step of ours
  bool expert = false;  ///< folded away at first
  /// There for the gate to refuse: whether it computes something else at these parameters, so that no check may pass
  /// it. Null: a rung that is meant to be right.
  bool (*wrong)(const Params&) = nullptr;
  /// Why its idea has nothing to work on at these parameters, so that what runs there is no step of the ladder:
  /// "needs more than one thread"; null: it is a step. Null function: it always is.
  const char* (*no_step)(const Params&) = nullptr;
  /// Of another architecture than its neighbours: it goes on from the rung before it, as the rung after it does. The
  /// window has a row for it where it can run, or was recorded.
  bool branch = false;
};
inline constexpr bool kPeer = true;  ///< what Rung::peer says in a lab's list

/// A step of ours is there to learn from, a library to compare with; an expert rung is for measuring.
constexpr Level level_of(const Rung& rung) {
  return rung.expert ? Level::kBench : rung.peer ? Level::kLab : Level::kLearn;
}

/// A part of the ladder under its own heading; it begins with a rung and ends where the next begins.
struct Section {
  const char* title;  ///< "GPU, Tensor Cores"
  const char* first;  ///< kernel id
};

/// A rung that pulls the lever of a bottleneck, for the rungs of its backend before it.
struct Lever {
  Bottleneck bottleneck;
  const char* kernel;
};

/// A parameter as a slider or list: its stops. Range and default are the family's.
struct ParamView {
  const char* name;
  const char* label;
  std::vector<int64_t> stops;
  Level level = Level::kLearn;
  const char* brief = "";  ///< on its control, where its name is no word: "activation bits"
  const char* control() const { return *brief ? brief : name; }
};

/// Lab::quality_metric of labs that are judged against float64.
inline constexpr std::string_view kErrorMetric = "error";

/// Lab::group, in the order in which a course takes them.
inline constexpr const char* kLabGroups[] = {"Start", "Kernels", "Train", "Serve", "Judge"};

/// A family of which single accesses can be watched, at sizes small enough for that.
struct WalkedFamily {
  const char* family = "";
  const char* param = "";  ///< "n"
  std::vector<int64_t> sizes;
  int first_look = 0;  ///< which of them
};

/// What the error of a rung of one type may be, in words: the types differ in what limits them.
struct TypeLimit {
  const char* dtype;
  const char* words;
};

struct Lab {
  const char* id;      ///< "gemm"
  const char* title;   ///< "GEMM"
  const char* goal;    ///< one sentence: what the learner comes away with
  const char* family;  ///< parameters and problem of its kernels
  std::vector<Rung> rungs;
  std::vector<Section> sections;  ///< in the order of the rungs; may be empty
  std::vector<ParamView> params;
  const char* quality_metric;  ///< "error": NMSE against float64; else a task metric: "accuracy"
  const char* quality_limit;   ///< in words, for reports
  std::vector<TypeLimit> type_limits =
      {};                      ///< after `quality_limit`; empty: it is the same for all
  const char* lesson;          ///< "assets/lessons/gemm.md"
  /// In its group, smallest first; in tens, so that there is room between two. The tests' labs come last.
  int place = 1000;
  const char* group = "";  ///< its heading in lists of labs, one of kLabGroups: "Serve"
  const char* line = "";   ///< what it is about in at most 40 letters, for a small card
  Level level = Level::kLab;
  std::vector<Table> tables = {};  ///< published ones that its rungs run again
  /// Where the ladder climbs, and a first look at it takes about a minute; the family's defaults if
  /// empty.
  Params first_look_cpu = {}, first_look_gpu = {};
  std::vector<Lever> levers = {};        ///< in the order of the rungs
  std::vector<Workload> workloads = {};  ///< networks whose products the rungs can run
  bool serves_model = false;    ///< its workloads are those of a model that the learner describes
  bool decodes_model = false;   ///< its weights' types are what that model may decode with
  const char* items = "items";  ///< what a call works off, counted a second: "images"
  /// The same of a family that works off other things: of "gemv" "products".
  std::map<std::string_view, const char*> items_of = {};
  bool per_item = false;        ///< its rungs do unlike work: times are those of an item
  /// None of its rungs does where false: a roofline and rates over sizes have no point.
  bool counts_flop = true;
  bool is_ladder = true;  ///< each rung goes on from the one before; of a collection none does
  std::optional<ScoreCard> score_card = {};
  Params one_item = {};                     ///< what sets a call to a single one of its items
  std::vector<const char*> inspected = {};  ///< families whose models can be looked into
  /// The family of which each rung is a network of its own, that answers to the same inputs as the others; null: none.
  const char* networks_of = nullptr;
  std::vector<WalkedFamily> walked = {};  ///< families whose rungs' memory accesses can be watched
  const char* data_set = "";     ///< that its rungs read: "Fashion-MNIST"; empty: random numbers
  const char* served = nullptr;  ///< the family whose call is a step that a queue can stand before
  /// The choice that orders the loops of the rungs whose traffic is modelled; null: none is.
  const char* loop_order = nullptr;
  std::vector<const char*> heat =
      {};  ///< the two that a heatmap begins with, where a rung has them
  Scaling scaling = {};  ///< what rungs are shared out over
  /// The short climb that a newcomer watches: rungs of one processor and one type, steps of ours before the libraries.
  /// Empty: the lab has none.
  std::vector<const char*> short_climb = {};
};

struct LabDesc {
  const char* id;
  const Lab& (*lab)();
};

RIDGE_REGISTERED(registered_labs, ridge_labs, LabDesc)

/// All labs as the course and the home screen have them: by group, in it by their place, then by id.
std::vector<const Lab*> all_labs();
/// The first lab with a short climb; null: none of this build has one.
const Lab* short_climb_lab();
/// The labs under one heading, by their place.
struct LabGroup {
  std::string title;
  std::vector<const Lab*> labs;
};
/// kLabGroups that have labs, in their order; a group of another name comes after them.
std::vector<LabGroup> labs_by_group();
const Lab* find_lab(std::string_view id);

/// A rate's unit in the words of the rung's family, of none in the lab's: of "items/s" "images/s".
std::string unit_in_words(const Lab& lab, const std::string& unit, std::string_view kernel);

/// What a reader calls a parameter: the lab's label; of one that the lab does not show its name, in words.
std::string param_title(const Lab& lab, std::string_view name);
/// "sequence = 4096", "2 threads", "bf16": a value as the window's controls name it; of a parameter that the lab does not
/// show with its name in words.
std::string param_in_words(const Lab& lab, std::string_view name, const ParamValue& value);
/// All of them, those that the lab shows first and in its order.
std::string params_in_words(const Lab& lab, const Params& params, std::string_view between = ", ");
/// The same of the lab with this id, else of the first that has the rung with that id; of neither as they are typed.
std::string params_in_words(std::string_view lab_or_rung, const Params& params);
/// The same of all that the lab shows, by their names.
std::map<std::string, std::string> param_titles(const Lab& lab);

/// The networks that answer to an input: those of the score card, else each rung of Lab::networks_of.
std::vector<Network> networks_of(const Lab& lab);

/// The rung with this kernel id, of the first lab that has it; null: none has.
const Rung* rung_of(std::string_view kernel);
/// The rung with this kernel id, or all whose ids end in `name`: "direct" is one of the CPU and one of the
/// GPU.
std::vector<const Rung*> rungs_named(const Lab& lab, std::string_view name);
/// A rung by kernel id, or by its end where that is unique in the lab ("naive_o1", "cpu.naive_o1");
/// the error lists what could be meant.
Result<const Rung*> find_rung(const Lab& lab, std::string_view name);
/// Why this rung is no step at these parameters; empty: it is one, or its lab is not known.
std::string why_no_step(std::string_view kernel, const Params& params);
/// At one thread a rung that shares out its work runs what the rung before it runs.
inline const char* one_thread_is_no_step(const Params& params) {
  return param_int(params, "threads", 1) == 1 ? "needs more than one thread" : nullptr;
}
/// The heading above this rung where it is the first of a section; null otherwise.
const Section* section_at(const Lab& lab, const Rung& rung);
/// Where a lab that has rungs begins: at the first that is meant to be right. One that the gate refuses has no time.
const Rung& first_rung(const Lab& lab);
/// The rung before it in its section, of the same backend and not a peer; null for the first, and in a collection.
const Rung* previous_rung(const Lab& lab, const Rung& rung);
/// For each rung of ours and each bottleneck: the next rung of its backend that pulls the lever.
Levers levers_of(const Lab& lab);

}  // namespace ridge

#define RIDGE_LAB(id_, function_)                                        \
  static constexpr ::ridge::LabDesc ridge_lab_##id_ = {#id_, function_}; \
  RIDGE_REGISTER("ridge_labs", ::ridge::LabDesc, ridge_lab_##id_)
