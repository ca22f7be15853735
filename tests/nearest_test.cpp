// What a mistyped name was meant to be.
#include "common/core/nearest.h"

#include "tests/catch.h"

using namespace ridge;

namespace {

using Names = std::vector<std::string>;

Names near(const std::string& typed, const Names& names) {
  Names found;
  for (const size_t index : nearest(typed, names)) found.push_back(names[index]);
  return found;
}

}  // namespace

TEST_CASE("letters inserted, removed, replaced or swapped count one each") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("run", "run") == 0);
  CHECK(edit_distance("", "run") == 3);
  CHECK(edit_distance("rn", "run") == 1);
  CHECK(edit_distance("runn", "run") == 1);
  CHECK(edit_distance("ran", "run") == 1);
  CHECK(edit_distance("rnu", "run") == 1);
  CHECK(edit_distance("lsit", "list") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("loop_order", "naive") == edit_distance("naive", "loop_order"));
}

TEST_CASE(
    "a name a slip away comes before one that begins so, and that before one that contains it") {
  const Names rungs = {"simd_naive", "naive_o1", "naive_o3", "naive", "loop_order"};
  CHECK(near("naiv", rungs) == Names{"naive", "naive_o1", "naive_o3"});
  CHECK(near("loop_orde", rungs) == Names{"loop_order"});
  CHECK(near("LOOP_ORDER", rungs) == Names{"loop_order"});
  CHECK(near("order", rungs) == Names{"loop_order"});
  CHECK(near("loop_order_2", rungs) == Names{"loop_order"});
  CHECK(near("packed", rungs).empty());
  CHECK(near("", rungs).empty());
}

TEST_CASE("short names need more than one letter in common") {
  CHECK(near("rn", {"run", "list"}) == Names{"run"});
  CHECK(near("x", {"k", "m", "n"}).empty());
  CHECK(near("size", {"k", "m", "n", "threads"}).empty());
}

TEST_CASE("a hint names what is near, else at most eight names and how many more there are") {
  Names many;
  for (int i = 0; i < 42; ++i) many.push_back("rung" + std::string(1, char('a' + i % 26)) + "xyz");
  CHECK(name_hint("packd", {"packed", "naive"}, "list") == "did you mean packed? 'list' shows all");
  CHECK(name_hint("aab", {"aaa", "aac", "aad", "aae"}) == "did you mean aaa, aac or aad?");
  CHECK(name_hint("zz", {"packed", "naive"}, "list") == "choose from packed, naive");
  const std::string hint = name_hint("9", many, "ridgepoint list");
  CHECK(hint.ends_with(" and 34 more; 'ridgepoint list' shows all"));
  CHECK(few_of({"a", "b"}) == "a, b");
  CHECK(few_of({}).empty());
}
