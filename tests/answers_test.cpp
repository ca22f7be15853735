// Two classifiers' answers to the same inputs: how they are written, and when their accuracies can be told apart.
#include "common/stats/answers.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::stats;

namespace {

/// The first `count` of 1000 inputs, from `first` on, answered right.
std::string right_from(size_t first, size_t count) {
  std::vector<bool> right(1000);
  for (size_t i = first; i < first + count; ++i) right[i] = true;
  return pack_answers(right);
}

}  // namespace

TEST_CASE("answers are a count and a digit for each four, and come back as they were") {
  CHECK(pack_answers({true, false, false, false, false, true}) == "6 12");
  for (const size_t count : {1, 3, 4, 5, 127}) {
    std::vector<bool> right(count);
    for (size_t i = 0; i < count; ++i) right[i] = i * i % 7 < 3;
    CHECK(unpack_answers(pack_answers(right)) == right);
  }
  for (const char* text : {"", "6", "6 1", "6 123", "6 1x", "x 12", "99999999999999999999 1"}) {
    INFO(text);
    CHECK(unpack_answers(text).empty());
  }
}

TEST_CASE("only inputs that one of two gets right tell them apart") {
  // 60 alone right against 40: exact binomial, p = 0.057; the interval of 60 / 100 is 0.497 to 0.697.
  const auto near = compare_answers(right_from(0, 860), right_from(60, 840));
  REQUIRE(near);
  CHECK(near->only_first == 60);
  CHECK(near->only_second == 40);
  CHECK(near->difference == Approx(0.02));
  CHECK(near->ci.low == Approx(2 * 0.4972 * 0.1 - 0.1).margin(1e-4));
  CHECK(near->ci.high == Approx(2 * 0.6967 * 0.1 - 0.1).margin(1e-4));
  CHECK_FALSE(near->told_apart());
  // As large a difference, all of it on one side.
  const auto far = compare_answers(right_from(0, 860), right_from(0, 840));
  REQUIRE(far);
  CHECK(far->difference == Approx(0.02));
  CHECK(far->told_apart());
  // The other way round is the mirror image.
  const auto back = compare_answers(right_from(0, 840), right_from(0, 860));
  CHECK(back->ci.low == Approx(-far->ci.high));
  CHECK(back->ci.high == Approx(-far->ci.low));
  // More pairs to choose from, a wider interval.
  const auto among = compare_answers(right_from(0, 860), right_from(0, 840), 1000000);
  CHECK(among->ci.low < far->ci.low);
  CHECK_FALSE(among->told_apart());
}

TEST_CASE(
    "equal answers leave room for what so many inputs cannot show; other sets are not compared") {
  const auto same = compare_answers(right_from(0, 900), right_from(0, 900));
  REQUIRE(same);
  CHECK(same->difference == 0);
  CHECK(same->ci.high == Approx(0.0037).margin(1e-4));
  CHECK(same->ci.low == -same->ci.high);
  CHECK_FALSE(compare_answers(right_from(0, 900), pack_answers({true, false})));
  CHECK_FALSE(compare_answers(right_from(0, 900), ""));
}
