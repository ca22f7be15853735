// The names that lines spell: the tables of common/record/enums.h, the schema and docs/protocol.md say the same.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;

namespace {

std::string document(const std::string& path) {
  return test::read_all(test::variable("RIDGE_SOURCE") + "/docs/" + path);
}

using Names = std::set<std::string>;

template <class Enum>
Names names_of() {
  Names names;
  for (const EnumName<Enum>& row : EnumTable<Enum>::kRows) {
    CHECK(name_of(row.value) == row.name);
    CHECK(value_named<Enum>(row.name) == row.value);
    CHECK(names.emplace(row.name).second);
  }
  return names;
}

/// Every list under "enum" of a field with this name.
void collect(const Json& schema, const std::string& field, std::set<Names>* found) {
  if (schema.is_object()) {
    for (const auto& [name, value] : schema.items()) {
      if (name == field && value.is_object() && value.contains("enum"))
        found->insert(value["enum"].get<Names>());
      collect(value, field, found);
    }
  } else if (schema.is_array()) {
    for (const Json& value : schema) collect(value, field, found);
  }
}

bool has(const std::set<Names>& lists, const Names& names) {
  return lists.count(names) == 1;
}

}  // namespace

TEST_CASE("the schema lists what the tables name") {
  const Json schema = Json::parse(document("schema/transcript.schema.json"));
  CHECK(schema["then"]["properties"]["type"]["enum"].get<Names>() == names_of<RequestType>());
  const auto lists = [&](const char* field) {
    std::set<Names> found;
    collect(schema, field, &found);
    return found;
  };
  CHECK(has(lists("cache"), names_of<CacheMode>()));
  CHECK(has(lists("backend"), names_of<Backend>()));
  CHECK(has(lists("kind"), names_of<RungKind>()));
  CHECK(has(lists("status"), names_of<SeriesStatus>()));
  Names ends = names_of<RequestStatus>();
  ends.erase("");  // a request that is open has no line that says so
  CHECK(has(lists("status"), ends));
}

TEST_CASE("docs/protocol.md has a row for each line of the app, and no other") {
  std::istringstream lines(document("protocol.md"));
  Names rows;
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) in_table = line.find("app") != line.npos;
    if (in_table && line.starts_with("| `")) rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  CHECK(rows == names_of<RequestType>());
}

TEST_CASE("requests end with done, and work names rungs") {
  CHECK(is_request(RequestType::list));
  CHECK(is_request(RequestType::serve));
  CHECK_FALSE(is_request(RequestType::ping));
  CHECK_FALSE(is_request(RequestType::lost));
  CHECK_FALSE(is_work(RequestType::build));
  CHECK(is_work(RequestType::probe));
  CHECK(is_work(RequestType::serve));
  CHECK_FALSE(is_work(RequestType::cancel));
}

TEST_CASE("a value that no table knows is kept as it is written") {
  const Json line = {{"kernel", "gemm.tpu.naive"}, {"cache", "lukewarm"}, {"kind", "dream"}};
  Series series;
  from_json(line, series);
  CHECK(series.cache != CacheMode::hot);
  CHECK_FALSE(series.cache.value());
  CHECK(series.cache.text() == "lukewarm");
  const Json again = series;
  CHECK(again["cache"] == "lukewarm");
  CHECK(again["kind"] == "dream");
  Run run;
  run.apply_line(
      R"({"ridgepoint":1,"from":"app","type":"run","id":1,"lab":"gemm","cache":"lukewarm",)"
      R"("kernels":[{"kernel":"gemm.tpu.naive","params":{}}]})");
  REQUIRE(run.series().size() == 1);
  CHECK(run.series()[0].cache.text() == "lukewarm");
  CHECK(run.request(1)->type == RequestType::run);
  CHECK(run.request(1)->open());
}

TEST_CASE("an enumeration is written by its name, wherever it stands") {
  const Json line = {{"type", RequestType::compare}, {"cache", CacheMode::cold}};
  CHECK(dump_json(line) == R"({"cache":"cold","type":"compare"})");
}
