#include "common/record/request.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ridge {
namespace {

Error bad_request(std::string what, std::string hint = "") {
  return Error{ErrorCode::usage, std::move(what), "request line", std::move(hint)};
}

/// Copies a whole number; absent or null leaves `value` alone.
template <class T>
Result<void> take_whole(const Json& line, const char* name, T* value) {
  const auto field = line.find(name);
  if (field == line.end() || field->is_null()) return {};
  const bool whole = field->is_number_integer() && field->get<double>() >= 0 &&
                     field->get<double>() <= double(std::numeric_limits<T>::max() / 2);
  if (!whole) return bad_request(std::string(name) + " is not a whole number from 0");
  *value = field->get<T>();
  return {};
}

template <class Enum>
Result<void> take_choice(const Json& line, const char* name, Enum first, Enum second, Enum* value) {
  const auto field = line.find(name);
  if (field == line.end() || field->is_null()) return {};
  const std::string text = field->is_string() ? field->get<std::string>() : "";
  if (text != name_of(first) && text != name_of(second)) {
    return bad_request(std::string(name) + " = " + dump_json(*field) + " is unknown",
                       "choose " + to_string(first) + " or " + to_string(second));
  }
  *value = text == name_of(first) ? first : second;
  return {};
}

Result<void> take_amount(const Json& line, const char* name, bool zero_allowed,
                         std::optional<double>* value) {
  const auto field = line.find(name);
  if (field == line.end() || field->is_null()) return {};
  const double amount = field->is_number() ? field->get<double>() : NAN;
  if (!std::isfinite(amount) || !(zero_allowed ? amount >= 0 : amount > 0)) {
    return bad_request(std::string(name) + " = " + dump_json(*field) + " is not a number " +
                       (zero_allowed ? "from 0" : "above 0"));
  }
  *value = amount;
  return {};
}

Result<void> take_rounds(const Json& line, std::optional<int64_t>* rounds) {
  int64_t count = 0;
  RIDGE_TRY_VOID(take_whole(line, "rounds", &count));
  const auto field = line.find("rounds");
  if (field == line.end() || field->is_null()) return {};
  if (count == 0) return bad_request("rounds is 0", "give how many, or leave it out");
  *rounds = count;
  return {};
}

Result<void> take_text(const Json& line, const char* name, std::string* value) {
  const auto field = line.find(name);
  if (field == line.end() || field->is_null()) return {};
  if (!field->is_string()) return bad_request(std::string(name) + " is not a text");
  *value = field->get<std::string>();
  return {};
}

Result<void> take_flag(const Json& line, const char* name, bool* value) {
  const auto field = line.find(name);
  if (field == line.end() || field->is_null()) return {};
  if (!field->is_boolean()) return bad_request(std::string(name) + " is neither true nor false");
  *value = field->get<bool>();
  return {};
}

/// A program and its arguments, as a process gets them.
Result<void> take_words(const Json& object, const char* name, std::vector<std::string>* words) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null()) return {};
  const bool is_list =
      field->is_array() && !field->empty() &&
      std::all_of(field->begin(), field->end(),
                  [](const Json& word) {
                    return word.is_string() &&
                           word.get_ref<const std::string&>().find('\0') == std::string::npos;
                  }) &&
      !field->front().get_ref<const std::string&>().empty();
  if (!is_list) return bad_request(std::string(name) + " is not a list of words");
  for (const Json& word : *field) words->push_back(word.get<std::string>());
  return {};
}

Result<void> take_commands(const Json& line, CommandRule* rule) {
  const Json* given = object_field(line, "commands");
  if (given == nullptr) return {};
  RIDGE_TRY_VOID(take_words(*given, "check", &rule->check));
  rule->reference = text_field(*given, "reference");
  std::optional<double> limit_s;
  RIDGE_TRY_VOID(take_amount(*given, "call_limit_s", false, &limit_s));
  rule->call_limit_s = limit_s.value_or(rule->call_limit_s);
  return {};
}

Result<void> take_kernels(const Json& line, WorkRequest* request) {
  const size_t least = request->type == RequestType::compare ? 2
                       : request->type == RequestType::probe ? 0
                                                             : 1;
  const auto list = line.find("kernels");
  const bool absent = list == line.end() || list->is_null();
  if (!absent && !list->is_array()) return bad_request("kernels is not a list");
  if ((absent ? 0 : list->size()) < least) {
    return bad_request(
        "kernels names fewer than " + std::to_string(least),
        least == 2 ? "give the baseline and at least one candidate" : "name at least one kernel");
  }
  if (absent) return {};
  for (const Json& entry : *list) {
    const auto kernel = entry.is_object() ? entry.find("kernel") : entry.end();
    if (!entry.is_object() || kernel == entry.end() || !kernel->is_string() ||
        kernel->get_ref<const std::string&>().empty()) {
      return bad_request("an entry of kernels names no kernel", "write {\"kernel\": id}");
    }
    const auto params = entry.find("params");
    if (params != entry.end() && !params->is_object() && !params->is_null()) {
      return bad_request("params of " + kernel->get<std::string>() + " is not an object");
    }
    request->kernels.push_back(
        {kernel->get<std::string>(), params == entry.end() ? Params{} : params_from_json(*params)});
    RIDGE_TRY_VOID(take_words(entry, "command", &request->kernels.back().command));
  }
  return {};
}

Result<void> take_index(const Json& line, const char* name, std::optional<int64_t>* value) {
  const auto field = line.find(name);
  if (field == line.end() || field->is_null()) return {};
  int64_t index = 0;
  RIDGE_TRY_VOID(take_whole(line, name, &index));
  *value = index;
  return {};
}

/// [[0, 1], [1, 2]]: places in the list of kernels, which are judged where the kernels are known.
Result<void> take_pairs(const Json& line, std::vector<SidePair>* pairs) {
  const auto given = line.find("pairs");
  if (given == line.end()) return {};
  const auto is_place = [](const Json& value) {
    const int64_t place = value.is_number_integer() ? value.get<int64_t>() : -1;
    return place >= 0 && place < static_cast<int64_t>(kMostSides);
  };
  for (const Json& pair : *given) {
    if (!pair.is_array() || pair.size() != 2 || !is_place(pair[0]) || !is_place(pair[1])) {
      return bad_request("pairs holds " + dump_json(pair).substr(0, 20) + ", which is no pair",
                         "give two places in its list of kernels for each, such as [0, 1]");
    }
    pairs->push_back({pair[0].get<int>(), pair[1].get<int>()});
  }
  if (pairs->size() <= kMostSides * kMostSides) return {};
  return bad_request("pairs names too many", "name each pair once");
}

/// `input` is a place in the test set, or the bytes themselves.
Result<void> take_inspect(const Json& line, WorkRequest* request) {
  InspectAsked& asked = request->inspect;
  RIDGE_TRY_VOID(take_flag(line, "answers", &asked.answers));
  RIDGE_TRY_VOID(take_flag(line, "trains", &asked.trains));
  if (request->kernels.size() != 1 && !asked.answers) {
    return bad_request(
        "inspect looks into one model, not " + std::to_string(request->kernels.size()),
        "name one kernel, or ask for answers");
  }
  const auto input = line.find("input");
  if (input != line.end() && input->is_array()) {
    for (const Json& entry : *input) {
      const int64_t byte = entry.is_number_integer() ? entry.get<int64_t>() : -1;
      if (byte < 0 || byte > 255) {
        return bad_request("input holds " + dump_json(entry).substr(0, 20) + ", which is no byte",
                           "give whole numbers from 0 to 255");
      }
      asked.bytes.push_back(static_cast<uint8_t>(byte));
    }
    if (asked.bytes.empty()) return bad_request("input is an empty list", "leave it out");
  } else {
    RIDGE_TRY_VOID(take_index(line, "input", &asked.input));
  }
  RIDGE_TRY_VOID(take_flag(line, "wrong", &asked.wrong));
  RIDGE_TRY_VOID(take_index(line, "unit", &asked.unit));
  RIDGE_TRY_VOID(take_index(line, "first", &asked.first));
  RIDGE_TRY_VOID(take_index(line, "count", &asked.count));
  RIDGE_TRY_VOID(take_flag(line, "machine_caches", &asked.machine_caches));
  return take_index(line, "place", &asked.place);
}

void put_inspect(const InspectAsked& asked, Json* line) {
  if (asked.input) (*line)["input"] = *asked.input;
  if (!asked.bytes.empty()) (*line)["input"] = asked.bytes;
  if (asked.wrong) (*line)["wrong"] = true;
  if (asked.answers) (*line)["answers"] = true;
  if (asked.trains) (*line)["trains"] = true;
  if (asked.unit) (*line)["unit"] = *asked.unit;
  if (asked.place) (*line)["place"] = *asked.place;
  if (asked.first) (*line)["first"] = *asked.first;
  if (asked.count) (*line)["count"] = *asked.count;
  if (asked.machine_caches) (*line)["machine_caches"] = true;
}

Result<void> take_count(const Json& line, WorkRequest* request) {
  if (request->kernels.size() != 1) {
    return bad_request("count counts one rung, not " + std::to_string(request->kernels.size()),
                       "name one kernel");
  }
  const auto text = line.find("text");
  if (text == line.end()) return {};
  if (!text->is_string()) return bad_request("text is not a text");
  request->text = text->get<std::string>();
  return {};
}

/// The worker steps through these, so that no value may make it step for ever.
Result<void> take_serve(const Json& line, WorkRequest* request) {
  if (request->kernels.size() != 1) {
    return bad_request(
        "serve queues before one rung, not " + std::to_string(request->kernels.size()),
        "name one kernel");
  }
  ServeAsked& asked = request->serve;
  if (const Json* given = object_field(line, "serve")) from_json(*given, asked);
  const auto within = [](auto value, auto low, auto high) { return value >= low && value <= high; };
  bool fits = within(asked.batch_limit, 1, 1024) && within(asked.requests, 1, 100000) &&
              within(asked.prompt, 1, 1 << 20) && within(asked.tokens, 1, 4096) &&
              within(asked.wait_s, 0.0, 60.0) && within(asked.limit_s, 1e-6, 3600.0) &&
              asked.loads.size() <= 64;
  for (const double load : asked.loads) fits = fits && within(load, 1e-6, 1e9);
  if (fits) return {};
  return bad_request("a value of serve is out of range",
                     "batch_limit 1 to 1024, requests to 100000, prompt to 2^20, tokens to 4096, "
                     "wait_s to 60, limit_s to 3600, 64 loads above 0");
}

}  // namespace

Json to_line(const WorkRequest& request) {
  const auto amount = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json line = {{"ridgepoint", 1},          {"from", "app"},           {"type", request.type},
               {"id", request.id},         {"lab", request.lab},      {"cache", request.cache},
               {"device", request.device}, {"kernels", Json::array()}};
  for (const KernelRequest& entry : request.kernels) {
    line["kernels"].push_back({{"kernel", entry.kernel}, {"params", params_to_json(entry.params)}});
    if (!entry.command.empty()) line["kernels"].back()["command"] = entry.command;
  }
  if (request.type == RequestType::inspect) {
    line.erase("cache"), line.erase("device");
    put_inspect(request.inspect, &line);
    return line;
  }
  if (request.type == RequestType::count) {
    line.erase("cache"), line.erase("device");
    if (!request.text.empty()) line["text"] = request.text;
    return line;
  }
  if (request.type == RequestType::serve) {
    line.erase("cache");
    line["serve"] = request.serve;
    return line;
  }
  if (request.type != RequestType::probe) line["limit_s"] = amount(request.limit_s);
  if (!request.table.empty()) line["table"] = request.table;
  if (!request.model.empty()) line["model"] = params_to_json(request.model);
  if (!request.point.empty()) line["point"] = request.point;
  if (request.warmup_s) line["warmup_s"] = *request.warmup_s;
  const bool estimates = request.type == RequestType::probe && !request.kernels.empty();
  if (request.type == RequestType::run || estimates) line["mode"] = request.mode;
  if (!request.energy) line["energy"] = false;
  if (!request.sustained) line["sustained"] = false;
  if (request.counters) line["counters"] = true;
  if (request.count_only) line["count_only"] = true;
  if (request.anew) line["anew"] = true;
  if (request.type == RequestType::compare) line["margin"] = amount(request.margin);
  if (request.rounds) line["rounds"] = *request.rounds;
  if (request.goes_on) line["goes_on"] = true;
  for (const SidePair& pair : request.pairs)
    line["pairs"].push_back({pair.baseline, pair.candidate});
  if (!request.budget.is_empty()) line["budget"] = request.budget;
  if (!request.kernels.empty() && !request.kernels.front().command.empty()) {
    line["commands"] = {{"call_limit_s", request.commands.call_limit_s}};
    if (!request.commands.check.empty()) line["commands"]["check"] = request.commands.check;
    if (!request.commands.reference.empty())
      line["commands"]["reference"] = request.commands.reference;
  }
  return line;
}

Result<WorkRequest> work_request_from(const Json& line) {
  if (!line.is_object()) return bad_request("it is not a JSON object");
  WorkRequest request;
  const auto type = line.find("type");
  if (type == line.end() || !type->is_string()) return bad_request("it has no type");
  const auto known = value_named<RequestType>(type->get<std::string>());
  if (!known || !is_work(*known)) {
    return bad_request("type " + type->get<std::string>() + " asks for no work",
                       "choose run, compare, probe, inspect, serve or count");
  }
  request.type = *known;
  RIDGE_TRY_VOID(take_text(line, "lab", &request.lab));
  RIDGE_TRY_VOID(take_text(line, "point", &request.point));
  RIDGE_TRY_VOID(take_whole(line, "id", &request.id));
  RIDGE_TRY_VOID(take_whole(line, "device", &request.device));
  RIDGE_TRY_VOID(take_kernels(line, &request));
  RIDGE_TRY_VOID(take_choice(line, "mode", RunMode::live, RunMode::measure, &request.mode));
  RIDGE_TRY_VOID(take_choice(line, "cache", CacheMode::hot, CacheMode::cold, &request.cache));
  RIDGE_TRY_VOID(take_flag(line, "energy", &request.energy));
  RIDGE_TRY_VOID(take_flag(line, "sustained", &request.sustained));
  RIDGE_TRY_VOID(take_flag(line, "counters", &request.counters));
  RIDGE_TRY_VOID(take_flag(line, "count_only", &request.count_only));
  RIDGE_TRY_VOID(take_flag(line, "anew", &request.anew));
  RIDGE_TRY_VOID(take_amount(line, "margin", true, &request.margin));
  RIDGE_TRY_VOID(take_rounds(line, &request.rounds));
  RIDGE_TRY_VOID(take_flag(line, "goes_on", &request.goes_on));
  RIDGE_TRY_VOID(take_pairs(line, &request.pairs));
  RIDGE_TRY(request.budget, budget_from(line));
  RIDGE_TRY_VOID(take_amount(line, "limit_s", false, &request.limit_s));
  RIDGE_TRY_VOID(take_amount(line, "warmup_s", true, &request.warmup_s));
  RIDGE_TRY_VOID(take_commands(line, &request.commands));
  if (request.type == RequestType::inspect) RIDGE_TRY_VOID(take_inspect(line, &request));
  if (request.type == RequestType::serve) RIDGE_TRY_VOID(take_serve(line, &request));
  if (request.type == RequestType::count) RIDGE_TRY_VOID(take_count(line, &request));
  return request;
}

}  // namespace ridge
